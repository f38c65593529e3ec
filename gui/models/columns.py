"""The columns of the metric table: how each sorts, reads, and goes into a copy or an export."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.messages import text
from core.records.dump import Known, SlotKind
from core.records.result import CellResult, Evidence, Origin, Reason
from gui import numbers
from gui.models.categories import Category
from gui.models.details import slot_text
from gui.models.facts import Facts
from gui.models.table_column import Face, TableColumn


class Column(TableColumn[CellResult, Facts]):
    """A column of the metric table."""

    @property
    def title(self) -> str:
        return text(f"gui.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.column.{self.key}.help")


def _words(key: str, words: str, column: str, face: Face, width: int) -> Column:
    def sort(_cell: CellResult, facts: Facts) -> np.ndarray:
        place: np.ndarray = getattr(facts, words).place[getattr(facts, column)]
        return place

    def show(_cell: CellResult, facts: Facts, row: int) -> str:
        shown: str = getattr(facts, words)[int(getattr(facts, column)[row])]
        return shown

    return Column(key, face, width, sort, show, show)


def _metric(key: str, width: int, show: Callable[[float], str], largest_first: bool = True) -> Column:
    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)
        return values

    def shown(cell: CellResult, _facts: Facts, row: int) -> str:
        value = float(getattr(cell.rows, key)[row])
        return "" if np.isnan(value) else show(value)

    def plain(cell: CellResult, _facts: Facts, row: int) -> str:
        value = float(getattr(cell.rows, key)[row])
        return "" if np.isnan(value) else repr(value)

    return Column(key, Face.NUMBER, width, sort, shown, plain, largest_first)


def _count(key: str, width: int, largest_first: bool = True) -> Column:
    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)
        return values

    def shown(cell: CellResult, _facts: Facts, row: int) -> str:
        value = int(getattr(cell.rows, key)[row])
        return "" if value < 0 else numbers.grouped(value)

    def plain(cell: CellResult, _facts: Facts, row: int) -> str:
        value = int(getattr(cell.rows, key)[row])
        return "" if value < 0 else str(value)

    return Column(key, Face.NUMBER, width, sort, shown, plain, largest_first)


def _statistic(name: str, flag: Known) -> Column:
    """Return the column of one statistic that the target's dump has."""

    def values(cell: CellResult) -> np.ndarray:
        slots = cell.target.slots
        if not len(slots):
            return np.full(len(cell.rows), np.nan)
        there = (cell.rows.target_slot >= 0) & ((slots.known[cell.rows.target_slot] & flag) != 0)
        return np.where(there, getattr(slots, name)[cell.rows.target_slot], np.nan)

    def value(cell: CellResult, row: int) -> float | None:
        slot = int(cell.rows.target_slot[row])
        known = slot >= 0 and int(cell.target.slots.known[slot]) & flag
        return float(getattr(cell.target.slots, name)[slot]) if known else None

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        return values(cell)

    def show(cell: CellResult, _facts: Facts, row: int) -> str:
        found = value(cell, row)
        return "" if found is None else numbers.compact(found)

    def plain(cell: CellResult, _facts: Facts, row: int) -> str:
        found = value(cell, row)
        return "" if found is None else repr(found)

    return Column(f"target_{name}", Face.NUMBER, 96, sort, show, plain, True)


def _argument() -> Column:
    def show(cell: CellResult, _facts: Facts, row: int) -> str:
        slot = int(cell.rows.target_slot[row])
        tensor = slot >= 0 and cell.target.slots.kind[slot] == SlotKind.TENSOR
        return "" if tensor else slot_text(cell.target, slot)

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        slots = cell.target.slots.value
        return slots[cell.rows.target_slot] if len(slots) else np.zeros(len(cell.rows), np.int32)

    return Column("target_value", Face.NAME, 130, sort, show, show)


def _coded(
    key: str,
    kind: type[Reason] | type[Evidence] | type[Origin],
    face: Face,
    width: int,
    silent: Reason | Origin | None = None,
) -> Column:
    """Return the column of an enumeration; *silent* is the member that reads as nothing."""

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)
        return values

    def show(cell: CellResult, _facts: Facts, row: int) -> str:
        value = kind(int(getattr(cell.rows, key)[row]))
        return "" if value is silent else text(f"{key}.{value.name.lower()}")

    return Column(key, face, width, sort, show, show)


def _category_text(cell: CellResult, facts: Facts, row: int) -> str:
    reason = int(cell.rows.reason[row])
    if reason == Reason.TARGET_ONLY:
        return text("gui.tree.target_only")
    if reason == Reason.GOLDEN_ONLY:
        return text("gui.tree.golden_only")
    return Category(int(facts.category[row])).word


def verdict_tip(cell: CellResult, facts: Facts, row: int) -> str:
    """Return what the verdict of *row* means, and its reason."""
    reason = text(f"reason.{Reason(int(cell.rows.reason[row])).name.lower()}")
    return f"{Category(int(facts.category[row])).meaning}\n{text('gui.summary.why', reason=reason)}"


def _category_sort(_cell: CellResult, facts: Facts) -> np.ndarray:
    return facts.category


COLUMNS: tuple[Column, ...] = (
    _words("operator", "operators", "operator", Face.OPERATOR, 300),
    _words("golden_operator", "operators", "golden_operator", Face.OPERATOR, 260),
    _words("slot", "slots", "slot", Face.TEXT, 96),
    Column("verdict", Face.VERDICT, 136, _category_sort, _category_text, _category_text, True),
    _coded("reason", Reason, Face.DIM, 190, Reason.NONE),
    _metric("error", 92, numbers.scientific),
    _metric("allowed", 92, numbers.scientific),
    _metric("cosine", 92, numbers.cosine, largest_first=False),
    _metric("max_abs", 92, numbers.scientific),
    _coded("origin", Origin, Face.DIM, 86, Origin.UNKNOWN),
    _metric("rmse", 92, numbers.scientific),
    _metric("mae", 92, numbers.scientific),
    _metric("euclidean", 92, numbers.scientific),
    _metric("relative_l2", 92, numbers.scientific),
    _metric("max_rel", 92, numbers.scientific),
    _metric("share_below_1e3", 92, numbers.percent, largest_first=False),
    _metric("share_below_5e3", 92, numbers.percent, largest_first=False),
    _count("sign_flips", 92),
    _count("equal_count", 92, largest_first=False),
    _count("count", 92),
    _words("shape", "shapes", "shape", Face.DIM, 130),
    _words("dtype", "dtypes", "dtype", Face.DIM, 86),
    _coded("evidence", Evidence, Face.DIM, 80),
    _argument(),
    _statistic("max", Known.MAX),
    _statistic("min", Known.MIN),
    _statistic("mean", Known.MEAN),
    _statistic("norm", Known.NORM),
)
"""In their order from left to right."""

EXPLORED = (
    "operator", "slot", "shape", "dtype", "target_value", "target_max", "target_min", "target_mean",
    "target_norm",
)  # fmt: skip
"""What is shown of a run that nothing is compared with."""
