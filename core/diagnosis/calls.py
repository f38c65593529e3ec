"""What the rows say of each call as a whole: how wrong went in, how wrong came out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Float64, Int32
from core.records.dump import SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind
from core.records.result import CellResult, Evidence, Reason, Verdict

Bool = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class RowFacts:
    """Facts of each row that the diagnosis needs more than once."""

    call: Rows
    """Number of the call that the row belongs to."""
    tensor: Bool
    argument: Bool
    goes_in: Bool
    """A value that goes into a matched call."""
    comes_out: Bool
    differs: Bool
    unknown: Bool
    """A tensor of both sides that could not be compared, so that it may differ."""
    error: Float64
    """Relative error; inf where a difference has no finite one, 0 where nothing is known."""


@dataclass(frozen=True)
class Calls:
    """One entry a call of the result, in its order: matched calls, and those of one side."""

    rows: RowFacts
    first_row: Rows
    target: Int32
    golden: Int32
    """Operator rows of both dumps, -1 on a one-sided call."""
    input_error: Float64
    """Largest relative error of an input or parameter tensor."""
    output_error: Float64
    inputs_bad: Bool
    """Some input or parameter tensor differs."""
    outputs_bad: Bool
    arguments_bad: Bool
    inputs_special: Bool
    """Some input has NaN or Inf where the golden has none."""
    outputs_special: Bool
    outputs_known: Bool
    """Some output was compared."""
    inputs_known: Bool
    """Something that goes in was compared, be it an argument."""
    inputs_unknown: Bool
    """Some input or parameter tensor could not be compared."""
    outputs_unknown: Bool
    inputs_equal: Bool
    """There are inputs, and all, with parameters and arguments, are the same, to the bit where the evidence
    tells."""
    full: Bool
    """Some output was compared element by element."""
    backward: Bool
    """A backward call, or gradients of parameters."""

    def __len__(self) -> int:
        return len(self.target)

    def rows_of(self, call: int) -> Rows:
        """Return the rows of a call."""
        end = self.first_row[call + 1] if call + 1 < len(self) else len(self.rows.call)
        return np.arange(self.first_row[call], end)

    @property
    def matched(self) -> Bool:
        """Calls that both sides have."""
        return (self.target >= 0) & (self.golden >= 0)


def call_facts(cell: CellResult) -> Calls:
    """Return the facts of all calls of *cell*."""
    rows = cell.rows
    owner = np.stack([rows.target_operator, rows.golden_operator])
    new = np.r_[True, (owner[:, 1:] != owner[:, :-1]).any(axis=0)][: len(rows)]
    facts = _row_facts(cell, (np.cumsum(new) - 1).astype(np.int64))
    first = np.flatnonzero(new)
    special = rows.reason == Reason.SPECIAL_VALUES
    goes_in, comes_out = facts.goes_in & facts.tensor, facts.comes_out & facts.tensor
    compared = rows.verdict != Verdict.NOT_COMPARED

    def any_of(mask: Bool) -> Bool:
        found = np.zeros(len(first), bool)
        found[facts.call[mask]] = True
        return found

    def largest(mask: Bool) -> Float64:
        found = np.zeros(len(first))
        np.maximum.at(found, facts.call[mask], facts.error[mask])
        return found

    inputs_known = any_of(facts.goes_in & compared)
    return Calls(
        rows=facts,
        first_row=first,
        target=rows.target_operator[first],
        golden=rows.golden_operator[first],
        input_error=largest(goes_in),
        output_error=largest(comes_out),
        inputs_bad=any_of(goes_in & facts.differs),
        outputs_bad=any_of(comes_out & facts.differs),
        arguments_bad=any_of(facts.goes_in & ~facts.tensor & facts.differs),
        inputs_special=any_of(goes_in & special),
        outputs_special=any_of(comes_out & special),
        outputs_known=any_of(comes_out & compared),
        inputs_known=inputs_known,
        inputs_unknown=any_of(goes_in & facts.unknown),
        outputs_unknown=any_of(comes_out & facts.unknown),
        inputs_equal=inputs_known & ~any_of(facts.goes_in & (rows.verdict != Verdict.EQUAL)),
        full=any_of(comes_out & (rows.evidence == Evidence.FULL)),
        backward=np.append(cell.target.operators.direction, 0)[rows.target_operator[first]]
        == Direction.BACKWARD,
    )


_NOTHING_HIDDEN = (Reason.BOTH_EMPTY, Reason.RACY_CHECKSUM)
"""Why a tensor was not compared though it is no gap: there is nothing in it, or its checksum is that of
what its call made of it, and the output tells the same."""


def _row_facts(cell: CellResult, call: Rows) -> RowFacts:
    rows = cell.rows
    found = []
    for name in ("group", "kind"):
        left = np.append(getattr(cell.target.slots, name).astype(np.int64), -1)[rows.target_slot]
        right = np.append(getattr(cell.golden.slots, name).astype(np.int64), -1)[rows.golden_slot]
        found.append(np.where(rows.target_slot >= 0, left, right))
    group, kind = found
    output = (group == SlotGroup.OUTPUT) | (group == SlotGroup.PARAMETER_GRAD) | (group == SlotGroup.VALUE)
    inside = (rows.target_slot >= 0) & (rows.golden_slot >= 0)
    differs = rows.verdict == Verdict.DIFFERS
    special = rows.reason == Reason.SPECIAL_VALUES
    harmless = np.isin(rows.reason, _NOTHING_HIDDEN)
    unknown = inside & (kind == SlotKind.TENSOR) & (rows.verdict == Verdict.NOT_COMPARED) & ~harmless
    endless = differs & (~np.isfinite(rows.error) | special)
    return RowFacts(
        call=call,
        tensor=kind == SlotKind.TENSOR,
        argument=kind == SlotKind.ARGUMENT,
        goes_in=inside & ~output,
        comes_out=inside & output,
        differs=differs,
        unknown=unknown,
        error=np.where(endless, np.inf, np.nan_to_num(rows.error, nan=0.0, posinf=np.inf)),
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
    there = np.flatnonzero(calls.target >= 0)
    names = [dump.strings[name] for name in dump.operators.name[calls.target[there]].tolist()]
    by_name = dict(zip(names, there.tolist()))
    behind = np.flatnonzero(ways[there] == Direction.BACKWARD)
    for index, gradient in zip(
        behind.tolist(), (kinds[there[behind]] == OperatorKind.PARAMETERS_GRAD).tolist()
    ):
        if gradient:
            stem, _, tail = names[index].rpartition(".parameters_grad")
            wanted = f"{stem}.backward.{tail.lstrip('.') or '0'}"
        else:
            head, _, tail = names[index].rpartition("backward")
            wanted = f"{head}forward{tail}"
        found[there[index]] = by_name.get(wanted, -1)
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
