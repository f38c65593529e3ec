"""One cell's evidence, gathered: facts of calls and rows, and how a suspect is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.compare.leaves import Leaves
from core.diagnosis.calls import Calls, call_facts
from core.diagnosis.context import Context, call_context
from core.messages import Message, Parameter
from core.records.diagnosis import Kind, Proof, Severity, Suspect
from core.records.names import short_name
from core.records.result import CellResult, Reason


def measured(**values: float) -> dict[str, Parameter]:
    """Return those of *values* that are known, as evidence."""
    return {name: float(value) for name, value in values.items() if np.isfinite(value)}


def in_words(**values: float) -> dict[str, Any]:
    """Return those of *values* that are known as a sentence has them, to two digits."""
    return {name: _in_words(value) for name, value in values.items() if np.isfinite(value)}


def _in_words(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:.2g}" if 1e-2 <= value < 1e3 else f"{value:.1e}"


@dataclass(frozen=True)
class Accusation:
    """A suspect and the call it is about; ``rank`` orders those of one call, lower first."""

    call: int
    rank: int
    suspect: Suspect


RANKS = {
    Kind.DATA: 0,
    Kind.WEIGHTS: 1,
    Kind.ARGUMENT: 2,
    Kind.STRUCTURE: 3,
    Kind.OVERFLOW: 4,
    Kind.NUMERIC: 5,
    Kind.DTYPE: 6,
}
"""Of several causes at one call, a configuration comes before its consequences."""


class Case:
    """All that is known of one cell."""

    def __init__(self, cell: CellResult) -> None:
        self.cell = cell
        self.calls: Calls = call_facts(cell)
        self.context: Context = call_context(cell, self.calls)

    @cached_property
    def leaves(self) -> Leaves:
        """Which rows hold values that nothing dumped has made."""
        return Leaves(self.cell)

    def names(self, call: int) -> tuple[str | None, str | None]:
        """Return the call's name on both sides, ``None`` where a side lacks it."""
        target, golden = int(self.calls.target[call]), int(self.calls.golden[call])
        return (
            self.cell.target.operator_name(target) if target >= 0 else None,
            self.cell.golden.operator_name(golden) if golden >= 0 else None,
        )

    def slot(self, row: int) -> str | None:
        """Return the slot's name of a row."""
        left, right = int(self.cell.rows.target_slot[row]), int(self.cell.rows.golden_slot[row])
        if left >= 0:
            return self.cell.target.slot_name(left)
        return self.cell.golden.slot_name(right) if right >= 0 else None

    def worst_row(self, call: int, *, outputs: bool) -> int:
        """Return the row of *call* with the largest error among its outputs, or its inputs."""
        facts = self.calls.rows
        which = facts.comes_out if outputs else facts.goes_in
        rows = self.calls.rows_of(call)
        rows = rows[which[rows] & facts.tensor[rows]]
        if not len(rows):
            return int(self.calls.first_row[call])
        return int(rows[np.argmax(facts.error[rows] + facts.differs[rows])])

    def error(self, row: int) -> float:
        """Return the relative error of a row; inf or NaN where no number tells how large it is."""
        reason = self.cell.rows.reason[row]
        by_checksum = reason in (Reason.CHECKSUM, Reason.CHECKSUM_ONLY)
        return np.inf if by_checksum else float(self.calls.rows.error[row])

    def unmeasured(self, row: int) -> str:
        """Return the end of the code of a sentence that must do without the error of *row*; empty if not."""
        if np.isfinite(self.error(row)):
            return ""
        reason = self.cell.rows.reason[row]
        return "_checksum" if reason in (Reason.CHECKSUM, Reason.CHECKSUM_ONLY) else "_unmeasured"

    def unlike_shapes(self, row: int) -> tuple[str, str] | None:
        """Return the shapes of target and golden in a row where they are no match, else nothing."""
        cell = self.cell
        if cell.rows.reason[row] != Reason.SHAPE:
            return None
        target, golden = int(cell.rows.target_slot[row]), int(cell.rows.golden_slot[row])
        return str(cell.target.shape(target)), str(cell.golden.shape(golden))

    def module_of(self, call: int) -> str | None:
        """Return the name of the module call around *call*."""
        module = int(self.context.module[call])
        names = self.names(module) if module >= 0 else (None, None)
        return names[0] or names[1]

    def accuse(
        self,
        call: int,
        kind: Kind,
        proof: Proof,
        code: str,
        row: int,
        evidence: Mapping[str, Parameter],
        severity: Severity = Severity.ERROR,
        **parameters: Parameter,
    ) -> Accusation:
        """Write down a suspect; ``suspect.<code>`` is its sentence."""
        target, golden = self.names(call)
        slot = self.slot(row)
        name = target or golden or ""
        words = {"operator": name, "short": short_name(name), "slot": slot or "", **parameters}
        suspect = Suspect(
            kind, severity, proof, self.cell.key, target, golden, slot, Message(f"suspect.{code}", words),
            evidence, self.module_of(call), row,
        )  # fmt: skip
        return Accusation(call, RANKS[kind], suspect)
