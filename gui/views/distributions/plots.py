"""The plots over bins: values, exponents, distances in ULP, errors along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.messages import text
from core.records.columns import Float64
from gui.models.tensors.heights import MagnitudeHeights
from gui.models.tensors.ticks import Tick, decade_ticks, even_ticks
from gui.models.tensors.zones import Zones
from gui.views.distributions.bins import ABOVE, BinCanvas, Heights, Series
from gui.widgets.powers import power_of_two

_ZONE = {True: 0.16, False: 0.10}
"""Strength of a zone in dark and light schemes."""


class ValuesCanvas(BinCanvas):
    """Values of both sides on shared bins."""

    edges: Float64 = np.zeros(0)
    even = True

    def show_bins(self, edges: Float64, even: bool, series: tuple[Series, ...], heights: Heights) -> None:
        """Show counts between *edges*, which are *even* or grow away from 0."""
        keep = even == self.even and len(edges) == len(self.edges) and bool((edges == self.edges).all())
        self.edges, self.even = edges, even
        self.show_series(series, heights, keep)

    def _ticks(self, left: float, right: float, most: int) -> list[Tick]:
        return (even_ticks if self.even else decade_ticks)(self.edges, left, right, most)


class ExponentsCanvas(BinCanvas):
    """How many numbers have which power of two; zeros stand apart at the left."""

    tick_room = 36
    first = 0
    """The exponent of bin 1; bin 0 holds the zeros."""
    zones: Zones | None = None

    def show_zones(self, zones: Zones) -> None:
        """Shade what the format of *zones* does not hold well."""
        self.zones = zones
        self.update()

    def place(self, exponent: int) -> float:
        """Return where the bin of *exponent* begins."""
        return float(exponent - self.first + 1)

    def _ticks(self, left: float, right: float, most: int) -> list[Tick]:
        step = max(math.ceil((right - left) / max(most, 1)), 1)
        step = next((nice for nice in (1, 2, 4, 8, 16, 32, 64, 128) if nice >= step), 256)
        last = self.first + self.bins - 2
        powers = range(-(-self.first // step) * step, last + 1, step)
        zero = [Tick(0.5, "0")]
        return zero + [Tick(self.place(power) + 0.5, power_of_two(power)) for power in powers]

    def _zones(self, box: QRectF) -> Iterator[tuple[QRectF, str, str]]:
        """Yield each zone that is seen, with the role of its colour and its name."""
        zones = self.zones
        if zones is None or not self.bins:
            return
        end, start = self.first + self.bins - 1, self.first
        for low, high, role, words in (
            (start, zones.lowest, "introduces", text("gui.exponents.lost")),
            (zones.lowest, zones.normal, "inherited", text("gui.exponents.subnormal")),
            (zones.highest + 1, end, "introduces", text("gui.exponents.overflow")),
        ):
            low, high = max(low, start), min(high, end)
            left, right = self._x(box, self.place(low)), self._x(box, self.place(high))
            seen = QRectF(left, box.top(), right - left, box.height()).intersected(box)
            if low < high and seen.width() > 0:
                yield seen, role, words

    def _paint_ground(self, painter: QPainter, box: QRectF) -> None:
        for zone, role, _ in self._zones(box):
            shade = QColor(self._theme.colour(role))
            shade.setAlphaF(_ZONE[self._theme.colours.dark])
            painter.fillRect(zone, shade)

    def _paint_over(self, painter: QPainter, box: QRectF) -> None:
        """Name the zones above the bins; where two names do not fit beside each other, the first stands."""
        taken = -1e9
        for zone, role, words in self._zones(box):
            width = painter.fontMetrics().horizontalAdvance(words)
            middle = zone.center().x() - width / 2
            left = min(max(middle, box.left()), box.right() - width)
            if left > taken + 4:
                painter.setPen(self._theme.colour(role))
                painter.drawText(QPointF(left, box.top() - ABOVE), words)
                taken = left + width


class UlpsCanvas(BinCanvas):
    """How many elements are how far apart: equal ones first, special values last."""

    separate = True
    tick_room = 40
    edges: Float64 = np.zeros(0)
    quantiles: Mapping[float, float] = {}

    def show_ulps(
        self, edges: Float64, quantiles: Mapping[float, float], counts: Float64, heights: Heights
    ) -> None:
        """Show *counts*: equal, between *edges*, special; *quantiles* are per cent to ULP."""
        self.edges, self.quantiles = edges, quantiles
        self.show_series([Series(counts, "accent")], heights)

    def _ticks(self, _left: float, _right: float, _most: int) -> list[Tick]:
        words = [text("gui.ulps.equal"), *(f"≤{ulp_words(edge)}" for edge in self.edges[1:].tolist())]
        words.append("NaN/Inf")
        return [Tick(at + 0.5, word) for at, word in enumerate(words)]

    def _bar_colour(self, at: int, colour: QColor) -> QColor:
        if at == 0 or at == self.bins - 1:
            return self._theme.colour("nan" if at else "equal")
        return colour

    def _paint_over(self, painter: QPainter, box: QRectF) -> None:
        """Mark the distances that 50, 99 and 99.9 % of the elements keep below."""
        metrics = painter.fontMetrics()
        near: list[tuple[float, str]] = []
        for share, ulps in sorted(self.quantiles.items()):
            if not math.isfinite(ulps):
                continue
            at = 1 + float(np.interp(ulps, self.edges, np.arange(len(self.edges)))) if ulps > 0 else 0.5
            x = self._x(box, at)
            painter.setPen(QPen(self._theme.colour("text"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            word = f"{share:g}"
            if near and x - near[-1][0] < metrics.horizontalAdvance(f"{near[-1][1]} %  {word}"):
                near[-1] = near[-1][0], f"{near[-1][1]}, {word}"  # no line is left without its name
            else:
                near.append((x, word))
        painter.setPen(self._theme.colour("dim"))
        for x, word in near:
            width = metrics.horizontalAdvance(f"{word} %")
            left = max(min(x - metrics.horizontalAdvance(word) / 2, box.right() - width), box.left())
            painter.drawText(QPointF(left, box.top() - ABOVE), f"{word} %")


def ulp_words(edge: float) -> str:
    """Return ``½`` for 0.5 and ``64k`` for 65 536."""
    if edge == 0.5:
        return "½"
    for exponent, unit in ((40, "T"), (30, "G"), (20, "M"), (10, "k")):
        if edge >= 2.0**exponent:
            scaled = edge / 2.0**exponent
            return f"{scaled:.0f}{unit}" if scaled < 10_000 else f"{edge:.0e}".replace("+", "")
    return f"{edge:g}"


class ProfileCanvas(BinCanvas):
    """The largest and the mean error along an axis; special values are ticks at the top."""

    edges: Float64 = np.zeros(0)
    special: Float64 = np.zeros(0)

    def show_profile(self, edges: Float64, largest: Float64, mean: Float64, special: Float64) -> None:
        """Show the errors of groups that begin and end at *edges*; *special* counts NaN and Inf in each."""
        keep = len(edges) == len(self.edges)
        self.edges, self.special = edges, special
        heights = MagnitudeHeights.holding(largest, mean)
        self.show_series([Series(largest, "introduces", filled=False), Series(mean, "accent")], heights, keep)

    def _empty(self, at: int) -> bool:
        return super()._empty(at) and not self.special[at]

    def _ticks(self, left: float, right: float, most: int) -> list[Tick]:
        ticks = even_ticks(self.edges, left, right, most)
        return [tick for tick in ticks if "." not in tick.words]

    def _paint_over(self, painter: QPainter, box: QRectF) -> None:
        self._paint_special(painter, box)
        right = box.right() - 2
        for role, words in (
            ("accent", text("gui.profiles.mean")),
            ("introduces", text("gui.profiles.largest")),
        ):
            painter.setPen(self._theme.colour(role))
            right -= painter.fontMetrics().horizontalAdvance(words)
            painter.drawText(QPointF(right, box.top() - ABOVE), words)
            right -= 8

    def _paint_special(self, painter: QPainter, box: QRectF) -> None:
        colour = self._theme.colour("nan")
        for at in np.flatnonzero(self.special).tolist():
            column = self.bin_rect(at)
            if column.right() >= box.left() and column.left() <= box.right():
                width = max(column.width(), 2.0)
                painter.fillRect(QRectF(column.center().x() - width / 2, box.top() - 5, width, 5), colour)
