"""Values of a JSON type that nobody foresaw cost themselves, and are told once a file."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from builders.dump_oracle import read_json
from builders.reading import codes, read_only_cell, write_dump
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.compare.options import CompareOptions
from core.compare.rows import compare_dumps
from core.match.mapping import Mapping
from core.progress import run_to_end
from core.records.dump import Dump
from core.records.result import Reason, Verdict
from core.records.run import CellKey

DATA = Path(__file__).resolve().parents[2] / "data" / "msprobe"
KEY = CellKey("", 0, 0)
NAMES = ("a.0.forward", "b.0.forward", "c.0.forward")
FRAMES = ["File /x.py, line 3, in f, \n y = x"]
LEAF = {
    "type": "torch.Tensor",
    "dtype": "torch.float32",
    "shape": [2, 12],
    "Max": 1.0,
    "Min": 0.0,
    "Mean": 0.5,
    "Norm": 2.0,
    "requires_grad": False,
}
ODD = [1, [], {}, True, [1], float("inf"), {"x": [None]}, -7.5]


def leaf(**changes: Any) -> dict[str, Any]:
    return LEAF | changes


def read_leaves(folder: Path, *leaves: Any) -> Dump:
    data = {
        name: {"input_args": [item], "input_kwargs": {}, "output": [leaf()]}
        for name, item in zip(NAMES, (leaf(), *leaves))
    }
    return read_only_cell(write_dump(folder, data))


def said(dump: Dump) -> tuple[int, str]:
    (found,) = [problem for problem in dump.problems if problem.code == "odd_values"]
    assert found.sentence("en") != found.sentence("zh_CN")
    assert found.path in found.sentence("en")
    return int(found.parameters["count"]), str(found.parameters["name"])


def operators(dump: Dump) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that each operator's slots say."""
    columns = dump.slots.columns()
    texts = ("path", "type", "dtype", "checksum", "value", "extra")
    numbers = ("group", "kind", "known", "max", "min", "mean", "norm", "requires_grad")
    return {
        dump.operator_name(row): [
            (
                *(dump.strings[int(columns[name][slot])] for name in texts),
                dump.shape(slot),
                *(repr(columns[name][slot].item()) for name in numbers),
            )
            for slot in dump.slots_of(row)
        ]
        for row in range(len(dump.operators))
    }


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("key", ["type", "dtype", "shape", "Max", "Norm", "requires_grad", "data_name"])
def test_an_odd_value_in_a_tensor_costs_itself(tmp_path: Path, key: str, value: Any) -> None:
    legitimate = {
        "shape": lambda: value == [] or value == [1],
        "Max": lambda: isinstance(value, (int, float)),
        "Norm": lambda: isinstance(value, (int, float)),
        "requires_grad": lambda: value is True,
    }
    dump = read_leaves(tmp_path, leaf(**{key: value}), leaf())
    assert len(dump.slots) == 6
    whole, odd, last = (slots[0] for slots in operators(dump).values())
    assert whole == last
    if legitimate.get(key, lambda: False)():
        assert codes(dump) == []
        return
    assert said(dump) == (1, f"b.0.forward / input / 0 / {key}")
    assert json.loads(odd[5]) == {key: value}
    position = {"type": 1, "dtype": 2, "shape": 6}.get(key)
    assert sum(left != right for left, right in zip(whole, odd)) == (3 if key in ("Max", "Norm") else 2) - (
        position is None and key not in ("Max", "Norm")
    ) + (key == "requires_grad")


@pytest.mark.parametrize("shape", [[-2, 12], [18446744073709551616, 12], "x", None, [2.0, 12.0], [True, 12]])
def test_a_shape_that_cannot_be_is_told_and_makes_nothing_equal(tmp_path: Path, shape: Any) -> None:
    whole = read_leaves(tmp_path / "whole", leaf(), leaf())
    damaged = read_leaves(tmp_path / "damaged", leaf(shape=shape), leaf())
    assert said(damaged) == (1, "b.0.forward / input / 0 / shape")
    for pair in ((whole, damaged), (damaged, whole), (damaged, damaged)):
        cell = run_to_end(compare_dumps((KEY, KEY), *pair, CompareOptions(), Mapping()))
        assert cell.rows.verdict.tolist() == [0, 0, Verdict.NOT_COMPARED, 0, 0, 0]
        assert cell.rows.reason[2] == Reason.UNREADABLE


def test_equal_checksums_do_not_outweigh_an_impossible_shape(tmp_path: Path) -> None:
    whole = read_leaves(tmp_path / "whole", leaf(md5="abcdef01"))
    damaged = read_leaves(tmp_path / "damaged", leaf(md5="abcdef01", shape=[-2, 12]))
    cell = run_to_end(compare_dumps((KEY, KEY), whole, damaged, CompareOptions(), Mapping()))
    assert cell.rows.verdict.tolist() == [0, 0, Verdict.NOT_COMPARED, 0]


def test_a_record_that_never_had_a_shape_stays_as_it_is(tmp_path: Path) -> None:
    bare = {key: value for key, value in LEAF.items() if key != "shape"}
    whole, without = read_leaves(tmp_path / "a", leaf()), read_leaves(tmp_path / "b", bare)
    assert codes(without) == []
    cell = run_to_end(compare_dumps((KEY, KEY), whole, without, CompareOptions(), Mapping()))
    assert cell.rows.verdict[2] == Verdict.EQUAL


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ({"type": "int", "value": "x"}, "b.0.forward / input / 0 / value"),
        ({"type": [], "value": 3}, "b.0.forward / input / 0 / type"),
        (5, "b.0.forward / input / 0"),
        (leaf(md5=["x"]), "b.0.forward / input / 0 / md5"),
    ],
)
def test_odd_arguments(tmp_path: Path, item: Any, name: str) -> None:
    dump = read_leaves(tmp_path, item)
    assert said(dump) == (1, name)
    assert len(dump.slots) == 4


def test_a_container_may_hold_something_called_type(tmp_path: Path) -> None:
    dump = read_leaves(tmp_path, {"type": leaf(), "value": leaf()})
    assert codes(dump) == []
    assert [dump.slot_name(slot) for slot in dump.slots_of(1)] == [
        "input.0.type",
        "input.0.value",
        "output.0",
    ]


def test_bodies_and_header(tmp_path: Path) -> None:
    data = {
        "a.0.forward": 5,
        "b.0.forward": {"input_args": 7, "output": [leaf()], "type": 1},
        "c.0.forward": {"input_args": [leaf()], "output": []},
    }
    dump = read_only_cell(write_dump(tmp_path, data, level=[1], dump_data_dir=7))
    assert said(dump)[0] == 4
    assert [len(dump.slots_of(row)) for row in range(3)] == [1, 2, 1]
    assert dump.header["level"] == "[1]"


def paths(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the place of every node below *value*."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    found = []
    for key, item in entries:
        found += [(*place, key), *paths(item, (*place, key))]
    return found


def small_run() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    content = read_json(next((DATA / "statistics_mix" / "golden").rglob("dump.json")))
    content["data"] = dict(list(content["data"].items())[:5])
    names = list(content["data"])
    stack = {"0": [names[:2], FRAMES], "1": [names[2:], FRAMES * 2]}
    construct = {name: ["Module.top.forward.0", 1] if index else None for index, name in enumerate(names)}
    return content, stack, construct


FILES = ("dump.json", "stack.json", "construct.json")
RUN = small_run()
NODES = [(number, place) for number, content in enumerate(RUN) for place in paths(content)]
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["torch.Tensor", "P2POp", "nan", "[2]"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "dtype", "shape", "value", "Max", "class_type", "tensor", "data", "md5", "x", ""]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def write_run(folder: Path, parts: tuple[Any, ...]) -> Path:
    for name, content in zip(FILES, parts):
        (folder / name).write_text(json.dumps(content, indent=1), "utf-8")
    return folder


@pytest.mark.parametrize("infinite", ["1e999", "-1e999"])
def test_numbers_beyond_every_float(tmp_path: Path, infinite: str) -> None:
    folder = write_dump(tmp_path, {"a.0.forward": {"input_args": [leaf(type="HERE")]}})
    text = (folder / "dump.json").read_text("utf-8").replace('"HERE"', infinite)
    (folder / "dump.json").write_text(text, "utf-8")
    assert said(read_only_cell(folder)) == (1, "a.0.forward / input / 0 / type")


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(node=st.sampled_from(NODES), value=ANY_JSON)
def test_any_node_may_hold_anything(tmp_path: Path, node: tuple[int, tuple[Any, ...]], value: Any) -> None:
    whole = read_only_cell(write_run(tmp_path, RUN))
    number, place = node
    parts = copy.deepcopy(RUN)
    at: Any = parts[number]
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    dump = read_only_cell(write_run(tmp_path, parts))
    if number == 0 and place == ("data",):
        return  # all operators were replaced
    before, after = operators(whole), operators(dump)
    touched = place[1] if number == 0 and place[0] == "data" else None
    assert {name: slots for name, slots in after.items() if name != touched} == {
        name: slots for name, slots in before.items() if name != touched
    }
    if number != 0:
        assert before == after
    cell = run_to_end(compare_dumps((KEY, KEY), whole, dump, CompareOptions(), Mapping()))
    assert len(cell.rows) >= len(after) - 1
