"""A third run beside target and golden: one in higher precision to measure both by, or the golden once more.

A reference (the same model on CPU in float32 or float64) tells which side is the wrong one. A repetition of
the golden tells how much one machine differs from itself; what the target differs by no more is noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.progress import Work
from core.records.columns import Float64
from core.records.result import CellResult, Reason, Verdict
from core.records.run import CellKey

Errors = dict[tuple[str, str], float]
"""Relative error by operator and slot, as the first run of a comparison names them."""

REPEAT_FACTOR = 3.0
"""The target may differ from the golden by this many times what the golden differs from itself."""


@dataclass(frozen=True)
class ThirdRuns:
    """What the third runs say, by cell."""

    target_to_reference: dict[CellKey, Errors] = field(default_factory=dict)
    golden_to_reference: dict[CellKey, Errors] = field(default_factory=dict)
    golden_to_itself: dict[CellKey, Errors] = field(default_factory=dict)

    def apply(self, cell: CellResult) -> CellResult:
        """Return *cell* with the distances to the reference, and run-to-run noise allowed for."""
        rows = cell.rows
        to_target = self._column(cell, self.target_to_reference, cell.key, golden=False)
        to_golden = self._column(cell, self.golden_to_reference, cell.golden_key, golden=True)
        rows = replace(rows, target_to_reference=to_target, golden_to_reference=to_golden)
        noise = REPEAT_FACTOR * self._column(cell, self.golden_to_itself, cell.golden_key, golden=True)
        allowed = np.fmax(rows.allowed, noise)
        excused = (
            (rows.verdict == Verdict.DIFFERS) & (rows.error <= noise) & (rows.reason == Reason.BEYOND_NOISE)
        )
        verdict, reason = rows.verdict.copy(), rows.reason.copy()
        verdict[excused], reason[excused] = Verdict.CLOSE, Reason.WITHIN_NOISE
        return replace(cell, rows=replace(rows, allowed=allowed, verdict=verdict, reason=reason))

    @staticmethod
    def _column(cell: CellResult, by_cell: dict[CellKey, Errors], key: CellKey, *, golden: bool) -> Float64:
        found = np.full(len(cell.rows), np.nan)
        errors = by_cell.get(key)
        if not errors:
            return found
        dump = cell.golden if golden else cell.target
        operators = cell.rows.golden_operator if golden else cell.rows.target_operator
        slots = cell.rows.golden_slot if golden else cell.rows.target_slot
        for row in np.flatnonzero(slots >= 0).tolist():
            name = dump.operator_name(int(operators[row])), dump.slot_name(int(slots[row]))
            found[row] = errors.get(name, np.nan)
        return found


def measure_third_runs(
    target: str, golden: str, reference: str, golden_repeat: str, options: CompareOptions
) -> Work[ThirdRuns]:
    """Compare both sides with *reference*, and the golden with *golden_repeat*, as far as they are given."""
    found = ThirdRuns()
    for first, second, into in (
        (target, reference, found.target_to_reference),
        (golden, reference, found.golden_to_reference),
        (golden, golden_repeat, found.golden_to_itself),
    ):
        if second:
            cells: list[CellResult] = []
            yield from compare_runs(first, second, options, take=cells.append)
            into.update({cell.key: _errors(cell) for cell in cells})
    return found


def _errors(cell: CellResult) -> Errors:
    rows = cell.rows
    error = np.where(np.isfinite(rows.relative_l2), rows.relative_l2, rows.error)
    found = {}
    for row in np.flatnonzero((rows.target_slot >= 0) & np.isfinite(error)).tolist():
        operator = cell.target.operator_name(int(rows.target_operator[row]))
        found[operator, cell.target.slot_name(int(rows.target_slot[row]))] = float(error[row])
    return found
