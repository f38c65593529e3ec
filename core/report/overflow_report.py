"""The overflow analysis as JSON and csv; see docs/overflow.md for the fields."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from core.messages import render
from core.records.overflow import Birth, OverflowReport, Spread, Station
from core.records.stacks import calling_frame, decode_stack
from core.report.json_report import json_safe
from core.report.small_files import write_document, write_rows

COLUMNS = (
    "phase", "step", "rank", "operator", "slot", "kind", "level", "values", "earliest", "spreads", "ranks",
    "module", "called_from", "sentence", "notes",
)  # fmt: skip
"""The columns of the csv: a row a birth, earliest first."""


def overflow_as_json(report: OverflowReport, first: int | None = None) -> dict[str, Any]:
    """Return what ``overflow --json`` prints; of births and their spread the *first* ones."""
    shown = len(report.origins) if first is None else first
    return {
        "origins": [_birth(birth) for birth in report.origins[:shown]],
        "spread": [_spread(spread, report) for spread in report.spreads if spread.origin < shown],
        "expected": [_birth(birth) for birth in report.expected],
        "mode": report.mode.value,
        "matrix": matrix(report),
        "undecided": sum(track.undecided for track in report.tracks),
        "operators": sum(track.operators for track in report.tracks),
        "remarks": [render(message) for message in report.remarks],
        "problems": list(dict.fromkeys(problem.sentence() for problem in report.problems)),
    }


def matrix(report: OverflowReport) -> list[dict[str, Any]]:
    """Return how many births and bad calls each cell has, and its first birth."""
    counts = Counter(birth.cell for birth in report.origins)
    first = {birth.cell: birth.operator for birth in reversed(report.origins)}
    return [
        {
            "phase": track.key.phase,
            "step": track.key.step,
            "rank": track.key.rank,
            "births": counts[track.key],
            "first": first.get(track.key),
            "bad_operators": len(track.rows),
            "operators": track.operators,
        }
        for track in report.tracks
    ]


def _birth(birth: Birth) -> dict[str, Any]:
    return {
        "operator": birth.operator,
        "slot": birth.slot,
        "phase": birth.cell.phase,
        "step": birth.cell.step,
        "rank": birth.cell.rank,
        "ranks": list(birth.ranks or (birth.cell.rank,)),
        "kind": birth.kind.value,
        "level": birth.level.value,
        "values": birth.values.words,
        "earliest": birth.earliest,
        "spreads": birth.spreads,
        "sentence": render(birth.message),
        "notes": [render(note) for note in birth.notes],
        "module": birth.module or None,
        "evidence": {
            name: json_safe(value) if isinstance(value, float) else value
            for name, value in birth.evidence.items()
        },
        "stack": [frame._asdict() for frame in decode_stack(birth.stack)],
    }


def _spread(spread: Spread, report: OverflowReport) -> dict[str, Any]:
    return {
        "origin": spread.origin,
        "operator": report.origins[spread.origin].operator,
        "paths": [[_station(station) for station in path] for path in spread.paths],
    }


def _station(station: Station) -> dict[str, Any]:
    return {
        "operator": station.operator,
        "phase": station.cell.phase,
        "step": station.cell.step,
        "rank": station.cell.rank,
        "way": station.way.value,
        "skipped": station.skipped,
        "from_rank": station.sender.rank if station.sender is not None else None,
    }


def called_from(birth: Birth) -> str:
    """Return ``model.py:54`` of the innermost frame of the user's own code; empty without a stack."""
    frame = calling_frame(birth.stack)
    return f"{frame.path}:{frame.line}" if frame is not None else ""


def overflow_rows(births: tuple[Birth, ...]) -> list[tuple[str, ...]]:
    """Return the texts of *births* in the order of :data:`COLUMNS`."""
    return [
        (
            birth.cell.phase,
            str(birth.cell.step),
            str(birth.cell.rank),
            birth.operator,
            birth.slot,
            birth.kind.value,
            birth.level.value,
            " ".join(birth.values.words),
            str(birth.earliest).lower(),
            str(birth.spreads).lower(),
            " ".join(map(str, birth.ranks or (birth.cell.rank,))),
            birth.module,
            called_from(birth),
            render(birth.message),
            " ".join(render(note) for note in birth.notes),
        )
        for birth in births
    ]


def write_overflow(path: str | Path, report: OverflowReport) -> str:
    """Write *report* to *path*: JSON if its name ends so, else csv with a row a birth. Return the path.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    if Path(path).suffix.lower() == ".json":
        return write_document(path, overflow_as_json(report))
    return write_rows(path, COLUMNS, overflow_rows(report.origins))
