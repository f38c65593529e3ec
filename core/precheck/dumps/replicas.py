"""Weights of several ranks after an update: replicas must still be equal, or nothing keeps them together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

import numpy as np

from core.match.flow import producers
from core.match.parameters import api_of, takes_parameter
from core.precheck.dumps.facts import RankWeights, Replicas
from core.progress import Work
from core.records.dump import STATISTICS, Dump, SlotGroup, SlotKind
from core.records.names import Direction
from core.records.run import CellKey

_MOST_RANKS = 4
"""Ranks that are read: the first, second, last and a middle one, so that replicas of any layout are there."""

ReadDump = Callable[[CellKey], Work[Dump]]


def replicas_of(cells: Iterable[CellKey], read: ReadDump) -> Work[Replicas | None]:
    """Return the weights of some ranks at the first step that was updated before; ``None`` without two ranks.

    *read* returns the dump of a cell. Step 0 is read only where the weights differ: it tells whether these
    ranks began with the same ones.
    """
    keys = sorted(cells)
    phase = keys[0].phase if keys else ""
    keys = [key for key in keys if key.phase == phase]
    for step in sorted({key.step for key in keys if key.step >= 1}):
        ranks = _some([key.rank for key in keys if key.step == step])
        if len(ranks) < 2:
            continue
        updated = yield from _weights(read, phase, step, ranks)
        first: tuple[RankWeights, ...] = ()
        there = [rank for rank in ranks if CellKey(phase, 0, rank) in keys]
        if len(there) > 1 and any(not np.array_equal(item.values, updated[0].values) for item in updated[1:]):
            first = yield from _weights(read, phase, 0, there)
        return Replicas(step, updated, first)
    return None


def _some(ranks: list[int]) -> list[int]:
    places = np.linspace(0, len(ranks) - 1, min(len(ranks), _MOST_RANKS - 1)).round().astype(int)
    return [ranks[place] for place in sorted({*places.tolist(), min(1, len(ranks) - 1)})]


def _weights(read: ReadDump, phase: str, step: int, ranks: list[int]) -> Work[tuple[RankWeights, ...]]:
    found = []
    for rank in ranks:
        dump = yield from read(CellKey(phase, step, rank))
        found.append(weights_of(dump, rank))
    return tuple(found)


def weights_of(dump: Dump, rank: int) -> RankWeights:
    """Return the weights that the forward calls of *dump* take."""
    slots = dump.slots
    wanted = (slots.kind == SlotKind.TENSOR) & (producers(dump) < 0)
    wanted &= np.isin(slots.group, (SlotGroup.INPUT, SlotGroup.KEYWORD, SlotGroup.PARAMETER))
    wanted &= dump.operators.direction[slots.operator] == Direction.FORWARD
    wanted &= (slots.known != 0) | (slots.checksum >= 0)
    names, looks, values = [], [], []
    for slot in np.flatnonzero(wanted).tolist():
        operator = dump.operator_name(int(slots.operator[slot]))
        path = dump.strings[int(slots.path[slot])]
        if not takes_parameter(api_of(operator), int(slots.group[slot]), path):
            continue
        names.append(f"{operator} {dump.slot_name(slot)}")
        looks.append(_number(dump.shape(slot), dump.dtype(slot)))
        numbers = [float(getattr(slots, name)[slot]) for name in STATISTICS]
        values.append(_number(numbers, dump.strings[int(slots.checksum[slot])]))
    return RankWeights(rank, tuple(names), np.array(looks, np.int64), np.array(values, np.int64))


def _number(*facts: object) -> int:
    """Return a number that is the same for the same *facts*, in every process."""
    digest = hashlib.blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
