"""Rows of a table of text as columns: all at once where every cell is a number, else cell by cell."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.formats.logs.columns import Part
from core.formats.logs.damage import LONGEST_SAMPLE
from core.formats.logs.delimited import TableHead, is_absent, split_row
from core.formats.logs.line_log import ReadBlock
from core.formats.logs.lines import TextBlock
from core.formats.logs.numbers import read_grouped, read_number
from core.records.columns import Float64, Int64
from core.records.log_table import UNSAID, UnreadLine

FORM = "table"
_NAN_WORDS = ["nan", "NaN"]
_WRONG, _ABSENT, _NUMBER = 0, 1, 2


class RowReader:
    """Reads rows of a table in blocks."""

    def __init__(self, head: TableHead) -> None:
        self._head = head

    def read(self, block: TextBlock) -> ReadBlock:
        """Return the rows of *block*, and the lines that are none."""
        head = self._head
        lines: list[int] = []
        rows: list[list[str]] = []
        unread: list[int] = []
        for index, line in enumerate(block.lines):
            if not line.strip():
                continue
            row = split_row(line, head.delimiter)
            while len(row) > head.cells and not row[-1].strip():
                row.pop()
            if _is_rule(line):
                continue
            if len(row) < head.cells or _may_be_one(row, head.cells):
                unread.append(index)
            else:
                lines.append(index)
                rows.append(row[: head.cells])
        parts: list[Part] = []
        if rows:
            part, wrong = self._columns(lines, rows)
            parts.append(part)
            unread = sorted([*unread, *wrong])
        sample = [UnreadLine(block.numbers[i], block.lines[i].strip()[:LONGEST_SAMPLE]) for i in unread]
        return ReadBlock(parts, sample)

    def _columns(self, lines: Sequence[int], rows: Sequence[list[str]]) -> tuple[Part, list[int]]:
        head = self._head
        cells = [_converted(column, number == head.step) for number, column in enumerate(zip(*rows))]
        wrong = np.zeros(len(rows), bool)
        for number in head.strict:
            wrong |= cells[number][1] == _WRONG
        empty = np.logical_and.reduce([state != _NUMBER for _, state in cells])
        kept = np.flatnonzero(~wrong & ~empty)
        columns: dict[str, tuple[Int64 | None, Float64]] = {}
        for name, factor, (values, state) in zip(head.names, head.factors, cells):
            there = state[kept] == _NUMBER
            if name and there.any():
                found = values[kept] * factor
                whole = bool(there.all())
                columns[name] = (None, found) if whole else (np.flatnonzero(there), found[there])
        where = np.array(lines, np.int64)
        step = None if head.step is None else cells[head.step][0][kept]
        rank = None if head.rank is None else cells[head.rank][0][kept]
        # A run that is resumed may write the head again.
        unread = [lines[n] for n in np.flatnonzero(wrong).tolist() if tuple(rows[n]) != head.titles]
        return _part(where[kept], step, rank, columns), unread


def _is_rule(line: str) -> bool:
    """Whether *line* is the rule below the head of a table (Markdown)."""
    return line[:2] in ("|-", "|:", "| ", "--", "==", "+-") and not line.strip("|-:=+ \t\r")


def _may_be_one(row: Sequence[str], cells: int) -> bool:
    """Whether the first surplus cell of *row* may be the rest of the last number: ``4,526`` for 4.526."""
    return len(row) > cells and row[cells - 1].strip().isdigit() and row[cells][:1].isdigit()


def clean_table(path: str, head: TableHead, encoding: str) -> Part | None:
    """Return all rows of the table at *path* at once; ``None`` if any cell of it is no number or empty.

    Numbers are read exactly, to the last bit. Without pandas the answer is ``None`` too.
    """
    try:
        import pandas
    except ImportError:
        return None

    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    exact = {} if version >= (3, 1) else {"float_precision": "round_trip"}  # what later versions do anyway
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frame = pandas.read_csv(
                path, sep=head.delimiter, header=None, skiprows=head.line + 1, names=list(range(head.cells)),
                index_col=False, skip_blank_lines=False, keep_default_na=False, na_values=_NAN_WORDS,
                encoding=encoding,
                **exact,
            )  # type: ignore[call-overload, unused-ignore]  # fmt: skip
    except (ValueError, UnicodeError, Warning, pandas.errors.ParserError, pandas.errors.EmptyDataError):
        return None
    if not len(frame) or not all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in frame.dtypes):
        return None
    cells: list[Float64] = [frame[number].to_numpy(np.float64) for number in range(head.cells)]
    columns: dict[str, tuple[Int64 | None, Float64]] = {
        name: (None, cell if factor == 1.0 else cell * factor)
        for name, factor, cell in zip(head.names, head.factors, cells)
        if name
    }
    step = None if head.step is None else cells[head.step]
    rank = None if head.rank is None else cells[head.rank]
    return _part(np.arange(len(frame)), step, rank, columns)


def _part(
    lines: Int64, step: Float64 | None, rank: Float64 | None, columns: dict[str, tuple[Int64 | None, Float64]]
) -> Part:
    count = len(lines)
    return Part(
        lines,
        _whole(step, count, 1e15).astype(np.int64),
        _whole(rank, count, 1e6).astype(np.int32),
        np.zeros(count, bool),
        columns,
        {FORM: count},
    )


def _whole(values: Float64 | None, count: int, most: float) -> Float64:
    """Return *values* where they are whole numbers from 0 to below *most*, and elsewhere what is unsaid."""
    if values is None:
        return np.full(count, float(UNSAID))
    with np.errstate(invalid="ignore"):
        good = (values >= 0) & (values < most) & (values == np.floor(values))
    return np.where(good, values, float(UNSAID))


def _converted(column: Sequence[str], is_step: bool) -> tuple[Float64, NDArray[np.int8]]:
    """Return the numbers of *column*, NaN where there is none, and what each cell is.

    Only in a step a comma can't be that of a fraction, and may set off thousands.
    """
    together = "".join(column)
    # What `float` takes without these, is a number as logs spell it.
    plain = together.isascii() and "_" not in together
    if plain:
        try:
            return np.array(list(map(float, column))), np.full(len(column), _NUMBER, np.int8)
        except ValueError:
            pass
    numbers = np.full(len(column), np.nan)
    state = np.full(len(column), _NUMBER, np.int8)
    for at, cell in enumerate(column):
        number = _plain_number(cell) if plain else read_number(cell)
        if number is None and is_step:
            number = read_grouped(cell)
        if number is not None:
            numbers[at] = number
        else:
            state[at] = _ABSENT if is_absent(cell) else _WRONG
    return numbers, state


def _plain_number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return read_number(cell)
