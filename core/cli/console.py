"""What the command line prints beside its results: progress and problems, on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import IO, Any, TypeVar
from unicodedata import east_asian_width

from core.errors import Problem
from core.messages import render
from core.progress import Progress, Work, run_to_end

T = TypeVar("T")

_SECONDS_BETWEEN = 0.1
_WIDTH = 24


def drive(work: Work[T], *, quiet: bool) -> T:
    """Run *work* to its end and return its result, with a progress line on a terminal."""
    if quiet or not sys.stderr.isatty():
        return run_to_end(work)
    line = _ProgressLine()
    try:
        return run_to_end(work, line.show)
    finally:
        line.clear()


class _ProgressLine:
    def __init__(self) -> None:
        self._next = time.monotonic() + _SECONDS_BETWEEN  # what is done at once shows no line
        self._length = 0

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN
        words = render(progress.message)
        if progress.fraction is not None:
            filled = round(progress.fraction * _WIDTH)
            words = f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {progress.fraction:4.0%} {words}"
        self._write(words)

    def clear(self) -> None:
        if self._length:
            self._write("")
            sys.stderr.write("\r")

    def _write(self, words: str) -> None:
        sys.stderr.write("\r" + words.ljust(self._length))
        sys.stderr.flush()
        self._length = len(words)


def print_problems(problems: Iterable[Problem], *, quiet: bool) -> None:
    """Print each different problem once, on stderr."""
    if quiet:
        return
    for sentence in dict.fromkeys(problem.sentence() for problem in problems):
        print(f"ulpscope: {sentence}", file=sys.stderr)


def print_json(value: Any, stream: IO[str] | None = None) -> None:
    """Print *value* as one JSON document to *stream* (default: stdout). All text is ASCII, by escapes."""
    stream = stream or sys.stdout
    json.dump(value, stream, ensure_ascii=True, allow_nan=False)
    stream.write("\n")


def table(rows: Sequence[tuple[str, ...]], *, right: tuple[int, ...] = ()) -> str:
    """Return *rows* as aligned columns; those in *right* are flush right. Wide characters count double."""
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths)):
            space = " " * (width - _width(cell))
            cells.append(space + cell if column in right else cell + space)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _width(words: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)
