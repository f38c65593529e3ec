"""The answer on top: verdict, sentence, first bad step, and what to dump next."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
)

from core.errors import Problem
from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.curves.roles import Role
from gui.models.curves.statistics import JUDGEMENT_MARKS
from gui.models.curves.words import advice_for_copying
from gui.models.pair.categories import Category
from gui.processes.work_state import Stage
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_LINES = 2
"""Lines of advice that have a sentence each."""


class CurvesHeadline(Translated, Card):
    """One card: the sentence, and under it the advice where there is some."""

    logs_wanted = Signal()
    folder_wanted = Signal()
    step_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._low = self._unfolded = False
        self._state, self._theme = context.session.curves, context.theme
        self.mark = CategoryMark(context.theme, 14)
        self.word = QLabel()
        self.word.setObjectName("title")
        self.sentence = wrapped_label("")
        self.first_bad = QPushButton()
        self.first_bad.setProperty("compact", True)
        self.swap, self.add = QToolButton(), QPushButton()
        self._menu = QMenu(self)
        self._logs, self._folder = self._menu.addAction(""), self._menu.addAction("")
        self.add.setMenu(self._menu)
        first = QHBoxLayout()
        first.setSpacing(8)
        for part in (self.mark, self.word):
            first.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        first.addSpacing(6)
        first.addWidget(self.sentence, 1)
        for button in (self.first_bad, self.swap, self.add):
            first.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.advice = QFrame()
        self.advice.setObjectName("notice")
        self._advice_title, self.advice_words = QLabel(), wrapped_label("")
        self._advice_title.setObjectName("strong")
        self.advice_words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.copy = QPushButton()
        self.copy.setProperty("compact", True)
        inside = QHBoxLayout(self.advice)
        inside.setContentsMargins(12, 5, 6, 5)
        inside.setSpacing(10)
        inside.addWidget(self._advice_title, 0, Qt.AlignmentFlag.AlignTop)
        inside.addWidget(self.advice_words, 1)
        self.unfold = QToolButton()
        self.unfold.setObjectName("link")
        for button in (self.unfold, self.copy):
            inside.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setContentsMargins(14, 9, 12, 9)
        column.setSpacing(8)
        column.addLayout(first)
        column.addWidget(self.advice)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._logs.triggered.connect(self.logs_wanted)
        self._folder.triggered.connect(self.folder_wanted)
        self.swap.clicked.connect(self._state.swap)
        self.first_bad.clicked.connect(self._go)
        self.copy.clicked.connect(self._copy)
        self.unfold.clicked.connect(self._unfold)
        self._state.changed.connect(self._load)
        self._state.runs_changed.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def words(self) -> tuple[str, str]:
        """The verdict, and the sentence."""
        return self.word.text(), self.sentence.text()

    def _load(self) -> None:
        state = self._state
        report = state.report
        self.swap.setVisible(bool(state.runs.with_role(Role.TARGET) or state.runs.with_role(Role.GOLDEN)))
        working = state.stage is Stage.WORKING
        if state.stage is Stage.FAILED and len(state.runs) > 1 and not state.readable:
            words = text("gui.curves.none_readable")
            self._say(Category.NOT_COMPARED, text("training.judgement.not_judged"), words)
        elif state.stage is Stage.FAILED and state.failure is not None:
            failure = state.failure
            why = failure.sentence() if isinstance(failure, Problem) else render(failure)
            self._say(Category.NOT_COMPARED, text("training.judgement.not_judged"), why)
        elif report is None:
            words = text("gui.curves.judging") if working else text("gui.curves.stopped")
            self._say(Category.NOT_COMPARED, text("training.judgement.not_judged"), words)
        else:
            sentence = render(report.sentence)
            if working:
                sentence += "  ·  " + text("gui.curves.judging")
            mark = JUDGEMENT_MARKS[report.verdict]
            self._say(mark, text(f"training.judgement.{report.verdict.value}"), sentence)
        bad = report.first_bad_step if report is not None else None
        self.first_bad.setVisible(bad is not None)
        if bad is not None:
            self.first_bad.setText(text("gui.curves.first_bad", step=numbers.grouped(bad)))
        self._advise()

    def _advise(self) -> None:
        """Show the advice: where room is short, first only which steps are to be dumped."""
        report = self._state.report
        advice = report.advice if report is not None else ()
        self.advice.setVisible(bool(advice))
        folded = self._low and not self._unfolded
        self.unfold.setVisible(self._low)
        self.unfold.setText("▾" if folded else "▴")
        words = text("gui.curves.advice.unfold" if folded else "gui.curves.advice.fold")
        self.unfold.setToolTip(words)
        self.unfold.setAccessibleName(words)
        if folded:
            steps = sorted({each.dump_step for each in advice})
            listed = ", ".join(map(numbers.grouped, steps))
            self.advice_words.setText(text("gui.curves.advice.steps", steps=listed))
            return
        told = [render(each.message) for each in advice]
        if len(told) > _LINES:  # of several faults: a backward and a forward pass make a line
            told = ["   ".join(told[at : at + 2]) for at in range(0, len(told), 2)]
        self.advice_words.setText("\n".join(told))

    def set_low(self, low: bool) -> None:
        """Say whether room is short: the advice is folded then until somebody wants it."""
        if low != self._low:
            self._low, self._unfolded = low, False
            self._advise()

    def _unfold(self) -> None:
        self._unfolded = not self._unfolded
        self._advise()

    def _say(self, mark: Category, word: str, sentence: str) -> None:
        self.mark.show_category(mark)
        self.word.setText(word)
        self.sentence.setText(sentence)
        self.setAccessibleName(f"{word}: {sentence}")

    def _go(self) -> None:
        report = self._state.report
        if report is not None and report.first_bad_step is not None:
            self.step_wanted.emit(report.first_bad_step)

    def _copy(self) -> None:
        if self._state.report is not None:
            QGuiApplication.clipboard().setText(advice_for_copying(self._state.report.advice))

    def _restyle(self) -> None:
        self.swap.setIcon(icon("swap", self._theme.colours.dim))
        self.copy.setIcon(icon("copy", self._theme.colours.dim))

    def retranslate(self) -> None:
        self.swap.setToolTip(text("gui.curves.swap"))
        self.swap.setAccessibleName(text("gui.curves.swap"))
        self.add.setText(text("gui.curves.add"))
        self._logs.setText(text("gui.curves.add.logs"))
        self._folder.setText(text("gui.curves.add.folder"))
        self.first_bad.setToolTip(text("gui.curves.first_bad.help"))
        self._advice_title.setText(text("gui.curves.advice"))
        self.copy.setText(text("gui.curves.advice.copy"))
        self._load()
