"""The metric table: every compared slot with its numbers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStackedWidget, QTableView, QToolButton

from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.copying import may_be_copied
from gui.icons import icon
from gui.models.columns import COLUMNS, Face
from gui.models.metric_table import MetricTable
from gui.models.query import parse_query
from gui.names import shown
from gui.views.table.header import ColumnKeeper
from gui.widgets.card import Card
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_ROW, _HEADER, _LEAST_ROWS = 27, 29, 4
_SMALL_IS_WORSE = ("cosine", "share_below_1e3", "share_below_5e3", "equal_count")


class TableView(Translated, Card):
    """The card with the table."""

    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self.model = MetricTable(self)
        self.table = QTableView()
        self._set_up_table(context)
        self.columns = ColumnKeeper(self.table, context.settings)
        self._note = EmptyNote()
        self._note.pressed.connect(self._clear)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.body.addWidget(self._stack)
        self._scope = QToolButton()
        self._scope.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._scope.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._scope.clicked.connect(self._leave_scope)
        self._columns_button, self._export_button = QToolButton(), QToolButton()
        for button in (self._columns_button, self._export_button):
            button.setObjectName("link")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._columns_button.clicked.connect(self._show_columns)
        self._export_button.clicked.connect(self.export_wanted)
        for widget in (self._scope, self._columns_button, self._export_button):
            self.header.add(widget)
        self._following = False
        self.table.viewport().installEventFilter(self)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self._session.cell_changed.connect(self._load)
        self._session.filter_changed.connect(self._filter)
        self._session.row_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _set_up_table(self, context: Context) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(CellDelegate(context.theme, table))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setMouseTracking(True)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)
        rows = table.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(rows.ResizeMode.Fixed)
        rows.setDefaultSectionSize(_ROW)
        header = table.horizontalHeader()
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setFixedHeight(_HEADER)
        table.setMinimumHeight(_HEADER + _LEAST_ROWS * _ROW + 12)  # with a scroll bar below
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.sectionClicked.connect(self.sort_by)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self.columns.fit()
        return False

    # ---- content

    def _load(self) -> None:
        session = self._session
        self._following = True
        origins = session.cell is not None and bool(session.cell.rows.origin.any())
        self.columns.suit(session.is_exploring(), origins)
        self.model.set_cell(session.cell, session.facts)
        self.model.set_mask(session.mask if session.filter.active else None)
        self._following = False
        self._heading()
        self._follow()

    def _filter(self) -> None:
        self._following = True
        self.model.set_mask(self._session.mask if self._session.filter.active else None)
        self._following = False
        self._heading()
        self._follow()

    def sort_by(self, column: int) -> None:
        """Sort by *column*: the worst first, then the best first, then by execution again."""
        model = self.model
        numeric = COLUMNS[column].face in (Face.NUMBER, Face.VERDICT)
        first_down = numeric and COLUMNS[column].key not in _SMALL_IS_WORSE
        if model.sort_column != column:
            wanted, down = column, first_down
        elif model.sort_descending == first_down:
            wanted, down = column, not first_down
        else:
            wanted, down = -1, False
        order = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
        model.sort(wanted, order)
        model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self._heading()
        if wanted >= 0:
            self.table.scrollToTop()
        else:
            self._follow()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._following = True
            self._session.select(int(self.model.shown[current.row()]))
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        at = self.model.view_row(self._session.row) if self._session.row >= 0 else -1
        self._following = True
        if at < 0:
            self.table.clearSelection()
            self.table.selectionModel().clearCurrentIndex()
        else:
            index = self.model.index(at, 0)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            left = self.table.horizontalScrollBar().value()
            visible = (
                self.table.rowAt(0)
                <= at
                < (self.table.rowAt(self.table.viewport().height() - 28) % (1 << 31))
            )
            hint = QAbstractItemView.ScrollHint
            self.table.scrollTo(index, hint.EnsureVisible if visible else hint.PositionAtCenter)
            self.table.horizontalScrollBar().setValue(left)
        self._following = False

    def _clear(self) -> None:
        self._session.set_filter(text="", categories=frozenset(), node=-1)

    def _leave_scope(self) -> None:
        self._session.set_filter(node=-1)

    # ---- copying and columns

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        if not may_be_copied(self._session, len(rows)):
            return ""
        return self.model.tab_separated(rows, self.columns.visible())

    def _menu(self, _position: QPoint) -> None:
        menu = QMenu(self.table)
        copy = menu.addAction(text("gui.action.copy"))
        name = menu.addAction(text("gui.table.copy_name"))
        menu.addSeparator()
        only = menu.addAction(text("gui.table.only_operator"))
        chosen = menu.exec(QCursor.pos())
        menu.deleteLater()
        facts, row = self._session.facts, self._session.row
        if facts is None or row < 0:
            return
        operator = facts.operators[int(facts.operator[row])]
        if chosen is copy:
            QGuiApplication.clipboard().setText(self.copied_text())
        elif chosen is name:
            QGuiApplication.clipboard().setText(operator)
        elif chosen is only:
            self._session.set_filter(text=f'"{operator}"')

    def _show_columns(self) -> None:
        menu = self.columns.menu(self)
        menu.exec(self._columns_button.mapToGlobal(QPoint(0, self._columns_button.height() + 4)))
        menu.deleteLater()

    # ---- looks

    def _heading(self) -> None:
        count, facts = self.model.rowCount(), self._session.facts
        total = len(facts) if facts is not None else 0
        order = (
            text("gui.table.by_execution")
            if self.model.sort_column < 0
            else text("gui.table.by_column", column=COLUMNS[self.model.sort_column].title)
        )
        code = "gui.table.some" if count != total else "gui.table.all"
        counts = text(code, shown=numbers.grouped(count), total=numbers.grouped(total))
        errors = [render(error) for error in parse_query(self._session.filter.text).errors]
        self.header.set_alarm(bool(errors))
        self.set_title(text("gui.table.title"), "  ".join(errors) or f"{counts}  ·  {order}")
        self._stack.setCurrentIndex(0 if count else 1)
        if total:
            self._note.set_texts(text("gui.table.none_passes"), text("gui.table.clear_filter"))
        else:
            self._note.set_texts(text("gui.table.empty"))
        node = self._session.filter.node
        self._scope.setVisible(node >= 0 and facts is not None)
        if facts is not None and node >= 0:
            label = shown(facts.hierarchy.labels[node])
            cut = self.fontMetrics().elidedText(label, Qt.TextElideMode.ElideMiddle, 180)
            self._scope.setText(text("gui.table.scope", name=cut))
            self._scope.setToolTip(text("gui.tree.show_all"))

    def _restyle(self) -> None:
        dim = self._theme.colours.dim
        self._columns_button.setIcon(icon("columns", dim))
        self._export_button.setIcon(icon("export", dim))
        self._scope.setIcon(icon("close", dim, 12))

    def retranslate(self) -> None:
        self._columns_button.setText(text("gui.table.columns"))
        self._export_button.setText(text("gui.table.export"))
        self._export_button.setToolTip(text("gui.action.export.help"))
        self.table.setAccessibleName(text("gui.table.title"))
        self.model.retranslate()
        self._heading()
