"""Pictures of tensors: every pixel keeps the value of largest magnitude of its block, at any size.

A single outlier or NaN stays visible however far one is zoomed out. Tiles are reduced straight from the
mapped bytes, so memory does not grow with the tensor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.content import Content, of_difference, of_side
from core.metrics.pictures.extremes import MINUS_INF, NAN, OUTSIDE, PLUS_INF
from core.metrics.pictures.kinds import Difference, Part
from core.metrics.pictures.percentiles import percentiles_of
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Drawing, Picture, Reduction

__all__ = ["MINUS_INF", "NAN", "OUTSIDE", "PLUS_INF", "Picture", "difference_picture", "draw", "picture"]


def picture(
    handle: TensorHandle,
    plane: Plane,
    region: Region | None,
    max_pixels: tuple[int, int],
    part: Part = Part.MAGNITUDE,
) -> Picture:
    """Return *region* (``None``: all) of a tensor's *plane* in at most *max_pixels* (rows, columns).

    Raises
    ------
    ValueError
        If the plane does not exist in the tensor.
    """
    return _at_once(draw(of_side(handle, plane, part), region, max_pixels))


def difference_picture(
    target: TensorHandle,
    golden: TensorHandle,
    plane: Plane,
    region: Region | None,
    max_pixels: tuple[int, int],
    difference: Difference = Difference.ABSOLUTE,
    part: Part = Part.MAGNITUDE,
) -> Picture:
    """Return the picture of a *difference*; *plane* is one of the target's.

    Raises
    ------
    ValueError
        If the plane does not exist, or the shapes differ by more than dimensions of size 1.
    """
    return _at_once(draw(of_difference(target, golden, plane, difference, part), region, max_pixels))


def draw(content: Content, region: Region | None, max_pixels: tuple[int, int]) -> Drawing:
    """Draw *region* (``None``: all) of *content* in at most *max_pixels* (rows, columns), bit by bit."""
    rows, columns = content.size
    area = (region or Region(0, rows, 0, columns)).clipped(rows, columns)
    percentiles = yield from percentiles_of(content, area)
    drawing = _turned(content, area, max_pixels) if content.turned else _straight(content, area, max_pixels)
    while True:
        try:
            made = next(drawing)
        except StopIteration as end:
            whole: Picture = end.value
            return replace(whole, percentiles=percentiles)
        yield made and replace(made, percentiles=percentiles)


def _straight(content: Content, area: Region, max_pixels: tuple[int, int]) -> Drawing:
    return Reduction(content.take, content.dtype, area, max_pixels, content.limit, content.grain).work()


def _turned(content: Content, area: Region, max_pixels: tuple[int, int]) -> Drawing:
    """Draw with rows and columns swapped while reading, for the order in memory."""

    def other_way(part: Region) -> tuple[NDArray[Any], int]:
        bits, fill = content.take(Region(part.left, part.right, part.top, part.bottom))
        return bits.T, fill

    def back(made: Picture) -> Picture:
        return replace(
            made,
            values=np.ascontiguousarray(made.values.T),
            classes=np.ascontiguousarray(made.classes.T),
            region=area,
            block=made.block[::-1],
        )

    swapped = Region(area.left, area.right, area.top, area.bottom)
    grain = content.grain.turned() if content.grain is not None else None
    drawing = Reduction(other_way, content.dtype, swapped, max_pixels[::-1], content.limit, grain).work()
    while True:
        try:
            made = next(drawing)
        except StopIteration as end:
            return back(end.value)
        yield made and back(made)


def _at_once(drawing: Drawing) -> Picture:
    while True:
        try:
            next(drawing)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
