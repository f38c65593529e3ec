"""Whole documents of JSON: an array of records, columns, and what TensorBoard exports of one tag.

``[{"step": 1, "loss": 2}, ...]`` · ``{"step": [1, ...], "loss": [2, ...]}`` · ``[[wall time, step, value],
...]`` (TensorBoard, "download JSON"; its tag stands in the name of the file). The first and the second may be
members of an object, ``{"history": [...]}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from core.formats.logs import dicts
from core.formats.logs.delimited import tag_of
from core.formats.logs.names import loss_order, meaning_of, named, step_order
from core.formats.logs.record import LogRecord
from core.records.series import Series

FORM = "json"
_TELLING = (Series.LOSS, Series.GRAD_NORM, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY)
_COLUMN = re.compile(r'"(?P<name>[^"\\]{1,80})"\s*+:\s*+\[\s*+(?:-?\d|null|NaN)')
_LOOKED_AT = 20
"""Records at the beginning of an array that are looked at."""


def looks_like_document(head: bytes, whole: bool) -> bool:
    """Whether *head*, the beginning of a file, or the *whole* of it, is one of a document with a training."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] not in (b"{", b"["):
        return False
    try:
        if whole:
            return next(records_of_document(parse_document(head), ""), None) is not None
        decoded = text.decode("utf-8", "replace")
    except (ValueError, RecursionError):
        return False
    return _begins_array(decoded) if text[:1] == b"[" else _begins_columns(decoded)


def parse_document(content: bytes) -> Any:
    """Parse a document of JSON, in which NaN and infinities may stand as Python writes them.

    Raises
    ------
    ValueError, RecursionError
        If it is no JSON.
    """
    try:
        return msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except msgspec.DecodeError:
        return dicts.parse_state(content)


def records_of_document(document: Any, path: str) -> Iterator[LogRecord]:
    """Yield the records of the parsed *document*, which lies at *path*; odd entries are left out."""
    if isinstance(document, list):
        yield from _of_array(document, path)
    elif isinstance(document, Mapping) and not any(step_order(str(name)) is not None and not isinstance(
        value, list) for name, value in document.items()):  # fmt: skip
        for part in (document, *document.values()):
            yield from _of_array(part, path) if isinstance(part, list) else _of_columns(part)


def _of_array(entries: list[Any], path: str) -> Iterator[LogRecord]:
    for entry in entries:
        if isinstance(entry, Mapping):
            record = dicts.record_of(entry, True)
            if record is not None:
                yield record
        elif isinstance(entry, list) and len(entry) == 3 and all(map(_is_number, entry[:2])):
            value = dicts.number_of(entry[2])  # what is not finite stands there as a word
            if value is not None:
                yield LogRecord(named({tag_of(path): value}), FORM, _step(entry[1]))


def _of_columns(document: Any) -> Iterator[LogRecord]:
    if not isinstance(document, Mapping):
        return
    columns = {str(name): value for name, value in document.items() if isinstance(value, list)}
    if not any(_tells(name) for name in columns):
        return
    for row in range(max(map(len, columns.values()))):
        entry = {name: column[row] for name, column in columns.items() if row < len(column)}
        record = dicts.record_of(entry, True)
        if record is not None:
            yield record


def _begins_array(text: str) -> bool:
    decoder, at = json.JSONDecoder(), 1
    for _ in range(_LOOKED_AT):
        while text[at : at + 1] in tuple(" \t\r\n,"):
            at += 1
        try:
            entry, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return False
        if next(_of_array([entry], ""), None) is not None:
            return True
    return False


def _begins_columns(text: str) -> bool:
    """Whether *text* begins like columns; each line of a log is an object of its own, and closed."""
    first = text.partition("\n")[0].rstrip()
    if first.endswith("}") and len(first) < len(text.rstrip()):
        return False
    return any(_tells(found["name"]) for found in _COLUMN.finditer(text))


def _tells(name: str) -> bool:
    meaning = meaning_of(name)
    return loss_order(name) is not None or (meaning is not None and meaning.series in _TELLING)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _step(value: float) -> int | None:
    return int(value) if 0 <= value < 1e15 else None
