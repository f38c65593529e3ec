"""The card with the calls, the worst first."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QToolButton

from core.messages import text
from core.records.emulation import GoldenVerdict
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.looks.icons import icon
from gui.models.emulation.calls import GOLDENS, Replayed
from gui.models.emulation.columns import CALL_COLUMNS
from gui.models.emulation.table import CallFilter, EmulationTable
from gui.widgets.card import Card
from gui.widgets.column_fit import ColumnFit
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_FIT = ColumnFit(
    comfortable=200,
    least=160,
    go_first=("place", "cancellation", "control", "reference", "cell"),
    ample=420,
    wider="remark",
    most=130,
)
_TYPING_PAUSE = 150
"""Milliseconds without a key before the calls are filtered."""


class _Filter(QLineEdit):
    """Escape empties it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class CallsCard(Translated, Card):
    """Selecting a row looks at its call; Enter shows it in the comparison."""

    entered_on = Signal()
    filtered = Signal()
    """Other words are wanted."""
    clear_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme = context.theme
        self._session, self._state = context.session, context.session.emulation
        self._shown: Replayed | None = None
        self._absent: set[str] = set()
        """Columns that there is nothing in."""
        self.model = EmulationTable(self)
        self.table = RowTable(context.theme, self.model)
        self.field = _Filter()
        self.field.setClearButtonEnabled(True)
        self.field.setFixedSize(230, 26)
        self._export = QToolButton()
        self._export.setObjectName("link")
        self._export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for widget in (self.field, self._export):
            self.header.add(widget)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.body.addWidget(self._stack)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_PAUSE)
        self._connect()
        self._restyle()
        self.retranslate()

    def _connect(self) -> None:
        table = self.table
        table.row_chosen.connect(self._state.choose)
        table.entered_on.connect(self.entered_on)
        table.sorted_anew.connect(self._heading)
        table.resized.connect(self.fit)
        table.customContextMenuRequested.connect(self._menu)
        self.field.textChanged.connect(self._timer.start)
        self.field.returnPressed.connect(self._apply)
        self._timer.timeout.connect(self.filtered)
        self._note.pressed.connect(self.clear_wanted)
        self._export.clicked.connect(self.export_wanted)
        self._state.row_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)

    # ---- content

    def show_found(self, found: Replayed) -> None:
        """Show another emulation, all of it."""
        if found is self._shown:
            return
        self._shown = found
        self.clear()
        calls = found.calls
        self._absent = {"cell"} if len(calls.cells) < 2 else set()
        if (calls.golden == GOLDENS.index(GoldenVerdict.UNKNOWN)).all():
            self._absent |= {"golden"}
        self.model.set_calls(calls)
        self.fit()
        self._heading()
        self._follow()
        self.table.scrollToTop()

    @property
    def words(self) -> str:
        """What names must hold."""
        return self.field.text()

    def clear(self) -> None:
        """Want all names."""
        self._timer.stop()
        with QSignalBlocker(self.field):
            self.field.clear()

    def _apply(self) -> None:
        self._timer.stop()
        self.filtered.emit()

    def set_filter(self, wanted: CallFilter) -> None:
        """Show only the calls that pass *wanted*."""
        self.model.set_filter(wanted)
        self._heading()
        self._follow()

    def _follow(self) -> None:
        self.table.follow(self._state.row)

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        return copied_rows(self._session, self.model, self.table.selected_rows())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def _menu(self, position: QPoint) -> None:
        call = self._state.call
        if not self.table.indexAt(position).isValid() or call is None:
            return
        commands: Commands = {
            "gui.overflow.show": self.entered_on.emit,
            "gui.action.copy": self._copy,
            "gui.table.copy_name": partial(QGuiApplication.clipboard().setText, call.operator),
        }
        offer_commands(self.table, position, commands)

    # ---- looks

    def fit(self) -> None:
        """Give the names what the other columns leave; hide those that would leave too little."""
        _FIT.share(self.table, CALL_COLUMNS, self._absent)

    def _heading(self) -> None:
        count, total = self.model.rowCount(), len(self._shown.calls) if self._shown is not None else 0
        first = self.model.sorted_as_at_first
        column = CALL_COLUMNS[self.model.sort_column].title
        order = text("gui.emulation.worst_first") if first else text("gui.table.by_column", column=column)
        code = "gui.table.some" if count != total else "gui.table.all"
        counts = text(code, shown=numbers.grouped(count), total=numbers.grouped(total))
        self.set_title(text("gui.emulation.calls"), f"{counts}  ·  {order}")
        self._stack.setCurrentIndex(0 if count else 1)
        if total:
            self._note.set_texts(text("gui.emulation.none_passes"), text("gui.table.clear_filter"))
        else:
            self._note.set_texts(text("gui.emulation.no_calls"))

    def _restyle(self) -> None:
        self._export.setIcon(icon("export", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._export.setText(text("gui.table.export"))
        self._export.setToolTip(text("gui.emulation.export.help"))
        self.table.setAccessibleName(text("gui.emulation.calls"))
        self.field.setPlaceholderText(text("gui.emulation.filter"))
        self.field.setAccessibleName(text("gui.emulation.filter"))
        self.model.retranslate()
        self._heading()
