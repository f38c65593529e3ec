"""The metric table: every compared slot with its numbers."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QToolButton

from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.icons import icon
from gui.models.column_table import UNSORTED
from gui.models.columns import COLUMNS
from gui.models.metric_table import MetricTable
from gui.models.query import parse_query
from gui.names import shown
from gui.views.table.header import ColumnKeeper
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_LEAST_ROWS, _AROUND = 4, 12
"""Rows that are always seen, and pixels beside them: a scroll bar below."""


class TableView(Translated, Card):
    """The card with the table."""

    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self.model = MetricTable(self)
        self.table = RowTable(context.theme, self.model, _LEAST_ROWS, _AROUND)
        self.table.setMouseTracking(True)
        self.table.horizontalHeader().setSectionsMovable(True)
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
        self.table.row_chosen.connect(self._session.select)
        self.table.sorted_anew.connect(self._sorted)
        self.table.resized.connect(self.columns.fit)
        self.table.customContextMenuRequested.connect(self._menu)
        self._session.cell_changed.connect(self._load)
        self._session.filter_changed.connect(self._filter)
        self._session.row_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    # ---- content

    def _load(self) -> None:
        session = self._session
        origins = session.cell is not None and bool(session.cell.rows.origin.any())
        self.columns.suit(session.is_exploring(), origins)
        self.model.set_cell(session.cell, session.facts)
        self.model.set_mask(session.mask if session.filter.active else None)
        self._heading()
        self._follow()

    def _filter(self) -> None:
        self.model.set_mask(self._session.mask if self._session.filter.active else None)
        self._heading()
        self._follow()

    def _sorted(self) -> None:
        self._heading()
        if self.model.sort_column == UNSORTED:
            self._follow()

    def _follow(self) -> None:
        self.table.follow(self._session.row, centre=True)

    def _clear(self) -> None:
        self._session.set_filter(text="", categories=frozenset(), node=-1)

    def _leave_scope(self) -> None:
        self._session.set_filter(node=-1)

    # ---- copying and columns

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        rows = self.table.selected_rows()
        return copied_rows(self._session, self.model, rows, self.columns.visible())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def _menu(self, position: QPoint) -> None:
        facts, row = self._session.facts, self._session.row
        if facts is None or row < 0:
            return
        name = facts.operators[int(facts.operator[row])]
        copying: Commands = {
            "gui.action.copy": self._copy,
            "gui.table.copy_name": partial(QGuiApplication.clipboard().setText, name),
        }
        only: Commands = {"gui.table.only_operator": partial(self._session.set_filter, text=f'"{name}"')}
        offer_commands(self.table, position, copying, only)

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
            if self.model.sort_column == UNSORTED
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
