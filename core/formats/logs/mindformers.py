"""Lines of MindFormers: ``step:[ 2/ 100], loss: ..., overflow cond: False, loss_scale: 65536.0``."""

from __future__ import annotations

import re

from core.formats.logs.numbers import NUMBER, read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "mindformers"
HINTS = ("step:[",)
BEGINNING = re.compile(r"step:\s*\[\s*\d+\s*/\s*\d+\s*\],\s*loss:")
_PLACE = re.compile(
    r"(?:Epoch:\s*\[\s*(\d{1,15})\s*/\s*\d+\s*\],\s*)?step:\s*\[\s*(\d{1,15})\s*/\s*(\d{1,15})\s*\]", re.I
)
_OVERFLOW = re.compile(r"overflow cond:\s*\[?\s*(True|False)", re.I)
_FIELDS = (
    (Series.LOSS, re.compile(rf"\bloss:\s*\[?\s*({NUMBER})", re.I)),
    (Series.LOSS_SCALE, re.compile(rf"\bloss_scale:\s*\[?\s*({NUMBER})", re.I)),
    (Series.GRAD_NORM, re.compile(rf"\bglobal_norm:\s*\[?\s*({NUMBER})", re.I)),
    (Series.LEARNING_RATE, re.compile(rf"\blr:\s*\(?\[?\s*({NUMBER})", re.I)),
    (Series.GLOBAL_BATCH, re.compile(rf"\bglobal_batch_size:\s*({NUMBER})", re.I)),
    (Series.STEP_TIME, re.compile(rf"\bper_step_time:\s*({NUMBER})\s*ms", re.I)),
    (Series.THROUGHPUT, re.compile(rf"\b(?:train_)?throughput(?:_per_npu)?:\s*({NUMBER})", re.I)),
)


def parse(line: str) -> LogRecord | None:
    """Read *line*; steps are counted on over the epochs."""
    place = _PLACE.search(line)
    if place is None:
        return None
    values: dict[str, float] = {}
    for series, pattern in _FIELDS:
        if (found := pattern.search(line)) and (number := read_number(found[1])) is not None:
            values[series] = number
    if found := _OVERFLOW.search(line):
        values[Series.OVERFLOW] = float(found[1].lower() == "true")
    if place[1]:
        values[Series.EPOCH] = float(place[1])
    epochs_before = int(place[1] or 1) - 1
    step = max(epochs_before, 0) * int(place[3]) + int(place[2])
    return LogRecord(values, NAME, step) if values.keys() - {Series.EPOCH} else None
