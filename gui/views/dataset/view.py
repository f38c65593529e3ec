"""The data sets of both sides: lists of checksums are made here, and compared."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.dataset import work as dataset_work
from gui.dataset.state import DatasetState
from gui.precheck.sides import Side
from gui.processes.work_state import Stage
from gui.views.dataset.headline import DatasetHeadline
from gui.views.dataset.rows import RowsCard
from gui.views.dataset.side import SideCard
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.shared_room import GAP
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_WIDE = 1100
"""Pixels from which the sides stand beside each other."""


class DatasetView(WorkView[DatasetState]):
    """Both sides on top, what differs under them."""

    def __init__(self, context: Context) -> None:
        super().__init__(DatasetState(context.session))
        self._context = context
        self.sides = {side: SideCard(context, self.state, side) for side in Side}
        self.compare = QPushButton()
        self.compare.setObjectName("primary")
        self._sides = QHBoxLayout()
        self._sides.setSpacing(GAP)
        for card in self.sides.values():
            self._sides.addWidget(card, 1)
        self.headline = DatasetHeadline(context)
        self.rows = RowsCard(context)
        self._content = QWidget()
        inside = QVBoxLayout(self._content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        inside.addWidget(self.headline)
        inside.addWidget(self.rows, 1)
        self._before = Card(heading=False)
        self.hint = EmptyNote()
        self._before.body.addWidget(self.hint)
        first = self.sides[Side.TARGET].field.field
        self._stack = WorkStack(
            self.state, self._show_state, (self._content, self.rows.table), (self._before, first)
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addLayout(self._sides, 1)
        top.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(top)
        column.addWidget(self._stack, 1)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        for card in self.sides.values():
            card.entered.connect(self.state.again)
        self.compare.clicked.connect(self.state.again)
        self.state.sides_changed.connect(self._allow)
        self.headline.fault_chosen.connect(self.rows.show_fault)
        self.rows.export_wanted.connect(self.ask_export)
        self.rows.clear_wanted.connect(self._clear)
        self._stack.note.pressed.connect(self.state.again)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.want()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= _WIDE
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._sides.direction() != direction:
            self._sides.setDirection(direction)

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        self._allow()
        if state.answer is not None:
            self._stack.setCurrentWidget(self._content)
            self.headline.show_answer(state.answer)
            self.rows.show_answer(state.answer)
        elif state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self._before)
        else:
            self._stack.setCurrentWidget(self._stack.note)
            paths = "\n".join(", ".join(paths) for paths in state.paths.values())
            words = WorkWords(
                working=(text("gui.dataset.working"), paths), stopped=(text("gui.dataset.stopped"), paths),
                failed=text("gui.dataset.failed"), again=text("gui.dataset.again"),
            )  # fmt: skip
            self._stack.note.tell(state, words)

    def _allow(self) -> None:
        self.compare.setEnabled(self.state.comparable and self.state.stage is not Stage.WORKING)

    def _clear(self) -> None:
        """Want all rows."""
        self.rows.clear()
        for chip in self.headline.chips.values():
            chip.setChecked(False)

    def arrange_anew(self) -> None:
        """Nothing here is shared by the user."""

    # ---- commands

    def ask_export(self) -> None:
        """Ask where to, and write the rows that are listed."""
        suggestion = str(Path(self._context.settings.last_folder) / "ulpscope_dataset.csv")
        chosen, _ = QFileDialog.getSaveFileName(self, text("gui.dataset.export"), suggestion, "CSV (*.csv)")
        if chosen:
            path = chosen if Path(chosen).suffix else f"{chosen}.csv"
            self.state.exports.start(dataset_work.export, path, *self.rows.listed())

    def copied_text(self) -> str:
        """Return the selected rows, else the answer."""
        if self.state.answer is None:
            return ""
        return self.rows.copied_text() if self.rows.table.hasFocus() else self.headline.words

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.dataset.title"))
        self.compare.setText(text("gui.dataset.compare"))
        self.compare.setToolTip(text("gui.dataset.compare.help"))
        self.hint.set_texts(text("gui.dataset.hint"))
        self._show_state()
