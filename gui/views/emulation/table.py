"""The card with the calls, the worst first."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QStackedWidget

from core.messages import text
from core.records.emulation import GoldenVerdict
from gui import numbers
from gui.context import Context
from gui.copying import may_be_copied
from gui.models.emulation_calls import GOLDENS, Replayed
from gui.models.emulation_columns import CALL_COLUMNS, PLACE_OF
from gui.models.emulation_table import WORST_FIRST, CallFilter, EmulationTable
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_COMFORTABLE_NAME, _LEAST_NAME = 200, 160
"""Pixels that names are given before columns go, and before the last of them goes."""
_AMPLE_NAME, _WIDER_REMARK = 420, 130
"""Pixels from which names have plenty, and what the last column gets then beside its own."""
_TYPING_PAUSE = 150
"""Milliseconds without a key before the calls are filtered."""
_GO_FIRST = ("place", "cancellation", "control", "reference", "cell")
"""Columns that go, one after the other; the others stay."""


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

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._state = context.session, context.session.emulation
        self._following = False
        self._shown: Replayed | None = None
        self._has: set[str] = set()
        self.model = EmulationTable(self)
        self.table = RowTable(context.theme)
        self.table.setModel(self.model)
        self.field = _Filter()
        self.field.setClearButtonEnabled(True)
        self.field.setFixedSize(230, 26)
        self.header.add(self.field)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.body.addWidget(self._stack)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_PAUSE)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        table = self.table
        table.viewport().installEventFilter(self)
        table.horizontalHeader().sectionClicked.connect(self.sort_by)
        table.selectionModel().currentRowChanged.connect(self._choose)
        table.entered_on.connect(self.entered_on)
        table.doubleClicked.connect(self.entered_on)
        table.customContextMenuRequested.connect(self._menu)
        self.field.textChanged.connect(self._timer.start)
        self.field.returnPressed.connect(self._apply)
        self._timer.timeout.connect(self.filtered)
        self._note.pressed.connect(self.clear_wanted)
        self._state.row_changed.connect(self._follow)

    # ---- content

    def show_found(self, found: Replayed) -> None:
        """Show another emulation, all of it."""
        if found is self._shown:
            return
        self._shown = found
        self.clear()
        calls = found.calls
        self._has = {column.key for column in CALL_COLUMNS}
        self._has -= {"cell"} if len(calls.cells) < 2 else set()
        if (calls.golden == GOLDENS.index(GoldenVerdict.UNKNOWN)).all():
            self._has -= {"golden"}
        self._following = True
        self.model.set_calls(calls)
        self._following = False
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
        self._following = True
        self.model.set_filter(wanted)
        self._following = False
        self._heading()
        self._follow()

    def sort_by(self, column: int) -> None:
        """Sort by *column*: the worst first, then the other way round, then the worst call first again."""
        model, first_down = self.model, CALL_COLUMNS[column].largest_first
        if model.sort_column != column:
            wanted, down = column, first_down
        elif model.sort_descending == first_down:
            wanted, down = column, not first_down
        else:
            wanted, down = WORST_FIRST, True
        model.sort(wanted, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        self.table.scrollToTop()
        self._heading()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._following = True
            self._state.choose(int(self.model.order[current.row()]))
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        at = self.model.view_row(self._state.row)
        self._following = True
        if at < 0:
            self.table.clearSelection()
            self.table.selectionModel().clearCurrentIndex()
        else:
            index = self.model.index(at, PLACE_OF["operator"])
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            left = self.table.horizontalScrollBar().value()
            self.table.scrollTo(index)
            self.table.horizontalScrollBar().setValue(left)
        self._following = False

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        if not may_be_copied(self._session, len(rows)):
            return ""
        return self.model.tab_separated(rows)

    def _menu(self, position: QPoint) -> None:
        call = self._state.call
        if not self.table.indexAt(position).isValid() or call is None:
            return
        menu = QMenu(self.table)
        show, copy = menu.addAction(text("gui.overflow.show")), menu.addAction(text("gui.action.copy"))
        name = menu.addAction(text("gui.table.copy_name"))
        chosen = menu.exec(self.table.viewport().mapToGlobal(position))
        menu.deleteLater()
        if chosen is show:
            self.entered_on.emit()
        elif chosen is copy:
            QGuiApplication.clipboard().setText(self.copied_text())
        elif chosen is name:
            QGuiApplication.clipboard().setText(call.operator)

    # ---- looks

    def fit(self) -> None:
        """Give the names what the other columns leave; hide those that would leave too little."""
        room = self.table.viewport().width()
        shown = [column for column in CALL_COLUMNS if column.key in self._has and column.key != "operator"]
        for key in ("", *_GO_FIRST):
            shown = [column for column in shown if column.key != key]
            taken = sum(column.width for column in shown)
            if room - taken >= (_LEAST_NAME if key == _GO_FIRST[-2] else _COMFORTABLE_NAME):
                break
        spare = min(max(room - taken - _AMPLE_NAME, 0), _WIDER_REMARK)
        taken += spare
        for number, column in enumerate(CALL_COLUMNS):
            width = column.width + (spare if column.key == "remark" else 0)
            name = column.key == "operator"
            self.table.setColumnHidden(number, not name and column not in shown)
            self.table.setColumnWidth(number, max(room - taken, _LEAST_NAME) if name else width)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self.fit()
        return False

    def _heading(self) -> None:
        count, total = self.model.rowCount(), len(self._shown.calls) if self._shown is not None else 0
        first = self.model.sort_column == WORST_FIRST and self.model.sort_descending
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

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.emulation.calls"))
        self.field.setPlaceholderText(text("gui.emulation.filter"))
        self.field.setAccessibleName(text("gui.emulation.filter"))
        self.model.retranslate()
        self._heading()
