"""Lines of verl: ``step:1 - actor/pg_loss:0.018 - actor/grad_norm:np.float64(1.0) - ...``."""

from __future__ import annotations

import re

from core.formats.logs.names import named
from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord

NAME = "verl"
HINTS = ("step:",)
BEGINNING = re.compile(r"(?<![\w/])step:\d{1,15} -(?: |$)")
_LINE = re.compile(r"(?<![\w/])step:(\d{1,15}) - (.*)", re.S)


def parse(line: str) -> LogRecord | None:
    """Read *line*; fields that hold no number are left out."""
    found = _LINE.search(line)
    if found is None:
        return None
    pairs: dict[str, float] = {}
    for field in found[2].split(" - "):
        name, colon, text = field.rpartition(":")
        number = read_number(text) if colon else None
        if number is not None and name.strip():
            pairs[name.strip()] = number
    return LogRecord(named(pairs), NAME, int(found[1])) if pairs else None
