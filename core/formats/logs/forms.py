"""The forms of lines that are known.

A further one is a module with ``NAME``, ``HINTS`` (one of them stands in every such line) and ``parse``,
named in :data:`FORMS`; ``BEGINNING`` finds lines of it that could not be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from core.formats.logs import deepspeed, dicts, megatron, mindformers, printed, scalers, verl
from core.formats.logs.lines import rank_of
from core.formats.logs.record import LogRecord


class LineForm(NamedTuple):
    """One form of line."""

    name: str
    hints: tuple[str, ...]
    parse: Callable[[str], LogRecord | None]


FORMS = tuple(
    LineForm(module.NAME, module.HINTS, module.parse)
    for module in (megatron, mindformers, verl, deepspeed, scalers, dicts, printed)
)
_BEGINNINGS = tuple(module.BEGINNING.search for module in (megatron, mindformers, verl, deepspeed, dicts))
_HINTS = tuple(dict.fromkeys(hint for form in FORMS for hint in form.hints))


def read_line(line: str) -> LogRecord | None:
    """Return what *line* says, ``None`` if it is of no known form."""
    if not _hinted(line):
        return None
    for form in FORMS:
        if any(hint in line for hint in form.hints) and (record := form.parse(line)) is not None:
            return record if record.rank >= 0 else replace(record, rank=rank_of(line))
    return None


def begins_like_record(line: str) -> bool:
    """Whether *line*, of which nothing could be read, begins as a record does."""
    return _hinted(line) and (any(begins(line) is not None for begins in _BEGINNINGS) or printed.begins(line))


def _hinted(line: str) -> bool:
    for hint in _HINTS:  # noqa: SIM110 - twice as fast, and most lines get no further than here
        if hint in line:
            return True
    return False
