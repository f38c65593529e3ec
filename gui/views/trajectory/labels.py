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
_DOT = 8
"""Pixels that a point reaches around its middle."""


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
        self.noise = pg.TextItem(anchor=(1, 0))
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

    def place_noise(
        self, x: np.ndarray, y: np.ndarray, band: tuple[float, float, float], passes: tuple[Pass, ...]
    ) -> None:
        """Name the noise inside its *band* (right end, upper, lower edge), where no point *x*, *y* lies.

        As far right as there is a gap between points and ends of *passes*; nowhere if there is none.
        """
        (left, right), (low, high) = self._box.viewRange()
        wide = (right - left) / max(self._box.width(), 1)
        tall = (high - low) / max(self._box.height(), 1)
        end, top, bottom = band
        least = self.noise.textItem.boundingRect().height() * tall
        self.noise.setVisible(False)
        if not end > left or top - max(bottom, low + least) < least:
            return
        around = _DOT * tall
        near = (y > top - least - around) & (y < top + around) & (x >= left) & (x <= end)
        turns = [each.begin - 0.5 for each in passes[1:] if left < each.begin - 0.5 < end]
        edges = np.sort(np.concatenate([x[near], turns, [left, end]]))
        gaps = np.flatnonzero(np.diff(edges) >= (_width(self.noise) + 2 * _DOT) * wide)
        if len(gaps):
            at = float(edges[gaps[-1] + 1])
            self.noise.setPos(at if at == end else at - _DOT * wide, top)
            self.noise.setVisible(True)

    def place_below(self, passes: tuple[Pass, ...]) -> None:
        """Write the names of *passes* into the room below all points."""
        (left, right), (low, _high) = self._box.viewRange()
        wide = (right - left) / max(self._box.width(), 1)
        shown = [each for each in passes if each.end - 0.5 > left and each.begin - 0.5 < right]
        free = iter(self.passes)
        for label in self.passes:
            label.hide()
        for each in shown:
            begin, end = max(each.begin - 0.5, left), min(each.end - 0.5, right)
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
        for item in (self.noise, *self.passes):
            item.setFont(font)
            item.setColor(QColor(colours.dim))

    def retranslate(self) -> None:
        """Name the noise in the language in force."""
        self.noise.setText(text("gui.trajectory.noise"))
