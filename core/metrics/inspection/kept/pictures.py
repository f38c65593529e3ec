"""Pictures from what a result keeps: a part of a kept one, coarser where fewer pixels are wanted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.metrics.inspection.kept.pair import KeptPair, KeptPlane
from core.metrics.pictures.coarsening import coarsen
from core.metrics.pictures.plane import Plane, Region, Shape
from core.metrics.pictures.reduction import Picture


def kept_plane(kept: KeptPair, wanted: Plane | None) -> KeptPlane | None:
    """Return the kept pictures of the plane *wanted*, by default of the last that is kept, else ``None``."""
    shape = kept.target.shape
    if wanted is None or not wanted.fits(shape):
        return kept.planes[-1] if kept.planes else None
    return next((held for held in kept.planes if _same(held.plane, wanted, shape)), None)


def part_of(picture: Picture, region: Region | None, max_pixels: tuple[int, int]) -> Picture:
    """Return the blocks of *picture* that touch *region* (``None``: all), in at most *max_pixels*.

    Rows are made one only where there are too many rows, columns where there are too many columns.

    Counts, extremes and percentiles stay those of all of it: nothing finer is known.
    """
    made = picture if region is None else _blocks(picture, region)
    tall, wide = (max(-(-have // max(want, 1)), 1) for have, want in zip(made.values.shape, max_pixels))
    return coarsen(made, (tall, wide)) if (tall, wide) != (1, 1) else made


def _blocks(picture: Picture, region: Region) -> Picture:
    whole, (tall, wide) = picture.region, picture.block
    rows, columns = picture.values.shape
    asked = region.clipped(whole.bottom, whole.right)
    top, left = (asked.top - whole.top) // tall, (asked.left - whole.left) // wide
    bottom = min(max(-(-(asked.bottom - whole.top) // tall), top), rows)
    right = min(max(-(-(asked.right - whole.left) // wide), left), columns)
    edges = Region(
        whole.top + top * tall,
        min(whole.top + bottom * tall, whole.bottom),
        whole.left + left * wide,
        min(whole.left + right * wide, whole.right),
    )
    here = slice(top, bottom), slice(left, right)
    return replace(
        picture,
        values=np.ascontiguousarray(picture.values[here]),
        classes=np.ascontiguousarray(picture.classes[here]),
        region=edges,
    )


def _same(held: Plane, wanted: Plane, shape: Shape) -> bool:
    """Whether both show the same elements in the same places; fixed indices of shown axes say nothing."""
    if held.fold(shape) != wanted.fold(shape):
        return False
    axes = (held.rows, held.columns) == (wanted.rows, wanted.columns)
    return axes and all(held.fixed[axis] == wanted.fixed[axis] for axis in held.free)
