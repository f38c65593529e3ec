"""All distributions of a pair in two passes over the bytes: what there is, then what meets what.

The second pass counts pairs of bins, target × golden: the scatter; its sums along either side are the
histograms.
"""

from __future__ import annotations

from math import nan

import numpy as np

from core.messages import Message
from core.metrics.distributions.bins import Binning
from core.metrics.distributions.choosing import chosen_bins
from core.metrics.distributions.magnitudes import MagnitudeCounter, Magnitudes
from core.metrics.distributions.meeting import BinnedSide, Meeting
from core.metrics.distributions.records import (
    Bins,
    Counted,
    Exponents,
    Histogram,
    Int64,
    Scatter,
    SpecialCounts,
)
from core.metrics.elements.blocks import Area, Reader, Ticker
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.plane import Plane, Region
from core.progress import Work

_FIRST_BLOCK = 128 * 1024
"""Elements at a time of the first pass, which has few temporaries; counts of bit patterns are as long."""


def measured(
    pair: HandlePair, bins: Bins, plane: Plane | None = None, rectangle: Region | None = None
) -> Work[Counted]:
    """Count *rectangle* of *plane* of both sides; sides of unlike shapes each by itself, whole."""
    handles = [handle for handle in (pair.target, pair.golden) if handle is not None]
    if pair.both is None and len(handles) == 2:
        areas = [Area(handle.shape) for handle in handles]
    else:
        areas = [Area(handle.shape, plane, rectangle) for handle in handles]
    readers = [Reader(handle, area) for handle, area in zip(handles, areas)]
    ticker = Ticker(2 * sum(area.size for area in areas), Message("progress.distributions"))
    counters = [MagnitudeCounter(handle) for handle in handles]
    done = 0
    for area, reader, counter in zip(areas, readers, counters):
        for box in area.boxes(_FIRST_BLOCK):
            counter.add(reader.bits(box))
            done += box.stop - box.start
            yield from ticker.progress(done)
    found = [counter.finish() for counter in counters]
    bins_of = chosen_bins(handles, found, bins)
    if pair.both is not None:
        meeting = Meeting(readers[0], readers[1], bins_of, areas[0])
        for box in areas[0].boxes():
            meeting.add(box)
            done += 2 * (box.stop - box.start)
            yield from ticker.progress(done)
        return _of_meeting(meeting, bins_of, found)
    sides = [BinnedSide(reader, bins_of) for reader in readers]
    counts: list[Int64] = []
    for area, side in zip(areas, sides):
        total = np.zeros(bins_of.count + 1, np.int64)
        for box in area.boxes():
            total += np.bincount(side.codes(side.reader.bits(box)), minlength=len(total))
            done += box.stop - box.start
            yield from ticker.progress(done)
        counts.append(total[:-1])
    target = 0 if pair.target is not None else None
    golden = len(handles) - 1 if pair.golden is not None else None
    return Counted(_histogram(bins_of, counts, found, target, golden), _exponents(found, target, golden))


def _of_meeting(meeting: Meeting, bins: Binning, found: list[Magnitudes]) -> Counted:
    joint = meeting.joint
    density = np.minimum(joint[:-1, :-1], np.iinfo(np.uint32).max).astype(np.uint32)
    counts = [joint.sum(axis=1)[:-1], joint.sum(axis=0)[:-1]]
    ulps, profiles = meeting.finish()
    scatter = Scatter(bins.edges, bins.edges, density, bins.bins)
    return Counted(_histogram(bins, counts, found, 0, 1), _exponents(found, 0, 1), ulps, scatter, profiles)


def _histogram(
    bins: Binning, counts: list[Int64], found: list[Magnitudes], target: int | None, golden: int | None
) -> Histogram:
    sides = [counts[at] if at is not None else None for at in (target, golden)]
    special = [found[at].special if at is not None else SpecialCounts() for at in (target, golden)]
    low, high = (end(side, default=nan) for end, side in (
        (min, [side.low for side in found if side.low <= side.high]),
        (max, [side.high for side in found if side.low <= side.high]),
    ))  # fmt: skip
    return Histogram(bins.edges, sides[0], sides[1], special[0], special[1], bins.threshold, low, high)


def _exponents(found: list[Magnitudes], target: int | None, golden: int | None) -> Exponents:
    """Return the exponents of both sides on one axis."""
    there = [side for side in found if len(side.exponents)]
    first = min((side.first for side in there), default=0)
    count = max((side.first + len(side.exponents) for side in there), default=first) - first

    def laid_out(at: int | None) -> Int64 | None:
        if at is None:
            return None
        made = np.zeros(count, np.int64)
        side = found[at]
        if len(side.exponents):
            made[side.first - first : side.first - first + len(side.exponents)] = side.exponents
        return made

    zeros = [found[at].zeros if at is not None else 0 for at in (target, golden)]
    return Exponents(first, laid_out(target), laid_out(golden), *zeros)
