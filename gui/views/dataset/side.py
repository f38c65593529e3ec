"""What one side brings: a folder or lists, and the way to a list with checksums."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
)

from core.errors import Problem
from core.messages import render, text
from core.precheck.dataset.hashing import ALGORITHMS
from gui import numbers
from gui.context import Context
from gui.dataset.state import DatasetState
from gui.models.dataset.rows import SideFacts
from gui.precheck.sides import Side
from gui.processes.work_state import Stage
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.path_field import PathField
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated

_FIELDS = {
    Side.TARGET: ("gui.dataset.side.target", "gui.dataset.hint.target"),
    Side.GOLDEN: ("gui.dataset.side.golden", "gui.dataset.hint.golden"),
}
"""Codes of what is read beside the field and in it."""
_BETWEEN = ";"
"""Parts several paths in a field."""


class SideCard(Translated, Card):
    """A field, a line of facts that gives way to progress, and a button that makes a list of checksums."""

    entered = Signal()
    """The comparison is asked for by Enter."""

    def __init__(self, context: Context, state: DatasetState, side: Side) -> None:
        super().__init__(heading=False)
        self._context, self._state, self._side = context, state, side
        self.making = state.lists[side]
        self.field = PathField(context.theme, *_FIELDS[side])
        self.algorithm = QComboBox()
        self.algorithm.addItems(ALGORITHMS)
        self.take = QPushButton()
        self.facts = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self.facts.setObjectName("dim")
        self.progress = ProgressStrip()
        self._line = QStackedWidget()
        for part in (self.facts, self.progress):
            self._line.addWidget(part)
        self._line.setFixedHeight(self.progress.sizeHint().height() + 4)
        second = QHBoxLayout()
        second.setSpacing(8)
        second.addWidget(self._line, 1)
        for widget in (self.algorithm, self.take):
            second.addWidget(widget)
        column = QVBoxLayout()
        column.setContentsMargins(14, 10, 12, 10)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addLayout(second)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.field.field.editingFinished.connect(self._bring)
        self.field.changed.connect(self._chosen)
        self.field.entered.connect(self._enter)
        self.take.clicked.connect(self.ask_for_list)
        self.progress.cancelled.connect(self.making.cancel)
        self.making.changed.connect(self._tell)
        self.making.progressed.connect(self.progress.show_progress)
        state.sides_changed.connect(self._load)
        state.changed.connect(self._tell)
        self._load()
        self.retranslate()

    # ---- what it brings

    def _load(self) -> None:
        words = f" {_BETWEEN} ".join(self._state.paths[self._side])
        if words != self.field.field.text():
            self.field.field.setText(words)
        self._tell()

    @property
    def paths(self) -> list[str]:
        """What is entered."""
        parts = (part.strip().strip("\"'") for part in self.field.path.split(_BETWEEN))
        return [part for part in parts if part]

    def _chosen(self) -> None:
        """Take at once what was not typed but browsed for; what is typed waits for its end."""
        if not self.field.field.hasFocus():
            self._bring()
        self._allow()

    def _bring(self) -> None:
        self._state.bring(self._side, self.paths)

    def _enter(self) -> None:
        self._bring()
        self.entered.emit()

    # ---- a list of checksums

    def _allow(self) -> None:
        paths = self.paths
        self.take.setEnabled(len(paths) == 1 and Path(paths[0]).is_dir() and not self.making.working)

    def ask_for_list(self) -> None:
        """Ask where the list is to stand, and take the checksums of the folder."""
        (folder,) = self.paths
        name = f"{Path(folder).name or self._side.value}.{self.algorithm.currentText()}"
        suggestion = str(Path(self._context.settings.last_folder or Path(folder).parent) / name)
        chosen, _ = QFileDialog.getSaveFileName(self, text("gui.dataset.list.save"), suggestion)
        if chosen:
            self.making.begin(folder, chosen, self.algorithm.currentText())

    def _tell(self) -> None:
        making = self.making
        if making.working and self._line.currentWidget() is not self.progress:
            self.progress.begin()
        self._line.setCurrentWidget(self.progress if making.working else self.facts)
        self._allow()
        answer = self._state.answer
        failure = making.failure
        wrong = making.stage is Stage.FAILED and failure is not None
        if wrong and failure is not None:
            self.facts.setText(failure.sentence() if isinstance(failure, Problem) else render(failure))
        elif making.stage is Stage.STOPPED:
            self.facts.setText(text("gui.dataset.list.stopped"))
        elif answer is not None:
            self.facts.setText(_words(answer.target if self._side is Side.TARGET else answer.golden))
        elif making.written is not None:
            count = making.written.files
            self.facts.setText(text("gui.dataset.list.written", count=count, number=numbers.grouped(count)))
        else:
            self.facts.setText("")
        wanted = "error" if wrong else "dim"
        if self.facts.objectName() != wanted:
            self.facts.setObjectName(wanted)
            self.facts.style().unpolish(self.facts)
            self.facts.style().polish(self.facts)

    def retranslate(self) -> None:
        self.take.setText(text("gui.dataset.list.take"))
        self.take.setToolTip(text("gui.dataset.list.take.help"))
        side = text(f"gui.dataset.side.{self._side.value}")
        self.algorithm.setAccessibleName(f"{side}: {text('gui.dataset.algorithm')}")
        self.algorithm.setToolTip(text("gui.dataset.algorithm"))
        self.take.setAccessibleName(f"{side}: {self.take.text()}")
        self.setAccessibleName(side)
        self._tell()


def _words(facts: SideFacts) -> str:
    """Return what a side brought, in a line."""
    parts = [text("gui.dataset.facts.files", count=facts.files, number=numbers.grouped(facts.files))]
    if facts.bytes >= 0:
        parts.append(numbers.size(facts.bytes))
    parts.append(facts.algorithm or text("gui.dataset.facts.names_only"))
    if facts.nodes:
        parts.append(text("gui.dataset.facts.nodes", count=facts.nodes, number=numbers.grouped(facts.nodes)))
    if facts.files > 1 and facts.order:
        parts.append(text(f"gui.dataset.order.{facts.order}"))
    return "   ·   ".join(parts)
