"""By what runs are laid on each other: the user's choice, in the terms of the core."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from core.messages import text
from core.records.curves import Axis, CurvesReport, LoggedRun
from core.records.series import Series
from gui.models.curves.roles import Role


class Laying(StrEnum):
    """What stands along the picture."""

    FOUND = "found"
    """Steps, shifted where the logs count them differently; as the core finds."""
    STEP = "step"
    """Steps as the logs number them."""
    FIRST = "first"
    """Steps counted from the first of each log."""
    SAMPLES = "samples"
    TOKENS = "tokens"

    @property
    def word(self) -> str:
        """Its words in the language in force."""
        return text(f"gui.curves.laying.{self.value}")


_COUNTS = {Laying.SAMPLES: Series.CONSUMED_SAMPLES, Laying.TOKENS: Series.CONSUMED_TOKENS}
_AXES = {Laying.STEP: Axis.STEP, Laying.FIRST: Axis.STEP, Laying.SAMPLES: Axis.SAMPLES,
         Laying.TOKENS: Axis.TOKENS}  # fmt: skip


def offered(runs: Sequence[LoggedRun]) -> list[Laying]:
    """Return what can be chosen for *runs*."""
    return [
        laying
        for laying in Laying
        if laying not in _COUNTS or any(_COUNTS[laying] in run.curves for run in runs)
    ]


def judged_axis(laying: Laying) -> Axis | None:
    """Return the axis that a report is asked for; ``None`` lets the core find it."""
    return _AXES.get(laying)


def judged_shift(laying: Laying, target: LoggedRun, golden: LoggedRun) -> int | None:
    """Return what is added to the target's steps; ``None`` lets the core find it."""
    if laying is Laying.FIRST:
        return golden.first_step - target.first_step
    return 0 if laying is Laying.STEP else None


def drawn_axis(laying: Laying, report: CurvesReport | None, runs: Sequence[LoggedRun]) -> Axis:
    """Return the axis of the picture: the one that the report is laid on, where there is one."""
    if report is not None and report.golden_path:
        return report.alignment.axis
    return _AXES.get(laying) or (runs[0].axis if runs else Axis.STEP)


def drawn_shifts(
    laying: Laying, report: CurvesReport | None, runs: Sequence[tuple[Role, LoggedRun]]
) -> list[float]:
    """Return what is added to the places of each of *runs*, so that they lie as the report has them."""
    if laying in _COUNTS:
        return [0.0] * len(runs)
    if laying is Laying.FIRST:
        golden = [run for role, run in runs if role is Role.GOLDEN] or [run for _, run in runs[:1]]
        return [float(golden[0].first_step - run.first_step) for _, run in runs]
    shift = float(report.alignment.shift) if report is not None and report.golden_path else 0.0
    return [shift if role is Role.TARGET else 0.0 for role, _ in runs]


def drawn_factors(report: CurvesReport | None, runs: Sequence[tuple[Role, LoggedRun]]) -> list[float]:
    """Return the steps between the records of each of *runs* that was counted; 1 for the others."""
    sides = {Role.TARGET: "target", Role.GOLDEN: "golden"}
    found = report.intervals if report is not None else {}
    return [float(found.get(sides.get(role, ""), 1)) if run.axis is Axis.COUNT else 1.0 for role, run in runs]
