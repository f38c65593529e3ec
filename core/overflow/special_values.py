"""Which slots hold NaN or Inf: told by the statistics where they can, by the tensors where they cannot."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind, dtype_named
from core.errors import InputError
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import Float64, UInt8
from core.records.dump import Dump, Known, SlotKind
from core.records.overflow import Special
from core.store.tensor_bytes import place_of

Bool = NDArray[np.bool_]

CHUNK = 1 << 16
"""Elements looked at together."""
_SECONDS_BETWEEN = 0.05
_EXTREMES = int(Known.MAX | Known.MIN)


@dataclass(frozen=True)
class SlotValues:
    """What is known of each slot of a dump, a row a slot."""

    special: UInt8
    """:class:`Special`: NaN and Inf. Beside a NaN, statistics hide whether there is Inf too."""
    known: Bool
    """Whether the dump tells; True for what cannot be special, as integers and arguments."""
    floating: Bool
    """Tensors of floating point or complex numbers."""


def special_values(dump: Dump, *, read_tensors: bool = True) -> Work[tuple[Dump, SlotValues]]:
    """Return which slots of *dump* hold NaN or Inf, and the dump with the statistics that had to be read.

    Maximum and minimum tell: both are NaN where a tensor has one, and infinite where it has Inf. Mean and
    norm do not: in a half format they overflow on their own. Tensors are read where the statistics are
    missing, unless *read_tensors* is False.
    """
    slots = dump.slots
    floating = _floating(dump)
    told = floating & ((slots.known & _EXTREMES) == _EXTREMES)
    special = np.where(told, _of_extremes(slots.max, slots.min), np.uint8(0))
    # Finite extremes beside a norm that is NaN: a kernel that passes NaN over when it looks for extremes.
    passed_over = told & (special == 0) & ((slots.known & Known.NORM) != 0) & np.isnan(slots.norm)
    special[passed_over] = Special.NAN
    # A finite norm is the norm of finite numbers.
    calm = floating & ~told & ((slots.known & Known.NORM) != 0) & np.isfinite(slots.norm)
    empty = floating & (np.append(dump.shapes.sizes, -1)[slots.shape] == 0)
    known = ~floating | told | calm | empty
    unread = np.flatnonzero(~known & (slots.file_size >= 0))
    if read_tensors and len(unread):
        dump = yield from _read(dump, unread, special, known)
    return dump, SlotValues(special, known, floating)


def _floating(dump: Dump) -> Bool:
    kinds = [dtype_named(name) for name in dump.strings] if len(dump.slots) else []
    is_float = np.array(
        [dtype is not None and dtype.kind in (Kind.FLOAT, Kind.COMPLEX) for dtype in kinds] + [False], bool
    )
    found: Bool = (dump.slots.kind == SlotKind.TENSOR) & is_float[dump.slots.dtype]
    return found


def _of_extremes(high: Float64, low: Float64) -> UInt8:
    found = np.zeros(len(high), np.uint8)
    found[np.isnan(high) | np.isnan(low)] |= int(Special.NAN)
    found[np.isposinf(high) | np.isposinf(low)] |= int(Special.PLUS_INF)
    found[np.isneginf(high) | np.isneginf(low)] |= int(Special.MINUS_INF)
    return found


def _read(dump: Dump, rows: NDArray[np.int64], special: UInt8, known: Bool) -> Work[Dump]:
    """Fill *special* and *known* of *rows* from their tensors; return the dump with extremes and norms."""
    slots = dump.slots
    columns = {name: getattr(slots, name).copy() for name in ("known", "max", "min", "norm")}
    last = time.monotonic()
    for done, slot in enumerate(rows.tolist()):
        counts = count_special(dump, slot)
        if counts is not None:
            special[slot] = counts.values
            known[slot] = True
            columns["known"][slot] |= int(Known.MAX | Known.MIN | Known.NORM)
            columns["max"][slot], columns["min"][slot], columns["norm"][slot] = counts.statistics
        if time.monotonic() - last >= _SECONDS_BETWEEN:
            last = time.monotonic()
            yield Progress(done, len(rows), Message("progress.special_values"))
    return replace(dump, slots=replace(slots, **columns))


@dataclass(frozen=True, slots=True)
class SpecialCounts:
    """How many elements of a tensor are special."""

    nan: int
    plus_inf: int
    minus_inf: int
    size: int
    high: float
    """Largest and smallest finite element, the root of the sum of their squares; of complex numbers the
    parts. An empty range is inf and -inf the wrong way round."""
    low: float
    norm: float

    @property
    def statistics(self) -> tuple[float, float, float]:
        """Maximum, minimum and norm of all elements, as a dumper has them."""
        if self.nan:
            return math.nan, math.nan, math.nan
        high = math.inf if self.plus_inf else self.high if self.low <= self.high else -math.inf
        low = -math.inf if self.minus_inf else self.low if self.low <= self.high else math.inf
        return high, low, math.inf if self.plus_inf or self.minus_inf else self.norm

    @property
    def values(self) -> Special:
        """The classes that occur."""
        found = Special.NAN if self.nan else Special.NONE
        found |= Special.PLUS_INF if self.plus_inf else Special.NONE
        return found | (Special.MINUS_INF if self.minus_inf else Special.NONE)


def open_slot(dump: Dump, slot: int) -> TensorHandle | None:
    """Map the tensor of row *slot*; ``None`` if it is not there or cannot be read."""
    place = place_of(dump, slot)
    try:
        return place.open() if place is not None else None
    except InputError:
        return None


def count_special(dump: Dump, slot: int) -> SpecialCounts | None:
    """Count the special elements of the tensor in row *slot*; ``None`` if it cannot be read."""
    handle = open_slot(dump, slot)
    if handle is None:
        return None
    nan = plus = minus = 0
    high, low, squares = -math.inf, math.inf, 0.0
    with handle:
        for chunk in handle.chunks(CHUNK):
            parts = chunk.view(chunk.real.dtype) if np.iscomplexobj(chunk) else chunk
            finite = np.isfinite(parts)
            if not finite.all():
                odd = parts[~finite]
                nan += int(np.isnan(odd).sum())
                plus += int(np.isposinf(odd).sum())
                minus += int(np.isneginf(odd).sum())
                parts = parts[finite]
            if parts.size:
                high, low = max(high, float(parts.max())), min(low, float(parts.min()))
                squares += float(np.square(parts, dtype=np.float64).sum())
        return SpecialCounts(nan, plus, minus, handle.size, high, low, math.sqrt(squares))
