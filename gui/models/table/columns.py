"""The columns of the metric table, slots as rows: all there are, in their order."""

from __future__ import annotations

import numpy as np

from core.messages import text
from core.records.dump import SlotKind
from core.records.result import CellResult, Evidence, Origin, Reason
from gui import numbers
from gui.models.call.details import slot_text
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.pair.remarks import note_of, noted
from gui.models.table.metric_column import Column, of_codes, of_counts, of_metric, of_words, spelled
from gui.models.table.statistic_columns import statistic_columns
from gui.models.table.table_column import Face
from gui.names import shown

_CATEGORIES = 256
"""More than there are, to put reason and category into one number."""


def _argument() -> Column:
    def show(cell: CellResult, _facts: Facts, row: int) -> str:
        slot = int(cell.rows.target_slot[row])
        tensor = slot >= 0 and cell.target.slots.kind[slot] == SlotKind.TENSOR
        return "" if tensor else slot_text(cell.target, slot)

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        slots = cell.target.slots.value
        return slots[cell.rows.target_slot] if len(slots) else np.zeros(len(cell.rows), np.int32)

    return Column("target_value", Face.NAME, 130, sort, show, show)


def _verdict() -> Column:
    def word(code: int) -> str:
        reason, category = divmod(code, _CATEGORIES)
        if reason == Reason.TARGET_ONLY:
            return text("gui.tree.target_only")
        if reason == Reason.GOLDEN_ONLY:
            return text("gui.tree.golden_only")
        return Category(category).word

    def codes(cell: CellResult, facts: Facts, rows: np.ndarray) -> np.ndarray:
        found: np.ndarray = cell.rows.reason[rows].astype(np.int64) * _CATEGORIES + facts.category[rows]
        return found

    def show(cell: CellResult, facts: Facts, row: int) -> str:
        return word(int(codes(cell, facts, np.array([row]))[0]))

    def many(cell: CellResult, facts: Facts, rows: np.ndarray) -> list[str]:
        return spelled(codes(cell, facts, rows), word)

    def sort(_cell: CellResult, facts: Facts) -> np.ndarray:
        return facts.category

    return Column("verdict", Face.VERDICT, 136, sort, show, show, True, many)


def verdict_tip(cell: CellResult, facts: Facts, row: int) -> str:
    """Return what the verdict of *row* means, and its reason."""
    reason = text(f"reason.{Reason(int(cell.rows.reason[row])).name.lower()}")
    why, category = facts.why_ignored(row), Category(int(facts.category[row]))
    meaning = text("gui.tip.ignored", reason=shown(why)) if why else category.meaning
    return f"{meaning}\n{text('gui.summary.why', reason=reason)}"


def _note() -> Column:
    def sort(_cell: CellResult, facts: Facts) -> np.ndarray:
        return noted(facts)

    def show(_cell: CellResult, facts: Facts, row: int) -> str:
        return note_of(facts, row)

    def many(_cell: CellResult, facts: Facts, rows: np.ndarray) -> list[str]:
        return [note_of(facts, row) if some else "" for row, some in zip(rows.tolist(), noted(facts)[rows])]

    return Column("note", Face.DIM, 150, sort, show, show, True, many)


COLUMNS: tuple[Column, ...] = (
    of_words("operator", "operators", "operator", Face.OPERATOR, 300),
    of_words("golden_operator", "operators", "golden_operator", Face.OPERATOR, 260),
    of_words("slot", "slots", "slot", Face.SLOT, 144),
    _verdict(),
    of_codes("reason", Reason, Face.DIM, 190, Reason.NONE),
    of_metric("error", 92, numbers.scientific),
    of_metric("allowed", 92, numbers.scientific),
    of_metric("cosine", 92, numbers.cosine, largest_first=False),
    of_metric("max_abs", 92, numbers.scientific),
    of_codes("origin", Origin, Face.DIM, 86, Origin.UNKNOWN),
    _note(),
    of_metric("rmse", 92, numbers.scientific),
    of_metric("mae", 92, numbers.scientific),
    of_metric("euclidean", 92, numbers.scientific),
    of_metric("relative_l2", 92, numbers.scientific),
    of_metric("max_rel", 92, numbers.scientific),
    of_metric("share_below_1e3", 92, numbers.percent, largest_first=False),
    of_metric("share_below_5e3", 92, numbers.percent, largest_first=False),
    of_counts("sign_flips", 92),
    of_counts("equal_count", 92, largest_first=False),
    of_counts("count", 92),
    of_words("shape", "shapes", "shape", Face.DIM, 130),
    of_words("golden_shape", "shapes", "golden_shape", Face.DIM, 130),
    of_words("dtype", "dtypes", "dtype", Face.DIM, 86),
    of_words("golden_dtype", "dtypes", "golden_dtype", Face.DIM, 100),
    of_codes("evidence", Evidence, Face.DIM, 80),
    _argument(),
    *statistic_columns(),
)
"""In their order from left to right."""

PLACES = {column.key: place for place, column in enumerate(COLUMNS)}
"""Where each column is among them, by its key."""
