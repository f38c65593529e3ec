"""The metric table: every compared slot with its numbers, or every call with those of its worst slot."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QToolButton

from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.remarks import has_notes
from gui.models.search.query import parse_query
from gui.models.table.column_sets import ColumnSet
from gui.models.table.column_table import UNSORTED
from gui.models.table.metric_table import CallTable, FilteredTable, MetricTable
from gui.names import shown
from gui.views.table.buttons import RowsSwitch, SetButton
from gui.views.table.choice import CallColumns, SlotColumns
from gui.views.table.header import ColumnKeeper
from gui.views.table.pane import TablePane
from gui.views.table.row_commands import RowCommands
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_WIDE = 640
"""Pixels of the card from which all buttons of its heading have words."""


class TableView(Translated, Card):
    """The card with the table."""

    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._session, self._theme = context, context.session, context.theme
        self._settings = context.settings
        self._slot_columns = SlotColumns(self._settings)
        self.slots = TablePane(context, MetricTable(), self._slot_columns, self)
        self.calls = TablePane(context, CallTable(), CallColumns(self._settings), self)
        self._commands = RowCommands(context)
        self._note = EmptyNote()
        self._note.pressed.connect(self._clear)
        self._stack = QStackedWidget()
        for widget in (self.slots.table, self.calls.table, self._note):
            self._stack.addWidget(widget)
        self.body.addWidget(self._stack)
        self._make_header()
        for pane in (self.slots, self.calls):
            pane.table.sorted_anew.connect(self._sorted)
            pane.table.customContextMenuRequested.connect(self._menu)
            pane.columns.changed.connect(self._show_set)
            pane.model.set_tinted(self._settings.tinted_cells)
        self._session.cell_changed.connect(self._load)
        self._session.filter_changed.connect(self._filter)
        self._session.row_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)
        context.actions.connect_to("switch_rows", self.switch_rows)
        context.actions.connect_to("copy_markdown", self._copy_markdown)
        self._restyle()
        self.set_calls(self._settings.calls_as_rows)
        self.retranslate()

    def _make_header(self) -> None:
        self._rows_switch, self._set_button = RowsSwitch(), SetButton()
        self._rows_switch.chosen.connect(self.set_calls)
        self._set_button.chosen.connect(self._choose_set)
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
        self.header.row.insertWidget(0, self._rows_switch)
        for widget in (self._scope, self._set_button, self._columns_button, self._export_button):
            self.header.add(widget)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave words in the heading out where the switch needs the room."""
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        words = style.ToolButtonTextBesideIcon if self.width() >= _WIDE else style.ToolButtonIconOnly
        for button in (self._columns_button, self._export_button):
            button.setToolButtonStyle(words)

    # ---- slots or calls as rows

    @property
    def pane(self) -> TablePane:
        """What is on show: slots or calls."""
        return self.calls if self.shows_calls else self.slots

    @property
    def shows_calls(self) -> bool:
        """Whether calls stand as rows."""
        return self._settings.calls_as_rows

    @property
    def table(self) -> RowTable:
        """The table on show."""
        return self.pane.table

    @property
    def model(self) -> FilteredTable:
        """The rows on show."""
        return self.pane.model

    @property
    def columns(self) -> ColumnKeeper:
        """The columns on show."""
        return self.pane.columns

    def switch_rows(self) -> None:
        """Show calls instead of slots, or the other way round."""
        self.set_calls(not self.shows_calls)

    def set_calls(self, calls: bool) -> None:
        """Show calls as rows, or slots; what is selected stays, and the focus where it is."""
        had_focus = self.table.hasFocus()
        self._settings.calls_as_rows = calls
        self._rows_switch.set_calls(calls)
        for pane in (self.slots, self.calls):
            pane.set_on_show(pane is self.pane)
        self._heading()
        self._show_set()
        if had_focus:
            self.table.setFocus()

    # ---- content

    def _load(self) -> None:
        session = self._session
        choice = self._slot_columns
        before = (choice.exploring, choice.origins, choice.notes)
        choice.exploring = session.is_exploring()
        choice.origins = session.cell is not None and bool(session.cell.rows.origin.any())
        choice.notes = session.facts is not None and has_notes(session.facts)
        if (choice.exploring, choice.origins, choice.notes) != before:
            self._arrange()
        for pane in (self.slots, self.calls):
            pane.load()
        self._heading()
        self._show_set()

    def _filter(self) -> None:
        for pane in (self.slots, self.calls):
            pane.filter()
        self._heading()

    def _sorted(self) -> None:
        self._heading()
        if self.model.sort_column == UNSORTED:
            self.pane.follow(beside=True)

    def _follow(self) -> None:
        self.pane.follow()

    def _clear(self) -> None:
        self._session.set_filter(text="", categories=frozenset(), node=-1)

    def _leave_scope(self) -> None:
        self._session.set_filter(node=-1)

    # ---- copying

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        return self._commands.copied_text(self.pane)

    def _copy_markdown(self) -> None:
        if self.isVisible():  # other pages have tables of their own
            self._commands.copy_markdown(self.pane)

    def _menu(self, position: QPoint) -> None:
        self._commands.offer(self.pane, position)

    # ---- columns

    def _show_columns(self) -> None:
        menu = self.columns.menu(self)
        tinted = menu.addAction(text("gui.table.tinted"))
        tinted.setToolTip(text("gui.table.tinted.help"))
        menu.setToolTipsVisible(True)
        tinted.setCheckable(True)
        tinted.setChecked(self._settings.tinted_cells)
        tinted.toggled.connect(self._tint)
        menu.exec(self._columns_button.mapToGlobal(QPoint(0, self._columns_button.height() + 4)))
        menu.deleteLater()

    def _tint(self, tinted: bool) -> None:
        self._settings.tinted_cells = tinted
        for pane in (self.slots, self.calls):
            pane.model.set_tinted(tinted)

    def _choose_set(self, wanted: ColumnSet) -> None:
        self._slot_columns.choose(wanted)
        self._arrange()
        self._show_set()

    def _arrange(self) -> None:
        self.slots.columns.apply()
        self.slots.columns.fit()

    def _show_set(self) -> None:
        self._set_button.set_set(self._slot_columns.set)
        self._set_button.setVisible(not self.shows_calls and not self._slot_columns.exploring)

    # ---- looks

    def _heading(self) -> None:
        count, facts, calls = self.model.rowCount(), self._session.facts, self.shows_calls
        total = 0 if facts is None else len(facts.calls) if calls else len(facts)
        order = (
            text("gui.table.by_column", column=self.model.sort_titles())
            if self.model.sort_keys
            else text("gui.table.by_execution")
        )
        code = "gui.table.some" if count != total else "gui.table.all"
        counts = text(code, shown=numbers.grouped(count), total=numbers.grouped(total))
        errors = [render(error) for error in parse_query(self._session.filter.text).errors]
        self.header.set_alarm(bool(errors))
        self.set_title("", "  ·  ".join([counts, *(errors or [order])]))
        self.setAccessibleName(text("gui.table.title"))
        self._stack.setCurrentWidget(self.table if count else self._note)
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
        self._rows_switch.set_texts(self._context.actions["switch_rows"].shortcut().toString())
        self._set_button.set_texts()
        self._columns_button.setText(text("gui.table.columns"))
        self._columns_button.setAccessibleName(text("gui.table.columns"))
        self._export_button.setAccessibleName(text("gui.table.export"))
        self._columns_button.setToolTip(text("gui.table.columns.help"))
        self._export_button.setText(text("gui.table.export"))
        self._export_button.setToolTip(text("gui.action.export.help"))
        for pane, code in ((self.slots, "gui.table.title"), (self.calls, "gui.table.of_calls")):
            pane.table.setAccessibleName(text(code))
            pane.model.retranslate()
            pane.columns.apply()
            pane.columns.fit()
        self._heading()
