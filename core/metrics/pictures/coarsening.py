"""Coarser pictures from finer ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.extremes import OUTSIDE
from core.metrics.pictures.reduction import Picture


def coarsen(picture: Picture, factors: tuple[int, int] = (2, 2)) -> Picture:
    """Return *picture* with *factors* (rows, columns) of pixels made one, as if it had been drawn that way.

    Values of largest magnitude and special values stay; the positive one of two that are equally large.
    """
    rows, columns = picture.values.shape
    block = picture.block[0] * factors[0], picture.block[1] * factors[1]
    if not picture.values.size or factors == (1, 1):
        return replace(picture, block=block)
    tops, lefts = np.arange(0, rows, factors[0]), np.arange(0, columns, factors[1])
    empty = np.isnan(picture.values)

    def over(ufunc: np.ufunc, pixels: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ufunc.reduceat(ufunc.reduceat(pixels, tops, axis=0), lefts, axis=1))

    high = over(np.maximum, np.where(empty, -np.inf, picture.values))
    low = over(np.minimum, np.where(empty, np.inf, picture.values))
    values = np.where(high >= -low, high, low)
    classes = over(np.bitwise_or, picture.classes)
    outside = over(np.bitwise_and, picture.classes) & np.uint8(OUTSIDE)
    return replace(
        picture,
        values=np.where(np.isfinite(values), values, np.nan).astype(picture.values.dtype),
        classes=(classes & ~np.uint8(OUTSIDE)) | outside,
        block=block,
    )
