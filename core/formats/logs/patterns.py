"""Lines that no known form describes, by a regular expression of the user's own; and where those are kept."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import platformdirs

from core.errors import InputError, Problem
from core.formats.logs.lines import text_blocks
from core.formats.logs.names import is_rank, named, step_order
from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord
from core.records.log_table import UNSAID

FORM = "pattern"


class LinePattern(NamedTuple):
    """A regular expression whose named groups are the values of a line."""

    name: str
    expression: str
    """Groups are named by what they hold: ``step``, ``loss``, ``grad_norm``, ``rank`` or any word."""


class TriedLine(NamedTuple):
    """One line, and what a pattern reads in it."""

    number: int
    text: str
    values: dict[str, float] | None
    """By series or group, with ``step`` and ``rank``; ``None``: the pattern says nothing of this line."""


@lru_cache(maxsize=16)
def compiled(pattern: LinePattern) -> re.Pattern[str]:
    """Return the expression of *pattern*, ready to search with.

    Raises
    ------
    InputError
        ``pattern_broken``: it is no regular expression; ``pattern_no_groups``: it names no value.
    """
    try:
        expression = re.compile(pattern.expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(Problem("pattern_broken", pattern.name, {"detail": str(error)})) from None
    if all(step_order(name) is not None or is_rank(name) for name in expression.groupindex):
        raise InputError(Problem("pattern_no_groups", pattern.name))
    return expression


def parse_by(pattern: LinePattern, line: str) -> LogRecord | None:
    """Return what *pattern* reads in *line*; groups that hold no number are left out.

    Raises
    ------
    InputError
        As :func:`compiled`.
    """
    found = compiled(pattern).search(line)
    if found is None:
        return None
    step, rank = None, UNSAID
    pairs: dict[str, float] = {}
    for name, text in found.groupdict().items():
        number = None if text is None else read_number(text)
        if number is None:
            continue
        if step_order(name) is not None:
            step = int(number) if 0 <= number < 1e15 else step
        elif is_rank(name):
            rank = int(number) if 0 <= number < 1e6 else rank
        else:
            pairs[name] = number
    return LogRecord(named(pairs), FORM, step, rank=rank) if pairs else None


def matches(pattern: LinePattern, line: str) -> bool:
    """Whether *pattern* fits *line*, whatever its groups hold."""
    return compiled(pattern).search(line) is not None


def try_pattern(pattern: LinePattern, path: str, lines: int = 200) -> list[TriedLine]:
    """Return the first *lines* lines of the log at *path* that are not empty, and what is read in them.

    Raises
    ------
    InputError
        As :func:`compiled`; ``log_unreadable``.
    """
    compiled(pattern)
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
            numbered = (
                (number, line.strip())
                for block in text_blocks(stream)
                for number, line in zip(block.numbers, block.lines)
                if line.strip()
            )
            return [_tried(pattern, number, line) for number, line in islice(numbered, lines)]
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("log_unreadable", path, {"detail": detail})) from None


def _tried(pattern: LinePattern, number: int, line: str) -> TriedLine:
    record = parse_by(pattern, line)
    if record is None:
        return TriedLine(number, line, None)
    values = {str(name): value for name, value in record.values.items()}
    if record.step is not None:
        values["step"] = float(record.step)
    if record.rank != UNSAID:
        values["rank"] = float(record.rank)
    return TriedLine(number, line, values)


class SavedPatterns(NamedTuple):
    """What the file holds."""

    patterns: tuple[LinePattern, ...]
    """By name."""
    problem: Problem | None = None
    """The file is there and cannot be read."""


def patterns_file() -> Path:
    """Return where patterns are kept; ``ULPSCOPE_PATTERNS`` names another folder."""
    wish = os.environ.get("ULPSCOPE_PATTERNS")
    folder = Path(wish) if wish else Path(platformdirs.user_config_dir("ulpscope", appauthor=False))
    return folder / "log_patterns.json"


def load_patterns(path: Path | None = None) -> SavedPatterns:
    """Return the kept patterns; none, and a problem, where the file is broken."""
    file = path or patterns_file()
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return SavedPatterns(())
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        return SavedPatterns((), Problem("patterns_unreadable", str(file), {"detail": str(error)}))
    return SavedPatterns(tuple(LinePattern(name, kept[name]) for name in sorted(kept)))


def save_pattern(pattern: LinePattern, path: Path | None = None) -> None:
    """Keep *pattern* under its name; one of that name is replaced.

    A file that cannot be read is put aside first, with ``.broken`` added to its name.

    Raises
    ------
    InputError
        ``patterns_unwritable``.
    """
    file = path or patterns_file()
    kept = {saved.name: saved.expression for saved in _loaded(file)}
    _write(file, kept | {pattern.name: pattern.expression})


def remove_pattern(name: str, path: Path | None = None) -> None:
    """Forget the pattern *name*, if there is one.

    Raises
    ------
    InputError
        ``patterns_unwritable``.
    """
    file = path or patterns_file()
    kept = {saved.name: saved.expression for saved in _loaded(file)}
    if kept.pop(name, None) is not None:
        _write(file, kept)


def _loaded(file: Path) -> tuple[LinePattern, ...]:
    found = load_patterns(file)
    if found.problem is not None:
        with contextlib.suppress(OSError):
            file.replace(file.with_name(file.name + ".broken"))
    return found.patterns


def _write(file: Path, kept: dict[str, str]) -> None:
    """Write beside the file and rename: it is whole at any time."""
    temporary = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(kept), indent=1))
        Path(temporary).replace(file)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("patterns_unwritable", str(file), {"detail": detail})) from None
