"""The exponent picture as small integers, reduced to pixels so that no single element is lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Int32, UInt8
from core.records.dump import Dump
from core.records.headroom import BINS, FIRST_EXPONENT, ExponentPicture, HeadroomTable
from core.records.names import Direction
from core.records.overflow import Special
from core.records.result import Evidence

NOTHING, BY_STATISTICS, FAINTEST, STRONGEST = 0, 1, 2, 255
"""Levels: nothing there; told by statistics alone; from one element in :data:`SMALLEST_SHARE` to all."""
SMALLEST_SHARE = 1e-8
"""Share below which all are drawn alike: a single element of a hundred million is still seen."""
_SPECIAL = Special.NAN | Special.PLUS_INF | Special.MINUS_INF
_AIR = 1.5
"""Exponents that stay free above and below."""


@dataclass(frozen=True)
class RangePicture:
    """Bins × columns of levels, the highest exponent first; and what each column is."""

    levels: UInt8
    shares: NDArray[np.float32]
    """As :attr:`ExponentPicture.shares`, the lowest exponent first."""
    first: Int32
    last: Int32
    """First and last call of each column."""
    read: NDArray[np.bool_]
    """Whether elements were read, and not only statistics known."""
    backward: NDArray[np.bool_]
    special: NDArray[np.bool_]
    """Whether NaN or Inf is among the values of a column: they have no exponent."""
    low: float
    high: float
    """Exponents between which there is something to see, with the limits of the format and some air."""

    @property
    def columns(self) -> int:
        """How many there are."""
        return len(self.first)

    def column_of(self, operator: int) -> int:
        """Return the column that the call *operator* is in; -1 for none."""
        at = int(np.searchsorted(self.last, operator))
        return at if at < self.columns and self.first[at] <= operator else -1

    def rows_of(self, column: int, rows: HeadroomTable) -> range:
        """Return the rows of the calls of *column*."""
        start = int(np.searchsorted(rows.operator, self.first[column]))
        return range(start, int(np.searchsorted(rows.operator, self.last[column], "right")))


def range_picture(
    picture: ExponentPicture, rows: HeadroomTable, dump: Dump, limits: tuple[float, float]
) -> RangePicture:
    """Return *picture* of *rows* ready for drawing; the exponents *limits* are in sight in any case."""
    read = picture.evidence >= Evidence.FULL
    shares = picture.shares
    with np.errstate(divide="ignore"):
        scaled = 1 - np.log10(shares) / np.log10(SMALLEST_SHARE)
    # squared: most is to be told apart between a hundredth and all, where most elements are
    levels = FAINTEST + np.rint(np.clip(scaled, 0, 1) ** 2 * (STRONGEST - FAINTEST))
    levels = np.where(read, levels, BY_STATISTICS)
    levels = np.where(shares > 0, levels, NOTHING).astype(np.uint8)
    used = np.flatnonzero((shares > 0).any(axis=1))
    low, high = limits
    if len(used):
        low = min(low, FIRST_EXPONENT + float(used[0]))
        high = max(high, FIRST_EXPONENT + float(used[-1]) + 1)
    backward = dump.operators.direction[picture.first] == Direction.BACKWARD
    bad = np.concatenate(([0], np.cumsum((rows.special & _SPECIAL) != 0)))
    starts = np.searchsorted(rows.operator, picture.first)
    special = bad[np.searchsorted(rows.operator, picture.last, "right")] > bad[starts]
    return RangePicture(
        np.ascontiguousarray(levels[::-1]), shares, picture.first, picture.last, read, backward, special,
        low - _AIR, high + _AIR,
    )  # fmt: skip


def _pixel_edges(begin: float, end: float, pixels: int, cells: int) -> tuple[NDArray[np.intp], bool]:
    """Return the first cell of each pixel over ``begin .. end``, and whether pixels hold many."""
    at = begin + (end - begin) * np.arange(pixels) / pixels
    return np.clip(np.floor(at).astype(np.intp), 0, cells - 1), end - begin > pixels


def in_pixels(
    picture: RangePicture,
    columns: tuple[float, float],
    exponents: tuple[float, float],
    width: int,
    height: int,
) -> UInt8:
    """Return height × width levels of what lies between two columns and two exponents (low, high).

    Each pixel has the largest level of all that falls on it.
    """
    top = FIRST_EXPONENT + BINS  # the upper edge of the first line of levels
    lines, many_lines = _pixel_edges(top - exponents[1], top - exponents[0], height, BINS)
    places, many_places = _pixel_edges(*columns, width, picture.columns)
    levels = picture.levels
    if many_places:
        end = min(int(np.ceil(columns[1])), picture.columns)
        part = levels[:, int(places[0]) : end]
        levels = np.maximum.reduceat(part, places - places[0], axis=1)
    else:
        levels = levels[:, places]
    if many_lines:
        end = min(int(np.ceil(top - exponents[0])), BINS)
        return np.maximum.reduceat(levels[int(lines[0]) : end], lines - lines[0], axis=0)
    made = levels[lines]
    outside = top - exponents[1] + (exponents[1] - exponents[0]) * (np.arange(height) + 0.5) / height
    made[(outside < 0) | (outside >= BINS)] = NOTHING
    return made
