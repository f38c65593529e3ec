"""Slots of matched calls: exchanged outputs, and slots that the user maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.match.mapping import ApiRule, Mapping
from core.match.operators import match_operators
from core.match.pairing import pair_slots
from core.match.slots import match_slots
from core.records.dump import Dump
from tests.builders.dumps import call, write_dump
from tests.builders.reading import read_only_cell

FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)
INTEGERS = np.arange(6).reshape(2, 3)
WIDE = np.ones((2, 5), np.float32)


def named(
    target: Dump, golden: Dump, mapping: Mapping | None = None
) -> tuple[list[tuple[str, str]], list[bool]]:
    operators = match_operators(target, golden, mapping).pairs
    matching = match_slots(target, golden, operators, mapping)
    assert (np.diff(matching.pair) >= 0).all()
    names = [
        (target.slot_name(left) if left >= 0 else "", golden.slot_name(right) if right >= 0 else "")
        for left, right in zip(matching.slots.target.tolist(), matching.slots.golden.tolist())
    ]
    return names, matching.exchanged.tolist()


def dump(folder: Path, *outputs: object, name: str = "Functional.topk.0.forward") -> Dump:
    return read_only_cell(write_dump(folder, {name: call([FLOATS, WIDE], outputs)}))


def test_exchanged_outputs_pair_by_class_and_are_marked(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "t", INTEGERS, FLOATS), dump(tmp_path / "g", FLOATS, INTEGERS)
    names, exchanged = named(target, golden)
    assert names == [
        ("input.0", "input.0"),
        ("input.1", "input.1"),
        ("output.0", "output.1"),
        ("output.1", "output.0"),
    ]
    assert exchanged == [False, False, True, True]


def test_exchanged_shapes_pair_by_shape(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "t", WIDE, FLOATS), dump(tmp_path / "g", FLOATS, WIDE)
    assert named(target, golden)[1] == [False, False, True, True]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ((FLOATS, FLOATS), (FLOATS, FLOATS)),
        ((FLOATS, FLOATS + 1), (FLOATS + 1, FLOATS)),  # numbers alone are no reason
        ((INTEGERS, FLOATS), (FLOATS, FLOATS)),  # an exchange would not set both right
        ((FLOATS, FLOATS.astype(np.float16)), (FLOATS.astype(np.float16), FLOATS)),  # one class
        ((INTEGERS, FLOATS, None), (FLOATS, None, INTEGERS)),  # a cycle is no exchange of two
        ((WIDE,), (FLOATS,)),
    ],
)
def test_nothing_is_exchanged_without_need(
    tmp_path: Path, ours: tuple[object, ...], theirs: tuple[object, ...]
) -> None:
    target, golden = dump(tmp_path / "t", *ours), dump(tmp_path / "g", *theirs)
    matching = match_slots(target, golden, match_operators(target, golden).pairs)
    _, plain = pair_slots(target, golden, match_operators(target, golden).pairs)
    assert not matching.exchanged.any()
    assert matching.slots.golden.tolist() == plain.golden.tolist()


def test_the_exchange_of_the_case(cases: Path) -> None:
    folder = cases / "structure" / "C37_multi_output"
    names, exchanged = named(read_only_cell(folder / "tgt.json"), read_only_cell(folder / "gold.json"))
    assert names[1:] == [("output.0", "output.1"), ("output.1", "output.0")]
    assert exchanged == [False, True, True]


def test_mapped_arguments_take_their_slots_and_unnamed_ones_none(tmp_path: Path) -> None:
    target = dump(tmp_path / "t", FLOATS, name="Mint.topk.0.forward")
    golden = dump(tmp_path / "g", FLOATS)
    rule = ApiRule("Mint.topk", "Functional.topk", {"input.0": "input.1", "output.0": "output.0"})
    names, _ = named(target, golden, Mapping(apis=(rule,)))
    assert sorted(names) == [
        ("", "input.0"),
        ("input.0", "input.1"),
        ("input.1", ""),
        ("output.0", "output.0"),
    ]


def test_mapped_items_pair_their_slots_and_leave_the_others(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "t", FLOATS, FLOATS), dump(tmp_path / "g", FLOATS, FLOATS)
    name = "Functional.topk.0.forward"
    mapping = Mapping(items={f"{name}.output.0": f"{name}.output.1"})
    names, _ = named(target, golden, mapping)
    assert sorted(names) == [
        ("", "output.0"),
        ("input.0", "input.0"),
        ("input.1", "input.1"),
        ("output.0", "output.1"),
        ("output.1", ""),
    ]
