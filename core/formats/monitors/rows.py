"""Rows of a monitor's csv file, a block at a time: all at once where they are clean, one by one where not."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.formats.logs.lines import decoded
from core.formats.monitors import clean_rows
from core.formats.monitors.cells import STEP_BOUND, number, small, whole
from core.formats.monitors.layout import ABSENT, Form, Layout, layout_of
from core.formats.monitors.row_block import RowBlock
from core.records.log_table import UNSAID
from core.records.trends import UnreadRow

_BLOCK = 8 << 20
"""Bytes read at a time."""
_LONGEST_LINE = 1 << 20
_SAMPLE = 200
"""Characters that are kept of a row."""
_PROBED = 20
"""Rows by which a column is told to hold no numbers."""


class _Record(NamedTuple):
    """One row, read."""

    key: tuple[int, str, str]
    step: int
    micro: int
    values: list[float | None]


class RowReader:
    """Reads one file; :attr:`unread` counts what it could not, :attr:`samples` holds the first of it.

    *quick* allows clean rows to be read all at once, which pays from some megabytes of files on.
    """

    def __init__(self, path: str, most_samples: int, *, quick: bool) -> None:
        self._path = path
        self._most = most_samples
        self._quick = quick
        self._layout: Layout | None = None
        self._line = 0
        self.unread = 0
        self.samples: list[UnreadRow] = []
        self.read_bytes = 0

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows in order.

        A last line without its end is not trusted: it may be cut within a number.

        Raises
        ------
        OSError
            If the file cannot be read on; what was yielded before stays good.
        """
        with open(self._path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
            rest = b""
            while block := stream.read(_BLOCK):
                self.read_bytes += len(block)
                whole, end, rest = (rest + block).rpartition(b"\n")
                if end:
                    yield from self._rows(whole + end)
                elif len(rest) > _LONGEST_LINE:
                    self._note(rest)
                    rest = b""
            if rest.strip():
                self._line += 1
                self._note(rest)

    def _rows(self, block: bytes) -> Iterator[RowBlock]:
        if self._layout is None:
            first, _, block = block.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
            self._line += 1
            cells = _cells(decoded(first))
            self._layout = None if cells is None else layout_of(cells)
            if self._layout is None:
                self._note(first)
                return
            self._layout = self._layout.without(_texts(self._layout, block))
        quick = clean_rows.read(block, self._layout) if self._quick else None
        if quick is not None:
            self._line += len(quick.step)
            yield quick
            return
        yield from self._one_by_one(decoded(block).split("\n")[:-1])

    def _one_by_one(self, lines: list[str]) -> Iterator[RowBlock]:
        layout = self._layout
        assert layout is not None
        records: list[_Record] = []
        for line in lines:
            self._line += 1
            if not line.strip():
                continue
            cells = _cells(line)
            record = None if cells is None else _record(cells, layout)
            if record is not None:
                records.append(record)
                continue
            again = None if cells is None else layout_of(cells)  # a writer that began anew
            if again is None:
                self._note(line)
            elif again.statistics != layout.statistics or again.width != layout.width:
                yield _joined(records, layout)
                records, layout = [], again
        self._layout = layout
        yield _joined(records, layout)

    def _note(self, line: bytes | str) -> None:
        self.unread += 1
        if len(self.samples) < self._most:
            text = decoded(line) if isinstance(line, bytes) else line
            self.samples.append(UnreadRow(self._path, self._line, text.strip()[:_SAMPLE]))


def _cells(line: str) -> list[str] | None:
    try:
        return None if line.count('"') % 2 else next(csv.reader([line.rstrip("\r")]), None)
    except csv.Error:
        return None


def _texts(layout: Layout, block: bytes) -> list[int]:
    """Return the columns of statistics in which none of the first rows has a number."""
    lines = block.split(b"\n", _PROBED)[:_PROBED]
    rows = [cells for line in lines if (cells := _cells(decoded(line))) and len(cells) == layout.width]
    return [
        column
        for column, _ in layout.statistics
        if any(row[column].strip() for row in rows)
        and not any(row[column].strip() and number(row[column]) is not None for row in rows)
    ]


def _record(cells: list[str], layout: Layout) -> _Record | None:
    """Return what a row says, ``None`` if it cannot be read."""
    if len(cells) != layout.width:
        repaired = _shifted(cells, layout)
        if repaired is None:
            return None
        cells = repaired
    step = whole(cells[layout.step], STEP_BOUND) if layout.step != ABSENT else UNSAID
    stage = small(cells[layout.stage], 0) if layout.stage != ABSENT else 0
    micro = small(cells[layout.micro], UNSAID) if layout.micro != ABSENT else UNSAID
    if step is None or stage is None or micro is None:
        return None
    numbers: list[float | None] = []
    for column, _ in layout.statistics:
        value = number(cells[column])
        if value is None and cells[column].strip():
            return None
        numbers.append(value)
    scope = cells[layout.scope] if layout.scope != ABSENT else ""
    return _Record((stage, cells[layout.name], scope), step, micro, numbers)


def _shifted(cells: list[str], layout: Layout) -> list[str] | None:
    """Return a row of the first monitor that is too long, as it was meant to be.

    Its writer splits ``stage:name[:micro]`` at every colon and inserts the step as third cell
    (``data_writers.py``, ``write_csv``), so that the other parts of a name with colons stand after the step.
    The rows of the same step whose names have fewer colons are filled up with ``nan`` at their end. Where a
    part of the name looks like a number it cannot be told from a value, and nothing is returned.
    """
    more = len(cells) - layout.width
    numeric = layout.micro == 3 or any(column == 3 for column, _ in layout.statistics)
    in_place = (layout.stage, layout.name, layout.step) == (0, 1, 2) and numeric
    if layout.form is not Form.MONITOR or more <= 0 or not in_place:
        return None
    if whole(cells[2], STEP_BOUND) is None:  # the step stands before the statistics, as it should
        parts, step, tail = cells[1 : 2 + more], cells[2 + more], cells[3 + more :]
        return (
            None
            if any(number(part) is not None for part in parts)
            else [cells[0], ":".join(parts), step, *tail]
        )
    shift = next((place for place in range(more) if number(cells[3 + place]) is not None), more)
    end = len(cells) - more + shift
    repaired = [cells[0], ":".join((cells[1], *cells[3 : 3 + shift])), cells[2], *cells[3 + shift : end]]
    if any(cell != "nan" for cell in cells[end:]):
        return None
    # Values have a point or an exponent; a whole number is a part of a name as well.
    first = repaired[min((column for column, _ in layout.statistics), default=0)]
    return None if shift < more and first.strip().isdigit() else repaired


def _joined(records: Sequence[_Record], layout: Layout) -> RowBlock:
    ids: dict[tuple[int, str, str], int] = {}
    keys = [ids.setdefault(record.key, len(ids)) for record in records]
    statistics = []
    for place, (_, name) in enumerate(layout.statistics):
        column = [record.values[place] for record in records]
        values = np.array([math.nan if value is None else value for value in column], np.float64)
        present = np.array([value is not None for value in column], np.bool_)
        statistics.append((name, values, None if present.all() else present))
    return RowBlock(
        tuple(ids),
        np.array(keys, np.int64),
        np.array([record.step for record in records], np.int64),
        np.array([record.micro for record in records], np.int32),
        tuple(statistics),
    )
