"""Dictionaries: what the Hugging Face Trainer prints, lines of JSON, and its ``trainer_state.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.formats.logs.names import named, step_order
from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "trainer"
HINTS = ("loss", "grad_norm", "acc", "损失")
NESTED = "json"
"""Form of lines of JSON with objects inside objects."""
BEGINNING = re.compile(
    r"\{\s*['\"](?:\w*loss|grad_norm|step|global_step|current_steps)['\"]\s*:\s*(?!\{)[^{}]*$"
)
_DICT = re.compile(r"\{[^{}]*\}")
_PAIR = re.compile(r"""(['"])(?P<name>[^'"]+)\1\s*:\s*(?P<value>'[^']*'|"[^"]*"|[^,(){}]+(?:\([^)]*\))?)""")
_TELLING = (Series.LOSS, Series.GRAD_NORM, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY)
SUMMARY = "train_runtime"
"""Stands in the line that sums up a whole training; its loss is a mean over all steps."""
_TRUTH = {"true": 1.0, "false": 0.0}


def parse(line: str) -> LogRecord | None:
    """Read the dictionary in *line*, in the spelling of Python or of JSON."""
    for found in _DICT.finditer(line):
        pairs = {pair["name"]: pair["value"] for pair in _PAIR.finditer(found[0])}
        numbers = {name: _number(text) for name, text in pairs.items()}
        if record := _record(numbers, len(found[0]) == len(line)):
            return record
    return _nested(line) if line[:1] == "{" and line[-1:] == "}" and line.count("{") > 1 else None


def _nested(line: str) -> LogRecord | None:
    """Read an object of JSON that holds others; names are joined by ``/``."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    numbers: dict[str, float | None] = {}
    open_ones: list[tuple[str, Mapping[str, Any]]] = [("", parsed)]
    while open_ones:
        above, members = open_ones.pop(0)
        for name, value in members.items():
            if isinstance(value, dict):
                open_ones.append((f"{above}{name}/", value))
            elif isinstance(value, bool | int | float):
                numbers[above + name] = _number(value)
    record = _record(numbers)
    return replace(record, form=NESTED) if record else None


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


def _record(pairs: Mapping[str, float | None], alone: bool = False) -> LogRecord | None:
    """Return the record of *pairs* if they tell of a training and of when, or stand *alone* in their line."""
    numbers = {name: number for name, number in pairs.items() if number is not None}
    orders = {name: order for name in numbers if (order := step_order(name)) is not None}
    when = min(orders, key=orders.__getitem__, default=None)
    step = -1.0 if when is None else numbers[when]
    values = named({name: number for name, number in numbers.items() if name not in orders})
    if SUMMARY in values or not any(name in values for name in _TELLING):
        return None
    if when is None and not alone and Series.EPOCH not in values and Series.LEARNING_RATE not in values:
        return None
    return LogRecord(values, NAME, int(step) if 0 <= step < 1e15 else None)
