"""Infinities that are meant: masks, logarithms of zero that are selected away, memory not yet written."""

from __future__ import annotations

import math
from enum import StrEnum

from core.dtypes import DType, dtype_named
from core.overflow.births.cell import Cell
from core.overflow.births.roles import LOGARITHMS, MASKING, SELECTING, UNINITIALISED
from core.records.dump import Known, SlotGroup, SlotKind
from core.records.names import OperatorKind
from core.records.overflow import Special

_MASK = 1e9
"""Magnitude from which a negative number is a mask's; models add −1e9 or the smallest number of a format."""
_NEAR_LIMIT = 0.99
"""Share of a format's largest number from which a number of that format is taken for a mask's."""


class Excuse(StrEnum):
    """Why special values may be meant. The catalogue code is ``overflow.excuse.<value>``."""

    FILL = "fill"
    """Inf stands among the arguments."""
    NAN_FILL = "nan_fill"
    """NaN stands among the arguments; meant only if nobody reads it."""
    LOG_OF_ZERO = "log_of_zero"
    MASK_ARITHMETIC = "mask_arithmetic"
    """A large negative number is made larger or cast to a narrower format."""
    SELECTED = "selected"
    """All that follow leave the bad elements out."""
    UNINITIALISED = "uninitialised"
    OUTSIDE_MASK = "outside_mask"
    """−Inf from outside of the dumped calls, in the place of a mask."""

    @property
    def only_unread(self) -> bool:
        """Whether the values are meant only as long as no call reads them."""
        return self in (Excuse.NAN_FILL, Excuse.UNINITIALISED)

    @property
    def deliberate(self) -> bool:
        """Whether Inf is meant even where something bad follows from it: the call that turns it into NaN is
        to blame then.
        """
        return self in (Excuse.FILL, Excuse.MASK_ARITHMETIC, Excuse.OUTSIDE_MASK)


def excuse_for(cell: Cell, row: int, values: Special) -> Excuse | None:
    """Return why the call *row*, whose inputs are finite, may put *values* into its outputs."""
    if cell.kind(row) is OperatorKind.API:
        api = cell.api(row)
        if api in UNINITIALISED:
            return Excuse.UNINITIALISED
        if values in (Special.PLUS_INF, Special.MINUS_INF) and _has_argument(cell, row, values):
            return Excuse.FILL
        if values == Special.NAN and any(math.isnan(value) for value in arguments(cell, row)):
            return Excuse.NAN_FILL
        if values == Special.MINUS_INF and api in LOGARITHMS and _reaches_zero(cell, row, api):
            return Excuse.LOG_OF_ZERO
        if values == Special.MINUS_INF and api in MASKING and _takes_mask_number(cell, row):
            return Excuse.MASK_ARITHMETIC
    return Excuse.SELECTED if _selected_away(cell, row) else None


def _inputs(cell: Cell, row: int) -> list[int]:
    return [slot for slot in cell.dump.slots_of(row) if cell.dump.slots.group[slot] <= SlotGroup.KEYWORD]


def _argument(cell: Cell, slot: int) -> float | None:
    """Return the number in an argument's slot; ``None`` if it is no number."""
    dump = cell.dump
    if dump.slots.kind[slot] != SlotKind.ARGUMENT:
        return None
    value = dump.argument(slot)
    if isinstance(value, str) and value.lstrip("+-").lower() in ("inf", "infinity", "nan"):
        return float(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def arguments(cell: Cell, row: int) -> list[float]:
    """Return the numbers among the arguments of call *row*."""
    found = [_argument(cell, slot) for slot in _inputs(cell, row)]
    return [value for value in found if value is not None]


def _has_argument(cell: Cell, row: int, values: Special) -> bool:
    wanted = math.inf if values == Special.PLUS_INF else -math.inf
    return wanted in arguments(cell, row)


def _reaches_zero(cell: Cell, row: int, api: str) -> bool:
    zero = -1.0 if api.startswith("log1p") else 0.0
    slots = cell.dump.slots
    return any(
        bool(slots.known[slot] & Known.MIN) and slots.min[slot] == zero
        for slot in _inputs(cell, row)
        if slots.kind[slot] == SlotKind.TENSOR
    )


def _takes_mask_number(cell: Cell, row: int) -> bool:
    slots = cell.dump.slots
    outputs = [
        dtype
        for slot in cell.dump.slots_of(row)
        if slots.group[slot] == SlotGroup.OUTPUT and (dtype := dtype_named(cell.dump.dtype(slot)))
    ]
    for slot in _inputs(cell, row):
        if slots.kind[slot] == SlotKind.TENSOR and slots.known[slot] & Known.MIN:
            # A number that is only large for a narrower output is an activation that does not fit.
            own = [dtype for dtype in outputs if dtype is dtype_named(cell.dump.dtype(slot))]
            if _is_mask_number(float(slots.min[slot]), own):
                return True
        value = _argument(cell, slot)
        if value is not None and _is_mask_number(value, outputs):
            return True
    return False


def _is_mask_number(value: float, formats: list[DType]) -> bool:
    """Whether *value* is a mask's: far below all activations, or the smallest number of one of *formats*."""
    limits = [dtype.maximum for dtype in formats if dtype.maximum]
    return value <= -_MASK or any(value <= -_NEAR_LIMIT * limit for limit in limits)


def _selected_away(cell: Cell, row: int) -> bool:
    """Whether all that take the bad outputs of *row* can leave elements out, and give out finite ones."""
    takers = [row for row in cell.takers(row) if cell.kind(row) is OperatorKind.API and row in cell.bad_slots]
    if not takers:
        return False
    return all(
        cell.api(taker) in SELECTING and taker not in cell.movements and not cell.bad_slots[taker].outputs
        for taker in takers
    )
