"""Results as JSON: the fields that scripts rely on, see docs/command-line.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from core.records.columns import ABSENT
from core.records.dump import STATISTICS, Dump, Known, SlotKind
from core.records.result import CLASSES, METRICS, CellResult, Evidence, Origin, Reason, Verdict


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
    """Yield each row of *cell* as plain values."""
    rows = cell.rows
    special = {int(row): position for position, row in enumerate(cell.class_counts.row)}
    metrics = {name: getattr(rows, name).tolist() for name in METRICS}
    verdicts = [verdict.name.lower() for verdict in Verdict]
    reasons = [reason.name.lower() for reason in Reason]
    evidences = [evidence.name.lower() for evidence in Evidence]
    for index in range(len(rows)):
        target, golden = int(rows.target_operator[index]), int(rows.golden_operator[index])
        left, right = int(rows.target_slot[index]), int(rows.golden_slot[index])
        found: dict[str, Any] = {
            name: json_safe(values[index])
            for name, values in metrics.items()
            if values[index] == values[index]
            and not (name.endswith(("_index", "count", "zeros", "flips")) and values[index] < 0)
        }
        if index in special:
            found["classes"] = _classes(cell.class_counts.counts[special[index]])
        origin = Origin(int(rows.origin[index]))
        yield {
            "operator": cell.target.operator_name(target) if target >= 0 else None,
            "golden_operator": cell.golden.operator_name(golden) if golden >= 0 else None,
            "slot": slot_name(cell, left, right),
            "step": cell.key.step,
            "rank": cell.key.rank,
            "phase": cell.key.phase,
            "verdict": verdicts[rows.verdict[index]],
            "origin": None if origin is Origin.UNKNOWN else origin.name.lower(),
            "reason": reasons[rows.reason[index]],
            "evidence": evidences[rows.evidence[index]],
            "metrics": found,
            "target": record(cell.target, left),
            "golden": record(cell.golden, right),
        }


def slot_name(cell: CellResult, target_slot: int, golden_slot: int) -> str | None:
    """Return the slot's name on the side that has it, ``None`` for a row that is a whole call."""
    if target_slot >= 0:
        return cell.target.slot_name(target_slot)
    return cell.golden.slot_name(golden_slot) if golden_slot >= 0 else None


def record(dump: Dump, slot: int) -> dict[str, Any] | None:
    """Return what *dump* says of a slot, ``None`` for no slot."""
    if slot == ABSENT:
        return None
    slots = dump.slots
    kind = SlotKind(int(slots.kind[slot]))
    said: dict[str, Any] = {"kind": kind.name.lower(), "type": dump.strings[int(slots.type[slot])] or None}
    if kind is SlotKind.ARGUMENT:
        return {**said, "value": dump.strings[int(slots.value[slot])]}
    if kind is SlotKind.TENSOR:
        shape = dump.shape(slot)
        known = Known(int(slots.known[slot]))
        statistics = {
            name: json_safe(float(getattr(slots, name)[slot]))
            for name in STATISTICS
            if known & Known[name.upper()]
        }
        said |= {
            "dtype": dump.dtype(slot) or None,
            "shape": None if shape is None else list(shape),
            **statistics,
        }
        if slots.checksum[slot] >= 0:
            said["checksum"] = dump.strings[int(slots.checksum[slot])]
        if slots.file[slot] >= 0:
            said["file"] = dump.strings[int(slots.file[slot])]
    return said


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
