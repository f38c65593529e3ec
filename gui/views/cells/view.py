"""Steps and ranks at a glance: how each compares, and a click to go there."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QStackedLayout, QWidget

from core.messages import text
from core.records.run import CellKey
from gui.context import Context
from gui.models.pair.cell_matrix import CellMatrix, Metric
from gui.views.cells.canvas import CellsCanvas
from gui.views.cells.legend import CellsLegend
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_AROUND, _MOST = 90, 320
"""Pixels of heading and legend, and of all of it at most."""


_NARROW_BOX = 84
"""Pixels that the name of a number has at least, where the card is narrow."""


class CellsView(Translated, Card):
    """The card with the map of cells."""

    useful_changed = Signal(bool)
    """There is more than one cell to be compared, or there no longer is."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._settings = context.session, context.settings
        self._cells, self._overlays = context.session.cells, context.session.overlays
        self._known: tuple[CellKey, ...] = ()
        self._useful: bool | None = None
        self.metric_box = QComboBox()
        self.metric_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.metric_box.setMinimumWidth(_NARROW_BOX)
        self.header.add(self.metric_box)
        self.canvas, self.legend = CellsCanvas(context.theme), CellsLegend(context.theme)
        self.note = EmptyNote()
        page = QWidget()
        self._stack = QStackedLayout(page)
        self._stack.addWidget(self.note)
        self._stack.addWidget(self.canvas)
        self.body.setContentsMargins(6, 2, 4, 0)
        self.body.addWidget(page, 1)
        self.body.addWidget(self.legend)
        self.setMinimumWidth(200)
        self.setMinimumHeight(120)
        self.setFocusProxy(self.canvas)
        self.canvas.chosen.connect(self._session.choose_cell)
        self.canvas.compared.connect(self._compare)
        self.metric_box.activated.connect(self._choose_metric)
        self._cells.changed.connect(self._count)
        self._cells.counted.connect(self._count)
        self._session.cell_changed.connect(self._follow)
        self._overlays.changed.connect(self._show_overlaid)
        self.retranslate()

    @property
    def useful(self) -> bool:
        """Whether there is more than one cell to be compared."""
        return len(self._known) > 1 and not self._session.is_exploring()

    def wanted_height(self) -> int:
        """Return the height that is enough for it beside other docks."""
        return min(self.canvas.sizeHint().height() + _AROUND, _MOST)

    def _follow(self) -> None:
        """Show the cells of what is open, and frame the one on show."""
        info, cell = self._session.info, self._session.cell
        known = info.cells if info is not None else ()
        if known is not self._known:
            self._known = known
            self.canvas.show_matrix(CellMatrix(known))
            self._count()
        self._say()
        if self.useful != self._useful:
            self._useful = self.useful
            self.useful_changed.emit(self._useful)
        self.canvas.mark(cell.key if cell is not None else None)

    def _count(self) -> None:
        """Take over what was counted since."""
        self.canvas.matrix.take(self._cells.roll_up)
        self.canvas.refresh()
        self._say()

    def _say(self) -> None:
        """Say how many cells there are, and how many of them are still to be counted."""
        canvas, matrix = self.canvas, self.canvas.matrix
        self._stack.setCurrentWidget(canvas if self.useful else self.note)
        self.legend.setVisible(self.useful)
        self.metric_box.setEnabled(self.useful)
        total = len(self._known) if self._cells.counting else 0
        self.legend.show_scale(matrix, canvas.coloured_by, canvas.scale, total)
        one = "gui.cells.one_run" if self._session.is_exploring() else "gui.cells.one_cell"
        self.note.set_texts(text(one))
        self.set_title(text("gui.cells.title"))

    def _show_overlaid(self) -> None:
        places = (self.canvas.matrix.place(key) for key in self._overlays.others)
        self.canvas.overlaid = frozenset(place for place in places if place is not None)
        self.canvas.viewport().update()

    def _compare(self, key: CellKey) -> None:
        """Lay *key* over the trajectory of the cell on show, or take it away."""
        if self._session.cell is not None and key != self._session.cell.key and self._overlays.possible:
            self._overlays.toggle(key)

    def _choose_metric(self) -> None:
        metric = Metric(self.metric_box.currentData())
        self._settings.cells_metric = metric.value
        self.canvas.show_metric(metric)
        self._say()

    def retranslate(self) -> None:
        with QSignalBlocker(self.metric_box):
            self.metric_box.clear()
            for at, metric in enumerate(Metric):
                self.metric_box.addItem(metric.word, metric.value)
                why = text(f"gui.cells.metric.{metric.value}.help")
                self.metric_box.setItemData(at, why, Qt.ItemDataRole.ToolTipRole)
            names = self.metric_box.view()
            names.setMinimumWidth(names.sizeHintForColumn(0) + 30)  # the list shows them whole
            self.metric_box.setCurrentIndex(max(self.metric_box.findData(self._settings.cells_metric), 0))
        self.metric_box.setAccessibleName(text("gui.cells.metric"))
        self.metric_box.setToolTip(text("gui.cells.metric.help"))
        self.canvas.coloured_by = Metric(self.metric_box.currentData())
        self.canvas.refresh()
        self.canvas.retranslate()
        self._say()
