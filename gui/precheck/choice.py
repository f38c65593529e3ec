"""Which checks are listed, and which of them is looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.records.precheck import Check, Outcome, PrecheckReport
from gui.models.precheck.words import matches


class PrecheckChoice(QObject):
    """The selection, the result that is listed alone, and what is searched for."""

    chosen_changed = Signal()
    filter_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.report: PrecheckReport | None = None
        self.chosen = ""
        """Id of the check looked at; empty for none."""
        self.outcome: Outcome | None = None
        """Only checks of this result are listed."""
        self.words = ""

    def load(self, report: PrecheckReport | None) -> None:
        """Go on with another answer; the check looked at stays.

        At first it is the most likely cause, else what would tell most if there were evidence for it.
        """
        self.report = report
        if self.check is None:
            checks = report.checks if report is not None else ()
            open_ones = [check for check in checks if check.result is Outcome.NOT_DONE]
            likely = [*(report.failures if report is not None else ()), *sorted(open_ones, key=_rank)]
            self.chosen = likely[0].id if likely else ""

    @property
    def check(self) -> Check | None:
        """The check looked at."""
        checks = self.report.checks if self.report is not None else ()
        return next((check for check in checks if check.id == self.chosen), None)

    def listed(self, check: Check) -> bool:
        """Whether *check* is listed."""
        return (self.outcome is None or check.result is self.outcome) and self.found(check)

    def found(self, check: Check) -> bool:
        """Whether *check* says what is searched for."""
        return matches(check, self.words)

    def choose(self, id: str) -> None:
        """Look at the check *id*."""
        if id != self.chosen:
            self.chosen = id
            self.chosen_changed.emit()

    def choose_outcome(self, outcome: Outcome | None) -> None:
        """List only checks of that result, or all again."""
        if outcome is not self.outcome:
            self.outcome = outcome
            self._list_anew()

    def search(self, words: str) -> None:
        """List only checks that say *words*."""
        if words != self.words:
            self.words = words
            self._list_anew()

    def _list_anew(self) -> None:
        """Look at a check that is listed, if any is: the most likely cause among them, else the first."""
        before = self.chosen
        if self.report is not None and not (self.check is not None and self.listed(self.check)):
            listed = filter(self.listed, (*self.report.failures, *self.report.checks))
            self.chosen = next((check.id for check in listed), before)
        self.filter_changed.emit()
        if self.chosen != before:
            self.chosen_changed.emit()

    def turn(self, forward: bool) -> None:
        """Look at the next fail or the one before, the most likely cause first; at an end, at the other."""
        ids = [check.id for check in (self.report.failures if self.report is not None else ())]
        if not ids:
            return
        if self.outcome not in (None, Outcome.FAIL) or self.words:
            self.outcome, self.words = None, ""
            self.filter_changed.emit()
        if self.chosen in ids:
            self.choose(ids[(ids.index(self.chosen) + (1 if forward else -1)) % len(ids)])
        else:
            self.choose(ids[0 if forward else -1])


def _rank(check: Check) -> int:
    return check.rank
