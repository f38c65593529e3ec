"""Which slots of a dump are asked about another number format, and what their record alone says of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, Kind, dtype_named
from core.match.flow import producers
from core.metrics.noise import NoiseTable
from core.overflow.headroom.exponents import Limits
from core.records.columns import ABSENT, Float64, Int64, UInt8
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.records.headroom import NO_EXPONENT, Answer, HeadroomTable, Role
from core.records.names import Direction
from core.records.overflow import Special
from core.records.result import Evidence

_EXTREMES = Known.MAX | Known.MIN


def select_rows(dump: Dump) -> HeadroomTable:
    """Return a row for each slot that the question is about, filled with what the dump's columns say.

    These are floating point outputs, parameters and gradients, and inputs whose value no output has.
    Empty tensors have none.
    """
    slots = dump.slots
    asked = (slots.kind == SlotKind.TENSOR) & _float_dtypes(dump)[slots.dtype] & (_sizes(dump) != 0)
    asked &= slots.group != SlotGroup.VALUE
    taken = slots.group <= SlotGroup.KEYWORD
    if (asked & taken).any():
        asked &= ~taken | (producers(dump) < 0)
    at = np.flatnonzero(asked)
    table = HeadroomTable.empty(len(at))
    table.slot[:] = at
    table.operator[:] = slots.operator[at]
    table.direction[:] = dump.operators.direction[table.operator]
    table.role[:] = _roles(slots.group[at], table.direction)
    table.count[:] = _sizes(dump)[at]
    return table


def fill_from_records(table: HeadroomTable, dump: Dump, limits: Limits) -> None:
    """Write into *table* what the four statistics of each slot tell; what they do not tell stays unknown."""
    slots = dump.slots
    known = slots.known[table.slot]
    high, low = slots.max[table.slot], slots.min[table.slot]
    has = (known & _EXTREMES) == _EXTREMES
    table.evidence[has] = Evidence.STATISTICS
    _note_special(table, has, high, low)
    finite = has & np.isfinite(high) & np.isfinite(low)
    sizes = np.abs(high), np.abs(low)
    peak = np.where(finite, np.maximum(*sizes), np.nan)
    table.peak[:] = peak
    table.top[:] = exponents_of(peak)
    table.headroom[:] = headroom_of(peak, limits)
    # Only where all numbers have one sign do the extremes say what the smallest magnitude is.
    one_sign = (low > 0) | (high < 0) | (table.count == 1)
    floor = np.where(one_sign, np.minimum(*sizes), 0.0)
    count = np.where(one_sign, table.count, ABSENT)
    extremes = peak, np.where(finite, np.minimum(*sizes), np.nan)
    _answer(table, "overflow", extremes, floor, count, limits.overflow, np.inf)
    _answer(table, "vanishing", extremes, floor, count, 0.0, limits.vanishing)
    _answer(table, "subnormal", extremes, floor, count, limits.vanishing, limits.normal)
    # One extreme may tell though the other is infinite.
    either = has & (_beyond(high, limits) | _beyond(low, limits))
    table.overflow[either & (table.overflow == Answer.UNKNOWN)] = Answer.SOME
    zero = peak == 0
    table.zeros[zero] = table.count[zero]
    table.zeros[finite & ((low > 0) | (high < 0))] = 0
    table.nan[finite] = table.infinite[finite] = 0
    _fill_from_norms(table, dump, limits)


def exponents_of(peak: Float64) -> NDArray[np.int16]:
    """Return floor(log2) of *peak*, :data:`NO_EXPONENT` where it is zero or NaN."""
    _, exponent = np.frexp(peak)
    return np.where((peak > 0) & np.isfinite(peak), exponent - 1, NO_EXPONENT).astype(np.int16)


def headroom_of(peak: Float64, limits: Limits) -> Float64:
    """Return the bits between *peak* and the largest number of the format; inf where all is zero."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(limits.maximum) - np.log2(peak))


def loss_gradient_of(dump: Dump) -> float:
    """Return the gradient that reaches the loss function, NaN where the record does not say.

    It is the one number that goes into the first backward call which gives out more than one number: what
    lies before it in the backward pass are calls that scale and average the loss.
    """
    slots = dump.slots
    sizes = _sizes(dump)
    backward = dump.operators.direction[slots.operator] == Direction.BACKWARD
    tensor = backward & (slots.kind == SlotKind.TENSOR) & _float_dtypes(dump)[slots.dtype]
    wide = np.flatnonzero(tensor & (slots.group == SlotGroup.OUTPUT) & (sizes > 1))
    if not len(wide):
        return float("nan")
    call = slots.operator[wide[0]]
    into = np.flatnonzero(tensor & (slots.operator == call) & (slots.group <= SlotGroup.KEYWORD))
    if len(into) != 1 or sizes[into[0]] != 1 or not slots.known[into[0]] & Known.MAX:
        return float("nan")
    return abs(float(slots.max[into[0]]))


def _float_dtypes(dump: Dump) -> NDArray[np.bool_]:
    """Return for each text of the dump whether it names a float format; the last entry is for ids of -1."""
    floats = np.zeros(len(dump.strings) + 1, np.bool_)
    for index in np.unique(dump.slots.dtype):
        if index >= 0:
            found = dtype_named(dump.strings[int(index)])
            floats[index] = found is not None and found.kind is Kind.FLOAT
    return floats


def _sizes(dump: Dump) -> Int64:
    """Return the number of elements of each slot, -1 where the dump does not tell."""
    return np.append(dump.shapes.sizes, ABSENT)[dump.slots.shape]


def _roles(groups: UInt8, directions: UInt8) -> UInt8:
    roles = np.full(len(groups), Role.OUTPUT, np.uint8)
    roles[groups <= SlotGroup.KEYWORD] = Role.INPUT
    roles[groups == SlotGroup.PARAMETER] = Role.PARAMETER
    backward = (groups == SlotGroup.OUTPUT) & (directions == Direction.BACKWARD)
    roles[backward | (groups == SlotGroup.PARAMETER_GRAD)] = Role.GRADIENT
    return roles


def _note_special(table: HeadroomTable, has: NDArray[np.bool_], high: Float64, low: Float64) -> None:
    for flag, found in (
        (Special.NAN, np.isnan(high) | np.isnan(low)),
        (Special.PLUS_INF, high == np.inf),
        (Special.MINUS_INF, low == -np.inf),
    ):
        table.special[has & found] |= np.uint8(flag)


def _beyond(values: Float64, limits: Limits) -> NDArray[np.bool_]:
    return np.isfinite(values) & (np.abs(values) >= limits.overflow)


def _answer(
    table: HeadroomTable,
    name: str,
    extremes: tuple[Float64, Float64],
    floor: Float64,
    count: Int64,
    above: float,
    end: float,
) -> None:
    """Answer how many magnitudes lie in a zone.

    Both *extremes* are magnitudes of elements, the first of them the largest of all. *floor* is a lower bound
    of all, and where *count* is not -1 it is the smallest of *count* magnitudes. The zones are (0, end] for
    zero, (above, end) for subnormal numbers, and [above, inf) for overflow.
    """
    peak, other = extremes

    def inside(values: Float64) -> NDArray[np.bool_]:
        if end == np.inf:
            return values >= above
        return (values > above) & (values <= end if above == 0 else values < end)

    exact = count >= 0
    beyond = (floor >= end) if above else (floor > end)
    none = (peak < above if end == np.inf else peak <= above) | (exact & beyond)
    # Zeros are in no zone: "all" counts those that are not zero, which lie above 0 and so in the lowest zone.
    every = inside(peak) & (exact & inside(floor) | (not above))
    some = inside(peak) | inside(other)
    answers = getattr(table, name)
    for answer, where in ((Answer.SOME, some), (Answer.ALL, every), (Answer.NONE, none & ~some)):
        answers[where] = answer
    counts = getattr(table, f"{name}_count")
    counts[none & ~some] = 0
    whole = every & exact
    counts[whole] = count[whole]


def _fill_from_norms(table: HeadroomTable, dump: Dump, limits: Limits) -> None:
    """Fill in the root mean square, and the bound of the share that overflows.

    At most norm^2 / (n T^2) of n numbers can have a magnitude of T or more: Chebyshev's inequality about
    zero. Dumpers round the norm to the slot's own format; the bound makes room for that.
    """
    norm = dump.slots.norm[table.slot]
    there = ((dump.slots.known[table.slot] & Known.NORM) > 0) & np.isfinite(norm) & (norm >= 0)
    there &= (table.count > 0) & (table.evidence == Evidence.STATISTICS)
    with np.errstate(divide="ignore"):
        table.rms[there] = np.log2(norm[there]) - 0.5 * np.log2(table.count[there])
    slack = _norm_slack(dump)[dump.slots.dtype[table.slot]]
    with np.errstate(over="ignore"):
        bound = (norm * (1 + slack) / limits.overflow) ** 2 / np.maximum(table.count, 1)
    some = there & (table.overflow == Answer.SOME)
    table.overflow_at_most[some] = np.clip(bound, 1 / np.maximum(table.count, 1), 1.0)[some]
    table.overflow_at_most[table.overflow == Answer.NONE] = 0.0
    table.overflow_at_most[table.overflow == Answer.ALL] = 1.0


def _norm_slack(dump: Dump) -> Float64:
    """Return for each dtype's text by how much a norm may be off; the last entry is for ids of -1."""
    noise = NoiseTable.default()
    slack = np.zeros(len(dump.strings) + 1)
    for index in np.unique(dump.slots.dtype):
        found: DType | None = dtype_named(dump.strings[int(index)]) if index >= 0 else None
        if found is not None:
            slack[index] = noise.of(found).norm_factor * found.unit_roundoff
    return slack
