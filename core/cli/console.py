"""What the command line prints beside its results: progress and problems, on stderr."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, TypeVar
from unicodedata import east_asian_width

from core.errors import Problem
from core.messages import render
from core.progress import Progress, Work, run_to_end

T = TypeVar("T")

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SECONDS_BETWEEN = 0.1
_WIDTH = 24


def escaped(words: str, *, lines: bool = False) -> str:
    r"""Return *words* with what would steer a terminal, or reorder its text, as escapes such as ``\x1b``.

    Names come from dumps, and a dump may say anything. With *lines*, line ends stay.
    """
    if not lines:
        return _UNSAFE.sub(_escape, words)
    return "\n".join(_UNSAFE.sub(_escape, line) for line in words.split("\n"))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")


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
        words = escaped(render(progress.message))
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
        print(f"ulpscope: {escaped(sentence)}", file=sys.stderr)


def print_json(value: Any, stream: IO[str] | None = None) -> None:
    """Print *value* as one JSON document to *stream* (default: stdout). All text is ASCII, by escapes.

    A value of the outer object may be an iterator: its items are written as an array, as they come.
    """
    stream = stream or sys.stdout
    if not isinstance(value, dict):
        stream.write(_encode(value) + "\n")
        return
    stream.write("{")
    for number, (name, item) in enumerate(value.items()):
        stream.write(f"{', ' if number else ''}{_encode(name)}: ")
        if isinstance(item, list | Iterator):
            _print_array(iter(item), stream)
        else:
            stream.write(_encode(item))
    stream.write("}\n")


_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
_ITEMS = 1024
"""Items of an array that are encoded at once."""


def _print_array(items: Iterator[Any], stream: IO[str]) -> None:
    stream.write("[")
    before = ""
    while block := list(islice(items, _ITEMS)):
        stream.write(before + _encode(block)[1:-1])
        before = ", "
    stream.write("]")


def table(rows: Sequence[tuple[str, ...]], *, right: tuple[int, ...] = ()) -> str:
    """Return *rows* as aligned columns; those in *right* are flush right. Wide characters count double,
    control characters are escaped.
    """
    rows = [tuple(map(escaped, row)) for row in rows]
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
