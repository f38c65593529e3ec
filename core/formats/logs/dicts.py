"""Dictionaries: what the Hugging Face Trainer prints, lines of JSON, and its ``trainer_state.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "trainer"
HINTS = ("loss", "grad_norm")
_DICT = re.compile(r"\{[^{}]*\}")
_PAIR = re.compile(r"""(['"])(?P<name>[^'"]+)\1\s*:\s*(?P<value>'[^']*'|"[^"]*"|[^,(){}]+(?:\([^)]*\))?)""")
_STEPS = ("step", "global_step", "current_steps", "iteration", "iter")
_NAMES = {
    "loss": Series.LOSS, "lm loss": Series.LOSS, "learning_rate": Series.LEARNING_RATE,
    "lr": Series.LEARNING_RATE, "grad_norm": Series.GRAD_NORM, "loss_scale": Series.LOSS_SCALE,
    "scale": Series.LOSS_SCALE, "skipped": Series.SKIPPED, "overflow": Series.OVERFLOW,
    "global_batch_size": Series.GLOBAL_BATCH,
}  # fmt: skip
_TELLING = (Series.LOSS, Series.GRAD_NORM)
_TRUTH = {"true": 1.0, "false": 0.0}


def parse(line: str) -> LogRecord | None:
    """Read the dictionary in *line*, in the spelling of Python or of JSON."""
    for found in _DICT.finditer(line):
        pairs = {pair["name"]: pair["value"] for pair in _PAIR.finditer(found[0])}
        if record := _record({name: _number(text) for name, text in pairs.items()}):
            return record
    return None


def records_of_state(state: Any) -> Iterator[LogRecord]:
    """Yield the records of the parsed ``trainer_state.json`` *state*; odd entries are left out."""
    history = state.get("log_history") if isinstance(state, Mapping) else None
    for entry in history if isinstance(history, list) else ():
        if isinstance(entry, Mapping):
            record = _record({str(name): _number(value) for name, value in entry.items()})
            if record is not None:
                yield record


def looks_like_state(head: bytes) -> bool:
    """Whether *head*, the beginning of a file, is one of a ``trainer_state.json``."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" and b'"log_history"' in head


def parse_state(content: bytes) -> Any:
    """Parse a ``trainer_state.json``.

    Raises
    ------
    ValueError, RecursionError
        If it is no JSON.
    """
    return json.loads(content.decode("utf-8-sig", "replace"))


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    if not isinstance(value, str):
        return None
    truth = _TRUTH.get(value.strip().lower())
    return read_number(value) if truth is None else truth


def _record(pairs: Mapping[str, float | None]) -> LogRecord | None:
    """Return the record of *pairs* if they are of a training step: a loss or gradient norm, and when."""
    numbers = {name: number for name, number in pairs.items() if number is not None}
    values = {_NAMES.get(name.lower(), name): number for name, number in numbers.items()}
    when = [name for name in _STEPS if name in numbers]
    if not any(name in values for name in _TELLING):
        return None
    if not when and "epoch" not in numbers and Series.LEARNING_RATE not in values:
        return None
    step = numbers[when[0]] if when else -1.0
    for name in (*_STEPS, "epoch"):
        values.pop(name, None)
    return LogRecord(values, NAME, int(step) if 0 <= step < 1e15 else None)
