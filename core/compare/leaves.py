"""Values that no dumped call has made: weights, data, masks; and differences that are only rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType
from core.match.flow import producers
from core.match.parameters import api_of, takes_parameter
from core.records.columns import Float64
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.records.names import Direction
from core.records.result import CellResult

Bool = NDArray[np.bool_]
Rows = NDArray[np.int64]

_GRIDS = ("float16", "bfloat16")
_ENTERING = (SlotGroup.INPUT, SlotGroup.KEYWORD, SlotGroup.PARAMETER)


class Leaves:
    """Which rows of a cell hold values from outside, and what those are."""

    def __init__(self, cell: CellResult) -> None:
        self._cell = cell
        rows = cell.rows
        self.producer_target = np.append(producers(cell.target), -1)[rows.target_slot]
        self.producer_golden = np.append(producers(cell.golden), -1)[rows.golden_slot]
        made = (self.producer_target >= 0) | (self.producer_golden >= 0)
        # Nothing from outside enters the backward pass; what has no producer there was not dumped.
        self.is_leaf: Bool = _entering(cell) & ~made
        slots = cell.target.slots
        parameter = np.append(slots.group == SlotGroup.PARAMETER, False)[rows.target_slot]
        trained = np.append(slots.requires_grad == 1, False)[rows.target_slot]
        self.is_parameter: Bool = parameter
        """Recorded as a parameter of a module, so nothing else."""
        self.is_trained: Bool = self.is_leaf & (parameter | trained)
        """Requires a gradient: a weight, or what calls that were not dumped have made of some."""

    def in_place_of_weight(self, row: int) -> bool:
        """Return whether the call takes a parameter, trained or not, at the place of *row*."""
        if self.is_parameter[row]:
            return True
        dump, slot = self._cell.target, int(self._cell.rows.target_slot[row])
        api = api_of(dump.operator_name(int(dump.slots.operator[slot])))
        return takes_parameter(api, int(dump.slots.group[slot]), dump.strings[int(dump.slots.path[slot])])

    def is_weight(self, row: int) -> bool:
        """Return whether *row* holds a weight that is trained, for certain."""
        return bool(self.is_trained[row]) and self.in_place_of_weight(row)

    def origin_of(self, row: int) -> str:
        """Return what a value from outside is: ``weights``, ``data``, or ``outside``.

        The last may be a weight or what calls that were not dumped have made.
        """
        return "weights" if self.is_weight(row) else "outside" if self.is_trained[row] else "data"

    def rounded_to(self, row: int) -> str:
        """Return the format that one side of *row* was rounded to and the other not; empty for none.

        Seen from the extremes: they lie on the format's grid on one side only, and rounding explains their
        difference.
        """
        rows = self._cell.rows
        sides = (
            (self._cell.target, int(rows.target_slot[row])),
            (self._cell.golden, int(rows.golden_slot[row])),
        )
        values = [_extremes(dump, slot) for dump, slot in sides]
        if len(values[0]) != len(values[1]) or not len(values[0]):
            return ""
        for name in _GRIDS:
            grid = DTYPES[name]
            if rows.error[row] > 2 * grid.unit_roundoff:
                continue
            on_grid = [bool(np.array_equal(_rounded(side, grid), side)) for side in values]
            coarse = np.abs(values[0] - values[1]) <= 2 * grid.unit_roundoff * np.abs(values[1])
            if on_grid[0] != on_grid[1] and coarse.all():
                return name
        return ""


def _entering(cell: CellResult) -> Bool:
    """Return the rows of tensors that go into a call both sides have, but for those of the backward pass."""
    rows, slots = cell.rows, cell.target.slots
    wanted = (slots.kind == SlotKind.TENSOR) & np.isin(slots.group, _ENTERING)
    wanted &= cell.target.operators.direction[slots.operator] != Direction.BACKWARD
    found: Bool = np.append(wanted, False)[rows.target_slot] & (rows.golden_slot >= 0)
    return found


def _extremes(dump: Dump, slot: int) -> Float64:
    known = Known(int(dump.slots.known[slot]))
    found = [float(getattr(dump.slots, name)[slot]) for name in ("max", "min") if known & Known[name.upper()]]
    return np.array([value for value in found if np.isfinite(value)])


def _rounded(values: Float64, dtype: DType) -> Float64:
    """Return *values* rounded to nearest even in the precision of *dtype*; its range does not matter here."""
    mantissa, exponent = np.frexp(values)
    scale = 2.0**dtype.precision
    return np.asarray(np.ldexp(np.rint(mantissa * scale) / scale, exponent))


def first_rows(cell: CellResult, rows: Rows) -> Rows:
    """Return those of *rows* whose target value was not among the rows before: its first use."""
    slots = cell.target.slots
    seen: set[tuple[float, ...]] = set()
    first = []
    for row in rows.tolist():
        slot = int(cell.rows.target_slot[row])
        key = tuple(float(getattr(slots, name)[slot]) for name in ("shape", "max", "min", "norm", "checksum"))
        if key not in seen:
            seen.add(key)
            first.append(row)
    return np.array(first, np.int64)
