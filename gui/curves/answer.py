"""What was found in curves, and which of the findings is looked at."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from core.curves.shelf import Shelved
from core.records.curves import CurveFinding, CurvesReport
from core.records.training import Weight
from gui.processes.work_state import WorkState


class CurvesAnswer(WorkState):
    """The report; it stays while another one is worked out."""

    finding_changed = Signal()
    report: CurvesReport | None = None
    token: Shelved | None = None
    """Of the report."""
    finding = -1
    """Number of the finding that is looked at; -1 for none."""

    def take_report(self, token: Shelved | None, report: CurvesReport | None) -> None:
        """Hold another report; of the same finding the user looks on at it."""
        before = self.chosen
        self.token, self.report = token, report
        same = [at for at, found in enumerate(self.findings) if before is not None and _alike(found, before)]
        self.finding = same[0] if same else -1

    def _forget_answer(self) -> None:
        """Keep what was found while something else is found."""

    @property
    def findings(self) -> tuple[CurveFinding, ...]:
        """What is to be known of the runs."""
        return self.report.findings if self.report is not None else ()

    @property
    def faults(self) -> int:
        """How many findings are faults."""
        return sum(finding.weight is Weight.FAULT for finding in self.findings)

    @property
    def chosen(self) -> CurveFinding | None:
        """The finding that is looked at."""
        return self.findings[self.finding] if 0 <= self.finding < len(self.findings) else None

    def choose(self, number: int) -> None:
        """Look at another finding."""
        self.finding = number if 0 <= number < len(self.findings) else -1
        self.finding_changed.emit()

    def turn(self, forward: bool) -> None:
        """Look at the next finding, or the one before; at an end, go on at the other."""
        if self.findings:
            at = self.finding + (1 if forward else -1) if self.finding >= 0 else 0 if forward else -1
            self.choose(at % len(self.findings))


def _alike(one: CurveFinding, other: CurveFinding) -> bool:
    """Whether both tell of the same thing, also when more of the log is known."""
    return replace(one, message=other.message, last_step=other.last_step, facts=other.facts) == other
