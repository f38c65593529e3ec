"""Plateaus at the largest finite number of a format: where a device in saturation mode wrote no Inf.

In saturation mode an Ascend device writes the largest finite number for an infinite result and 0 for NaN
(``aclrtFloatOverflowMode``; Ascend 910A knows no other mode), so that no Inf shows in a dump. A float32
product of two matrices is computed in float16 there, and stands at ±65504 too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, dtype_named
from core.overflow.births.cell import Cell
from core.overflow.births.excuses import arguments
from core.overflow.births.roles import CLAMPING
from core.overflow.special_values import CHUNK, open_slot
from core.records.dump import Known, SlotGroup
from core.records.overflow import Special

_SATURATING = tuple(DTYPES[name] for name in ("float16", "bfloat16", "float32"))
"""Formats whose limit a device may write for Inf (AscendC documentation of CTRL[48])."""
_CHANCE = 1e-8
"""Probability below which a plateau is no chance."""
_ROUNDING = 2.0**-10
"""Relative distance within which the golden may lie beyond the limit only by rounding."""
_MADE = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD)


@dataclass(frozen=True)
class Plateau:
    """A slot that stands at the limit of a format."""

    row: int
    slot: int
    format: str
    limit: float
    """The largest finite number of the format."""
    certain: bool
    """False: statistics alone cannot tell a plateau from a single element that happens to lie there."""
    at_limit: int = -1
    """Elements at ±limit; -1 when only statistics are known."""
    golden_beyond: int = -1
    """How many of them stand where the golden is infinite or beyond the limit."""
    zero_for_nan: int = -1
    """Elements that are 0 where the golden has NaN."""
    size: int = -1


def limits_of(dtype: DType) -> list[DType]:
    """Return the formats whose largest finite number a tensor of *dtype* can hold."""
    return [
        item for item in _SATURATING if item.maximum <= dtype.maximum and item.precision <= dtype.precision
    ]


def find_plateaus(cell: Cell) -> Iterator[Plateau]:
    """Yield the calls in which saturation begins: an output at a limit, no input and no argument there."""
    slots = cell.dump.slots
    formats = _format_of_slot(cell)
    at = np.flatnonzero(formats >= 0)
    if not len(at):
        return
    begun = set(np.unique(slots.operator[at[~np.isin(slots.group[at], _MADE)]]).tolist())
    seen = set[int]()
    for slot in at[np.isin(slots.group[at], _MADE)].tolist():
        row = int(slots.operator[slot])
        if row in begun or row in seen or cell.api(row) in CLAMPING or _is_argument(cell, row, formats[slot]):
            continue
        behind = cell.depends_on(row)
        if behind in begun or behind in seen:
            continue
        plateau = _judge(cell, row, slot, _SATURATING[formats[slot]])
        if plateau is not None:
            seen.add(row)
            yield plateau


def find_silenced(cell: Cell) -> Iterator[Plateau]:
    """Yield the calls in which NaN begins on the golden while the target has 0 wherever it stands."""
    golden = cell.golden
    if golden is None:
        return
    slots = cell.dump.slots
    partner = np.append(golden.values.special, np.uint8(0))[golden.slot]
    nan = ((partner & int(Special.NAN)) != 0) & cell.values.known & ~cell.bad
    made = np.isin(slots.group, _MADE)
    begun = set(np.unique(slots.operator[nan & ~made]).tolist())
    for slot in np.flatnonzero(nan & made).tolist():
        row = int(slots.operator[slot])
        dtype = dtype_named(cell.dump.dtype(slot))
        if row in begun or cell.depends_on(row) in begun or dtype is None:
            continue
        counted = _count(cell, slot, dtype)
        if counted is not None and counted.zero_for_nan == counted.golden_nan > 0:
            begun.add(row)
            yield Plateau(row, slot, dtype.name, 0.0, True, 0, 0, counted.zero_for_nan, counted.size)


def _format_of_slot(cell: Cell) -> NDArray[np.int64]:
    """Return for each slot the number of the format at whose limit an extreme stands, -1 for none."""
    slots = cell.dump.slots
    found = np.full(len(slots), -1)
    used = np.unique(slots.dtype)
    for text in used[used >= 0].tolist():
        dtype = dtype_named(cell.dump.strings[text])
        if dtype is None or not dtype.precision:
            continue
        here = np.flatnonzero((slots.dtype == text) & ~cell.bad)
        known = slots.known[here]
        for item in limits_of(dtype):
            high = ((known & Known.MAX) != 0) & (slots.max[here] == item.maximum)
            low = ((known & Known.MIN) != 0) & (slots.min[here] == -item.maximum)
            found[here[high | low]] = _SATURATING.index(item)
    return found


def _is_argument(cell: Cell, row: int, number: int) -> bool:
    """Whether the limit was asked for: a fill or a clamp."""
    return any(abs(value) >= _SATURATING[number].maximum for value in arguments(cell, row))


def _judge(cell: Cell, row: int, slot: int, form: DType) -> Plateau | None:
    golden = _golden_extremes(cell, slot)
    if golden is not None and golden <= form.maximum * (1 + _ROUNDING):
        return None  # the golden has such a number too, or none so large
    counted = _count(cell, slot, form)
    if counted is not None:
        certain = golden is not None or counted.beyond_chance
        if not certain:
            return None
        found = (counted.at_limit, counted.golden_beyond, counted.zero_for_nan, counted.size)
        return Plateau(row, slot, form.name, form.maximum, True, *found)
    both = bool(cell.dump.slots.max[slot] == form.maximum and cell.dump.slots.min[slot] == -form.maximum)
    return Plateau(row, slot, form.name, form.maximum, certain=golden is not None or both)


def _golden_extremes(cell: Cell, slot: int) -> float | None:
    """Return the largest magnitude of the golden in *slot*, inf for NaN too; ``None`` if it is not known."""
    if cell.golden is None:
        return None
    special = cell.golden.special(slot)
    if special is None:
        return None
    partner = int(cell.golden.slot[slot])
    slots = cell.golden.dump.slots
    if special != Special.NONE:
        return math.inf
    known = Known(int(slots.known[partner]))
    extremes = [
        abs(float(getattr(slots, name)[partner])) for name in ("max", "min") if known & Known[name.upper()]
    ]
    return max(extremes, default=None)


@dataclass
class _Counted:
    at_limit: int
    in_top_binade: int
    """Elements in the topmost binade below the limit."""
    golden_beyond: int
    zero_for_nan: int
    golden_nan: int
    size: int
    bins: int
    """Numbers that the format has in its topmost binade."""

    @property
    def beyond_chance(self) -> bool:
        """Whether more elements lie at the limit than chance puts there.

        The numbers in a binade are equally far apart; a density that falls gives the last of them no more
        than its share, so that its count is at most Poisson distributed around it.
        """
        if self.at_limit == self.size:  # a constant
            return False
        mean = max(self.in_top_binade, 1) / self.bins
        return poisson_tail(self.at_limit, mean) < _CHANCE


def poisson_tail(count: int, mean: float) -> float:
    """Return an upper bound of the probability of *count* or more events where *mean* are expected.

    The geometric bound of the series, ``P(k) / (1 - mean / (k + 1))``; 1 where *count* is not above *mean*.
    """
    if count <= mean:
        return 1.0
    logarithm = count * math.log(mean) - mean - math.lgamma(count + 1)
    return min(1.0, math.exp(logarithm) / (1 - mean / (count + 1)))


def _count(cell: Cell, slot: int, form: DType) -> _Counted | None:
    """Count the elements at the limit and what the golden has there; ``None`` without the target's tensor."""
    handle = open_slot(cell.dump, slot)
    if handle is None:
        return None
    partner = int(cell.golden.slot[slot]) if cell.golden is not None else -1
    other = open_slot(cell.golden.dump, partner) if cell.golden is not None and partner >= 0 else None
    if other is not None and other.size != handle.size:
        other.close()
        other = None
    none = 0 if other is not None else -1
    counted = _Counted(0, 0, none, none, none, handle.size, 1 << (form.precision - 1))
    limit = form.maximum
    binade = 2.0 ** math.floor(math.log2(limit))
    with handle:
        for start in range(0, handle.size, CHUNK):
            values = handle.flat(start, min(start + CHUNK, handle.size))
            size = np.abs(values)
            at = size == limit
            counted.at_limit += int(np.count_nonzero(at))
            counted.in_top_binade += int(np.count_nonzero((size >= binade) & ~at))
            if other is not None:
                golden = other.flat(start, min(start + CHUNK, handle.size)).astype(np.float64)
                counted.golden_beyond += int(np.count_nonzero(at & (np.abs(golden) > limit)))
                nan = np.isnan(golden)
                counted.golden_nan += int(np.count_nonzero(nan))
                counted.zero_for_nan += int(np.count_nonzero((values == 0) & nan))
    if other is not None:
        other.close()
    return counted
