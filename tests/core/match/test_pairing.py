"""Pairs of calls and slots, against a plain dictionary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.compare.rows import pair_rows
from core.formats.registry import find_run, read_cell
from core.match.pairing import interleave
from core.progress import run_to_end
from core.records.dump import Dump
from tests.builders.dumps import call, write_dump

ONE = np.ones(1, np.float32)


@given(
    st.lists(st.integers(0, 12), unique=True, max_size=8),
    st.lists(st.integers(0, 12), unique=True, max_size=8),
)
def test_interleave_keeps_all_rows_once_and_the_targets_order(left: list[int], right: list[int]) -> None:
    found = np.array([left.index(item) if item in left else -1 for item in right], np.int64)
    pairs = interleave(found, len(left))
    assert [row for row in pairs.target.tolist() if row >= 0] == list(range(len(left)))
    assert sorted(row for row in pairs.golden.tolist() if row >= 0) == list(range(len(right)))
    for t, g in zip(pairs.target.tolist(), pairs.golden.tolist()):
        if t >= 0 and g >= 0:
            assert left[t] == right[g]
    alone = [row for t, row in zip(pairs.target.tolist(), pairs.golden.tolist()) if t < 0]
    assert alone == sorted(alone)


def test_a_golden_only_row_stands_behind_its_predecessor() -> None:
    # target a b c; golden a x b y z c: x follows a, y and z follow b
    pairs = interleave(np.array([0, -1, 1, -1, -1, 2]), 3)
    assert pairs.target.tolist() == [0, -1, 1, -1, -1, 2]
    assert pairs.golden.tolist() == [0, 1, 2, 3, 4, 5]


def read(folder: Path) -> Dump:
    (source,) = find_run(folder).cells.values()
    return run_to_end(read_cell(source))


def test_slots_pair_by_name_inputs_first_one_sided_ones_last(tmp_path: Path) -> None:
    body = {**call([ONE, ONE], [ONE], {"mask": ONE})}
    target = read(write_dump(tmp_path / "t", {"Torch.f.0.forward": {**body, "output": [ONE, ONE]}}))
    golden = read(write_dump(tmp_path / "g", {"Torch.f.0.forward": {**body, "input_args": [ONE, ONE, 2]}}))
    rows = pair_rows(target, golden)
    names = [
        (
            target.slot_name(t) if t >= 0 else None,
            golden.slot_name(g) if g >= 0 else None,
        )
        for t, g in zip(rows.target_slot.tolist(), rows.golden_slot.tolist())
    ]
    assert names == [
        ("input.0", "input.0"),
        ("input.1", "input.1"),
        (None, "input.2"),
        ("input.mask", "input.mask"),
        ("output.0", "output.0"),
        ("output.1", None),
    ]


def test_an_extra_call_is_one_row(tmp_path: Path) -> None:
    calls = {f"Torch.f.{index}.forward": call([ONE], [ONE]) for index in range(5)}
    golden = read(write_dump(tmp_path / "g", calls))
    target = read(write_dump(tmp_path / "t", {"Torch.extra.0.forward": call([ONE, ONE], [ONE]), **calls}))
    assert len(pair_rows(target, golden)) == len(pair_rows(golden, golden)) + 1
