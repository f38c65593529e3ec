"""How the elements of a pair are distributed, and the way from a bar or point back to an element."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import Problem
from core.metrics.distributions.finding import find_in_range, worst_in_group
from core.metrics.distributions.measuring import measured
from core.metrics.distributions.records import (
    AxisProfile,
    Bins,
    Exponents,
    Histogram,
    Scatter,
    SpecialCounts,
    UlpHistogram,
    ValueRange,
)
from core.metrics.elements.records import By
from core.metrics.inspection.kept.pair import KeptPair
from core.metrics.inspection.overwriting import of_one_state
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.pictures.plane import Plane, Region, Shape
from core.progress import Work

__all__ = [
    "AxisProfile",
    "Bins",
    "DistributionRequest",
    "Distributions",
    "Exponents",
    "Histogram",
    "Scatter",
    "SpecialCounts",
    "UlpHistogram",
    "ValueRange",
    "find_value",
    "pair_distributions",
    "worst_along",
]


@dataclass(frozen=True, slots=True)
class DistributionRequest:
    """Which elements, and how their values are binned; without plane and rectangle the whole tensor."""

    sources: PairSources
    bins: Bins = Bins.LINEAR
    plane: Plane | None = None
    rectangle: Region | None = None
    """Of the plane; ``None``: all of it."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """The answer to a :class:`DistributionRequest`.

    Sides of different shapes are each counted whole, without ULP errors, scatter and profiles.
    """

    request: DistributionRequest
    shape: Shape | None
    """Of the pair; ``None`` where neither side could be opened."""
    values: Histogram | None = None
    exponents: Exponents | None = None
    ulps: UlpHistogram | None = None
    """``None`` also for exact formats (integers, booleans)."""
    scatter: Scatter | None = None
    profiles: tuple[AxisProfile, ...] = ()
    """One an axis; of a rectangle, along its rows and columns where these are one axis."""
    problems: tuple[Problem | None, Problem | None] = (None, None)
    """Of the target and of the golden."""
    kept: bool = False
    """Whether a side comes from what a result keeps, as its tensor cannot be opened."""


@of_one_state
def pair_distributions(request: DistributionRequest) -> Work[Distributions]:
    """Count what *request* asks for, in two passes over the bytes."""
    pair = open_pair(request.sources)
    if pair.condensed is not None:
        return _of_kept(pair.condensed, request)
    if pair.shape is None:
        return Distributions(request, None, problems=pair.problems)
    counted = yield from measured(pair, request.bins, request.plane, request.rectangle)
    return Distributions(
        request,
        pair.shape,
        counted.values,
        counted.exponents,
        counted.ulps,
        counted.scatter,
        counted.profiles,
        pair.problems,
        pair.kept is not None,
    )


def _of_kept(kept: KeptPair, request: DistributionRequest) -> Distributions:
    """Return what a result keeps; of parts of a tensor it keeps nothing."""
    shape = kept.target.shape
    counted = kept.counted(request.bins) if kept.is_whole(request.plane, request.rectangle) else None
    if counted is None:
        problem = Problem("part_not_kept", "")
        return Distributions(request, shape, problems=(problem, problem), kept=True)
    return Distributions(
        request,
        shape,
        counted.values,
        counted.exponents,
        counted.ulps,
        counted.scatter,
        counted.profiles,
        kept=True,
    )


@of_one_state
def find_value(
    sources: PairSources, what: ValueRange, plane: Plane | None = None, rectangle: Region | None = None
) -> Work[Shape | None]:
    """Return the place of the next element whose value lies in *what*; ``None`` if there is none."""
    return (yield from find_in_range(open_pair(sources), what, plane, rectangle))


@of_one_state
def worst_along(
    sources: PairSources,
    axis: int,
    start: int,
    stop: int,
    plane: Plane | None = None,
    rectangle: Region | None = None,
    by: By = By.ABSOLUTE,
) -> Work[Shape | None]:
    """Return the place of the worst element with an index from *start* to *stop* (excluded) along *axis*.

    ``None`` if nothing differs there.
    """
    return (yield from worst_in_group(open_pair(sources), axis, start, stop, plane, rectangle, by))
