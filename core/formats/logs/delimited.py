"""Tables of text (csv, tsv, with ``;`` or ``|``) that hold a training: which columns they have.

Any table with a head is understood; what its columns mean is told by their names.
TensorBoard exports one tag as ``Wall time,Step,Value`` and names it in the name of the file.
"""

from __future__ import annotations

import csv
import os
import re
from typing import NamedTuple

from core.formats.logs.lines import wide_of
from core.formats.logs.names import columns_of, is_rank, meaning_of, only_loss, step_order
from core.formats.logs.numbers import read_number
from core.records.series import Series

DELIMITERS = (",", "\t", ";", "|")
BLANKS = ("  ", " ")
"""Of tables whose columns are aligned: two blanks or more, where names have blanks in them, or any number."""
_APART = {"  ": re.compile(r"\s{2,}|\t"), " ": re.compile(r"\s+")}
_HEAD_LINES = 30
"""Comments and empty lines before the head, and rows after it, that are looked at."""
_MOST_CELLS = 100_000
_TELLING = (Series.LOSS, Series.GRAD_NORM, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY)
_STRICT = (*_TELLING, Series.LEARNING_RATE)
_EXCEL = re.compile(r"sep=(.)", re.I)
"""A first line that tells a spreadsheet the delimiter."""
_EXPORT = ("wall time", "step", "value")
_TAG = re.compile(r"tag-(?P<tag>.+?)(?:\.(?:csv|json))?(?:\.gz)?$", re.I)
_OTHERS = frozenset(
    ("npu name", "bench name", "vpp_stage", "op name", "api name", "param_name", "name", "module_name")
)
"""Columns of comparisons, monitors and statistics, which have a row a tensor and no training."""
ABSENT = frozenset(("", "none", "null", "n/a", "na", "-", "--", "<na>", "undefined", "no log"))
"""Cells that hold no value and are not wrong."""


class TableHead(NamedTuple):
    """How a table is to be read."""

    delimiter: str
    line: int
    """Lines before the head."""
    cells: int
    names: tuple[str, ...]
    """Column of the log table for each cell; ``""`` for the step's, the rank's and nameless ones."""
    factors: tuple[float, ...]
    strict: tuple[int, ...]
    """Cells that must be numbers or empty: the step and the values that matter most."""
    step: int | None
    """Which cell is the step."""
    rank: int | None
    titles: tuple[str, ...]
    """The names as they stand in the file."""
    is_log: bool
    """The names say that it is of a training."""


def head_of(text: str, path: str) -> TableHead | None:
    """Return the head of the table that begins with *text*; ``None`` where it is none or not of a training.

    A table is of a training if it has a loss, a gradient norm, a learning rate or a step.
    """
    lines = text.split("\n", 2 * _HEAD_LINES)[: 2 * _HEAD_LINES]
    delimiters: tuple[str, ...] = (*DELIMITERS, *BLANKS)
    for number, line in enumerate(lines[:_HEAD_LINES]):
        bare = line.strip("\r ").lstrip("#").strip(" ")
        if found := _EXCEL.fullmatch(bare):
            delimiters = (found[1],)
            continue
        for delimiter in delimiters:
            cells = split_row(bare, delimiter)
            if (
                1 < len(cells) <= _MOST_CELLS
                and _is_head(cells)
                and (delimiter not in BLANKS or _is_aligned(cells, delimiter, lines[number + 1 :]))
                and _fits(lines[number + 1 :], delimiter, cells)
            ):
                return _head(cells, delimiter, number, path)
        if bare and not line.startswith("#"):
            return None
    return None


def split_row(line: str, delimiter: str) -> list[str]:
    """Return the cells of *line*."""
    if delimiter in _APART:
        return _APART[delimiter].split(line.strip())
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def is_absent(cell: str) -> bool:
    """Whether *cell* holds nothing, or says so."""
    return cell.strip().strip("'\"").lower() in ABSENT


def text_of(head: bytes) -> tuple[str, str]:
    """Return the beginning *head* of a file as text, and its encoding."""
    wide = wide_of(head)
    if wide is not None:
        return head[: len(head) // 2 * 2].decode(wide, "replace").removeprefix("\ufeff"), wide
    head = head.replace(b"\0", b"")
    whole = head[: head.rfind(b"\n") + 1] or head
    try:
        return whole.decode("utf-8-sig"), "utf-8-sig"
    except UnicodeDecodeError:
        return whole.decode("gb18030", "replace"), "gb18030"


def _is_head(cells: list[str]) -> bool:
    """Whether *cells* are names: none is a number, and some are there."""
    return any(cell.strip() for cell in cells) and not any(read_number(cell) is not None for cell in cells)


def _fits(rows: list[str], delimiter: str, head: list[str]) -> bool:
    """Whether one of the first *rows* is one of the table; a table may have none yet."""
    rows = [row.strip("\r") for row in rows if row.strip()]
    return not rows or any(
        len(split := split_row(row, delimiter)) >= len(head)
        and any(read_number(cell) is not None or is_absent(cell) for cell in split)
        for row in rows
    )


def _is_aligned(cells: list[str], delimiter: str, rows: list[str]) -> bool:
    """Whether a head and *rows* are those of a table aligned by blanks, and no sentences.

    Every name is known, or names are apart by more than one blank, and the first row holds numbers alone.
    """
    known = [step_order(cell) is not None or meaning_of(cell) is not None for cell in cells]
    first = next((row for row in rows if row.strip(" -=\r")), None)
    row = [] if first is None else split_row(first, delimiter)
    return (
        (all(known) if delimiter == " " else any(known))
        and len(row) == len(cells)
        and all(read_number(cell) is not None or is_absent(cell) for cell in row)
    )


def _head(cells: list[str], delimiter: str, line: int, path: str) -> TableHead | None:
    names = [cell.strip() for cell in cells]
    lower = [name.strip("'\"").lower() for name in names]
    orders = {n: order for n, name in enumerate(names) if (order := step_order(name)) is not None}
    step = min(orders, key=orders.__getitem__, default=None)
    rank = next((n for n, name in enumerate(names) if is_rank(name)), None)
    exported = tuple(lower) == _EXPORT
    if exported:
        names[2] = tag_of(path)
    found = columns_of([name for n, name in enumerate(names) if name and n not in (step, rank)])
    made = ["" if n in (step, rank) else found.get(name, ("", 1.0))[0] for n, name in enumerate(names)]
    taken: set[str] = set()
    for n, name in enumerate(made):
        if name and name in taken:
            made[n] = f"{names[n]}.{n}"
        taken.add(made[n])
    loss = None if Series.LOSS in taken else only_loss(name for name in made if name)
    telling = exported or loss is not None or any(name in taken for name in _TELLING)
    if not (telling or step is not None or Series.LEARNING_RATE in taken):
        return None
    return TableHead(
        delimiter,
        line,
        len(cells),
        tuple(made),
        tuple(found[name][1] if name in found else 1.0 for name in names),
        tuple(n for n, name in enumerate(made) if n == step or name == loss or name in _STRICT),
        step,
        rank,
        tuple(cells),
        telling and _OTHERS.isdisjoint(lower),
    )


def tag_of(path: str) -> str:
    """Return what TensorBoard's csv at *path* holds, or its JSON: the name of the file alone tells it."""
    found = _TAG.search(os.path.basename(path))  # noqa: PTH119
    return found["tag"] if found else str(Series.LOSS)
