"""What runs in a worker process to find one slot in the other cells of a result. Imports no Qt."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from core.messages import Message
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.plane import Shape
from core.progress import Progress, Work
from core.records.columns import Int32, StringPool
from core.records.dump import Dump
from core.records.result import CellResult
from core.records.run import CellKey
from core.store.tensor_bytes import place_of
from gui.models.pair.ignoring import shown_categories

_PATIENCE = 0.1
"""Seconds between two words of what was found."""


@dataclass(frozen=True, slots=True)
class SlotKey:
    """A slot of a call, the same in every cell."""

    operator: str
    slot: str
    occurrence: int = 0
    """Which one of several rows of that name and slot in a cell, in their order: micro-steps repeat names."""


@dataclass(frozen=True, slots=True)
class SlotCell:
    """The slot in one cell."""

    key: CellKey
    row: int = -1
    """-1: the cell has no such slot."""
    category: int = 0
    """Of :class:`gui.models.pair.categories.Category`."""
    reason: int = 0
    """Of :class:`core.records.result.Reason`."""
    error: float = float("nan")
    sources: PairSources | None = None
    """``None`` where neither side has bytes."""
    shape: Shape = ()


@dataclass(frozen=True, slots=True)
class SlotsFound(Progress):
    """Cells that were looked at since the last word of it."""

    found: tuple[SlotCell, ...] = ()


def key_of_row(cell: CellResult, row: int) -> SlotKey | None:
    """Return the key of *row*; ``None`` for a row without a slot."""
    rows = cell.rows
    for dump, operators, slots in _sides(cell):
        if slots[row] >= 0:
            name, slot = dump.operator_name(int(operators[row])), dump.slot_name(int(slots[row]))
            alike = _rows_of(dump, operators, slots, name, slot)
            return SlotKey(name, slot, alike.index(row)) if len(rows) else None
    return None


def row_of_key(cell: CellResult, key: SlotKey) -> int:
    """Return the row of *key* in *cell*, by the target's names or else by the golden's; -1 if it has none."""
    for dump, operators, slots in _sides(cell):
        alike = _rows_of(dump, operators, slots, key.operator, key.slot)
        if alike:
            return alike[min(key.occurrence, len(alike) - 1)]
    return -1


def _sides(cell: CellResult) -> tuple[tuple[Dump, Int32, Int32], ...]:
    rows = cell.rows
    return (
        (cell.target, rows.target_operator, rows.target_slot),
        (cell.golden, rows.golden_operator, rows.golden_slot),
    )


def _rows_of(dump: Dump, operators: Int32, slots: Int32, name: str, slot: str) -> list[int]:
    at = _place(dump.strings, name)
    calls = np.flatnonzero(dump.operators.name == at) if at >= 0 else np.empty(0, np.int64)
    if not len(calls):
        return []
    rows = np.flatnonzero(np.isin(operators, calls) & (slots >= 0)).tolist()
    return [row for row in rows if dump.slot_name(int(slots[row])) == slot]


def _place(strings: StringPool, wanted: str) -> int:
    return next((at for at, words in enumerate(strings) if words == wanted), -1)


def find_slot(path: str, keys: tuple[CellKey, ...], key: SlotKey) -> Work[int]:
    """Look *key* up in the cells *keys* of the result at *path*, and tell what was found now and then.

    Yields :class:`SlotsFound`; returns how many cells were looked at.
    """
    from core.store.notes import load_notes
    from core.store.results import load_cells, load_info

    info = load_info(path)
    rules = load_notes(info.target_path, info.golden_path).ignored
    words, found, spoke = Message("gui.multiples.progress"), [], time.monotonic()
    done = 0
    for cell in load_cells(path, keys):
        done += 1
        row = row_of_key(cell, key)
        if row < 0:
            found.append(SlotCell(cell.key))
        else:
            found.append(_found(path, cell, row, int(shown_categories(cell, rules)[row])))
        if time.monotonic() - spoke > _PATIENCE:
            yield SlotsFound(done, len(keys), words, tuple(found))
            found, spoke = [], time.monotonic()
    yield SlotsFound(done, len(keys), words, tuple(found))
    return done


def _found(path: str, cell: CellResult, row: int, category: int) -> SlotCell:
    from core.metrics.inspection.kept.place import kept_place

    rows = cell.rows
    slots = [(dump, int(places[row])) for dump, _, places in _sides(cell)]
    target, golden = (place_of(dump, slot) if slot >= 0 else None for dump, slot in slots)
    sources = None
    if target is not None or golden is not None:
        sources = PairSources(target, golden, kept_place(path, cell, row))
    dump, slot = slots[0] if slots[0][1] >= 0 else slots[1]
    shape = dump.shape(slot) or ()
    return SlotCell(cell.key, row, category, int(rows.reason[row]), float(rows.error[row]), sources, shape)
