"""Between which values most of a region lies: ranges of colours that a single outlier does not stretch."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from core.metrics.pictures.content import Content
from core.metrics.pictures.plane import Region

_EXACT = 1 << 18
"""Elements up to which a region is read whole."""
_SAMPLE = 1 << 16
"""Elements of an even sample of a larger one: 65 of them lie beyond the smallest tail."""
_LEAST_SIDE = 256

_RANKS = (0.001, 0.01, 0.99, 0.999)


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Values of finite elements: 1 % are below ``low_99`` and 1 % above ``high_99``, 0.1 % for the others."""

    low_999: float
    low_99: float
    high_99: float
    high_999: float


def percentiles_of(content: Content, area: Region) -> Generator[None, None, Percentiles | None]:
    """Return the percentiles of a region's finite elements, ``None`` if there are none.

    By nearest rank, so each is the value of an element. Large regions are sampled evenly. Yields while
    chunks are unpacked.
    """
    height, width = area.bottom - area.top, area.right - area.left
    if not height * width:
        return None
    if height * width <= _EXACT and content.grain is None:
        taken, fill = content.take(area)
        found = content.numbers(taken).reshape(-1)[: height * width - fill]
    elif height * width <= _EXACT:
        found = yield from content.sample(np.arange(area.top, area.bottom), np.arange(area.left, area.right))
    else:
        columns = min(width, max(_LEAST_SIDE, _SAMPLE // height))
        rows = min(height, _SAMPLE // columns)
        found = yield from content.sample(
            area.top + np.arange(rows) * height // rows, area.left + np.arange(columns) * width // columns
        )
    if found.dtype.kind == "f":
        found = found.astype(np.float64 if found.dtype.itemsize > 4 else np.float32, copy=False)
        found = found[np.isfinite(found)]
    if not found.size:
        return None
    ranks = [round((found.size - 1) * share) for share in _RANKS]
    ordered = np.partition(found, sorted(set(ranks)))
    return Percentiles(*(float(ordered[rank]) for rank in ranks))
