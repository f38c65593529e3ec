"""Mapping files: all official forms, pairs picked by hand, and files that are wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.match.mapping import Mapping, split_item
from core.match.mapping_files import load_mapping, save_pairs
from core.match.operators import How, match_operators
from core.records.dump import Dump
from tests.builders.dumps import call, write_dump
from tests.builders.reading import read_only_cell

ONE = np.ones(3, np.float32)


def load(folder: Path, *texts: str) -> Mapping:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"mapping{number}.yaml")
        paths[-1].write_text(text, encoding="utf-8")
    return load_mapping(paths)


def dump(folder: Path, *names: str) -> Dump:
    return read_only_cell(write_dump(folder, {name: call([ONE], [ONE]) for name in names}))


def matched(target: Dump, golden: Dump, mapping: Mapping) -> dict[str, str]:
    """Return what the mapping paired."""
    matching = match_operators(target, golden, mapping)
    pairs = matching.pairs
    return {
        target.operator_name(left): golden.operator_name(right)
        for left, right, how in zip(pairs.target.tolist(), pairs.golden.tolist(), matching.how.tolist())
        if how == How.MAPPED
    }


def test_cells(tmp_path: Path) -> None:
    mapping = load(tmp_path, "fc1.Dense: dense.Linear\nCell.enc: Module.encoder\n")
    assert not mapping.problems
    target = dump(tmp_path / "t", "Cell.fc1.Dense.forward.0", "Cell.enc.a.Block.forward.0")
    golden = dump(tmp_path / "g", "Cell.encoder.a.Block.forward.0", "Cell.dense.Linear.forward.0")
    assert matched(target, golden, mapping) == {
        "Cell.fc1.Dense.forward.0": "Cell.dense.Linear.forward.0",
        "Cell.enc.a.Block.forward.0": "Cell.encoder.a.Block.forward.0",
    }


def test_apis_of_a_plain_table_and_of_a_list(tmp_path: Path) -> None:
    mapping = load(
        tmp_path,
        "Functional.mul: Torch.mul\n",
        "- ms_api: Mint.topk\n  pt_api: Torch.topk\n  ms_args: [0, 1]\n  pt_args: [1, dim]\n"
        "  ms_outputs: [0]\n  pt_outputs: [1]\n",
    )
    assert not mapping.problems
    assert mapping.slots_of("", "", "Mint.topk") == {
        "input.0": "input.1",
        "input.1": "input.dim",
        "output.0": "output.1",
    }
    target = dump(tmp_path / "t", "Functional.mul.0.forward", "Mint.topk.4.forward")
    golden = dump(tmp_path / "g", "Torch.mul.0.forward", "Torch.topk.0.forward")
    assert matched(target, golden, mapping) == {
        "Functional.mul.0.forward": "Torch.mul.0.forward",
        "Mint.topk.4.forward": "Torch.topk.0.forward",
    }


def test_items_pair_their_calls(tmp_path: Path) -> None:
    mapping = load(tmp_path, "Torch.a.0.forward.input.0: Module.x.B.forward.1.output.0\n")
    assert mapping.operators == {"Torch.a.0.forward": "Module.x.B.forward.1"}
    assert mapping.slots_of("Torch.a.0.forward", "Module.x.B.forward.1", "Torch.a") == {"input.0": "output.0"}


def test_layers_follow_the_classes(tmp_path: Path) -> None:
    mapping = load(tmp_path, "TopLayer:\n  net: model\nBlock:\n  attn.core: mixer\n  fc: mlp\n")
    names = [
        "net.Net",
        "net.b.Block",
        "net.b.attn.Attention",
        "net.b.attn.core.Core",
        "net.b.fc.Linear",
        "net.fc.Linear",
    ]
    rename = mapping.renamer(f"Module.{name}" for name in names)
    assert [rename(f"Module.{name}").removeprefix("Module.") for name in names] == [
        "model.Net",
        "model.b.Block",
        "model.b.attn.Attention",
        "model.b.mixer.Core",
        "model.b.mlp.Linear",
        "model.fc.Linear",
    ]
    assert rename("Torch.fc") == "Torch.fc"


def test_a_picked_pair_overrides_names_and_backward_follows(tmp_path: Path) -> None:
    calls = [
        f"Torch.f.{number}.{way}"
        for number, way in ((0, "forward"), (1, "forward"), (1, "backward"), (0, "backward"))
    ]
    target, golden = dump(tmp_path / "t", *calls), dump(tmp_path / "g", *calls)
    path = tmp_path / "pairs.json"
    picked = {"Torch.f.0.forward": "Torch.f.1.forward", "Torch.f.1.forward": "Torch.f.0.forward"}
    save_pairs(path, picked)
    mapping = load_mapping([path])
    assert mapping.picked == picked
    assert matched(target, golden, mapping) == picked
    pairs = match_operators(target, golden, mapping).pairs
    names = {target.operator_name(a): golden.operator_name(b) for a, b in zip(pairs.target, pairs.golden)}
    assert names["Torch.f.0.backward"] == "Torch.f.1.backward"


NAMES = st.text(min_size=1, max_size=20)


@given(st.dictionaries(NAMES, NAMES, max_size=5))
def test_saved_pairs_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: dict[str, str]) -> None:
    path = tmp_path_factory.mktemp("pairs") / "pairs.json"
    save_pairs(path, pairs)
    mapping = load_mapping([path])
    assert mapping.picked == pairs
    assert not mapping.problems


def test_later_files_win_and_all_count(tmp_path: Path) -> None:
    mapping = load(tmp_path, "a.A: b.B\nc.C: d.D\n", "a.A: e.E\n", "[unclosed")
    assert mapping.cells == {"a.A": "e.E", "c.C": "d.D"}
    assert [problem.code for problem in mapping.problems] == ["mapping_wrong"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: &x [1]\nb: *x\n", "mapping_alias"),
        ("a: {b: [", "mapping_wrong"),
        ("!!python/object/apply:os.system [echo]", "mapping_wrong"),
        ("12", "mapping_unknown"),
        ("", "mapping_unknown"),
        ("- 1\n- 2\n", "mapping_unknown"),
        ("a: 1\nb: 2\n", "mapping_unknown"),
        ("a.A: b.B\nc.C: 3\n", "mapping_entries"),
        (
            "- ms_api: Mint.a\n  pt_api: Torch.a\n- ms_api: Mint.b\n  pt_api: Torch.b\n  ms_args: [1]\n",
            "mapping_entries",
        ),
        (json.dumps({"ulpscope_pairs": 99, "pairs": []}), "mapping_version"),
        ("a: " + "[" * 40 + "]" * 40, "mapping_deep"),
        ("a.A: b.B\n" * 1_000_000, "mapping_too_large"),
    ],
)
def test_wrong_files_are_problems(tmp_path: Path, text: str, code: str) -> None:
    (problem,) = load(tmp_path, text).problems
    assert problem.code == code
    assert str(tmp_path) in problem.sentence("en")
    assert not re.search(r"\{\w+\}", problem.sentence("zh_CN"))


def test_a_file_of_brackets_ends_soon(tmp_path: Path) -> None:
    (problem,) = load(tmp_path, "[" * 100_000).problems
    assert problem.code in ("mapping_wrong", "mapping_deep")  # libyaml has a limit of its own


def test_missing_binary_and_without_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (problem,) = load_mapping([tmp_path / "none.yaml"]).problems
    assert problem.code == "mapping_unreadable"
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00a")
    (problem,) = load_mapping([tmp_path / "binary"]).problems
    assert problem.code == "mapping_wrong"
    monkeypatch.setitem(sys.modules, "yaml", None)
    (problem,) = load(tmp_path, "a.A: b.B\n").problems
    assert problem.code == "mapping_no_yaml"
    assert load(tmp_path, '{"a.A": "b.B"}').cells == {"a.A": "b.B"}


def test_swapped_sides_swap_the_mapping(tmp_path: Path) -> None:
    mapping = load(
        tmp_path,
        "a.A: b.B\n",
        "Block: {x: y}\n",
        "- {ms_api: Mint.a, pt_api: Torch.a, ms_args: [0], pt_args: [1]}\n",
        "Torch.a.0.forward: Torch.b.0.forward\n",
    )
    turned = mapping.inverted()
    assert turned.cells == {"b.B": "a.A"}
    assert turned.layers == {"Block": {"y": "x"}}
    assert turned.slots_of("", "", "Torch.a") == {"input.1": "input.0"}
    assert turned.operators == {"Torch.b.0.forward": "Torch.a.0.forward"}
    assert turned.inverted() == mapping


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Functional.conv2d.0.forward.input.0.1", ("Functional.conv2d.0.forward", "input.0.1")),
        ("Functional.gelu.0.forward.kwargs.approximate", ("Functional.gelu.0.forward", "input.approximate")),
        ("Module.net.forward.Net.forward.2.output.0", ("Module.net.forward.Net.forward.2", "output.0")),
        ("Module.fc.Linear.forward.0.parameters.weight", ("Module.fc.Linear.forward.0", "parameters.weight")),
        (
            "Module.fc.Linear.parameters_grad.weight",
            ("Module.fc.Linear.parameters_grad", "parameters_grad.weight"),
        ),
        ("loss.0.debug.x", ("loss.0.debug", "value.x")),
        ("Module.fc.Linear.forward.0", None),
        ("Functional.conv2d", None),
    ],
)
def test_item_names_split_into_call_and_slot(name: str, wanted: tuple[str, str] | None) -> None:
    assert split_item(name) == wanted
