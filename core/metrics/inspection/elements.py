"""The elements of a pair: the worst ones, statistics of a rectangle, windows of exact numbers, files."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from core.errors import InputError, Problem
from core.messages import Message
from core.metrics.elements.blocks import Ticker
from core.metrics.elements.records import By, RegionStatistics, SideStatistics, ValueWindow
from core.metrics.elements.saving import save_numbers
from core.metrics.elements.statistics import statistics_of
from core.metrics.elements.window import exact_window
from core.metrics.elements.worst import worst_places
from core.metrics.inspection.kept.pair import KeptPair
from core.metrics.inspection.kept.window import kept_window
from core.metrics.inspection.overwriting import of_one_state
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.inspection.values import ElementPair, values_at
from core.metrics.pictures.plane import Plane, Region
from core.metrics.shapes import comparable
from core.progress import Work
from core.store.places import check_place

__all__ = [
    "By",
    "ElementPair",
    "RegionStatistics",
    "SideStatistics",
    "ValueWindow",
    "WorstElements",
    "WorstRequest",
    "region_statistics",
    "region_values",
    "save_array",
    "value_window",
    "worst_elements",
]


@dataclass(frozen=True, slots=True)
class WorstRequest:
    """Which elements to rank, by what, and how many to tell; without plane and rectangle the whole tensor."""

    sources: PairSources
    by: By = By.ABSOLUTE
    count: int = 100
    plane: Plane | None = None
    rectangle: Region | None = None


@dataclass(frozen=True, slots=True)
class WorstElements:
    """The answer to a :class:`WorstRequest`: only elements that differ, the worst first.

    NaN and Inf that are not the same on both sides come before all finite differences, in C order.
    """

    request: WorstRequest
    rows: tuple[ElementPair, ...] = ()
    differing: int = 0
    total: int = 0
    problems: tuple[Problem | None, Problem | None] = (None, None)
    kept: bool = False
    """Whether a side comes from what a result keeps, as its tensor cannot be opened."""


@of_one_state
def worst_elements(request: WorstRequest) -> Work[WorstElements]:
    """Rank the elements that differ; nothing is ranked where the two sides cannot be subtracted."""
    pair = open_pair(request.sources)
    if pair.condensed is not None:
        return _of_kept(pair.condensed, request)
    if pair.both is None:
        return WorstElements(request, problems=pair.problems)
    found = yield from worst_places(*pair.both, request.by, request.count, request.plane, request.rectangle)
    rows = []
    ticker = Ticker(len(found.places), Message("progress.worst"))
    for place in found.places:
        rows.append(values_at(request.sources, place))
        yield from ticker.progress(len(rows))
    return WorstElements(
        request, tuple(rows), found.differing, found.total, pair.problems, pair.kept is not None
    )


def _of_kept(kept: KeptPair, request: WorstRequest) -> WorstElements:
    """Return what a result keeps; of parts of a tensor it keeps nothing."""
    if not comparable(kept.target.shape, kept.golden.shape):
        return WorstElements(request, kept=True)
    worst = kept.ranked(request.by) if kept.is_whole(request.plane, request.rectangle) else None
    if worst is None:
        problem = Problem("part_not_kept", "")
        return WorstElements(request, problems=(problem, problem), kept=True)
    rows = tuple(values_at(request.sources, tuple(place)) for place in worst.places[: request.count].tolist())
    return WorstElements(request, rows, worst.differing, worst.total, kept=True)


@of_one_state
def region_statistics(
    sources: PairSources, plane: Plane | None = None, rectangle: Region | None = None
) -> Work[RegionStatistics]:
    """Measure a rectangle of a plane; without a plane the whole tensor.

    Raises
    ------
    InputError
        ``part_not_kept`` where neither tensor can be opened, and a result does not keep these numbers.
    """
    pair = open_pair(sources)
    kept = pair.condensed
    if kept is not None and kept.statistics is not None and kept.is_whole(plane, rectangle):
        return kept.statistics
    if kept is not None and pair.target is None and pair.golden is None:
        raise InputError(Problem("part_not_kept", ""))
    return (yield from statistics_of(pair, plane, rectangle))


def value_window(
    sources: PairSources, plane: Plane, row: int, column: int, height: int, width: int
) -> ValueWindow:
    """Return *height* × *width* exact numbers from *row* and *column* on, cut at the plane's edges."""
    pair, region = open_pair(sources), Region(row, row + height, column, column + width)
    if pair.condensed is not None:
        return kept_window(pair.condensed, plane, region)
    return exact_window(pair, plane, region)


def region_values(
    sources: PairSources, plane: Plane, rectangle: Region, limit: int = 1_000_000
) -> ValueWindow:
    """Return all exact numbers of *rectangle*.

    Raises
    ------
    InputError
        ``too_many_values`` if it has more than *limit* elements; ``part_not_kept`` where the tensors cannot
        be opened, and a result does not keep all of these.
    """
    count = max(rectangle.bottom - rectangle.top, 0) * max(rectangle.right - rectangle.left, 0)
    if count > limit:
        raise InputError(Problem("too_many_values", "", {"count": count, "limit": limit}))
    pair = open_pair(sources)
    if pair.condensed is None:
        return exact_window(pair, plane, rectangle)
    found = kept_window(pair.condensed, plane, rectangle)
    if not found.inside.all():
        raise InputError(Problem("part_not_kept", ""))
    return found


@of_one_state
def save_array(
    sources: PairSources,
    side: str,
    path: str,
    plane: Plane | None = None,
    rectangle: Region | None = None,
) -> Work[None]:
    """Write *side* (``"target"``, ``"golden"`` or ``"difference"``) to *path* as ``.npy``.

    Without plane and rectangle the whole tensor in its shape, else rows × columns. bf16 and fp8, which numpy
    has not, are written as float32, exactly. The difference is float64; of integers int64, or Python
    integers' nearest float64 where that does not hold them.

    Raises
    ------
    InputError
        The side's own problem, ``no_difference_to_save``, ``array_not_written`` (a full disk, a folder that
        is not there or may not be written to), or as :func:`core.store.places.check_place`: no file of
        either side is overwritten. Nothing half-written stays.
    """
    pair = open_pair(sources)
    problem = dict(zip(("target", "golden"), pair.problems)).get(side)
    if problem is not None:
        raise InputError(problem)
    place = check_place(path, pair.paths(sources), side)
    if not place.parent.is_dir():
        raise InputError(Problem("array_not_written", path, {"detail": os.strerror(errno.ENOENT)}))
    yield from save_numbers(pair, side, place, plane, rectangle)
