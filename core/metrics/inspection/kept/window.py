"""A window of exact numbers from what a result keeps: few of them, in their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.metrics.elements.records import ValueWindow
from core.metrics.elements.window import exact_difference
from core.metrics.inspection.kept.pair import KeptPair
from core.metrics.pictures.plane import Place, Plane, Region


def kept_window(kept: KeptPair, plane: Plane, region: Region) -> ValueWindow:
    """Return the numbers of *region* that are kept; ``inside`` is False where none are."""
    shape = kept.target.shape
    area = region.clipped(*plane.size(shape)) if plane.fits(shape) else Region(0, 0, 0, 0)
    rows, columns = range(area.top, area.bottom), range(area.left, area.right)
    size = len(rows), len(columns)
    inside = np.zeros(size, np.bool_)
    first = next(_known(kept), None)
    if first is None:
        return ValueWindow(rows, columns, None, None, None, inside)
    target, golden = (np.zeros(size, number.dtype) for number in first[1:])
    for place, number_t, number_g in _known(kept):
        position = plane.position(shape, place)
        if position is None or position[0] not in rows or position[1] not in columns:
            continue
        at = position[0] - area.top, position[1] - area.left
        target[at], golden[at], inside[at] = number_t, number_g, True
    names = kept.target.dtype, kept.golden.dtype
    return ValueWindow(rows, columns, target, golden, exact_difference(target, golden), inside, *names)


def _known(kept: KeptPair) -> Iterator[tuple[Place, Any, Any]]:
    """Yield each place that is kept, with both numbers."""
    for worst in kept.worst:
        for place, target, golden in zip(worst.places.tolist(), worst.target, worst.golden):
            yield tuple(place), target, golden
    crop = kept.crop
    if crop is not None:
        for index in np.ndindex(crop.target.shape):
            place = tuple(start + at for start, at in zip(crop.start, index))
            yield place, crop.target[index], crop.golden[index]
