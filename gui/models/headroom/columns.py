"""The columns of the headroom table: how each sorts and reads; what is not known is said and is not 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.dtypes import dtype_named
from core.messages import text
from core.records.dump import Dump, SlotGroup
from core.records.headroom import Answer, HeadroomTable
from core.records.overflow import Special
from core.records.result import Evidence
from gui import numbers
from gui.models.call.details import pool_text
from gui.models.table.table_column import Face, TableColumn


class RoomColumn(TableColumn[HeadroomTable, Dump]):
    """A column of the headroom table."""

    @property
    def title(self) -> str:
        return text(f"gui.headroom.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.headroom.column.{self.key}.help")


def share_text(share: float) -> str:
    """Return a share in per cent with three digits after the point; what is no zero does not read as one."""
    if share == 0:
        return "0"
    if share < 5e-6:
        return f"< 0.001{numbers.THIN_SPACE}%"
    rounded = f"{share * 100:.3f}"
    return f"{'> 99.999' if rounded == '100.000' and share < 1 else rounded}{numbers.THIN_SPACE}%"


def share_of(rows: HeadroomTable, fate: str, row: int) -> float:
    """Return which share of the elements of *row* meets *fate*, NaN where that is not known."""
    met, count = int(getattr(rows, f"{fate}_count")[row]), int(rows.count[row])
    return met / count if met >= 0 and count > 0 else float("nan")


def fate_text(rows: HeadroomTable, fate: str, row: int) -> str:
    """Return how much of *row* meets *fate* (``overflow``, ``vanishing``, ``subnormal``).

    What is infinite already does not overflow any more: that is said, and not counted as nothing.
    """
    if fate == "overflow" and is_infinite(rows, row) and is_quiet(rows, fate, row):
        infinite = int(rows.infinite[row])
        if infinite < 0:
            return text("headroom.infinite.some")
        return text("headroom.infinite", count=infinite, infinite=numbers.grouped(infinite))
    share = share_of(rows, fate, row)
    if share == share:
        return share_text(share)
    answer = Answer(int(getattr(rows, fate)[row]))
    most = float(rows.overflow_at_most[row])
    if answer is Answer.SOME and fate == "overflow" and most < 1:
        return f"≤ {share_text(most)}"
    return text(f"headroom.answer.{answer.name.lower()}")


def is_quiet(rows: HeadroomTable, fate: str, row: int) -> bool:
    """Whether nothing is known of *fate*, or it is known that no element meets it."""
    return int(getattr(rows, fate)[row]) <= Answer.NONE


def is_infinite(rows: HeadroomTable, row: int) -> bool:
    """Whether *row* holds infinities already."""
    return bool(int(rows.special[row]) & (Special.PLUS_INF | Special.MINUS_INF))


def call_name(rows: HeadroomTable, dump: Dump, row: int) -> str:
    """Return the name of the call that *row* belongs to."""
    return pool_text(dump.strings, int(dump.operators.name[rows.operator[row]]))


def slot_name(rows: HeadroomTable, dump: Dump, row: int) -> str:
    """Return the name of the slot of *row*, as ``output.0``."""
    slot = int(rows.slot[row])
    label = SlotGroup(int(dump.slots.group[slot])).label
    path = pool_text(dump.strings, int(dump.slots.path[slot]))
    return f"{label}.{path}" if path else label


def dtype_name(rows: HeadroomTable, dump: Dump, row: int) -> str:
    """Return the number format of *row*, as ``float32``."""
    name = pool_text(dump.strings, int(dump.slots.dtype[rows.slot[row]]))
    known = dtype_named(name)
    return known.name if known else name


def _evidence_of(rows: HeadroomTable, _dump: Dump, row: int) -> str:
    return text(f"evidence.{Evidence(int(rows.evidence[row])).name.lower()}")


def _number(key: str, column: str, width: int, write: Callable[[float], str], largest: bool) -> RoomColumn:
    def sort(rows: HeadroomTable, _dump: Dump) -> np.ndarray:
        values: np.ndarray = getattr(rows, column)
        return values

    def show(rows: HeadroomTable, _dump: Dump, row: int) -> str:
        value = float(getattr(rows, column)[row])
        return text("headroom.answer.unknown") if value != value else write(value)

    def plain(rows: HeadroomTable, _dump: Dump, row: int) -> str:
        value = float(getattr(rows, column)[row])
        return "" if value != value else repr(value)

    return RoomColumn(key, Face.NUMBER, width, sort, show, plain, largest)


def _fate(key: str) -> RoomColumn:
    def sort(rows: HeadroomTable, _dump: Dump) -> np.ndarray:
        answer = getattr(rows, key)
        values = rows.share(getattr(rows, f"{key}_count"))
        told = np.isnan(values)
        # where no share is known, all is 1, none is 0, and some lies just above what is none
        values = np.where(told & (answer == Answer.ALL), 1.0, values)
        values = np.where(told & (answer == Answer.NONE), 0.0, values)
        if key == "overflow":  # what is beyond the format already goes with what would be
            infinite = (rows.special & (Special.PLUS_INF | Special.MINUS_INF)) != 0
            values = np.where(infinite, np.fmax(values, rows.share(rows.infinite)), values)
            values = np.where(infinite & ~(values > 0), 1e-12, values)
        return np.where(told & (answer == Answer.SOME), 1e-12, values)

    def show(rows: HeadroomTable, _dump: Dump, row: int) -> str:
        return fate_text(rows, key, row)

    def plain(rows: HeadroomTable, _dump: Dump, row: int) -> str:
        share = share_of(rows, key, row)
        told = share == share and not (key == "overflow" and is_infinite(rows, row))
        return repr(share) if told else fate_text(rows, key, row)

    return RoomColumn(key, Face.NUMBER, 106, sort, show, plain, True)


def _operator_sort(rows: HeadroomTable, _dump: Dump) -> np.ndarray:
    return rows.operator


def _slot_sort(rows: HeadroomTable, dump: Dump) -> np.ndarray:
    slots = dump.slots
    return slots.group[rows.slot].astype(np.int64) * (len(dump.strings) + 1) + slots.path[rows.slot]


def _dtype_sort(rows: HeadroomTable, dump: Dump) -> np.ndarray:
    return dump.slots.dtype[rows.slot]


def _evidence_sort(rows: HeadroomTable, _dump: Dump) -> np.ndarray:
    return rows.evidence


def _bits(value: float) -> str:
    """Return bits of headroom; a tensor of zeros has all there are."""
    return "∞" if value == float("inf") else f"{value:.1f}".replace("-", numbers.MINUS)


def _largest(value: float) -> str:
    return numbers.compact(value, 4)


ROOM_COLUMNS: tuple[RoomColumn, ...] = (
    RoomColumn("operator", Face.OPERATOR, 300, _operator_sort, call_name, call_name),
    RoomColumn("slot", Face.TEXT, 104, _slot_sort, slot_name, slot_name),
    RoomColumn("dtype", Face.DIM, 78, _dtype_sort, dtype_name, dtype_name),
    _number("bits", "headroom", 108, _bits, largest=False),
    _number("largest", "peak", 96, _largest, largest=True),
    _fate("overflow"),
    _fate("vanishing"),
    _fate("subnormal"),
    RoomColumn("evidence", Face.DIM, 84, _evidence_sort, _evidence_of, _evidence_of),
)
"""In their order from left to right."""
BITS = 3
"""The column of :data:`ROOM_COLUMNS` that the table is sorted by at first."""
FATES = ("overflow", "vanishing", "subnormal")
