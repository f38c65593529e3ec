"""Lines of Megatron-LM, MindSpeed and GPT-NeoX: ``iteration 1/ 5 | name: value | ...``."""

from __future__ import annotations

import re

from core.formats.logs.names import named
from core.formats.logs.numbers import read_grouped
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "megatron"
HINTS = ("iteration",)
BEGINNING = re.compile(r"iteration\s+\d{1,15}\s*/\s*\d+\s*\||validation loss at iteration")
_LINE = re.compile(r"iteration\s+(\d{1,15})\s*/\s*\d+\s*\|(.*)", re.S)
_VALIDATION = re.compile(r"validation loss at iteration\s+(\d{1,15})\b[^|]*\|(.*)", re.S)


def parse(line: str) -> LogRecord | None:
    """Read *line*; fields that hold no number are left out."""
    if found := _LINE.search(line):
        values = named(_fields(found[2]))
        return LogRecord(values, NAME, int(found[1])) if values else None
    if found := _VALIDATION.search(line):
        values = _validated(named(_fields(found[2])))
        return LogRecord(values, NAME, int(found[1])) if values else None
    return None


def _fields(text: str) -> dict[str, float]:
    fields: dict[str, float] = {}
    for field in text.split("|"):
        name, colon, value = field.rpartition(":")
        if not colon:  # as older versions print it
            name, _, value = field.rstrip().rpartition(" ")
        number = read_grouped(value)
        if number is not None and name.strip():
            word = name.strip().lower()
            fields["global batch size" if word == "batch size" else word] = number
    return fields


def _validated(values: dict[str, float]) -> dict[str, float]:
    """Return *values* with the loss named for what it is here."""
    return {Series.VALIDATION_LOSS if name == Series.LOSS else name: value for name, value in values.items()}
