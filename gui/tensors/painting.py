"""Pictures to pixels: values by their shades, special values in colours of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.extremes import MINUS_INF, NAN, OUTSIDE, PLUS_INF
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Colours
from gui.tensors.scales import Pixels, Shades, rgb


def paint(picture: Picture, shades: Shades, colours: Colours) -> Pixels:
    """Return the rows × columns × 4 (RGBA) pixels of *picture*.

    A block with NaN or Inf in it is drawn in that value's own colour; where a pixel stands for many
    elements, so are its neighbours: one pixel among a million would be there, and not be seen.
    But a pixel that is a single row or column leaves the rows or columns beside it alone.
    """
    table = np.full((len(shades.table), 4), 255, np.uint8)
    table[:, :3] = shades.table
    packed = np.take(table.view(np.uint32)[:, 0], shades.steps(picture.values))
    if picture.classes.any():
        _mark_special(packed, picture, colours)
    return packed.view(np.uint8).reshape(*packed.shape, 4)


def _mark_special(packed: NDArray[np.uint32], picture: Picture, colours: Colours) -> None:
    kinds = (
        (MINUS_INF, colours.minus_infinity), (PLUS_INF, colours.plus_infinity), (NAN, colours.nan),
    )  # fmt: skip
    where = {bit: (picture.classes & bit) != 0 for bit, _ in kinds}
    if picture.block != (1, 1):
        for bit, colour in kinds:
            if where[bit].any():
                packed[_wider(where[bit], picture.block)] = _packed(colour)
    packed[((picture.classes & OUTSIDE) != 0) & np.isnan(picture.values)] = _packed(colours.card)
    for bit, colour in kinds:  # after all that is only around them
        packed[where[bit]] = _packed(colour)


def _packed(colour: str) -> np.uint32:
    """Return *colour* as the four bytes of a pixel."""
    return np.array([*rgb(colour), 255], np.uint8).view(np.uint32)[0]


def _wider(mask: NDArray[np.bool_], block: tuple[int, int]) -> NDArray[np.bool_]:
    """Return *mask* with a pixel more on each side, along the axes on which *block* has several elements."""
    wide = mask.copy()
    if block[0] > 1:
        wide[1:] |= mask[:-1]
        wide[:-1] |= mask[1:]
    if block[1] > 1:
        tall = wide.copy()
        wide[:, 1:] |= tall[:, :-1]
        wide[:, :-1] |= tall[:, 1:]
    return wide
