"""All that is found in one cell, small enough to be kept for every rank of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.dtypes import dtype_named
from core.overflow.births.cell import Cell, GoldenSide
from core.overflow.births.roles import is_loss
from core.overflow.births.saturation import find_plateaus, find_silenced
from core.overflow.births.sweep import FROM_OUTSIDE, Swept, sweep
from core.overflow.births.telling import accuse, accuse_plateau, excused_birth
from core.overflow.communication.calls import Communication
from core.overflow.special_values import special_values
from core.progress import Work
from core.records.columns import ABSENT, Int32
from core.records.dump import Dump
from core.records.names import Direction
from core.records.overflow import Birth, CellTrack, Special, Station, Way
from core.records.run import CellKey

_SHOWN = 3
"""Stations that are kept at each end of a long way."""
_HALF = ("float16", "bfloat16")
_INFINITE = Special.PLUS_INF | Special.MINUS_INF


@dataclass(frozen=True)
class Branch:
    """What begins at one call of a cell, by birth or because another rank sent it, and where it leads."""

    way: tuple[Station, ...]
    """From the beginning to the loss, or to the last forward call that it reaches."""


@dataclass(frozen=True)
class Examination:
    """One cell, examined by itself."""

    key: CellKey
    births: tuple[Birth, ...]
    """In execution order; those whose values came from another rank are still among them."""
    expected: tuple[Birth, ...]
    possible: tuple[Birth, ...]
    """Saturation that statistics alone cannot tell from chance."""
    communications: tuple[Communication, ...]
    branches: dict[int, Branch] = field(default_factory=dict)
    """By the row at which each begins."""
    branch_of: dict[int, int] = field(default_factory=dict)
    """For each communication call that sends or holds bad values, where they began in this cell."""
    causes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """For births whose bad values come from values that may be meant: the calls that these came in with."""
    shown_by: dict[int, int] = field(default_factory=dict)
    """For births in inputs: the asynchronous call that shows the same values."""
    first_gradient: int = -1
    """Row of the first call of the backward pass; -1 for none."""
    half_inf: bool = False
    """A half-precision tensor holds Inf: the device does not saturate."""
    track: CellTrack = field(kw_only=True)


def examine(
    key: CellKey,
    dump: Dump,
    golden: Dump | None = None,
    partner: Int32 | None = None,
    *,
    read_tensors: bool = True,
) -> Work[Examination]:
    """Return what is born, passed on, sent and received in one cell.

    *partner* gives for each slot of *dump* the slot of *golden* that it is matched with, -1 for none.
    """
    dump, values = yield from special_values(dump, read_tensors=read_tensors)
    side = None
    if golden is not None and partner is not None:
        golden, theirs = yield from special_values(golden, read_tensors=read_tensors)
        side = GoldenSide(golden, theirs, partner)
    cell = Cell(key, dump, values, side)
    swept = sweep(cell)
    births = [accuse(cell, swept, item) for item in swept.arrivals if item.excuse is None]
    expected = tuple(excused_birth(cell, item) for item in swept.arrivals if item.excuse is not None)
    plateaus = [*find_plateaus(cell), *find_silenced(cell)]
    births += [accuse_plateau(cell, item) for item in plateaus if item.certain]
    possible = tuple(accuse_plateau(cell, item) for item in plateaus if not item.certain)
    branches, branch_of = _branches(cell, swept)
    directions = np.flatnonzero(dump.operators.direction == Direction.BACKWARD)
    return Examination(
        key=key,
        births=tuple(sorted(births, key=lambda birth: birth.row)),
        expected=expected,
        possible=possible,
        communications=tuple(swept.communications),
        branches=branches,
        branch_of=branch_of,
        causes=_causes(swept),
        shown_by={item.row: item.shown_by for item in swept.arrivals if item.shown_by >= 0},
        first_gradient=int(directions[0]) if len(directions) else -1,
        half_inf=_half_inf(cell, swept),
        track=_track(cell, swept),
    )


def _causes(swept: Swept) -> dict[int, tuple[int, ...]]:
    """Return by the row of each birth the rows at which what it was made of came in from outside."""
    found = {}
    for item in swept.arrivals:
        causes = (swept.arrivals[number] for number in item.causes)
        rows = tuple(cause.row for cause in causes if cause.kind in FROM_OUTSIDE)
        if item.excuse is None and rows:
            found[item.row] = rows
    return found


def _branches(cell: Cell, swept: Swept) -> tuple[dict[int, Branch], dict[int, int]]:
    """Return where bad values begin in the cell and lead to, and which beginning each call hangs on."""
    end: dict[int, int] = {}
    ended: set[int] = set()
    begin = _beginnings(swept)
    # Modules around dumped calls only give out what these made.
    holders = {name for row in begin for name in cell.around(row)}
    for row, root in sorted(begin.items()):
        if root in ended or (cell.is_backward(row) and not cell.is_backward(root)):
            continue
        module = cell.names[row] in holders
        if root not in end or not module:
            end[root] = row
        if not module and is_loss(cell.api(row)):
            ended.add(root)
    branches = {root: Branch(_way(cell, swept, last)) for root, last in end.items()}
    moved = {item.row: begin[item.row] for item in swept.communications if item.row in begin}
    return branches, moved


def _beginnings(swept: Swept) -> dict[int, int]:
    """Return for each bad call the one at which its values begin in this cell."""
    found: dict[int, int] = {}
    for row in swept.came_from:
        way: dict[int, None] = {}
        here = row
        while here not in found and here not in way:
            way[here] = None
            source = swept.came_from.get(here, ABSENT)
            if source < 0:
                break
            here = source
        begin = found.get(here, here)
        found.update(dict.fromkeys(way, begin))
    return found


def _way(cell: Cell, swept: Swept, last: int) -> tuple[Station, ...]:
    """Return the stations from the beginning to *last*; those in the middle of a long way are left out."""
    seen = {last: None}
    here = last
    while (here := swept.came_from.get(here, ABSENT)) >= 0 and here not in seen:
        seen[here] = None
    rows = list(reversed(seen))
    skipped = max(0, len(rows) - 2 * _SHOWN)
    kept = rows if not skipped else [*rows[:_SHOWN], *rows[-_SHOWN:]]
    stations = []
    for place, row in enumerate(kept):
        left_out = skipped if place == _SHOWN else 0
        stations.append(Station(Way.FLOW if place else Way.BORN, cell.key, cell.names[row], row, left_out))
    return tuple(stations)


def _half_inf(cell: Cell, swept: Swept) -> bool:
    """Whether Inf that is not meant stands in an output of half precision."""
    for row in swept.state:
        for slot in cell.bad_of(row).outputs:
            dtype = dtype_named(cell.dump.dtype(slot))
            if cell.special((slot,)) & _INFINITE and dtype is not None and dtype.name in _HALF:
                return True
    return False


def _track(cell: Cell, swept: Swept) -> CellTrack:
    """Return the calls that hold bad values which are not meant."""
    rows = sorted(swept.state)
    bad = [cell.bad_of(row) for row in rows]
    goes_in = [int(cell.special((*slots.inputs, *slots.weights))) for slots in bad]
    comes_out = [int(cell.special(slots.outputs)) for slots in bad]
    return CellTrack(
        key=cell.key,
        operators=len(cell.dump.operators),
        rows=np.array(rows, np.int32),
        goes_in=np.array(goes_in, np.uint8),
        comes_out=np.array(comes_out, np.uint8),
        undecided=len(cell.undecided_rows),
        decided=bool((cell.values.floating & cell.values.known).any()),
    )
