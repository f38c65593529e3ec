"""Pictures of grids: of the size of pixels, and nothing that matters is lost; made in the service process.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.records.columns import UInt8
from core.records.trends import Bool, TrendGrid
from gui.models.trends.scale import Special, TrendSide
from gui.trends.planes import Planes

_STRIP = 4_000_000
"""Cells that are reduced at once: what is made meanwhile stays small."""


class Region(NamedTuple):
    """Rows and columns of a grid, the ends not included."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass(frozen=True)
class Drawing:
    """Part of a grid as levels, see :mod:`gui.models.trends.scale`."""

    side: TrendSide
    levels: UInt8
    """Rows × columns of blocks."""
    region: Region
    exact: bool
    """Whether every cell is a block of its own."""
    kinds: frozenset[Special]
    """Those that occur."""


def drawing_of(planes: Planes, side: TrendSide, region: Region, pixels: tuple[int, int]) -> Drawing:
    """Return the *region* of a grid in at most *pixels* (rows, columns) blocks."""
    side = side if side in planes.grids else TrendSide.TARGET
    rows, columns = planes.bad.shape
    region = Region(
        max(region.top, 0), min(region.bottom, rows), max(region.left, 0), min(region.right, columns)
    )
    height, width = region.bottom - region.top, region.right - region.left
    pixels = max(pixels[0], 1), max(pixels[1], 1)
    exact = height <= pixels[0] and width <= pixels[1]
    if height < 1 or width < 1:
        return Drawing(side, np.zeros((0, 0), np.uint8), region, True, frozenset())
    blocks = min(pixels[0], height)
    strips = min(max(height * width // _STRIP, 1), blocks)
    ends = np.linspace(0, blocks, strips + 1).astype(int).tolist()
    parts = []
    for first, last in pairwise(ends):
        top, bottom = (region.top + block * height // blocks for block in (first, last))
        strip = region._replace(top=top, bottom=bottom)
        parts.append(_levels(planes, side, strip, (last - first, pixels[1]), exact))
    levels = np.concatenate(parts)
    kinds = frozenset(Special(int(level)) for level in np.unique(levels[levels <= max(Special)]))
    return Drawing(side, levels, region, exact, kinds)


def _levels(planes: Planes, side: TrendSide, region: Region, pixels: tuple[int, int], exact: bool) -> UInt8:
    from core.curves.trends.blocks import block_extremes

    window = np.s_[region.top : region.bottom, region.left : region.right]
    grid = planes.grids[side]
    part = TrendGrid(grid.metric, grid.axis, (), grid.places, grid.values[window], grid.present[window])
    blocks = block_extremes(part, *pixels)

    def anywhere(mask: Bool) -> Bool:
        lines = np.logical_or.reduceat(mask[window], blocks.row_edges[:-1], axis=0)
        found: Bool = np.logical_or.reduceat(lines, blocks.column_edges[:-1], axis=1)
        return found

    levels = planes.facts.scales[side].levels(blocks.values)
    empty = ~blocks.present
    if empty.any() and TrendSide.GOLDEN in planes.grids:
        target, golden = (anywhere(planes.grids[each].present) for each in (TrendSide.TARGET,
                                                                            TrendSide.GOLDEN))  # fmt: skip
        levels[empty & golden] = Special.GOLDEN_ONLY
        levels[empty & target] = Special.TARGET_ONLY
    cut = planes.clipped[side]
    if cut is not None:
        mask = anywhere(cut)
        levels[mask & empty if side is TrendSide.DIFFERENCE else mask] = Special.CLIPPED
    for level, mask in (
        (Special.MINUS_INF, blocks.values == -np.inf), (Special.PLUS_INF, blocks.values == np.inf),
        (Special.NAN, blocks.broken),
    ):  # fmt: skip
        if mask.any():
            # one pixel among a million would be there, and not be seen
            levels[mask if exact else _wider(mask)] = level
    return levels


def _wider(mask: Bool) -> Bool:
    """Return *mask* with a block more on each side."""
    tall = mask.copy()
    tall[1:] |= mask[:-1]
    tall[:-1] |= mask[1:]
    wide = tall.copy()
    wide[:, 1:] |= tall[:, :-1]
    wide[:, :-1] |= tall[:, 1:]
    return wide
