"""What a change has mended and broken, as a sentence, a table and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.messages import Message
from core.records.result import Origin, Verdict
from core.records.rounds import CellRounds, Rounds, RoundStatus
from core.report.json_report import json_safe


def rounds_sentence(rounds: Rounds) -> Message:
    """Return the answer: how many calls are fixed, better, unchanged, worse and new."""
    counts = {status.name.lower(): count for status, count in rounds.counts().items()}
    told = ("fixed", "better", "unchanged", "worse", "new")
    return Message("rounds.sentence", {name: counts[name] for name in told})


def doubtful(rounds: Rounds) -> int:
    """Return how many calls the two rounds do not tell of: not comparable, or in one round only."""
    untold = (RoundStatus.NOT_COMPARABLE, RoundStatus.ONLY_BEFORE, RoundStatus.ONLY_AFTER)
    counts = rounds.counts()
    return sum(counts[status] for status in untold)


def moved_origins(cell: CellRounds, gone: bool) -> list[str]:
    """Return the calls that introduced an error before and no longer do, or the other way round."""
    calls = cell.calls
    before, after = calls.origin_before == Origin.INTRODUCED, calls.origin_after == Origin.INTRODUCED
    there = (calls.row_before >= 0) & (calls.row_after >= 0)
    found = np.flatnonzero(there & (before & ~after if gone else after & ~before))
    return [cell.names[int(calls.name[call])] for call in found.tolist()]


def rows_of_status(cell: CellRounds, status: RoundStatus, most: int) -> list[int]:
    """Return the first *most* calls of *status* in *cell*."""
    found: list[int] = np.flatnonzero(cell.calls.status == status)[:most].tolist()
    return found


def rounds_rows(cell: CellRounds) -> Iterator[dict[str, Any]]:
    """Yield each call of *cell* as plain values."""
    calls, names = cell.calls, cell.names
    columns = [calls.columns()[name].tolist() for name in calls.columns()]
    for name, golden, status, *facts in zip(*columns):
        row_before, row_after, ratio_before, ratio_after, *codes = facts
        verdict_before, verdict_after, origin_before, origin_after = codes
        yield {
            "operator": names[name],
            "golden_operator": names[golden] or None,
            "phase": cell.key.phase,
            "step": cell.key.step,
            "rank": cell.key.rank,
            "status": RoundStatus(status).name.lower(),
            "before": _side(row_before, ratio_before, verdict_before, origin_before),
            "after": _side(row_after, ratio_after, verdict_after, origin_after),
        }


def _side(row: int, ratio: float, verdict: int, origin: int) -> dict[str, Any] | None:
    if row < 0:
        return None
    return {
        "verdict": Verdict(verdict).name.lower(),
        "origin": None if origin == Origin.UNKNOWN else Origin(origin).name.lower(),
        "error_over_allowed": None if np.isnan(ratio) else json_safe(ratio),
    }
