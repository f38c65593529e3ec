"""Lines of Megatron-LM, MindSpeed and GPT-NeoX: ``iteration 1/ 5 | name: value | ...``."""

from __future__ import annotations

import re

from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "megatron"
HINTS = ("iteration",)
_LINE = re.compile(r"iteration\s+(\d{1,15})\s*/\s*\d+\s*\|(.*)", re.S)
_NAMES = {
    "lm loss": Series.LOSS,
    "loss": Series.LOSS,
    "learning rate": Series.LEARNING_RATE,
    "global batch size": Series.GLOBAL_BATCH,
    "batch size": Series.GLOBAL_BATCH,
    "loss scale": Series.LOSS_SCALE,
    "grad norm": Series.GRAD_NORM,
    "number of skipped iterations": Series.SKIPPED,
    "number of nan iterations": Series.NAN_STEPS,
}


def parse(line: str) -> LogRecord | None:
    """Read *line*; fields that hold no number are left out."""
    found = _LINE.search(line)
    if found is None:
        return None
    values: dict[str, float] = {}
    for field in found[2].split("|"):
        name, colon, text = field.rpartition(":")
        number = read_number(text) if colon else None
        if number is not None:
            word = name.strip().lower()
            values[_NAMES.get(word, word)] = number
    return LogRecord(values, NAME, int(found[1])) if values else None
