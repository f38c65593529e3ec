"""The lanes of one step: bad calls by pixel, and the lines of the spread. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.records.columns import Int32, UInt8
from core.records.overflow import Birth, CellTrack, OverflowReport, Special, Spread
from core.records.run import CellKey

KINDS = (Special.NAN, Special.PLUS_INF, Special.MINUS_INF, Special.SATURATED)
"""From top to bottom in each lane."""


class Mark(NamedTuple):
    """A birth in the picture."""

    lane: int
    row: int
    birth: Birth
    expected: bool


class Link(NamedTuple):
    """Bad values on their way from one call to another."""

    from_lane: int
    from_row: int
    to_lane: int
    to_row: int


@dataclass(frozen=True)
class Lanes:
    """One lane a rank, in the order of ranks."""

    tracks: tuple[CellTrack, ...] = ()
    calls: int = 1
    """Calls of the longest lane."""
    kinds: tuple[Special, ...] = ()
    """What occurs in any of them."""
    marks: tuple[Mark, ...] = ()
    mark_lane: Int32 = field(default_factory=lambda: np.empty(0, np.int32))
    mark_row: Int32 = field(default_factory=lambda: np.empty(0, np.int32))

    def lane_of(self, key: CellKey) -> int:
        """Return the lane of *key*; -1 when it has none here."""
        return next((lane for lane, track in enumerate(self.tracks) if track.key == key), -1)


def steps_of(report: OverflowReport) -> list[tuple[str, int]]:
    """Return phase and step of all cells that were looked at, in order of execution."""
    return sorted({(track.key.phase, track.key.step) for track in report.tracks})


def lanes_of(report: OverflowReport, phase: str, step: int) -> Lanes:
    """Return the lanes of one step."""
    mine = [track for track in report.tracks if (track.key.phase, track.key.step) == (phase, step)]
    tracks = tuple(sorted(mine, key=lambda track: track.key))
    lane_of = {track.key: lane for lane, track in enumerate(tracks)}
    found = 0
    for track in tracks:
        found |= int(np.bitwise_or.reduce(track.goes_in | track.comes_out)) if len(track.rows) else 0
    marks = [
        Mark(lane_of[birth.cell], birth.row, birth, expected)
        for births, expected in ((report.expected, True), (report.origins[::-1], False))
        for birth in births
        if birth.cell in lane_of and birth.row >= 0
    ]  # the earliest one last, so that it is drawn on top
    return Lanes(
        tracks, max((track.operators for track in tracks), default=1) or 1,
        tuple(kind for kind in KINDS if found & kind), tuple(marks),
        np.array([mark.lane for mark in marks], np.int32), np.array([mark.row for mark in marks], np.int32),
    )  # fmt: skip


def flags_by_pixel(track: CellTrack, left: float, right: float, pixels: int) -> tuple[UInt8, UInt8]:
    """Return what goes in and what comes out of the calls under each of *pixels* from *left* to *right*.

    A call of a row r takes the room from r to r + 1. Several calls under one pixel are put together, so
    that none is lost; one call under several is repeated.
    """
    edges = left + (right - left) * np.arange(pixels + 1) / pixels
    if pixels < right - left:
        places = np.searchsorted(track.rows, np.ceil(edges).astype(np.int64))
        starts, stops = places[:-1], places[1:]
    else:
        row = np.floor((edges[:-1] + edges[1:]) / 2).astype(np.int64)
        starts = np.searchsorted(track.rows, row)
        stops = np.searchsorted(track.rows, row, side="right")
    filled = stops > starts
    made = np.zeros((2, pixels), np.uint8)
    if filled.any():
        first = starts[filled]
        last = int(stops[filled][-1])
        for line, flags in zip(made, (track.goes_in, track.comes_out)):
            line[filled] = np.bitwise_or.reduceat(flags[:last], first)
    return made[0], made[1]


def nearest_bad(track: CellTrack, row: float, reach: float) -> int:
    """Return the place in *track* of the bad call nearest to *row*, -1 when none is within *reach*."""
    if not len(track.rows):
        return -1
    middle = track.rows + 0.5
    at = int(np.searchsorted(middle, row))
    near = [place for place in (at - 1, at) if 0 <= place < len(middle)]
    best = min(near, key=lambda place: abs(middle[place] - row))
    return best if abs(middle[best] - row) <= max(reach, 0.5) else -1


def links_of(spread: Spread, lanes: Lanes) -> list[Link]:
    """Return the lines from lane to lane along which the values of *spread* went, within these lanes."""
    lane_of = {track.key: lane for lane, track in enumerate(lanes.tracks)}
    links = []
    for path in spread.paths:
        first = path[0]
        here, there = lane_of.get(first.cell), lane_of.get(first.sender) if first.sender else None
        if here is not None and there is not None:
            links.append(Link(there, first.sender_row, here, first.row))
    return links
