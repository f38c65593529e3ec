"""Lines of loss scalers: apex, and the GradScaler of torch_npu, which says the same in two lines."""

from __future__ import annotations

import re

from core.formats.logs.numbers import NUMBER, read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "scaler"
HINTS = ("radient overflow", "oss scaler")
_OVERFLOW = re.compile(r"gradient overflow\.?\s*skipping step", re.I)
_REDUCED = re.compile(rf"loss scaler(?:\s+\d+)?\s+(reducing|increasing) loss scale to\s*({NUMBER})", re.I)


def parse(line: str) -> LogRecord | None:
    """Read *line*; a line that tells of a new scale alone has no :attr:`Series.OVERFLOW`."""
    values: dict[str, float] = {}
    if _OVERFLOW.search(line):
        values[Series.OVERFLOW] = 1.0
    if (found := _REDUCED.search(line)) and (scale := read_number(found[2])) is not None:
        values[Series.LOSS_SCALE] = scale
    return LogRecord(values, NAME, event=True) if values else None
