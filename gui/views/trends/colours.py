"""Levels to colours: a sequential map for values, a diverging one with a step at the limit for others."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from pyqtgraph import colormap
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPixmap, QTransform, qRgba

from core.records.columns import UInt8
from gui.looks.theme import Colours
from gui.models.trends.scale import FIRST, LAST, ColourScale, Form, Special

HATCHED = (Special.TARGET_ONLY, Special.GOLDEN_ONLY, Special.CLIPPED)
"""Drawn with strokes, so that they are told apart without colours."""
_WITHIN, _BEYOND = 0.30, 0.50
"""Strength of the colour at the limit: from below, and from above."""
_ENDS = {False: (0.02, 0.97), True: (0.10, 1.0)}
"""Part of the map in light and dark colours, away from the ground."""
_HATCH = 6
"""Points from stroke to stroke."""


@lru_cache(maxsize=16)
def palette(form: Form, limit_at: float, colours: Colours) -> tuple[int, ...]:
    """Return the colour of each of the 256 levels; *limit_at* is the position of a difference's limit."""
    made = [0] * 256
    for special in Special:
        made[special] = special_colour(special, colours).rgba()
    count = LAST - FIRST + 1
    if form is Form.DIFFERENCE:
        rows = _diverging(np.linspace(-1, 1, count), 2 * limit_at - 1, colours)
    else:
        low, high = _ENDS[colours.dark]
        table = colormap.get("viridis").getLookupTable(nPts=1024)[:, :3]
        rows = table[np.rint(np.linspace(low, high, count) * 1023).astype(int)]
    for level, (red, green, blue) in enumerate(np.rint(rows).astype(int).tolist(), FIRST):
        made[level] = qRgba(red, green, blue, 255)
    return tuple(made)


def palette_of(scale: ColourScale, colours: Colours) -> tuple[int, ...]:
    """Return the colours of the levels of *scale*."""
    limit = next((tick.position for tick in reversed(scale.ticks()) if tick.limit), 1.0)
    return palette(scale.form, limit, colours)


def _diverging(sizes: np.ndarray, limit: float, colours: Colours) -> np.ndarray:
    """Return colours from the largest negative over no difference to the largest positive one."""
    low, centre, high = (
        np.array((colour.red(), colour.green(), colour.blue()), float)
        for colour in map(QColor, (colours.accent, colours.card, colours.introduces))
    )
    size = np.abs(sizes)
    within = _WITHIN * size / limit
    beyond = _BEYOND + (1 - _BEYOND) * (size - limit) / (1 - limit)
    strength = np.where(size > limit * 1.001, beyond, within)[:, None]
    made: np.ndarray = centre + (np.where((sizes < 0)[:, None], low, high) - centre) * strength
    return made


def special_colour(special: Special, colours: Colours) -> QColor:
    """Return the colour of what is no number, for hatched ones that of the ground."""
    return {
        Special.NAN: QColor(colours.nan),
        Special.PLUS_INF: QColor(colours.plus_infinity),
        Special.MINUS_INF: QColor(colours.minus_infinity),
        Special.CLIPPED: QColor(colours.golden),
    }.get(special, QColor(colours.second))


def hatch(special: Special, colours: Colours, ratio: float) -> QBrush:
    """Return the strokes over a hatched colour; *ratio* device pixels a point."""
    colour = {
        Special.TARGET_ONLY: colours.target,
        Special.GOLDEN_ONLY: colours.golden,
    }.get(special, colours.card)
    side = round(_HATCH * ratio)
    tile = QPixmap(side, side)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1.4 * ratio))
    for offset in (-side, 0, side):
        if special is Special.GOLDEN_ONLY:
            painter.drawLine(QPointF(offset, 0), QPointF(offset + side, side))
        else:
            painter.drawLine(QPointF(offset, side), QPointF(offset + side, 0))
    painter.end()
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
    return brush


def image_of(levels: UInt8, table: tuple[int, ...]) -> QImage:
    """Return *levels* in the colours of *table*."""
    if not levels.size:
        return QImage()
    held = np.ascontiguousarray(levels)
    height, width = held.shape
    image = QImage(held.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(list(table))
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def mask_of(levels: UInt8, special: Special) -> QImage:
    """Return an image that is opaque where *levels* are *special*."""
    table = [0] * 256
    table[special] = qRgba(0, 0, 0, 255)
    return image_of(levels, tuple(table))
