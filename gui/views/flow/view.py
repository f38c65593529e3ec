"""Where the inputs of the selected call come from, and where its outputs go."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.progress import Progress
from core.records.result import CellResult
from core.records.run import CellKey
from gui.comparison.flow import FlowState
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.flow import FlowPicture, flow_picture
from gui.processes.work_state import Stage
from gui.views.flow.column import FlowColumn
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated
from gui.widgets.work_note import WorkNote, WorkWords

_SIDES = ("gui.target", "gui.golden")


class FlowView(Translated, QWidget):
    """Three columns: who made the inputs, the call, who takes the outputs."""

    def __init__(self, context: Context, focus: Focus) -> None:
        super().__init__()
        self._session, self._focus = context.session, focus
        self._golden = False
        self.sources, self.call, self.takers = (FlowColumn(context.theme) for _ in range(3))
        self.columns = (self.sources, self.call, self.takers)
        self.side_buttons = (QToolButton(), QToolButton())
        self.empty, self.note = EmptyNote(), WorkNote()
        self.note.setObjectName("plain")
        self._lay_out()
        for number, column in enumerate(self.columns):
            column.list.followed.connect(focus.select)
            column.list.turned.connect(partial(self._turn_to, number))
        self.note.cancelled.connect(self._cancel)
        self.note.pressed.connect(self._start)
        self._session.flows.changed.connect(self._show)
        self._session.flows.progressed.connect(self._show_progress)
        focus.row_changed.connect(self._load)
        focus.cell_changed.connect(self._load)
        self.retranslate()

    def _lay_out(self) -> None:
        sides = QButtonGroup(self)
        for button, golden in zip(self.side_buttons, (False, True)):
            button.setObjectName("toggle")
            button.setCheckable(True)
            button.clicked.connect(partial(self._choose_side, golden))
            sides.addButton(button)
            self.takers.header.addWidget(button)
        self.side_buttons[0].setChecked(True)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(14, 6, 14, 8)
        row.setSpacing(14)
        for column in self.columns:
            row.addWidget(column, 1)
        self._stack = QStackedWidget()
        for part in (page, self.empty, self.note):
            self._stack.addWidget(part)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

    # ---- work

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        """Show the flow around the call; it is worked out for the whole cell when it is first seen."""
        if not self.isVisible():
            return
        cell = self._focus.cell
        if cell is None or self._focus.selected is None:
            self.empty.set_texts(text("gui.detail.nothing_selected"))
            self._stack.setCurrentWidget(self.empty)
            return
        if self._state_of(cell).stage is Stage.NOTHING:
            self._start()
        self._show()

    def _state_of(self, cell: CellResult) -> FlowState:
        return self._session.flows.of(cell.key)

    def _start(self) -> None:
        if self._focus.cell is not None:
            self._state_of(self._focus.cell).start(self._session.result_path, self._focus.cell)

    def _cancel(self) -> None:
        if self._focus.cell is not None:
            self._state_of(self._focus.cell).cancel()

    def _show_progress(self, key: CellKey, progress: Progress) -> None:
        if self._focus.cell is not None and key == self._focus.cell.key:
            self.note.show_progress(progress)

    def _show(self) -> None:
        selected = self._focus.selected
        if selected is None or not self.isVisible():
            return
        state = self._state_of(selected[0])
        if state.found is None:
            self._stack.setCurrentWidget(self.note)
            self._tell(state)
            return
        self._draw(flow_picture(*selected, state.found, self._golden))
        self._stack.setCurrentIndex(0)

    def _tell(self, state: FlowState) -> None:
        words = WorkWords(
            working=(text("gui.flow.working"), text("gui.flow.working.help")),
            stopped=(text("gui.flow.stopped"), text("gui.flow.working.help")),
            failed=text("gui.flow.failed"),
            again=text("gui.flow.again"),
        )
        self.note.tell(state, words)

    # ---- content

    def _draw(self, picture: FlowPicture) -> None:
        for button in self.side_buttons:
            button.setVisible(not self._focus.exploring)
        parts = (picture.sources, picture.call, picture.takers)
        codes = ("gui.flow.sources", "gui.flow.call", "gui.flow.takers")
        for column, stations, code in zip(self.columns, parts, codes):
            column.show_stations(stations)
            column.set_title(text(code), counted=column is not self.call)

    def _choose_side(self, golden: bool) -> None:
        self._golden = golden
        self._show()

    def _turn_to(self, number: int, step: int) -> None:
        """Give the focus to the next column that has something in it."""
        while 0 <= number + step < len(self.columns):
            number += step
            if self.columns[number].model.rowCount():
                self.columns[number].list.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def copied_text(self) -> str:
        """Return the three columns as tab-separated lines."""
        return "\n".join(column.model.as_text() for column in self.columns)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.tab.flow"))
        for button, code in zip(self.side_buttons, _SIDES):
            button.setText(text(code))
            button.setToolTip(text("gui.flow.side.help", side=text(code)))
        self._load()
