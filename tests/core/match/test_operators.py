"""Matching of calls: what the real cases want, and what must hold whatever the calls are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.match.operators import How, match_operators
from core.records.columns import StringPool
from core.records.dump import Dump
from tests.builders.call_sequences import LAYER, Sequence, edited, made_dump
from tests.builders.reading import read_only_cell

APIS = ("Torch.matmul", "Tensor.__add__", "Functional.linear", "Functional.gelu")


def named(target: Dump, golden: Dump) -> list[tuple[str, str]]:
    pairs = match_operators(target, golden).pairs
    return [
        (
            target.operator_name(left) if left >= 0 else "",
            golden.operator_name(right) if right >= 0 else "",
        )
        for left, right in zip(pairs.target.tolist(), pairs.golden.tolist())
    ]


def is_complete(target: Dump, golden: Dump) -> bool:
    """Return whether all calls of both sides occur once."""
    pairs = match_operators(target, golden).pairs
    sides = (pairs.target, len(target.operators)), (pairs.golden, len(golden.operators))
    return all(sorted(rows[rows >= 0].tolist()) == list(range(count)) for rows, count in sides)


@st.composite
def sequences(draw: st.DrawFn, least: int = 1) -> Sequence:
    chosen = draw(st.lists(st.tuples(st.sampled_from(APIS), st.integers(0, 3)), min_size=least, max_size=40))
    modules = draw(st.booleans())
    seed = draw(st.integers(0, 99))
    return Sequence(
        tuple(api for api, _ in chosen),
        tuple(f"Module.h.{index // 7}.Block" if modules else "" for index in range(len(chosen))),
        tuple(shape for _, shape in chosen),
        np.random.default_rng(seed).uniform(1, 2, len(chosen)),
        np.arange(len(chosen)),
    )


@given(sequences())
def test_a_dump_matches_itself_by_name(calls: Sequence) -> None:
    dump = made_dump(calls, backward=True)
    matching = match_operators(dump, dump)
    assert (
        matching.pairs.target.tolist() == matching.pairs.golden.tolist() == list(range(len(dump.operators)))
    )
    assert set(matching.how.tolist()) == {How.NAME}


@given(sequences(), sequences())
def test_swapping_sides_mirrors_the_pairs(left: Sequence, right: Sequence) -> None:
    target, golden = made_dump(left, backward=True), made_dump(right, backward=True)
    assert is_complete(target, golden)
    assert sorted(named(target, golden)) == sorted((a, b) for b, a in named(golden, target))


@given(sequences(), sequences())
def test_pairs_are_calls_of_one_api_and_backward_follows_forward(left: Sequence, right: Sequence) -> None:
    pairs = dict(named(made_dump(left, backward=True), made_dump(right, backward=True)))
    for ours, theirs in pairs.items():
        if ours and theirs:
            assert ours.split(".")[:2] == theirs.split(".")[:2]
        if ours.endswith("backward"):
            forward = pairs[ours.replace("backward", "forward")]
            assert theirs == forward.replace("forward", "backward")


@given(sequences(), sequences(), st.integers(1, 50))
def test_other_call_counts_change_only_names(left: Sequence, right: Sequence, first: int) -> None:
    golden = made_dump(right, backward=True)
    one, other = (match_operators(made_dump(left, backward=True, first=n), golden) for n in (0, first))
    assert one.pairs.target.tolist() == other.pairs.target.tolist()
    assert one.pairs.golden.tolist() == other.pairs.golden.tolist()


@pytest.mark.parametrize("which", [0, 1])
@given(sequences(), st.data())
def test_one_more_call_is_one_more_row(which: int, calls: Sequence, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(calls.api)))
    beside = min(place, len(calls.api) - 1)
    more = calls.put(
        place,
        data.draw(st.sampled_from((*APIS, "Torch.extra"))),
        calls.module[beside],
        data.draw(st.integers(0, 3)),
        number=50.0,
    )
    sides = [made_dump(calls), made_dump(more)]
    if which:
        sides.reverse()
    pairs = match_operators(*sides).pairs
    rows = [pairs.target, pairs.golden]
    if which:
        rows.reverse()
    own = dict(zip(rows[1].tolist(), rows[0].tolist()))
    assert len(pairs) == len(more.api)
    assert own[place] == -1
    assert [own[row] for row in range(len(more.api)) if row != place] == list(range(len(calls.api)))


@pytest.mark.parametrize("modules", [True, False])
@given(st.integers(0, 2**32 - 1))
def test_five_percent_more_calls_leave_the_true_pairs(modules: bool, seed: int) -> None:
    whole = Sequence.layers(40 * len(LAYER), modules=modules)
    more = edited(whole, 0.05, np.random.default_rng(seed), drop=False)
    target, golden = made_dump(more, backward=True), made_dump(whole, backward=True)
    pairs = match_operators(target, golden).pairs
    forward = (pairs.target >= 0) & (pairs.target < len(more.api)) & (pairs.golden >= 0)
    right = more.identity[pairs.target[forward]] == pairs.golden[forward]
    assert right.sum() > 0.99 * len(whole.api)


def test_edits_on_both_sides_without_names_of_modules() -> None:
    chance = np.random.default_rng(3)
    whole = Sequence.layers(10_000, modules=False)
    left, right = edited(whole, 0.01, chance), edited(whole, 0.01, chance)
    pairs = match_operators(made_dump(left), made_dump(right)).pairs
    both = (pairs.target >= 0) & (pairs.golden >= 0)
    true = left.identity[pairs.target[both]] == right.identity[pairs.golden[both]]
    common = np.intersect1d(left.identity, right.identity)
    assert true.sum() > 0.99 * (common >= 0).sum()
    assert (~true).sum() < 0.01 * len(whole.api)


def test_a_missing_layer_of_equal_ones_is_found_by_its_numbers() -> None:
    whole = Sequence.layers(30 * len(LAYER), modules=False)
    size = len(LAYER)
    without = whole.take(np.setdiff1d(np.arange(len(whole.api)), np.arange(11 * size, 12 * size)))
    pairs = match_operators(made_dump(whole), made_dump(without)).pairs
    assert pairs.target[pairs.golden < 0].tolist() == list(range(11 * size, 12 * size))


def test_calls_of_other_modules_are_no_pairs() -> None:
    calls = Sequence(("Torch.f", "Torch.f"), ("Module.a.A", "Module.b.B"), (0, 0), np.ones(2), np.arange(2))
    target = made_dump(calls.put(0, "Torch.f", "Module.b.B"))
    golden = made_dump(calls)
    assert named(target, golden) == [
        ("Torch.f.0.forward", ""),
        ("Torch.f.1.forward", "Torch.f.0.forward"),
        ("Torch.f.2.forward", "Torch.f.1.forward"),
    ]


def test_a_call_of_another_shape_pairs_when_there_is_nothing_better() -> None:
    one = Sequence(("Torch.f", "Torch.g"), ("", ""), (0, 0), np.ones(2), np.arange(2))
    other = Sequence(("Torch.f", "Torch.g", "Torch.g"), ("",) * 3, (1, 1, 0), np.ones(3), np.arange(3))
    assert named(made_dump(one), made_dump(other)) == [
        ("Torch.f.0.forward", "Torch.f.0.forward"),
        ("", "Torch.g.0.forward"),
        ("Torch.g.0.forward", "Torch.g.1.forward"),
    ]


def test_calls_that_changed_places_pair_by_module() -> None:
    calls = Sequence(
        ("Torch.f", "Torch.f", "Torch.g"),
        ("Module.a.A", "Module.b.B", "Module.c.C"),
        (0, 1, 0),
        np.ones(3),
        np.arange(3),
    )
    target, golden = made_dump(calls), made_dump(calls.take(np.array([1, 0, 2])))
    assert ("Torch.f.0.forward", "Torch.f.1.forward") in named(target, golden)
    assert ("Torch.f.1.forward", "Torch.f.0.forward") in named(target, golden)


def test_micro_steps_keep_to_themselves() -> None:
    calls = Sequence.layers(3 * len(LAYER))
    golden = made_dump(calls)
    target = made_dump(calls.take(np.arange(len(LAYER), 3 * len(LAYER))))

    def stepped(dump: Dump, first: int) -> Dump:
        steps = np.arange(len(dump.operators)) // len(LAYER) + first
        return replace(dump, operators=replace(dump.operators, micro_step=steps.astype(np.int32)))

    pairs = match_operators(stepped(target, 1), stepped(golden, 0)).pairs
    assert pairs.golden[pairs.target >= 0].tolist() == list(range(len(LAYER), 3 * len(LAYER)))


def renamed(dump: Dump, old: str, new: str) -> Dump:
    """Return *dump* with another beginning of all module names."""
    return replace(dump, strings=StringPool.of(text.replace(old, new, 1) for text in dump.strings))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Module.h.", "Module.0.h."),
        ("Module.h.", "Module.module.h."),
        ("Module.h.", "Module.model.decoder.h."),
        (".attn.", ".attention."),
        (".LayerNorm", ".FusedLayerNorm"),
    ],
)
def test_modules_called_differently_are_found(old: str, new: str) -> None:
    calls = Sequence.layers(8 * len(LAYER), layers=4)
    more = calls.put(20, "Tensor.__mul__", calls.module[20])
    golden = made_dump(calls)
    target = renamed(made_dump(more), old, new)
    matching = match_operators(target, golden)
    assert matching.pairs.target[matching.pairs.golden < 0].tolist() == [20]
    assert matching.renamed
    assert all(ours.replace(new, old, 1) == theirs for ours, theirs in matching.renamed.items())


def test_module_calls_pair_under_their_new_names(tmp_path: Path) -> None:
    def dump(folder: str, prefix: str) -> Dump:
        names = [f"Module.{prefix}{name}" for name in ("a.Linear", "b.Linear", "b.norm.LayerNorm")]
        data = {f"{name}.forward.0": {"input_args": [], "output": []} for name in names}
        data |= {f"{name}.backward.0": {"input": [], "output": []} for name in reversed(names)}
        data |= {f"{name}.parameters_grad": {"weight": [None]} for name in names}
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "dump.json").write_text(json.dumps({"task": "statistics", "data": data}))
        return read_only_cell(tmp_path / folder)

    target, golden = dump("t", "0."), dump("g", "")
    matching = match_operators(target, golden)
    assert all(ours == theirs.replace("Module.", "Module.0.", 1) for ours, theirs in named(target, golden))
    assert set(matching.how.tolist()) == {How.RENAMED}


@pytest.mark.parametrize("kind", ["statistics_mix", "md5_mix", "tensor_mix"])
def test_the_extra_call_of_the_real_pair(cases: Path, kind: str) -> None:
    wanted = next(
        case for case in json.loads((cases / "expected.json").read_text()) if case["id"] == "gpt/extraop"
    )
    target = read_only_cell(cases / "msprobe/gpt/extraop" / kind / "step0" / "rank0")
    golden = read_only_cell(cases / "msprobe/gpt/bench" / kind / "step0" / "rank0")
    pairs = named(target, golden)
    assert set(wanted["pairs"].items()) <= set(pairs)
    assert {ours for ours, theirs in pairs if not theirs and ours.endswith("forward")} == set(
        wanted["target_only"]
    )
    assert not [theirs for ours, theirs in pairs if not ours]


@pytest.mark.parametrize("kind", ["statistics_mix", "md5_mix", "tensor_mix"])
def test_the_fused_attention_of_the_real_pair(cases: Path, kind: str) -> None:
    target = read_only_cell(cases / "msprobe/gpt/sdpa" / kind / "step0" / "rank0")
    golden = read_only_cell(cases / "msprobe/gpt/bench" / kind / "step0" / "rank0")
    pairs = named(target, golden)
    alone = [ours for ours, theirs in pairs if not theirs]
    assert len(alone) == 4
    assert all("scaled_dot_product_attention" in name for name in alone)
    small = {theirs.split(".")[1] for ours, theirs in pairs if not ours}
    assert small == {"matmul", "__mul__", "masked_fill", "softmax"}
    assert sum(1 for ours, _ in pairs if not ours) == 20


def test_the_extra_call_and_its_backward(cases: Path) -> None:
    folder = cases / "structure" / "C35_extra_call"
    wanted = json.loads((folder / "expect.json").read_text())
    pairs = named(read_only_cell(folder / "tgt.json"), read_only_cell(folder / "gold.json"))
    assert {(theirs, ours) for ours, theirs in pairs} >= set(wanted["pairs"].items())
    assert [ours for ours, theirs in pairs if not theirs] == wanted["target_only"]
