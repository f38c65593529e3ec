"""Whether two runs belong together at all, and why nothing of them could be compared."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.diagnosis.accused import Case
from core.messages import Message
from core.records.diagnosis import Kind, Proof, Severity, Suspect
from core.records.dump import Dump, SlotKind
from core.records.result import Reason, Verdict
from core.records.run import CellKey

FEW_PARTNERS = 1 / 3
"""Share of the shorter side's calls that have a partner below which two runs are hardly of one model.

Fused operators, recomputation and extra calls leave more than half of them their partners."""
_FEW_CALLS = 12
"""With fewer calls a share means little."""


@dataclass
class Coverage:
    """Counts over all cells what has a partner, and whether anything was compared."""

    _matched: int = 0
    _target: int = 0
    _golden: int = 0
    _compared: bool = False
    _holds: list[bool] = field(default_factory=lambda: [False, False])
    """Whether target and golden hold any value."""
    _first: tuple[CellKey, int] | None = None
    """The first cell with calls, and its first row that was not compared: where to look."""

    def add(self, case: Case) -> None:
        """Count a cell of a pair; one without calls, or of a single run, tells nothing."""
        rows, calls = case.cell.rows, case.calls
        if not len(calls) or (rows.reason == Reason.SINGLE_RUN).any():
            return
        compared = rows.verdict != Verdict.NOT_COMPARED
        self._first = self._first or (case.cell.key, int(np.argmin(compared)))
        self._matched += int(calls.matched.sum())
        self._target += int((calls.target >= 0).sum())
        self._golden += int((calls.golden >= 0).sum())
        # Equal arguments are no comparison of tensors that hold no values.
        tensor = calls.rows.tensor
        self._compared |= bool((compared & tensor if tensor.any() else compared).any())
        for side, dump in enumerate((case.cell.target, case.cell.golden)):
            self._holds[side] |= _holds_values(dump)

    @property
    def nothing_compared(self) -> Suspect | None:
        """Remark on a pair of which nothing was compared; ``None`` if something was."""
        if self._first is None or self._compared:
            return None
        target, golden = self._holds
        if not self._matched:
            code = "suspect.nothing_compared_partner"
        elif target and golden:
            code = "suspect.nothing_compared"
        elif golden:
            code = "suspect.nothing_compared_structure_target"
        elif target:
            code = "suspect.nothing_compared_structure_golden"
        else:
            code = "suspect.nothing_compared_structure"
        return self._told(self._first, Severity.REMARK, Message(code))

    @property
    def another_model(self) -> Suspect | None:
        """Accuse a pair of which so little belongs together that nothing else about it means much."""
        total = min(self._target, self._golden)
        few = self._matched < FEW_PARTNERS * total
        if self._first is None or not self._compared or total < _FEW_CALLS or not few:
            return None
        numbers = {"matched": self._matched, "total": total}
        percent = f"{100 * self._matched / total:.0f}"
        message = Message("suspect.another_model", {**numbers, "percent": percent})
        return self._told(self._first, Severity.ERROR, message, **numbers)

    @staticmethod
    def _told(first: tuple[CellKey, int], severity: Severity, message: Message, **numbers: int) -> Suspect:
        """Write down what holds of the pair as a whole, and of no call."""
        kind, proof, (cell, row) = Kind.STRUCTURE, Proof.COMPARISON, first
        return Suspect(kind, severity, proof, cell, None, None, None, message, numbers, row=row)


def _holds_values(dump: Dump) -> bool:
    slots = dump.slots
    tensor = slots.kind == SlotKind.TENSOR
    told = (slots.known != 0) | (slots.checksum >= 0) | (slots.file >= 0)
    return bool((told & tensor).any() if tensor.any() else len(slots))
