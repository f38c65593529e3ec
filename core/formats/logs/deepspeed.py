"""Lines of DeepSpeed: what it says every so many steps, and that a step overflowed."""

from __future__ import annotations

import re

from core.formats.logs.numbers import NUMBER, read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "deepspeed"
HINTS = ("skipped=", "steps:", "OVERFLOW!", "verflow detected")
_SKIPPED = re.compile(r"\bstep=(\d{1,15}),\s*skipped=(\d{1,15})")
_STEPS = re.compile(rf"\bsteps:\s*(\d{{1,15}})\s+loss:\s*({NUMBER})\b", re.I)
_OVERFLOW = re.compile(r"OVERFLOW!|[Oo]verflow detected\.?\s*Skipping")
_ATTEMPTED = re.compile(rf"Attempted loss scale:\s*({NUMBER})", re.I)
_REDUCED = re.compile(rf"reducing to\s*({NUMBER})", re.I)
_RANK = re.compile(r"\bRank\s+(\d{1,6})")


def parse(line: str) -> LogRecord | None:
    """Read *line*."""
    if found := _SKIPPED.search(line):
        return LogRecord({Series.SKIPPED_TOTAL: float(found[2])}, NAME, int(found[1]))
    if found := _STEPS.search(line):
        loss = read_number(found[2])
        return LogRecord({Series.LOSS: loss} if loss is not None else {}, NAME, int(found[1]))
    return _overflow(line) if _OVERFLOW.search(line) else None


def _overflow(line: str) -> LogRecord:
    values: dict[str, float] = {Series.OVERFLOW: 1.0}
    attempted, reduced = _ATTEMPTED.search(line), _REDUCED.search(line)
    if attempted and (before := read_number(attempted[1])) is not None:
        values[Series.ATTEMPTED_SCALE] = values[Series.LOSS_SCALE] = before
    if reduced and (after := read_number(reduced[1])) is not None:
        values[Series.LOSS_SCALE] = after
    rank = _RANK.search(line)
    return LogRecord(values, NAME, event=True, rank=int(rank[1]) if rank else -1)
