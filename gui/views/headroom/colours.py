"""Levels to pixels: a perceptual map for shares, hatching for what only statistics tell."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from pyqtgraph import colormap
from PySide6.QtGui import QColor

from core.records.columns import UInt8
from gui.looks.theme import Colours
from gui.models.headroom.picture import BY_STATISTICS, FAINTEST, NOTHING, STRONGEST

_ENDS = {False: (0.76, 0.0), True: (0.24, 1.0)}
"""Part of the map, from few elements to all: away from the ground, light or dark, and well apart from it."""
_HATCH = 5
"""Pixels from stroke to stroke."""


@cache
def share_map(dark: bool) -> UInt8:
    """Return the colours of the levels ``FAINTEST`` to ``STRONGEST`` as RGB rows."""
    table = colormap.get("viridis").getLookupTable(nPts=1024)[:, :3]
    few, most = _ENDS[dark]
    places = np.linspace(few, most, STRONGEST - FAINTEST + 1) * 1023
    return np.asarray(table[np.rint(places).astype(int)], np.uint8)


def _rgba(colour: str, alpha: float) -> list[int]:
    made = QColor(colour)
    return [made.red(), made.green(), made.blue(), round(alpha * 255)]


def pixels_of(levels: UInt8, colours: Colours, ratio: float) -> NDArray[np.uint8]:
    """Return RGBA pixels of *levels*; *ratio* is device pixels a point, which the hatching keeps to."""
    table = np.zeros((256, 4), np.uint8)
    table[FAINTEST:, :3], table[FAINTEST:, 3] = share_map(colours.dark), 255
    table[BY_STATISTICS] = _rgba(colours.not_compared, 0.45)
    table[NOTHING] = 0
    pixels = table[levels]
    told = levels == BY_STATISTICS
    if told.any():
        step = max(round(_HATCH * ratio), 2)
        across = np.add.outer(np.arange(levels.shape[0]), np.arange(levels.shape[1]))
        pixels[told & (across % step < max(round(ratio), 1))] = _rgba(colours.dim, 1.0)
    return pixels
