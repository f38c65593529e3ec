"""What the rows say of each call as a whole: how wrong went in, how wrong came out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Float64, Int32
from core.records.dump import SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind, forward_name
from core.records.result import CellResult, Reason, Verdict

Bool = NDArray[np.bool_]
Rows = NDArray[np.int64]

_SPECIAL = (Reason.SPECIAL_VALUES,)


@dataclass(frozen=True)
class Calls:
    """One entry a call of the result, in its order: matched calls, and those of one side."""

    of_row: Rows
    """Number of the call that a row belongs to."""
    first_row: Rows
    target: Int32
    golden: Int32
    """Operator rows of both dumps, -1 on a one-sided call."""
    input_error: Float64
    """Largest relative error of an input or parameter; inf where one has no finite error."""
    output_error: Float64
    inputs_bad: Bool
    """Some input or parameter tensor differs."""
    outputs_bad: Bool
    arguments_bad: Bool
    special: Bool
    """Some output has NaN or Inf where the golden has none."""
    has_inputs: Bool
    has_outputs: Bool
    inputs_equal: Bool
    """All inputs, parameters and arguments are the same, to the bit where the evidence tells."""

    def __len__(self) -> int:
        return len(self.target)

    @property
    def matched(self) -> Bool:
        """Calls that both sides have."""
        return (self.target >= 0) & (self.golden >= 0)


def row_groups(cell: CellResult) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return slot group and slot kind of each row, by the side that has the slot; -1 for whole calls."""
    rows = cell.rows
    found = []
    for name in ("group", "kind"):
        left = np.append(getattr(cell.target.slots, name).astype(np.int64), -1)[rows.target_slot]
        right = np.append(getattr(cell.golden.slots, name).astype(np.int64), -1)[rows.golden_slot]
        found.append(np.where(rows.target_slot >= 0, left, right))
    return found[0], found[1]


def call_facts(cell: CellResult) -> Calls:
    """Return the facts of all calls of *cell*."""
    rows = cell.rows
    owner = np.stack([rows.target_operator, rows.golden_operator])
    new = np.r_[True, (owner[:, 1:] != owner[:, :-1]).any(axis=0)][: len(rows)]
    of_row = (np.cumsum(new) - 1).astype(np.int64)
    first = np.flatnonzero(new)
    group, kind = row_groups(cell)
    tensor, argument = kind == SlotKind.TENSOR, kind == SlotKind.ARGUMENT
    output = (group == SlotGroup.OUTPUT) | (group == SlotGroup.PARAMETER_GRAD) | (group == SlotGroup.VALUE)
    inside = (rows.target_slot >= 0) & (rows.golden_slot >= 0)
    goes_in = inside & ~output
    differs = rows.verdict == Verdict.DIFFERS
    error = np.where(differs & ~np.isfinite(rows.error), np.inf, np.nan_to_num(rows.error, nan=0.0))
    equal = rows.verdict == Verdict.EQUAL
    count = len(first)

    def any_of(mask: Bool) -> Bool:
        found = np.zeros(count, bool)
        found[of_row[mask]] = True
        return found

    def largest(mask: Bool) -> Float64:
        found = np.zeros(count)
        np.maximum.at(found, of_row[mask], error[mask])
        return found

    return Calls(
        of_row=of_row,
        first_row=first,
        target=rows.target_operator[first],
        golden=rows.golden_operator[first],
        input_error=largest(goes_in & tensor),
        output_error=largest(inside & output & tensor),
        inputs_bad=any_of(goes_in & tensor & differs),
        outputs_bad=any_of(inside & output & tensor & differs),
        arguments_bad=any_of(goes_in & ~tensor & differs) | any_of(inside & argument & output & differs),
        special=any_of(inside & output & tensor & np.isin(rows.reason, _SPECIAL)),
        has_inputs=any_of(goes_in & tensor),
        has_outputs=any_of(inside & output & tensor),
        inputs_equal=~any_of(goes_in & ~equal),
    )


def forward_calls(cell: CellResult, calls: Calls) -> Rows:
    """Return for each backward call (and gradient of parameters) the call it depends on, -1 for none.

    A backward call works on what its forward call saved; gradients of parameters come out of the backward
    calls of their module.
    """
    dump = cell.target
    found = np.full(len(calls), -1, np.int64)
    kinds = np.append(dump.operators.kind, 255)[calls.target]
    ways = np.append(dump.operators.direction, 0)[calls.target]
    number = {int(operator): index for index, operator in enumerate(calls.target.tolist()) if operator >= 0}
    by_name = {dump.operator_name(operator): index for operator, index in number.items()}
    for index in np.flatnonzero(ways == Direction.BACKWARD).tolist():
        name = dump.operator_name(int(calls.target[index]))
        if kinds[index] == OperatorKind.PARAMETERS_GRAD:
            stem = name.rpartition(".parameters_grad")[0]
            tail = name.rpartition(".parameters_grad")[2].lstrip(".") or "0"
            found[index] = by_name.get(f"{stem}.backward.{tail}", -1)
        else:
            found[index] = by_name.get(forward_name(name) or "", -1)
    return found


def enclosing_calls(cell: CellResult, calls: Calls) -> Rows:
    """Return for each call the call of the module around it, -1 for none; by the target, else the golden."""
    found = np.full(len(calls), -1, np.int64)
    for dump, operators in ((cell.golden, calls.golden), (cell.target, calls.target)):
        row_of_name = np.full(len(dump.strings) + 1, -1, np.int64)
        there = np.flatnonzero(operators >= 0)
        row_of_name[dump.operators.name[operators[there]]] = there
        parents = row_of_name[dump.operators.parent[operators[there]]]
        found[there] = np.where(parents >= 0, parents, found[there])
    return found
