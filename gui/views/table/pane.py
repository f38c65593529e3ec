"""One way to look at the rows of a cell: a model, its table, its columns."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.context import Context
from gui.models.table.metric_table import FilteredTable
from gui.views.table.choice import ColumnChoice
from gui.views.table.header import ColumnKeeper
from gui.widgets.row_table import RowTable

_LEAST_ROWS, _AROUND = 3, 12
"""Rows that are always seen, and pixels beside them: a scroll bar below."""


class TablePane(QObject):
    """Follows the session while it is on show, and catches up when it comes on show again."""

    def __init__(self, context: Context, model: FilteredTable, choice: ColumnChoice, parent: QObject) -> None:
        super().__init__(parent)
        self._session = context.session
        self.model = model
        model.setParent(self)
        self.table = RowTable(context.theme, model, _LEAST_ROWS, _AROUND)
        self.table.setMouseTracking(True)
        self.columns = ColumnKeeper(self.table, model, choice, context.settings)
        self.table.row_chosen.connect(self._choose)
        self.table.resized.connect(self.columns.fit)
        self._on_show = False
        self._of_another_cell = self._filtered_anew = False

    def set_on_show(self, on_show: bool) -> None:
        """Say whether the pane is the one that is seen."""
        self._on_show = on_show
        self._catch_up()

    def load(self) -> None:
        """Another cell is open."""
        self._of_another_cell = True
        self._catch_up()

    def filter(self) -> None:
        """Other rows pass."""
        self._filtered_anew = True
        self._catch_up()

    def follow(self, beside: bool = False) -> None:
        """Select what the session has selected; *beside*: what is selected stays so."""
        if self._on_show:
            self.table.follow(self.model.item_of(self._session.row), centre=True, beside=beside)

    def _catch_up(self) -> None:
        if not self._on_show:
            return
        mask = self._session.mask if self._session.filter.active else None
        if self._of_another_cell:
            self.model.set_cell(self._session.cell, self._session.facts)
            if mask is not None:
                self.model.set_mask(mask)
        elif self._filtered_anew:
            with self.table.selection_kept():
                self.model.set_mask(mask)
        beside = not self._of_another_cell
        self._of_another_cell = self._filtered_anew = False
        self.follow(beside)

    def _choose(self, item: int) -> None:
        self._session.select(self.model.row_of(item))
