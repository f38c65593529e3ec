"""The card with the curve of the layer that is looked at."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.messages import text
from gui.context import Context
from gui.models.trends.words import cell_parts, place_words
from gui.trends.state import TrendsState
from gui.views.trends.canvas import MapCanvas
from gui.views.trends.curve_canvas import CurveCanvas
from gui.widgets.card import Card
from gui.widgets.translated import Translated


class CurveCard(Translated, Card):
    """Moves with the heat map above it."""

    def __init__(self, context: Context, state: TrendsState, above: MapCanvas) -> None:
        super().__init__()
        self._state, self._picture, self._theme, self._above = state, state.picture, context.theme, above
        self.canvas = CurveCanvas(context.theme, above.axis)
        self._key = QLabel()
        self._key.setTextFormat(Qt.TextFormat.RichText)
        self.header.add(self._key)
        self.body.addWidget(self.canvas, 1)
        self.body.setContentsMargins(0, 0, 0, 2)
        picture = self._picture
        picture.curve_changed.connect(self._load)
        picture.cell_changed.connect(self._mark)
        picture.pointed.connect(self._point)
        picture.chosen_changed.connect(self._heading)
        above.view_changed.connect(self._follow)
        self.canvas.moved.connect(above.columns_moved)
        self.canvas.chosen.connect(self._choose)
        self.canvas.pointed.connect(self._ask)
        self.canvas.stepped.connect(self._step)
        context.theme.changed.connect(self._heading)
        self.retranslate()

    def _load(self) -> None:
        facts = self._picture.facts
        limit = facts.chosen.limit if facts is not None else 0.0
        self.canvas.show_curve(self._picture.curve, limit)
        self._mark()

    def _mark(self) -> None:
        cell = self._picture.cell
        self.canvas.mark(cell.column if cell is not None else -1)
        self._heading()

    def _point(self) -> None:
        hovered = self._picture.hovered
        self.canvas.point_at(hovered.column if hovered is not None else -1)

    def _follow(self) -> None:
        self.canvas.set_gutter(self._above.gutter)

    # ---- choosing

    def _choose(self, column: int) -> None:
        if self._picture.curve is not None:
            self._picture.choose_cell(self._picture.curve.row, column)

    def _ask(self, column: int) -> None:
        curve = self._picture.curve
        self._picture.point_at(curve.row if curve is not None and column >= 0 else -1, column)

    def _step(self, forward: bool) -> None:
        if self._picture.cell is not None:
            self._choose(self._picture.cell.column + (1 if forward else -1))

    # ---- words

    def _heading(self) -> None:
        picture, colours = self._picture, self._theme.colours
        cell, facts = picture.cell, picture.facts
        subtitle = text("gui.trends.curve.none")
        if cell is not None and facts is not None:
            values = (f"{name} {value}" for name, value in cell_parts(cell, facts.chosen))
            subtitle = "   ·   ".join((place_words(facts.chosen, cell.place), *values))
        self.set_title(text("gui.trends.curve", metric=picture.metric), subtitle)
        pairs = [("target", colours.target, "━"), ("golden", colours.golden, "╍")][: len(picture.sides)]
        names = [
            f'<span style="color:{colour}">{sign}</span> {text(f"gui.trends.side.{side}")}'
            for side, colour, sign in pairs
        ]
        self._key.setText("&nbsp;&nbsp;&nbsp;".join(names))
        self.canvas.setAccessibleDescription(subtitle if cell is not None else "")

    def retranslate(self) -> None:
        self.canvas.setAccessibleName(text("gui.trends.curve.name"))
        self.canvas.say(text("gui.trends.curve.none"))
        self.canvas.redraw()
        self._heading()
