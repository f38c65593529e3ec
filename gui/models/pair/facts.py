"""What the table, the tree and the plot show of a cell, worked out once beside the data.

Both dumps' ids are merged into ids of unique texts, so that sorting and filtering a million rows are
operations on integer columns. Made in the worker that read the cell; imports no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.dtypes import dtype_named
from core.records.columns import ABSENT, Int32, Int64, ShapePool, StringPool, UInt8
from core.records.dump import Dump, SlotGroup
from core.records.result import CellResult
from gui.models.pair.categories import Category, categories
from gui.models.pair.texts import Texts, in_natural_order
from gui.models.tree.hierarchy import Hierarchy, build_hierarchy


@dataclass(frozen=True)
class Words:
    """Unique texts of a column, and for each its place in natural order ("conv2" before "conv10")."""

    texts: Texts
    place: Int32

    @classmethod
    def of(cls, texts: list[str]) -> Words:
        """Pack and order *texts*."""
        packed = Texts.of(texts)
        # the id of "absent" is -1 and sorts first
        return cls(packed, np.append(in_natural_order(packed), np.int32(ABSENT)))

    def __getitem__(self, index: int) -> str:
        return self.texts[index] if index >= 0 else ""


@dataclass(frozen=True)
class Calls:
    """Pairs of operator calls: neighbours in the row table with the same two operators."""

    first_row: Int32
    category: UInt8
    """The worst of its rows."""

    def __len__(self) -> int:
        return len(self.first_row)


@dataclass(frozen=True)
class Facts:
    """Columns over the rows of one cell; ids point into the :class:`Words` beside them."""

    category: UInt8
    is_output: np.ndarray
    operators: Words
    operator: Int32
    """The target's name, or the golden's for a call that only it has."""
    golden_operator: Int32
    slots: Words
    slot: Int32
    shapes: Words
    shape: Int32
    golden_shape: Int32
    dtypes: Words
    dtype: Int32
    golden_dtype: Int32
    calls: Calls
    call_of_row: Int32
    hierarchy: Hierarchy
    ignored: Int32 | None = None
    """Place in ``reasons`` of why a row is ignored, -1 where it is not; ``None`` where no row is."""
    reasons: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    """What the user noted, by the name of the call."""

    def __len__(self) -> int:
        return len(self.category)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows are of each :class:`Category`."""
        return np.bincount(self.category, minlength=len(Category))

    def why_ignored(self, row: int) -> str:
        """Return why *row* is ignored; empty where it is not."""
        at = ABSENT if self.ignored is None else int(self.ignored[row])
        return self.reasons[at] if at >= 0 else ""


def shape_label(shape: tuple[int, ...]) -> str:
    """Return ``2 × 12 × 64``; a scalar is ``()``."""
    return " × ".join(map(str, shape)) if shape else "()"


class _Merge:
    """Gives the texts of two pools common ids."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def lookup(self, texts: Sequence[str]) -> Int32:
        """Return common ids by position in *texts*; one more at the end maps -1 to -1."""
        if not self.ids:
            distinct = dict.fromkeys(texts)
            self.ids = dict(zip(distinct, range(len(distinct))))
        found = list(map(self.ids.get, texts))
        if None in found:
            found = [self.ids.setdefault(text, len(self.ids)) for text in texts]
        return np.array([*found, ABSENT], np.int32)

    def words(self) -> Words:
        return Words.of(list(self.ids))


def _used(ids: np.ndarray) -> tuple[Int64, Int64]:
    """Return the distinct ids >= 0 and a table from old id (or -1) to place among them."""
    present = np.unique(ids[ids >= 0]).astype(np.int64)
    table = np.full((int(present[-1]) + 2) if len(present) else 1, ABSENT, np.int64)
    table[present] = np.arange(len(present))
    return present, table


def _texts_column(
    ids: np.ndarray, rows: np.ndarray, spell: Callable[[list[int]], list[str]], merge: _Merge
) -> Int32:
    """Return common text ids for *rows* of a dump column of *ids* that *spell* makes texts of."""
    if not len(ids):
        return np.full(len(rows), ABSENT, np.int32)
    present, table = _used(ids)
    common = merge.lookup(spell(present.tolist()))
    per_entry = common[table[ids]]
    return np.where(rows >= 0, per_entry[rows], ABSENT).astype(np.int32)


def _spelled_names(pool: StringPool) -> Callable[[list[int]], list[str]]:
    texts = list(pool)
    return lambda ids: list(map(texts.__getitem__, ids))


def _spelled_shapes(pool: ShapePool) -> Callable[[list[int]], list[str]]:
    return lambda ids: [shape_label(pool.shapes[index]) for index in ids]


def _spelled_dtypes(pool: StringPool) -> Callable[[list[int]], list[str]]:
    return lambda ids: [_dtype_label(pool[index]) for index in ids]


def _slot_codes(dump: Dump) -> np.ndarray:
    return dump.slots.group.astype(np.int64) * (len(dump.strings) + 1) + dump.slots.path


class _SlotNames:
    """Spells slot codes, as a pool."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump

    def __getitem__(self, code: int) -> str:
        group, path = divmod(code, len(self._dump.strings) + 1)
        text = self._dump.strings[path]
        label = SlotGroup(group).label
        return f"{label}.{text}" if text else label


def _dtype_label(name: str) -> str:
    known = dtype_named(name)
    return known.name if known else name


def build_facts(cell: CellResult) -> Facts:
    """Work out the facts of *cell*."""
    rows, target, golden = cell.rows, cell.target, cell.golden
    names, slots, shapes, dtypes = _Merge(), _Merge(), _Merge(), _Merge()
    pairs = (
        (target, rows.target_operator, rows.target_slot),
        (golden, rows.golden_operator, rows.golden_slot),
    )
    operator, slot, shape, dtype = [], [], [], []
    for dump, operators, places in pairs:
        operator.append(_texts_column(dump.operators.name, operators, _spelled_names(dump.strings), names))
        codes = _slot_codes(dump)
        if len(codes):
            distinct, inverse = np.unique(codes, return_inverse=True)
            spelled = _SlotNames(dump)
            common = slots.lookup([spelled[code] for code in distinct.tolist()])[inverse]
            slot.append(np.where(places >= 0, common[places], ABSENT).astype(np.int32))
        else:
            slot.append(np.full(len(rows), ABSENT, np.int32))
        shape.append(_texts_column(dump.slots.shape, places, _spelled_shapes(dump.shapes), shapes))
        dtype.append(_texts_column(dump.slots.dtype, places, _spelled_dtypes(dump.strings), dtypes))
    category = categories(rows)
    groups = np.where(rows.target_slot >= 0, _take(target.slots.group, rows.target_slot), SlotGroup.INPUT)
    groups = np.where(
        (rows.target_slot < 0) & (rows.golden_slot >= 0), _take(golden.slots.group, rows.golden_slot), groups
    )
    first_row, call_of_row = _calls(rows.target_operator, rows.golden_operator)
    worst = np.maximum.reduceat(category, first_row) if len(first_row) else np.empty(0, np.uint8)
    calls = Calls(first_row, worst.astype(np.uint8))
    return Facts(
        category=category,
        is_output=np.isin(groups, (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)),
        operators=names.words(),
        operator=np.where(operator[0] >= 0, operator[0], operator[1]),
        golden_operator=operator[1],
        slots=slots.words(),
        slot=np.where(slot[0] >= 0, slot[0], slot[1]),
        shapes=shapes.words(),
        shape=np.where(shape[0] >= 0, shape[0], shape[1]),
        golden_shape=shape[1],
        dtypes=dtypes.words(),
        dtype=np.where(dtype[0] >= 0, dtype[0], dtype[1]),
        golden_dtype=dtype[1],
        calls=calls,
        call_of_row=call_of_row,
        hierarchy=build_hierarchy(cell, first_row, call_of_row, category),
    )


def _take(values: np.ndarray, index: np.ndarray) -> np.ndarray:
    return values[index] if len(values) else np.zeros(len(index), values.dtype)


def _calls(target: Int32, golden: Int32) -> tuple[Int32, Int32]:
    if not len(target):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    begins = np.ones(len(target), bool)
    begins[1:] = (target[1:] != target[:-1]) | (golden[1:] != golden[:-1])
    return np.flatnonzero(begins).astype(np.int32), (np.cumsum(begins) - 1).astype(np.int32)
