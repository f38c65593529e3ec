"""How much room the values of a dump leave in a narrower format, and which loss scale fits its gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from core.compare.contradictions import Claim, claim_of, refuse_contradicting
from core.dtypes import DTYPES, DType, Kind
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.overflow.headroom.exponents import CHUNK, Limits, MagnitudeCounter, Magnitudes, limits_of
from core.overflow.headroom.rows import (
    exponents_of,
    fill_from_records,
    headroom_of,
    loss_gradient_of,
    select_rows,
)
from core.progress import Progress, Work
from core.records.columns import Int64
from core.records.dump import Dump
from core.records.headroom import (
    BINS,
    Answer,
    GradientExponents,
    Headroom,
    HeadroomTable,
    LargestGradient,
    Role,
    UInt32,
)
from core.records.overflow import Special
from core.records.result import Evidence
from core.records.run import CellKey
from core.store.tensor_bytes import TensorPlace, place_of
from core.workers.together import Tickets, together

FLOAT16 = DTYPES["float16"]
ONLY_CELL = CellKey("", 0, 0)
_TELL_AFTER = 0.05
"""Seconds of work between two words of progress: that is how quickly it can be cancelled."""
_OPENING_COST = 200_000
"""What opening a tensor costs, in bytes that could be counted meanwhile."""
_WORTH_PROCESSES = 512 << 20
"""Bytes from which starting a process, a third of a second, pays."""
_MOST = np.iinfo(np.uint32).max


@dataclass(frozen=True, slots=True)
class _Asked:
    """A tensor to be read for a row; picklable, for workers."""

    row: int
    place: TensorPlace
    claim: Claim


@dataclass(frozen=True, slots=True)
class _Found:
    """What a row's tensor holds, or why it could not be read."""

    row: int
    magnitudes: Magnitudes | None
    problem: Problem | None = None


def measure_headroom(
    dump: Dump, key: CellKey = ONLY_CELL, target: DType = FLOAT16, processes: int = 1
) -> Work[Headroom]:
    """Find out what would happen to the values of *dump* in the format *target*.

    Tensors are counted element by element; where a dump has only statistics, these say what they can. A
    tensor that cannot be read costs its row the counts: what its statistics say stays.

    Parameters
    ----------
    key
        Which cell the dump is, for reports.
    target
        fp16, bf16 or another float whose largest significand is all ones.
    processes
        How many may read tensors at the same time.

    Raises
    ------
    ValueError
        If *target* is no such format.
    """
    limits = limits_of(target)
    yield Progress(0, 0, Message("progress.headroom"))
    table = select_rows(dump)
    fill_from_records(table, dump, limits)
    yield Progress(0, 0, Message("progress.headroom"))
    asked = [
        _Asked(row, place, claim_of(dump, slot))
        for row, slot in enumerate(table.slot.tolist())
        if dump.slots.file[slot] >= 0 and (place := place_of(dump, slot)) is not None
    ]
    cost = sum(max(item.place.size, 0) + _OPENING_COST for item in asked)
    helpers = min(processes - 1, cost // _WORTH_PROCESSES)
    tickets = Tickets() if helpers else _Counter()
    call = (_count, (asked, limits, tickets))
    parts = yield from together(_count(asked, limits, tickets), [call] * helpers)
    found = sorted((item for part in parts for item in part), key=lambda item: item.row)
    histograms, gradients = _fill(table, found, limits)
    return Headroom(
        key,
        target.name,
        len(dump.operators),
        table,
        histograms,
        gradients,
        loss_gradient_of(dump),
        _largest_gradient(table, dump, key),
        tuple(item.problem for item in found if item.problem is not None),
    )


def _largest_gradient(table: HeadroomTable, dump: Dump, key: CellKey) -> LargestGradient | None:
    rows = np.flatnonzero((table.role == Role.GRADIENT) & ~np.isnan(table.peak))
    if not len(rows):
        return None
    row = int(rows[np.argmax(table.peak[rows])])
    operator = dump.operator_name(int(table.operator[row]))
    return LargestGradient(key, operator, dump.slot_name(int(table.slot[row])), float(table.peak[row]))


def tightest(headroom: Headroom, n: int) -> Int64:
    """Return up to *n* rows of ``headroom.rows``, those with the least headroom first.

    Rows without a known largest magnitude are left out, as are those that are all zero.
    """
    bits = headroom.rows.headroom
    known = np.flatnonzero(np.isfinite(bits))
    return np.asarray(known[np.argsort(bits[known], kind="stable")][:n], np.int64)


class _Counter:
    """Tickets for one process alone."""

    def __init__(self) -> None:
        self._next = 0

    def take(self, count: int) -> int:
        first, self._next = self._next, self._next + count
        return first


def _count(asked: Sequence[_Asked], limits: Limits, tickets: Tickets | _Counter) -> Work[list[_Found]]:
    """Count the elements of those tensors of *asked* that *tickets* gives to this process."""
    found = []
    told = perf_counter()
    while (number := tickets.take(1)) < len(asked):
        item = asked[number]
        try:
            with item.place.open() as tensor:
                refuse_contradicting(tensor, item.claim)
                if tensor.stored.kind is not Kind.FLOAT:
                    continue
                counter = MagnitudeCounter(tensor.stored, limits)
                for _ in _add_all(tensor, counter):
                    if perf_counter() - told > _TELL_AFTER:
                        yield Progress(number, len(asked), Message("progress.headroom"))
                        told = perf_counter()
                found.append(_Found(item.row, counter.result()))
        except InputError as error:
            found.append(_Found(item.row, None, error.problem))
    return found


def _add_all(tensor: TensorHandle, counter: MagnitudeCounter) -> Iterator[None]:
    for start in range(0, tensor.size, CHUNK):
        counter.add(tensor.flat_bits(start, min(start + CHUNK, tensor.size)))
        yield


def _fill(table: HeadroomTable, found: list[_Found], limits: Limits) -> tuple[UInt32, GradientExponents]:
    """Write what was counted into *table*; return the histograms, and the sum over all gradients."""
    counted = [(item.row, item.magnitudes) for item in found if item.magnitudes is not None]
    sums = np.zeros((3, BINS), np.int64)
    histograms = np.zeros((len(counted), BINS), np.uint32)
    at = np.array([row for row, _ in counted], np.int64)
    table.histogram[at] = np.arange(len(at))
    table.evidence[at] = Evidence.FULL
    for name, of in (("zeros", "zeros"), ("nan", "nan"), ("infinite", "infinite"), ("count", "count"),
                     ("overflow_count", "overflow"), ("vanishing_count", "vanishing"),
                     ("subnormal_count", "subnormal"), ("peak", "peak"), ("rms", "rms")):  # fmt: skip
        column = getattr(table, name)
        column[at] = np.array([getattr(magnitudes, of) for _, magnitudes in counted], column.dtype)
    for position, (row, magnitudes) in enumerate(counted):
        histograms[position] = np.minimum(magnitudes.exponents, _MOST)
        table.special[row] = _special(magnitudes)
        if table.role[row] == Role.GRADIENT:
            sums += magnitudes.exponents, magnitudes.powers, magnitudes.late
    table.top[at] = exponents_of(table.peak[at])
    table.headroom[at] = headroom_of(table.peak[at], limits)
    nonzero = (table.count - table.zeros - table.nan - table.infinite)[at]
    for name in ("overflow", "vanishing", "subnormal"):
        counts = getattr(table, f"{name}_count")[at]
        getattr(table, name)[at] = np.where(
            counts == 0, Answer.NONE, np.where(counts == nonzero, Answer.ALL, Answer.SOME)
        )
    table.overflow_at_most[at] = table.share(table.overflow_count)[at]
    gradients = table.role == Role.GRADIENT
    read = int(np.count_nonzero(gradients & (table.histogram >= 0)))
    return histograms, GradientExponents(sums[0], sums[1], sums[2], int(np.count_nonzero(gradients)), read)


def _special(magnitudes: Magnitudes) -> Special:
    special = Special.NAN if magnitudes.nan else Special.NONE
    special |= Special.PLUS_INF if magnitudes.positive_infinite else Special.NONE
    return special | (Special.MINUS_INF if magnitudes.negative_infinite else Special.NONE)
