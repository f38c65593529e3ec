"""Weights and data at their first use in one cell: how they agree, and how much is known of it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from core.compare.leaves import Leaves, first_rows
from core.dtypes import dtype_named
from core.precheck.dumps.agreement import agreements_of, is_whole, slot_of
from core.precheck.dumps.facts import Agreement, OutsideValue, OutsideValues
from core.precheck.dumps.padding import padding_in
from core.records.dump import Dump
from core.records.names import Direction
from core.records.result import CellResult, Evidence, Verdict

MOST_LISTED = 1000
"""Values of a kind that are listed; all are counted."""
_BY_IMPORTANCE = (
    Agreement.DIFFERS, Agreement.FOLLOWS, Agreement.UNKNOWN, Agreement.SUMS, Agreement.ROUNDED,
    Agreement.EQUAL,
)  # fmt: skip


def outside_values(cell: CellResult, *, chosen: bool = False) -> tuple[OutsideValues, OutsideValues]:
    """Return the weights and the data of *cell* that no dumped call has made.

    What requires a gradient and does not stand where a call takes a parameter is left out: calls that were
    not dumped may have made it of weights. Where only *chosen* operators were dumped, whole numbers alone are
    data for certain.
    """
    leaves = Leaves(cell)
    made_unequal = _first_made_unequal(cell, leaves)
    found: dict[bool, list[int]] = {True: [], False: []}
    updated = _first_backward(cell)
    for row in first_rows(cell, np.flatnonzero(leaves.is_leaf)).tolist():
        weight = leaves.in_place_of_weight(row)
        # What the optimizer takes up after the backward pass is no data.
        early = row < updated and not chosen
        data = not leaves.is_trained[row] and (early or is_whole(cell.target, slot_of(cell, row)))
        if weight or data:
            found[weight].append(row)
    return (
        _told(cell, leaves, found[True], len(cell.rows)),
        _told(cell, leaves, found[False], made_unequal),
    )


def _first_backward(cell: CellResult) -> int:
    """Return the first row of a backward call; all rows for none."""
    backward = cell.target.operators.direction == Direction.BACKWARD
    found = np.append(backward, False)[cell.rows.target_operator]
    return int(np.flatnonzero(found).min(initial=len(cell.rows)))


def _first_made_unequal(cell: CellResult, leaves: Leaves) -> int:
    """Return the first row whose value a dumped call has made and that is not equal; all rows for none."""
    unequal = np.isin(cell.rows.verdict, (Verdict.DIFFERS, Verdict.GOLDEN_INVALID, Verdict.CLOSE))
    unequal &= (cell.rows.target_slot >= 0) & (cell.rows.golden_slot >= 0) & ~leaves.is_leaf
    return int(np.flatnonzero(unequal).min(initial=len(cell.rows)))


def _told(cell: CellResult, leaves: Leaves, rows: list[int], made_unequal: int) -> OutsideValues:
    agreements = agreements_of(cell, leaves, rows, made_unequal)
    counts = Counter(agreement for agreement, _ in agreements.values())
    order = sorted(rows, key=lambda row: (_BY_IMPORTANCE.index(agreements[row][0]), row))
    listed = [_value(cell, row, *agreements[row]) for row in order[:MOST_LISTED]]
    return OutsideValues(dict(counts), tuple(listed))


def _value(cell: CellResult, row: int, agreement: Agreement, grid: str) -> OutsideValue:
    target, golden = slot_of(cell, row), int(cell.rows.golden_slot[row])
    dump, paddings = cell.target, ("", "")
    if agreement is Agreement.DIFFERS:
        paddings = padding_in(dump, target), padding_in(cell.golden, golden)
    return OutsideValue(
        dump.operator_name(int(dump.slots.operator[target])),
        dump.slot_name(target),
        agreement,
        Evidence(int(cell.rows.evidence[row])),
        float(cell.rows.error[row]),
        _look(dump, target),
        _look(cell.golden, golden),
        grid,
        paddings,
        bool(dump.slots.file[target] >= 0 and cell.golden.slots.file[golden] >= 0)
        and cell.rows.evidence[row] == Evidence.STATISTICS,
    )


def _look(dump: Dump, slot: int) -> str:
    dtype, shape = dtype_named(dump.dtype(slot)), dump.shape(slot)
    return f"{dtype.name if dtype else dump.dtype(slot)} {list(shape) if shape is not None else ''}".strip()
