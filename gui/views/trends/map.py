"""The card with the heat map: controls, cells, what stands under the pointer, the legend."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QVBoxLayout

from core.messages import text
from core.records.trends import GridAxis
from gui.context import Context
from gui.models.trends.words import cell_parts, place_words
from gui.names import shown
from gui.trends.grids import CellFacts
from gui.trends.state import TrendsState
from gui.views.trends.canvas import MapCanvas
from gui.views.trends.controls import MapControls
from gui.views.trends.legend import MapLegend
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

_EXPORTS = ("picture", "grid", "report_csv", "report_json")


class MapCard(Translated, Card):
    """Follows the picture of the state."""

    export_wanted = Signal(str)
    """What of: ``picture``, ``grid``, ``report_csv`` or ``report_json``."""

    def __init__(self, context: Context, state: TrendsState) -> None:
        super().__init__(heading=False)
        self._state, self._picture = state, state.picture
        self.canvas = MapCanvas(context.theme)
        self.controls = MapControls(context, state)
        self.legend = MapLegend(context.theme)
        self.readout = ElidedLabel(mode=Qt.TextElideMode.ElideLeft)
        self.readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._exports = {name: self._menu.addAction("") for name in _EXPORTS}
        self.controls.export.setMenu(self._menu)
        upper, lower = QVBoxLayout(), QVBoxLayout()
        upper.setContentsMargins(12, 8, 12, 4)
        upper.addWidget(self.controls)
        lower.setContentsMargins(14, 2, 12, 6)
        lower.setSpacing(2)
        lower.addWidget(self.readout)
        lower.addWidget(self.legend)
        self.body.addLayout(upper)
        self.body.addWidget(self.canvas, 1)
        self.body.addLayout(lower)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        picture, canvas = self._picture, self.canvas
        for name, action in self._exports.items():
            action.triggered.connect(partial(self.export_wanted.emit, name))
        self._menu.aboutToShow.connect(self._enable_exports)
        self.controls.fit_wanted.connect(canvas.fit)
        canvas.pointed.connect(picture.point_at)
        canvas.layer_pointed.connect(self._tell_layer)
        canvas.chosen.connect(picture.choose_cell)
        canvas.first_wanted.connect(self._state.go_to_first_bad)
        canvas.turned.connect(picture.turn)
        canvas.pixels_changed.connect(picture.set_pixels)
        canvas.part_wanted.connect(self._ask_part)
        picture.drawn.connect(partial(self._load, False))
        picture.redrawn.connect(partial(self._load, True))
        picture.part_drawn.connect(self._load_part)
        picture.chosen_changed.connect(self._wait)
        picture.cell_changed.connect(self._mark)
        picture.pointed.connect(self._tell)

    # ---- content

    def _load(self, keep: bool) -> None:
        picture = self._picture
        keep = keep or self.canvas.zoomed
        self.canvas.show_plane(picture.facts, picture.drawing, keep)
        self.legend.show_facts(picture.facts, picture.side)
        self._wait()

    def _wait(self) -> None:
        """Say what there is to see, or why there is nothing yet."""
        picture = self._picture
        empty = picture.facts is not None and not (len(picture.facts.layers) and len(picture.facts.places))
        self.canvas.say(text("gui.trends.empty") if empty else text("gui.trends.drawing"))
        if picture.facts is None:
            self.canvas.show_plane(None, None, keep=False)
        self._tell()

    def _load_part(self) -> None:
        self.canvas.show_part(self._picture.part)

    def _ask_part(self) -> None:
        if self.canvas.zoomed:
            self._picture.see(self.canvas.scene.around())
        else:
            self._picture.see_all()

    def _mark(self) -> None:
        cell = self._picture.cell
        self.canvas.mark((cell.row, cell.column) if cell is not None else None)
        self._tell()
        facts = self._picture.facts
        told = self.told(cell) if cell is not None and facts is not None else ""
        self.canvas.setAccessibleDescription(told)

    # ---- pointing

    def told(self, cell: CellFacts) -> str:
        """Return what is said of a cell."""
        facts = self._picture.facts
        if facts is None:
            return ""
        values = (f"{name} {value}" for name, value in cell_parts(cell, facts.chosen))
        return "   ·   ".join((shown(cell.layer), place_words(facts.chosen, cell.place), *values))

    def _tell(self) -> None:
        picture = self._picture
        cell = picture.hovered or picture.cell
        if picture.waiting and picture.facts is not None:
            self.readout.setText(text("gui.trends.drawing"))
        else:
            self.readout.setText(self.told(cell) if cell is not None else text("gui.trends.point"))

    def _tell_layer(self, row: int) -> None:
        facts = self._picture.facts
        if facts is None or row < 0:
            QToolTip.hideText()
        else:
            QToolTip.showText(QCursor.pos() + QPoint(12, 8), shown(facts.layers[row]), self.canvas)

    # ---- words

    def _enable_exports(self) -> None:
        for name in ("report_csv", "report_json"):
            self._exports[name].setEnabled(self._state.report is not None)

    def retranslate(self) -> None:
        over = GridAxis.STEP if self._picture.axis is GridAxis.STEP else GridAxis.RANK
        self.setAccessibleName(text("gui.trends.map"))
        self.canvas.setAccessibleName(text(f"gui.trends.map.{over.value}"))
        for name, action in self._exports.items():
            action.setText(text(f"gui.trends.export.{name}"))
        self._wait()
