"""The rounds of a target: what the last change mended, what it broke, and the way to each call."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QToolButton, QVBoxLayout, QWidget

from core.messages import Message, text
from gui.context import Context
from gui.copying import copied_rows
from gui.looks.icons import icon
from gui.models.pair.rounds_table import CELL, COLUMNS, RoundsTable
from gui.processes.work_state import Stage
from gui.views.rounds.choice import RoundChoice
from gui.views.rounds.summary import RoundsSummary
from gui.widgets.card import Card
from gui.widgets.column_fit import ColumnFit
from gui.widgets.page_area import page_area
from gui.widgets.row_menu import offer_commands
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack

_FIT = ColumnFit(comfortable=200, least=140, go_first=("cell", "before"), ample=520, wider="status", most=60)
_LEAST_ROWS = 4
"""Calls that are always seen at once."""
_WIDE = 600
"""Pixels of the card from which its button has words."""


class RoundsView(Translated, Card):
    """The card: which rounds there are, a sentence, chips that filter, the calls by what became of them."""

    wanted = Signal()
    """A round has joined: the card is to be shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._session, self._theme = context, context.session, context.theme
        self.state = context.session.rounds
        self.next_button, self.close_button, self.more_button = QToolButton(), QToolButton(), QToolButton()
        self.choice, self.summary = RoundChoice(self.state), RoundsSummary(context.theme)
        self.model = RoundsTable(self)
        self.table = RowTable(context.theme, self.model, _LEAST_ROWS)
        self._words_and_calls = QWidget()
        self._page = page_area(self._words_and_calls)  # where it is low it scrolls, and nothing is cut
        self._lay_out()
        self._stack = WorkStack(self.state, self._show_state, (self._page, self.table))
        self.note = self._stack.note
        self.note.setObjectName("plain")  # the dock has a frame
        self.body.addWidget(self.choice)
        self.body.addWidget(self._stack, 1)
        self._connect()
        self._restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        for button in (self.next_button, self.more_button):
            button.setObjectName("link")
        for button in (self.next_button, self.more_button, self.close_button):
            self.header.add(button)
        column = QVBoxLayout(self._words_and_calls)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.summary)
        column.addWidget(self.table, 1)

    def _connect(self) -> None:
        self._context.actions.connect_to("next_round", self.ask)
        self.next_button.clicked.connect(self._context.actions["next_round"].trigger)
        self._context.actions["next_round"].changed.connect(self._enable)
        self.more_button.clicked.connect(self._more)
        self.summary.filtered.connect(self._filter)
        self.note.pressed.connect(self._go_on)
        self.table.row_chosen.connect(self._show_call)
        self.table.entered_on.connect(self._enter)
        self.table.resized.connect(self._fit)
        self.table.customContextMenuRequested.connect(self._menu)
        self.state.changed.connect(self._load)
        self.state.joined.connect(self.wanted)
        self._theme.changed.connect(self._restyle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the rounds the room that the words of the button would take."""
        super().resizeEvent(event)
        beside, alone = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        )  # fmt: skip
        self.next_button.setToolButtonStyle(beside if self.width() >= _WIDE else alone)

    # ---- commands

    def ask(self) -> None:
        """Ask where the next round of the target lies, and compare it with the same golden."""
        chosen = QFileDialog.getExistingDirectory(
            self, text("gui.rounds.choose"), self._context.settings.last_folder
        )
        if chosen:
            self.state.next_round(chosen)

    def _go_on(self) -> None:
        if self.state.stage is Stage.NOTHING:
            self._context.actions["next_round"].trigger()
        else:
            self.state.start()

    def _more(self) -> None:
        place = QPoint(0, self.more_button.height() + 4)
        offer_commands(
            self.table,
            self.table.viewport().mapFromGlobal(self.more_button.mapToGlobal(place)),
            {"gui.rounds.leave": self.state.leave if self.state.at >= 0 else None},
        )

    def _menu(self, position: QPoint) -> None:
        offer_commands(self.table, position, {"gui.action.copy": self._copy})

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def copied_text(self) -> str:
        """Return the selected calls for a spreadsheet, else the sentences."""
        rows = copied_rows(self._session, self.model, self.table.selected_rows())
        return rows or self.summary.words

    def _show_call(self, call: int) -> None:
        if not self.state.show_call(call):
            self._session.succeeded.emit(Message("gui.rounds.not_here"))

    def _enter(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self._show_call(int(self.model.order[index.row()]))

    def _filter(self) -> None:
        self.model.set_wanted(self.summary.wanted)

    # ---- content

    def _load(self) -> None:
        state, found = self.state, self.state.found
        self.summary.ask_for_all()
        self.model.set_found(found)
        self._filter()
        if found is not None:
            self.summary.show_found(found)
        self.more_button.setVisible(state.at >= 0)
        self._fit()
        if state.stage is Stage.READY:
            self.table.scrollToTop()

    def _show_state(self) -> None:
        if self.state.stage is Stage.READY:
            self._stack.setCurrentWidget(self._page)
            return
        self._stack.setCurrentWidget(self.note)
        if self.state.stage is Stage.NOTHING:
            first = self.state.at == 0 and len(self.state.rounds) > 1
            code = "gui.rounds.first" if first else "gui.rounds.nothing"
            self.note.say(text(code), text("gui.rounds.nothing.help"), button=text("gui.rounds.next"))
            self.note.button.setEnabled(self._context.actions["next_round"].isEnabled())
            return
        self.note.button.setEnabled(True)
        words = WorkWords(
            working=(text("gui.rounds.working"), ""),
            stopped=(text("gui.rounds.stopped"), ""),
            failed=text("gui.rounds.failed"),
            again=text("gui.rounds.again"),
        )
        self.note.tell(self.state, words)

    def _enable(self) -> None:
        self.next_button.setEnabled(self._context.actions["next_round"].isEnabled())
        if self.state.stage is Stage.NOTHING:
            self.note.button.setEnabled(self.next_button.isEnabled())

    def _fit(self) -> None:
        several = self.state.found is not None and len(self.state.found.cells) > 1
        _FIT.share(self.table, COLUMNS, () if several else (COLUMNS[CELL].key,))

    def _restyle(self) -> None:
        dim = self._theme.colours.dim
        self.close_button.setIcon(icon("close", dim))
        self.more_button.setIcon(icon("more", dim))
        self.next_button.setIcon(icon("compare", dim))

    def retranslate(self) -> None:
        self.set_title(text("gui.dock.rounds"))
        self.next_button.setText(text("gui.rounds.next"))
        self.next_button.setAccessibleName(text("gui.action.next_round"))
        self.next_button.setToolTip(text("gui.rounds.next.help"))
        for button, code in ((self.close_button, "gui.close"), (self.more_button, "gui.rounds.more")):
            button.setToolTip(text(code))
            button.setAccessibleName(text(code))
        self.table.setAccessibleName(text("gui.dock.rounds"))
        self.model.retranslate()
        if self.state.found is not None:
            self.summary.show_found(self.state.found)
        self._show_state()
