"""The answer on top: how many checks fail, pass and are not done, and the most likely cause."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from core.messages import render, text
from core.precheck.telling import first_cause, headline_of, lacking, title_of
from core.records.precheck import Outcome, PrecheckReport
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.models.precheck.words import enumerated
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.labels import wrapped_label
from gui.widgets.quiet_progress import QuietProgress
from gui.widgets.translated import Translated

_ROLES = {Outcome.FAIL: "introduces", Outcome.PASS: "equal", Outcome.NOT_DONE: "inherited"}
"""Colours of the three counts: what is not done is no quiet matter."""
_CODES = {
    Outcome.FAIL: "gui.precheck.count.fail",
    Outcome.PASS: "gui.precheck.count.pass",
    Outcome.NOT_DONE: "gui.precheck.count.not_done",
}

_BESIDE = 370
"""Pixels that mark and buttons have, about."""


class PrecheckHeadline(Translated, Card):
    """Stays while other checks are looked at; says quietly that it is being found out anew."""

    export_wanted = Signal()
    cause_wanted = Signal()
    """The most likely cause is to be looked at."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._theme, self._state = context.theme, context.session.precheck
        self._mark = CategoryMark(context.theme, 14)
        self._counts, self._cause, self._rest = QLabel(), wrapped_label("strong"), wrapped_label("dim")
        self._counts.setObjectName("title")
        self._counts.setTextFormat(Qt.TextFormat.RichText)
        self._cause.setTextFormat(Qt.TextFormat.RichText)
        self._cause.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self._brief = False
        self.progress = QuietProgress()
        self.cancel, self.again, self.export = QPushButton(), QPushButton(), QPushButton()
        words = QVBoxLayout()
        words.setSpacing(3)
        for part in (self._counts, self._cause, self._rest):
            words.addWidget(part)
        row = QHBoxLayout()
        row.setContentsMargins(14, 9, 12, 10)
        row.setSpacing(8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.progress.setFixedWidth(110)
        self.progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.progress)
        for button in (self.cancel, self.again, self.export):
            row.addWidget(button)
        self.body.addLayout(row)
        self.cancel.clicked.connect(self._state.cancel)
        self.again.clicked.connect(self._state.again)
        self.export.clicked.connect(self.export_wanted)
        self._cause.linkActivated.connect(self.cause_wanted)
        self._state.changed.connect(self._load)
        self._state.exports.changed.connect(self._load)
        self._state.progressed.connect(self.progress.show_progress)
        self._theme.changed.connect(self._load)
        self.retranslate()

    def be_brief(self, brief: bool) -> None:
        """Say the counts and one line of the cause where it is *brief*; the rest is in the list."""
        if brief is not self._brief:
            self._brief = brief
            self._load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._brief:
            self._load()

    @property
    def sentences(self) -> list[str]:
        """What it says."""
        return [part for part in self._plain if part]

    def _load(self) -> None:
        working, report = self._state.working, self._state.report
        quietly = working and report is not None
        if quietly != self.progress.waiting:
            self.progress.begin() if quietly else self.progress.end()
        self.cancel.setVisible(quietly)
        self.again.setVisible(not self.cancel.isVisibleTo(self))
        self.again.setEnabled(report is not None)
        self.export.setEnabled(report is not None and not self._state.exports.running)
        self.export.setIcon(icon("export", self._theme.colours.dim))
        self._plain = ["", "", ""]
        self._mark.setVisible(report is not None)
        self._cause.setVisible(report is not None and bool(report.failures or lacking(report)))
        if report is None:
            self._plain[:] = [text("gui.precheck.question"), "", text("gui.precheck.question.help")]
            self._counts.setText(self._plain[0])
        else:
            self._say(report)
        self._rest.setText(self._plain[2])
        self._rest.setVisible(bool(self._plain[2]) and not self._brief)

    def _say(self, report: PrecheckReport) -> None:
        counts = report.counts
        colours = self._theme.colours
        parts = []
        for outcome, role in _ROLES.items():
            words, count = text(_CODES[outcome], count=counts[outcome]), counts[outcome]
            parts.append(f'<span style="color: {getattr(colours, role if count else "dim")};">{words}</span>')
        self._counts.setText("&nbsp;&nbsp;·&nbsp;&nbsp;".join(parts))
        worst = Category.EQUAL  # only where nothing is left out
        if report.failures:
            worst = Category.INTRODUCED
        elif counts[Outcome.NOT_DONE]:
            worst = Category.NOT_COMPARED
        self._mark.show_category(worst)
        one_sided = lacking(report)
        cause = first_cause(report) or (render(one_sided) if one_sided else "")
        shown = cause
        self._cause.setWordWrap(not self._brief)
        if self._brief:
            room = max(self.width() - _BESIDE, 200)
            shown = self._cause.fontMetrics().elidedText(cause, Qt.TextElideMode.ElideRight, room)
        self._cause.setToolTip("" if shown == cause else cause)
        link = f'<a href="cause" style="color: {colours.accent}; text-decoration: none;">'
        self._cause.setText(f"{link}{_escaped(shown)}</a>" if report.failures else _escaped(shown))
        left = 0 if one_sided else counts[Outcome.NOT_DONE]
        said = [text("gui.precheck.not_done_said", count=left)] if left else []
        if one_sided and report.failures:
            said.append(render(one_sided))
        others = [title_of(check) for check in report.failures[1:]]
        if others:
            said.insert(0, text("gui.precheck.also", titles=enumerated(others)))
        problems = len(report.problems)
        if problems:
            said.append(text("gui.precheck.problems", count=problems))
            self._rest.setToolTip("\n".join(problem.sentence() for problem in report.problems))
        else:
            self._rest.setToolTip("")
        self._plain = [render(headline_of(report)), cause, "  ".join(said)]

    def copied_text(self) -> str:
        """Return all that it says."""
        return "\n".join(self.sentences)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.precheck.headline"))
        for button, code in (
            (self.cancel, "gui.cancel"), (self.again, "gui.precheck.again"),
            (self.export, "gui.table.export"),
        ):  # fmt: skip
            button.setText(text(code))
        self.again.setToolTip(text("gui.precheck.again.help"))
        self.export.setToolTip(text("gui.precheck.export.help"))
        self._load()


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
