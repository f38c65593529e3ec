"""The bad calls of lanes as one picture: a pixel column holds all that happened under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from core.records.columns import UInt8
from core.records.overflow import CellTrack, Special
from gui.looks.theme import Colours
from gui.models.overflow.lanes import flags_by_pixel
from gui.widgets.birth_mark import value_colour

_PASSING = 0.38
"""How strongly bad values are drawn that go into a call and do not come out of it."""


def band_image(
    tracks: Sequence[CellTrack],
    kinds: tuple[Special, ...],
    left: float,
    right: float,
    pixels: int,
    least: int,
    colours: Colours,
) -> QImage:
    """Return a picture *pixels* wide with ``len(kinds)`` lines a lane, transparent where all is finite.

    A call is drawn at least *least* pixels wide, so that a single one is seen.
    """
    lines = max(len(kinds), 1)
    made = np.zeros((len(tracks) * lines, pixels), np.uint32)
    strong = [_premultiplied(value_colour(kind, colours), 1.0) for kind in kinds]
    weak = [_premultiplied(value_colour(kind, colours), _PASSING) for kind in kinds]
    for lane, track in enumerate(tracks):
        if not len(track.rows):
            continue
        goes_in, comes_out = (_widened(flags, least) for flags in flags_by_pixel(track, left, right, pixels))
        for line, kind in enumerate(kinds):
            row = made[lane * lines + line]
            row[(goes_in & int(kind)) != 0] = weak[line]
            row[(comes_out & int(kind)) != 0] = strong[line]
    picture = QImage(made.data, pixels, len(made), pixels * 4, QImage.Format.Format_ARGB32_Premultiplied)
    return picture.copy()  # the array does not outlive this function


def _widened(flags: UInt8, least: int) -> NDArray[np.uint8]:
    wide = flags.copy()
    for shift in range(1, least):
        wide[shift:] |= flags[:-shift]
    return wide


def _premultiplied(colour: QColor, opacity: float) -> int:
    alpha = round(255 * opacity)
    red, green, blue = (round(part * opacity) for part in (colour.red(), colour.green(), colour.blue()))
    return (alpha << 24) | (red << 16) | (green << 8) | blue
