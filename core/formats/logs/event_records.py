"""Scalars of many TensorBoard events of one length at once.

Most events of a file are alike: one tag, and only time, step and value differ. One of them is read field by
field; those whose other bytes are the same are read as columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.formats.logs.columns import Part, part_of
from core.formats.logs.event_fields import BadEvent, Event, read_event
from core.formats.logs.record import LogRecord
from core.records.columns import Int64
from core.records.log_table import UNSAID

FORM = "tensorboard"
_MOST_TEMPLATES = 512
Bytes = NDArray[np.uint8]


class _Template(NamedTuple):
    """An event, and which bytes of it are not the same in others like it."""

    tag: str
    fixed: Int64
    """Places of the bytes that are the same."""
    content: Bytes
    step: tuple[int, int]
    value: tuple[int, int]


class EventReader:
    """Reads events, a length at a time."""

    def __init__(self) -> None:
        self._templates: dict[int, list[_Template]] = {}

    def read(self, places: Int64, rows: Bytes) -> tuple[list[Part], list[int]]:
        """Return the scalars of *rows*, events × bytes, which stand at *places*, and where broken ones do."""
        templates = self._templates.setdefault(rows.shape[1], [])
        parts: list[Part] = []
        left = np.arange(len(rows))
        for template in templates:
            left = _take(template, places, rows, left, parts)
        lines: list[int] = []
        records: list[LogRecord] = []
        broken: list[int] = []
        while len(left):
            first, content = int(left[0]), rows[left[0]].tobytes()
            try:
                event = read_event(content)
            except BadEvent:
                broken.append(int(places[first]))
                left = left[1:]
                continue
            found = _template(event, rows[first])
            if found is not None and len(templates) < _MOST_TEMPLATES:
                templates.append(found)
                left = _take(found, places, rows, left, parts)
                continue
            left = left[1:]
            if event.scalars:
                lines.append(int(places[first]))
                values = {scalar.tag: scalar.value for scalar in event.scalars}
                records.append(LogRecord(values, FORM, event.step))
        if records:
            parts.append(part_of(lines, records))
        return parts, broken


def _template(event: Event, row: Bytes) -> _Template | None:
    """Return what *event* has in common with others, if it is one plain scalar."""
    if len(event.scalars) != 1:
        return None
    scalar = event.scalars[0]
    value = scalar.start, scalar.start + scalar.size
    same = np.ones(len(row), bool)
    for start, end in (event.step_place, event.time_place, value):
        same[start:end] = False
    fixed = np.flatnonzero(same)
    return _Template(scalar.tag, fixed, row[fixed], event.step_place, value)


def _take(template: _Template, places: Int64, rows: Bytes, left: Int64, parts: list[Part]) -> Int64:
    """Read those of the rows *left* that are like *template*; return the others."""
    if not len(left):
        return left
    mine = rows[left]
    alike = (mine[:, template.fixed] == template.content).all(axis=1)
    start, end = template.step
    if end > start:
        digits = mine[:, start:end]
        alike &= (digits[:, :-1] >= 0x80).all(axis=1) & (digits[:, -1] < 0x80)
    if not alike.any():
        return left
    mine = mine[alike]
    low, high = template.value
    raw = np.ascontiguousarray(mine[:, low:high])
    value = raw.view("<f4" if high - low == 4 else "<f8")[:, 0].astype(np.float64)
    count = len(mine)
    parts.append(
        Part(
            places[left[alike]],
            _steps(mine[:, start:end]),
            np.full(count, UNSAID, np.int32),
            np.zeros(count, bool),
            {template.tag: (None, value)},
            {FORM: count},
        )
    )
    steps: Int64 = left[~alike]
    return steps


def _steps(digits: Bytes) -> Int64:
    """Return the varints *digits*, events × bytes; none is step 0, one too large or negative no step."""
    step = np.zeros(len(digits), np.uint64)
    for number, byte in enumerate(digits.T):
        step |= (byte & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * number)
    steps: Int64 = np.where(step < np.uint64(10**15), step.astype(np.int64), UNSAID)
    return steps
