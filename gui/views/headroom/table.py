"""The card with the slots, the tightest first."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QGuiApplication

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.headroom.state import HeadroomState
from gui.models.headroom.columns import ROOM_COLUMNS, call_name
from gui.models.headroom.table import HeadroomModel
from gui.widgets.card import Card
from gui.widgets.column_fit import ColumnFit
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_FIT = ColumnFit(
    comfortable=180, least=180, go_first=("dtype", "evidence", "slot"), ample=440, wider="slot", most=90
)


class HeadroomTableCard(Translated, Card):
    """Selecting a row looks at its slot; Enter shows it in the comparison."""

    entered_on = Signal()

    def __init__(self, context: Context, state: HeadroomState) -> None:
        super().__init__()
        self._session, self._state = context.session, state
        self.model = HeadroomModel(self)
        self.table = RowTable(context.theme, self.model)
        self.body.addWidget(self.table)
        self.table.row_chosen.connect(state.choose)
        self.table.entered_on.connect(self.entered_on)
        self.table.sorted_anew.connect(self._heading)
        self.table.resized.connect(self.fit)
        self.table.customContextMenuRequested.connect(self._menu)
        state.changed.connect(self._load)
        state.row_changed.connect(self._follow)
        self.retranslate()
        self._load()

    # ---- content

    def _load(self) -> None:
        room, cell = self._state.room, self._session.cell
        if room is None or cell is None:
            self.model.set_rows(None, None)
        else:
            self.model.set_rows(room.headroom.rows, cell.target)
        self._heading()
        # what is tightest is what one comes for, whatever is selected
        self.table.follow(self._state.row, bring=False)
        self.table.scrollToTop()

    def _follow(self) -> None:
        self.table.follow(self._state.row)

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        return copied_rows(self._session, self.model, self.table.selected_rows())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def _menu(self, position: QPoint) -> None:
        index = self.table.indexAt(position)
        room, cell = self._state.room, self._session.cell
        if not index.isValid() or room is None or cell is None:
            return
        name = call_name(room.headroom.rows, cell.target, int(self.model.order[index.row()]))
        commands: Commands = {
            "gui.overflow.show": self.entered_on.emit,
            "gui.action.copy": self._copy,
            "gui.table.copy_name": partial(QGuiApplication.clipboard().setText, name),
        }
        offer_commands(self.table, position, commands)

    # ---- looks

    def fit(self) -> None:
        """Give the names what the other columns leave; hide those that would leave too little."""
        _FIT.share(self.table, ROOM_COLUMNS)

    def _heading(self) -> None:
        room = self._state.room
        first = self.model.sorted_as_at_first
        column = ROOM_COLUMNS[self.model.sort_column].title
        title = text("gui.headroom.tightest") if first else text("gui.headroom.sorted", column=column)
        subtitle = ""
        if room is not None:
            counts = {name: numbers.grouped(count) for name, count in room.counts.items()}
            subtitle = text("gui.headroom.counts", **counts)
        self.set_title(title, subtitle)

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.headroom.table"))
        self.model.retranslate()
        self._heading()
