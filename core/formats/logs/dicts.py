"""Dictionaries: what the Hugging Face Trainer prints, lines of JSON, and its ``trainer_state.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.formats.logs.names import is_rank, loss_order, meaning_of, named, step_order
from core.formats.logs.numbers import read_grouped
from core.formats.logs.rates import rates_of
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
        if record := record_of(pairs, len(found[0]) == len(line)):
            rates = rates_of(found[0])
            return replace(record, values={**record.values, **rates}) if rates else record
    return _nested(line) if line[:1] == "{" and line[-1:] == "}" and line.count("{") > 1 else None


def _nested(line: str) -> LogRecord | None:
    """Read an object of JSON that holds others; names are joined by ``/``."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    numbers: dict[str, Any] = {}
    open_ones: list[tuple[str, Mapping[str, Any]]] = [("", parsed)]
    while open_ones:
        above, members = open_ones.pop(0)
        for name, value in members.items():
            if isinstance(value, dict):
                open_ones.append((f"{above}{name}/", value))
            elif isinstance(value, bool | int | float):
                numbers[above + name] = value
    record = record_of(numbers)
    return replace(record, form=NESTED) if record else None


def records_of_state(state: Any) -> Iterator[LogRecord]:
    """Yield the records of the parsed ``trainer_state.json`` *state*; odd entries are left out."""
    history = state.get("log_history") if isinstance(state, Mapping) else None
    for entry in history if isinstance(history, list) else ():
        if isinstance(entry, Mapping):
            record = record_of(entry)
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


def record_of(entry: Mapping[Any, Any], alone: bool = False) -> LogRecord | None:
    """Return the record of *entry*, names and values, if it tells of a training and of when.

    *alone*: it need not tell of when, as nothing else stands beside it.
    """
    numbers: dict[str, float] = {}
    for name, value in entry.items():
        number = _number(value, str(name))
        if number is not None:
            numbers[str(name)] = number
    orders = {name: order for name in numbers if (order := step_order(name)) is not None}
    when = min(orders, key=orders.__getitem__, default=None)
    step = -1.0 if when is None else numbers[when]
    rank = next((number for name, number in numbers.items() if is_rank(name)), -1.0)
    values = named({name: n for name, n in numbers.items() if name not in orders and not is_rank(name)})
    if SUMMARY in values or not (
        any(name in values for name in _TELLING) or any(loss_order(name) is not None for name in values)
    ):
        return None
    if when is None and not alone and Series.EPOCH not in values and Series.LEARNING_RATE not in values:
        return None
    return LogRecord(
        values, NAME, int(step) if 0 <= step < 1e15 else None, rank=int(rank) if 0 <= rank < 1e6 else -1
    )


def _number(value: Any, name: str) -> float | None:
    """Return the number that *value*, called *name*, is; truth is one where it may be meant."""
    truth = float(value) if isinstance(value, bool) else None
    if isinstance(value, str):
        truth = _TRUTH.get(value.strip().lower())
    if truth is None:
        return number_of(value)
    return truth if _may_be_true(name) else None


def number_of(value: Any) -> float | None:
    """Return the number that *value* is or spells, ``None`` for all else."""
    if isinstance(value, str):
        return read_grouped(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _may_be_true(name: str) -> bool:
    meaning = meaning_of(name)
    known = meaning is not None and meaning.series not in (Series.OVERFLOW, Series.SKIPPED)
    return not known and step_order(name) is None and loss_order(name) is None and not is_rank(name)
