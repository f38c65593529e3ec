"""Lines of DeepSpeed: what it says every so many steps, and that a step overflowed."""

from __future__ import annotations

import re

from core.formats.logs.numbers import NUMBER, read_number
from core.formats.logs.rates import rates_of
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "deepspeed"
HINTS = ("skipped=", "steps:", "OVERFLOW!", "verflow detected")
BEGINNING = re.compile(r"\bsteps:\s*\d{1,15}\s+loss:|\bstep=\d{1,15},\s*skipped=")
_SKIPPED = re.compile(r"\bstep=(\d{1,15}),\s*skipped=(\d{1,15})\b(?![.\d])")
_RATE = re.compile(rf"\blr=\[?\s*({NUMBER})(?![\w.])", re.I)
_STEPS = re.compile(rf"\bsteps:\s*(\d{{1,15}})\s+loss:\s*({NUMBER})(?![\w.])", re.I)
_TIME = re.compile(rf"\biter time \(s\):\s*({NUMBER})(?![\w.])", re.I)
_SAMPLES = re.compile(rf"\bsamples/sec:\s*({NUMBER})(?![\w.])", re.I)
_OVERFLOW = re.compile(r"OVERFLOW!|[Oo]verflow detected\.?\s*Skipping")
_ATTEMPTED = re.compile(rf"Attempted loss scale:\s*({NUMBER})", re.I)
_REDUCED = re.compile(rf"reducing to\s*({NUMBER})", re.I)
_RANK = re.compile(r"\bRank\s+(\d{1,6})\b")


def parse(line: str) -> LogRecord | None:
    """Read *line*."""
    if found := _SKIPPED.search(line):
        values: dict[str, float] = {Series.SKIPPED_TOTAL: float(found[2])}
        _take(values, Series.LEARNING_RATE, _RATE.search(line))
        values |= rates_of(line)
        return LogRecord(values, NAME, int(found[1]))
    if found := _STEPS.search(line):
        values = {}
        loss = read_number(found[2])
        if loss is not None:
            values[Series.LOSS] = loss
        _take(values, Series.STEP_TIME, _TIME.search(line), 1000.0)
        _take(values, Series.THROUGHPUT, _SAMPLES.search(line))
        return LogRecord(values, NAME, int(found[1])) if values else None
    return _overflow(line) if _OVERFLOW.search(line) else None


def _take(values: dict[str, float], name: str, found: re.Match[str] | None, factor: float = 1.0) -> None:
    number = read_number(found[1]) if found else None
    if number is not None:
        values[name] = number * factor


def _overflow(line: str) -> LogRecord:
    values: dict[str, float] = {Series.OVERFLOW: 1.0}
    _take(values, Series.ATTEMPTED_SCALE, _ATTEMPTED.search(line))
    if Series.ATTEMPTED_SCALE in values:
        values[Series.LOSS_SCALE] = values[Series.ATTEMPTED_SCALE]
    _take(values, Series.LOSS_SCALE, _REDUCED.search(line))
    rank = _RANK.search(line)
    return LogRecord(values, NAME, event=True, rank=int(rank[1]) if rank else -1)
