"""Lines of one layout read many at a time: where the numbers of a record stand in lines that look alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.formats.logs.columns import Part
from core.formats.logs.record import LogRecord
from core.records.columns import Float64, Int64
from core.records.log_table import UNSAID


class Feed(NamedTuple):
    """A column, which group of the expression is its value, and what that is multiplied by."""

    name: str
    group: int
    factor: float


class Counted(NamedTuple):
    """The step: which group of the expression it is, and what is added to it."""

    group: int
    offset: int


class Layout:
    """An expression whose groups are the numbers of a record.

    Parameters
    ----------
    body
        Matches lines without blanks at their ends; each group matches at least one character.
    fixed
        Values that all such lines have.
    """

    def __init__(
        self, body: str, form: str, event: bool, step: Counted | None, rank: int | None, fixed_rank: int,
        feeds: Sequence[Feed], fixed: Mapping[str, float],
    ) -> None:  # fmt: skip
        self.form = form
        self.hits = 0
        """How often it was of use of late."""
        self._event = event
        self._step, self._rank, self._fixed_rank = step, rank, fixed_rank
        self._feeds, self._fixed = tuple(feeds), dict(fixed)
        self._line = re.compile(rf" {{0,32}}+{body} {{0,32}}+", re.A)
        self._lines = re.compile(rf"^ {{0,32}}+{body} {{0,32}}+$|^(.*)$", re.M | re.A)

    def match(self, line: str) -> tuple[str, ...] | None:
        """Return the numbers of *line*, ``None`` where it looks otherwise."""
        found = self._line.fullmatch(line)
        return found.groups() if found else None

    def rows(self, text: str) -> list[tuple[str, ...]]:
        """Return the numbers of each line of *text*, and ``""``; or ``""``s, and the line that differs."""
        return self._lines.findall(text)

    def record(self, groups: Sequence[str]) -> LogRecord:
        """Return what the numbers *groups* of one line say."""
        values = {feed.name: float(groups[feed.group]) * feed.factor for feed in self._feeds} | self._fixed
        step = None if self._step is None else int(groups[self._step.group]) + self._step.offset
        rank = self._fixed_rank if self._rank is None else int(groups[self._rank])
        return LogRecord(values, self.form, step, self._event, rank)

    def part(self, lines: Int64, rows: Sequence[tuple[str, ...]]) -> Part:
        """Return the records of the numbers *rows*, which stand at *lines*."""
        self.hits += len(rows)
        count = len(rows)
        groups = list(zip(*rows))
        parsed: dict[int, Float64] = {}
        columns: dict[str, tuple[Int64 | None, Float64]] = {}
        for feed in self._feeds:
            if feed.group not in parsed:
                parsed[feed.group] = _numbers(groups[feed.group])
            values = parsed[feed.group]
            columns[feed.name] = None, values if feed.factor == 1.0 else values * feed.factor
        for name, value in self._fixed.items():
            columns[name] = None, np.full(count, value)
        step = np.full(count, UNSAID)
        if self._step is not None:
            step = np.array(list(map(int, groups[self._step.group]))) + self._step.offset
        rank = self._fixed_rank if self._rank is None else np.array(list(map(int, groups[self._rank])))
        return Part(
            lines,
            step.astype(np.int64),
            np.broadcast_to(np.asarray(rank, np.int32), count),
            np.full(count, self._event),
            columns,
            {self.form: count},
        )


def _numbers(texts: tuple[str, ...]) -> Float64:
    if texts.count(texts[0]) == len(texts):
        return np.full(len(texts), float(texts[0]))
    return np.array(list(map(float, texts)))
