"""The words in the plot: who introduces the error, the passes, the expected noise."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont

from core.messages import text
from gui.looks.theme import Colours
from gui.models.trajectory.passes import Pass

_ROOM, _LEAST_ROOM = 30, 25
"""Pixels above and below all points, kept for labels; in a low plot."""
_MOST = 12
"""Passes that are named at once."""
_LEAST = 24
"""Pixels below which no name is tried."""


def _width(label: pg.TextItem) -> float:
    """Return how many pixels *label* takes, with some air."""
    return float(label.textItem.boundingRect().width()) + 12


def room(height: float) -> float:
    """Return how many pixels above and below all points a plot of *height* keeps for labels."""
    return min(max(height * 0.2, _LEAST_ROOM), _ROOM)


class Labels:
    """Puts labels into *box*, where they hide nothing."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self.headline = pg.TextItem(anchor=(0, 0))
        self.noise = pg.TextItem(anchor=(1, 1))
        self.passes = [pg.TextItem(anchor=(0.5, 1)) for _ in range(_MOST)]
        for item in (self.headline, self.noise, *self.passes):
            item.setZValue(50)
            item.hide()
            box.addItem(item, ignoreBounds=True)

    def place_headline(self, words: str, x: float) -> None:
        """Write *words* above *x*; nothing where they are empty."""
        self.headline.setVisible(bool(words))
        if not words:
            return
        (left, right), (_low, high) = self._box.viewRange()
        self.headline.setText(f"  {words}  ")
        self.headline.setAnchor((1.0 if x > left + (right - left) * 0.65 else 0.0, 0.0))
        self.headline.setPos(x, high)

    def place_below(self, passes: tuple[Pass, ...], noise: bool) -> None:
        """Write the names of *passes* and of the band of *noise* into the room below all points."""
        (left, right), (low, _high) = self._box.viewRange()
        wide = (right - left) / max(self._box.width(), 1)
        shown = [each for each in passes if each.end - 0.5 > left and each.begin - 0.5 < right]
        spans = [(max(each.begin - 0.5, left), min(each.end - 0.5, right)) for each in shown]
        room = _width(self.noise) * wide
        # at the end of the last stretch that is long enough, so that no line between passes crosses it
        fitting = [span for span in spans or [(left, right)] if span[1] - span[0] > room]
        beside = fitting[-1][1] if noise and fitting else np.inf
        self.noise.setVisible(bool(noise and fitting))
        if noise and fitting:
            self.noise.setPos(beside, low)
        free = iter(self.passes)
        for label in self.passes:
            label.hide()
        for each, (begin, end) in zip(shown, spans):
            end -= room if end == beside else 0.0
            if (end - begin) / wide < _LEAST:
                continue
            label = next(free, None)
            if label is None:
                return
            label.setText(each.label())
            if end - begin > _width(label) * wide:
                label.setPos((begin + end) / 2, low)
                label.show()

    def restyle(self, colours: Colours, font: QFont) -> None:
        """Write in the colours of another scheme."""
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        self.headline.setFont(bold)
        self.headline.setColor(QColor(colours.introduces))
        self.headline.fill = pg.mkBrush(colours.card)  # the lines behind it stop at its edges
        for item in (self.noise, *self.passes):
            item.setFont(font)
            item.setColor(QColor(colours.dim))

    def retranslate(self) -> None:
        """Name the noise in the language in force."""
        self.noise.setText(text("gui.trajectory.noise"))
