"""Pictures to pixels: a sequential map for values, a diverging one for differences, special values apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyqtgraph import colormap
from PySide6.QtGui import QColor

from core.metrics.pictures import MINUS_INF, NAN, OUTSIDE, PLUS_INF, Picture
from gui.looks.theme import Colours

Pixels = NDArray[np.uint8]
_STEPS = 256


def _rgb(colour: str) -> tuple[int, int, int]:
    made = QColor(colour)
    return made.red(), made.green(), made.blue()


def sequential() -> Pixels:
    """Return the 256 × 3 colours for values."""
    table: Pixels = colormap.get("viridis").getLookupTable(nPts=_STEPS)[:, :3].astype(np.uint8)
    return table


def diverging(colours: Colours) -> Pixels:
    """Return the 256 × 3 colours for differences: negative blue, zero as the card, positive red."""
    middle = (_STEPS - 1) / 2
    low, centre, high = (
        np.array(_rgb(colour), float) for colour in (colours.accent, colours.card, colours.introduces)
    )
    # a step away from zero already leaves the background, so that small differences can be seen
    strength = np.abs(np.arange(_STEPS) - middle) / middle
    strength = np.where(strength > 1.5 / middle, 0.12 + 0.88 * strength, strength)[:, None]
    ends = np.where((np.arange(_STEPS) < middle)[:, None], low, high)
    return np.asarray(np.rint(centre + (ends - centre) * strength), np.uint8)


def limits(*pictures: Picture | None) -> tuple[float, float]:
    """Return the range that shows all finite values of *pictures*; never empty."""
    lows = [shown.minimum for shown in pictures if shown is not None and not math.isnan(shown.minimum)]
    highs = [shown.maximum for shown in pictures if shown is not None and not math.isnan(shown.maximum)]
    if not lows:
        return 0.0, 1.0
    low, high = min(lows), max(highs)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def symmetric_limit(picture: Picture | None) -> float:
    """Return the largest magnitude of a difference; never 0."""
    if picture is None or math.isnan(picture.minimum):
        return 1.0
    return max(abs(picture.minimum), abs(picture.maximum)) or 1.0


def _wider(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return *mask* with a pixel more on each side."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    tall = wide.copy()
    wide[:, 1:] |= tall[:, :-1]
    wide[:, :-1] |= tall[:, 1:]
    return wide


def paint(picture: Picture, table: Pixels, low: float, high: float, colours: Colours) -> Pixels:
    """Return RGBA pixels of *picture*; a block with NaN or Inf in it is drawn in that value's own colour."""
    with np.errstate(all="ignore"):
        scaled = (picture.values - np.float32(low)) * np.float32((_STEPS - 1) / (high - low))
        steps = np.clip(np.nan_to_num(np.rint(scaled), nan=0.0), 0, _STEPS - 1).astype(np.uint8)
    pixels = np.empty((*picture.values.shape, 4), np.uint8)
    pixels[..., :3] = table[steps]
    pixels[..., 3] = 255
    if picture.classes.any():
        for bit, colour in (
            (OUTSIDE, colours.card), (MINUS_INF, colours.minus_infinity),
            (PLUS_INF, colours.plus_infinity), (NAN, colours.nan),
        ):  # fmt: skip
            where = (picture.classes & bit) != 0
            if bit == OUTSIDE:
                where &= np.isnan(picture.values)
            elif picture.block != (1, 1):
                where = _wider(where)  # one pixel among a million would be there, and not be seen
            pixels[where, :3] = _rgb(colour)
    return pixels
