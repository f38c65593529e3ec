"""Results as JSON: the fields that scripts rely on, see docs/command-line.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from core.records.columns import Int32
from core.records.dump import STATISTICS, Dump, Known, SlotGroup, SlotKind
from core.records.result import CLASSES, METRICS, CellResult, Evidence, Origin, Reason, RowTable, Verdict


def json_safe(value: float) -> float | str | None:
    """Return *value*, or the string that stands for what JSON cannot hold."""
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value


def counts_of(cells: Iterable[CellResult]) -> dict[str, int]:
    """Return how many rows of all *cells* have each verdict."""
    total = {verdict.name.lower(): 0 for verdict in Verdict}
    for cell in cells:
        for name, number in cell.counts().items():
            total[name] += number
    return total


def json_rows(cell: CellResult) -> Iterator[dict[str, Any]]:
    """Yield each row of *cell* as plain values; a block of them is in memory at a time."""
    special = {int(row): position for position, row in enumerate(cell.class_counts.row)}
    for start in range(0, len(cell.rows), _BLOCK):
        yield from _rows_of_block(cell, cell.rows.take(slice(start, start + _BLOCK)), start, special)


def _rows_of_block(
    cell: CellResult, rows: RowTable, start: int, special: dict[int, int]
) -> Iterator[dict[str, Any]]:
    names = (
        _operator_names(cell.target, rows.target_operator),
        _operator_names(cell.golden, rows.golden_operator),
    )
    slots = _slot_names(cell.target, rows.target_slot), _slot_names(cell.golden, rows.golden_slot)
    records = _records(cell.target, rows.target_slot), _records(cell.golden, rows.golden_slot)
    words = (
        [_VERDICTS[code] for code in rows.verdict.tolist()],
        [_ORIGINS[code] for code in rows.origin.tolist()],
        [_REASONS[code] for code in rows.reason.tolist()],
        [_EVIDENCES[code] for code in rows.evidence.tolist()],
    )
    step, rank, phase = cell.key.step, cell.key.rank, cell.key.phase
    everything = zip(*names, *slots, *words, _metrics(rows), *records, strict=True)
    for index, (
        operator, golden_operator, slot, golden_slot, verdict, origin, reason, evidence, metrics, left, right
    ) in enumerate(everything, start):  # fmt: skip
        if index in special:
            metrics["classes"] = _classes(cell.class_counts.counts[special[index]])
        yield {
            "operator": operator,
            "golden_operator": golden_operator,
            "slot": golden_slot if slot is None else slot,
            "step": step,
            "rank": rank,
            "phase": phase,
            "verdict": verdict,
            "origin": origin,
            "reason": reason,
            "evidence": evidence,
            "metrics": metrics,
            "target": left,
            "golden": right,
        }


_BLOCK = 16_384
"""Rows that are plain values in memory at a time."""
_VERDICTS = [verdict.name.lower() for verdict in Verdict]
_ORIGINS = [None if origin is Origin.UNKNOWN else origin.name.lower() for origin in Origin]
_REASONS = [reason.name.lower() for reason in Reason]
_EVIDENCES = [evidence.name.lower() for evidence in Evidence]
_KINDS = [kind.name.lower() for kind in SlotKind]
_COUNTED = ("_index", "count", "zeros", "flips")
"""How columns end that hold -1 where they are not defined."""


def _operator_names(dump: Dump, operators: Int32) -> list[str | None]:
    strings = dump.strings
    names = dump.operators.name[operators[operators >= 0]]
    found = iter([strings[name] for name in names.tolist()])
    return [next(found) if there else None for there in (operators >= 0).tolist()]


def _slot_names(dump: Dump, slots: Int32) -> list[str | None]:
    made: list[str | None] = [None] * len(slots)
    where = np.flatnonzero(slots >= 0)
    chosen = slots[where]
    keys = dump.slots.path[chosen].astype(np.int64) * len(SlotGroup) + dump.slots.group[chosen]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    names = [dump.slot_name(int(slot)) for slot in chosen[first]]
    for index, name in zip(where.tolist(), inverse.reshape(-1).tolist()):
        made[index] = names[name]
    return made


def _metrics(rows: RowTable) -> list[dict[str, Any]]:
    """Return the metrics of each row by name, undefined ones left out."""
    made: list[dict[str, Any]] = [{} for _ in range(len(rows))]
    for name in METRICS:
        values = getattr(rows, name)
        there = np.flatnonzero((values >= 0) if name.endswith(_COUNTED) else (values == values))
        chosen = values[there]
        numbers = chosen.tolist()
        if not np.isfinite(chosen).all():
            numbers = [json_safe(number) for number in numbers]
        for index, number in zip(there.tolist(), numbers):
            made[index][name] = number
    return made


def _records(dump: Dump, slots: Int32) -> list[dict[str, Any] | None]:
    """Return what :func:`record` does for each of *slots*."""
    table, strings, shapes = dump.slots, dump.strings, dump.shapes
    made: list[dict[str, Any] | None] = [None] * len(slots)
    where = np.flatnonzero(slots >= 0)
    chosen = slots[where]
    columns = [
        getattr(table, name)[chosen].tolist()
        for name in ("kind", "type", "dtype", "shape", "known", *STATISTICS, "value", "checksum", "file")
    ]
    for index, kind, type_, dtype, shape, known, high, low, mean, norm, value, checksum, file in zip(
        where.tolist(), *columns
    ):
        said: dict[str, Any] = {"kind": _KINDS[kind], "type": strings[type_] or None}
        made[index] = said
        if kind == SlotKind.ARGUMENT:
            said["value"] = strings[value]
        elif kind == SlotKind.TENSOR:
            said["dtype"] = strings[dtype] or None
            sizes = shapes[shape]
            said["shape"] = None if sizes is None else list(sizes)
            for bit, name, number in zip(_BITS, STATISTICS, (high, low, mean, norm)):
                if known & bit:
                    said[name] = json_safe(number)
            if checksum >= 0:
                said["checksum"] = strings[checksum]
            if file >= 0:
                said["file"] = strings[file]
    return made


_BITS = [int(Known[name.upper()]) for name in STATISTICS]


def slot_name(cell: CellResult, target_slot: int, golden_slot: int) -> str | None:
    """Return the slot's name on the side that has it, ``None`` for a row that is a whole call."""
    if target_slot >= 0:
        return cell.target.slot_name(target_slot)
    return cell.golden.slot_name(golden_slot) if golden_slot >= 0 else None


def record(dump: Dump, slot: int) -> dict[str, Any] | None:
    """Return what *dump* says of a slot, ``None`` for no slot."""
    return _records(dump, np.array([slot], np.int32))[0]


def _classes(counts: np.ndarray[Any, Any]) -> dict[str, dict[str, int]]:
    """Return the 4 × 4 counts as target class -> golden class -> elements, zeros left out."""
    square = counts.reshape(len(CLASSES), len(CLASSES)).tolist()
    return {
        CLASSES[i]: {CLASSES[j]: square[i][j] for j in range(len(CLASSES)) if square[i][j]}
        for i in range(len(CLASSES))
        if any(square[i])
    }


def problem_sentences(cell: CellResult) -> list[str]:
    """Return all problems of both dumps and of comparing them, as sentences."""
    found = (*cell.target.problems, *cell.golden.problems, *cell.problems)
    return [problem.sentence() for problem in found]
