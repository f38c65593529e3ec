"""The list of runs: colour, name, role, what is to be known of each; add and remove."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import Problem
from core.messages import render, text
from core.records.curves import RunKind
from gui import numbers
from gui.context import Context
from gui.curves.runs import ShownRun, short_names
from gui.looks.icons import icon
from gui.models.curves.roles import Look, Role, looks
from gui.models.curves.words import pattern_helps, reason, steps_of
from gui.names import shown
from gui.processes.work_state import Stage
from gui.views.curves.lines import LinesLabel
from gui.views.curves.readout import paint_swatch
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_LINES = 2
"""Lines for what is to be known of a run."""


class Swatch(QWidget):
    """A piece of the curve."""

    def __init__(self) -> None:
        super().__init__()
        self.look = Look("#000000")
        self.setFixedSize(24, 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_swatch(painter, QPointF(1, self.height() / 2), self.look, 22)
        painter.end()


class RunRow(QFrame):
    """One run: its name, and under it what is to be known of it."""

    unread_wanted = Signal(int)
    pattern_wanted = Signal(int)

    def __init__(self, context: Context, number: int) -> None:
        super().__init__()
        self.setObjectName("plain")
        self._state, self._theme = context.session.curves, context.theme
        self.number = number
        self.check, self.swatch, self.name = QCheckBox(), Swatch(), ElidedLabel()
        self.role, self.more = QToolButton(), QToolButton()
        self.live, self.facts, self.unread = (
            QLabel(),
            LinesLabel(_LINES),
            QToolButton(),
        )
        self.pattern = QToolButton()
        self._build()
        self.check.toggled.connect(self._show)
        self.unread.clicked.connect(partial(self.unread_wanted.emit, number))
        self.pattern.clicked.connect(self._ask_pattern)

    def _build(self) -> None:
        self.role.setObjectName("link")
        self.role.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setObjectName("link")
        self.more.setText("⋯")
        self.role.setMenu(QMenu(self))
        self.more.setMenu(QMenu(self))
        for button in (self.unread, self.pattern):
            button.setObjectName("small")
        self.live.setObjectName("badge")
        self.live.setProperty("basis", "live")
        self.facts.setObjectName("small")
        self.name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(6)
        for part in (self.check, self.swatch):
            first.addWidget(part)
        first.addWidget(self.name, 1)
        first.addWidget(self.role)
        first.addWidget(self.more)
        second.setContentsMargins(51, 0, 4, 0)
        second.setSpacing(6)
        top = Qt.AlignmentFlag.AlignTop
        second.addWidget(self.live, 0, top)
        second.addWidget(self.facts, 1)
        for button in (self.unread, self.pattern):
            second.addWidget(button, 0, top)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 4, 3)
        column.setSpacing(0)
        column.addLayout(first)
        column.addLayout(second)

    def show_run(self, run: ShownRun, name: str, look: Look) -> None:
        """Show how it is with *run*."""
        with QSignalBlocker(self.check):
            self.check.setChecked(run.visible)
        self.check.setEnabled(run.run is not None)
        self.check.setToolTip(text("gui.curves.visible"))
        self.check.setAccessibleName(text("gui.curves.visible.of", name=name))
        self.swatch.look = look
        self.swatch.update()
        self.name.setText(name)
        self.name.setToolTip(shown(run.path))
        self.role.setText(f"{run.role.word}  ▾")
        self.role.setAccessibleName(text("gui.curves.role.of", name=name, role=run.role.word))
        self.role.setToolTip(text("gui.curves.role.help"))
        self.more.setToolTip(text("gui.curves.more"))
        self.more.setAccessibleName(text("gui.curves.more"))
        self._fill_roles(run)
        self._fill_more(run)
        self.live.setVisible(run.live)
        self.live.setText(text("gui.curves.live"))
        self.live.setToolTip(text("gui.curves.live.help"))
        words = self._facts(run)
        alarm = run.stage is Stage.FAILED
        if self.facts.objectName() != ("error" if alarm else "small"):
            self.facts.setObjectName("error" if alarm else "small")
            self.facts.style().unpolish(self.facts)
            self.facts.style().polish(self.facts)
        whole = run.failure.sentence() if isinstance(run.failure, Problem) else ""
        self.facts.show_words(words, whole)
        self.setAccessibleName(f"{name}, {run.role.word}, {words}")
        unread = run.run.unread if run.run is not None else 0
        self.unread.setVisible(unread > 0)
        self.unread.setText(text("gui.curves.unread", count=unread, number=numbers.grouped(unread)))
        self.pattern.setVisible(pattern_helps(run.failure))
        self.pattern.setText(text("gui.curves.pattern.give"))
        self.pattern.setToolTip(text("gui.curves.pattern.menu"))

    @staticmethod
    def _facts(run: ShownRun) -> str:
        if run.failure is not None:
            return reason(run.failure)
        if run.run is None:
            return text("gui.curves.reading" if run.stage is Stage.WORKING else "gui.curves.stopped")
        known = run.run
        parts = []
        if known.source is not None:
            parts.append(render(known.source))
        elif known.kind is not RunKind.LOG:
            parts.append(text(f"gui.curves.kind.{known.kind.value}"))
        steps = steps_of(known)
        parts.append(text("gui.curves.steps", count=steps, number=numbers.grouped(steps)))
        if known.resumes:
            parts.append(text("gui.curves.resumed", count=len(known.resumes)))
        if run.pattern is not None:
            parts.append(text("gui.curves.pattern.by", name=run.pattern.name or run.pattern.expression))
        parts += [problem.sentence() for problem in known.problems]
        return "  ·  ".join(parts)

    def _fill_roles(self, run: ShownRun) -> None:
        menu = self.role.menu()
        menu.clear()
        for role in Role:
            action = menu.addAction(role.word)
            action.setCheckable(True)
            action.setChecked(role is run.role)
            action.triggered.connect(partial(self._state.set_role, self.number, role))

    def _fill_more(self, run: ShownRun) -> None:
        menu = self.more.menu()
        menu.clear()
        if Path(run.path).is_file() or run.failure is not None:
            menu.addAction(text("gui.curves.pattern.menu")).triggered.connect(self._ask_pattern)
        menu.addAction(text("gui.curves.again")).triggered.connect(self._again)
        menu.addAction(text("gui.curves.copy_path")).triggered.connect(self._copy_path)
        menu.addSeparator()
        menu.addAction(text("gui.curves.remove")).triggered.connect(self._remove)

    def _show(self, visible: bool) -> None:
        self._state.set_visible(self.number, visible)

    def _ask_pattern(self) -> None:
        self.pattern_wanted.emit(self.number)

    def _again(self) -> None:
        run = self._state.run(self.number)
        if run is not None:
            self._state.read_again(self.number, run.pattern)

    def _copy_path(self) -> None:
        run = self._state.run(self.number)
        if run is not None:
            QGuiApplication.clipboard().setText(run.path)

    def _remove(self) -> None:
        self._state.remove(self.number)


class RunsCard(Translated, Card):
    """A row a run."""

    add_wanted = Signal()
    unread_wanted = Signal(int)
    pattern_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._state = context, context.session.curves
        self.rows: dict[int, RunRow] = {}
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(2, 4, 2, 4)
        self._column.setSpacing(2)
        self._column.addStretch(1)
        self.body.addWidget(page_area(page))
        self.add = QToolButton()
        self.add.setIconSize(QSize(14, 14))
        self.header.add(self.add)
        self.add.clicked.connect(self.add_wanted)
        self.setMinimumHeight(110)
        self._state.runs_changed.connect(self._load)
        self._state.changed.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _load(self) -> None:
        runs = self._state.runs
        for number in [number for number in self.rows if self._state.run(number) is None]:
            row = self.rows.pop(number)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        styles = looks([run.role for run in runs], self._context.theme.colours)
        names = short_names([run.path for run in runs])
        for at, (run, name, look) in enumerate(zip(runs, names, styles)):
            row = self.rows.get(run.number) or self._make(run.number)
            if self._column.indexOf(row) != at:
                self._column.insertWidget(at, row)
            row.show_run(run, name, look)
        self.set_title(text("gui.curves.runs"), "")

    def _make(self, number: int) -> RunRow:
        row = self.rows[number] = RunRow(self._context, number)
        row.unread_wanted.connect(self.unread_wanted)
        row.pattern_wanted.connect(self.pattern_wanted)
        return row

    def _restyle(self) -> None:
        self.add.setIcon(icon("folder", self._context.theme.colours.dim))
        self._load()

    def retranslate(self) -> None:
        self.add.setToolTip(text("gui.curves.add.logs"))
        self.add.setAccessibleName(text("gui.curves.add.logs"))
        self._load()
