"""The records of a training log one by one, and what is one. Content decides, not the extension."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from core.errors import InputError, Problem
from core.formats.logs import dicts
from core.formats.logs.events import looks_like_events
from core.formats.logs.forms import read_line
from core.formats.logs.headings import Headings
from core.formats.logs.lines import blocks_of, lines_of
from core.formats.logs.names import EVALUATED, only_loss
from core.formats.logs.record import LogRecord
from core.formats.logs.sniffing import SNIFFED, is_document, is_training_log, table_head
from core.formats.logs.state import read_state
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import UNSAID, LogTable
from core.records.series import Series

__all__ = ["is_training_log", "read_line", "read_log"]

_VALIDATED = frozenset((Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY))
_TRAINED = frozenset((Series.LOSS, Series.GRAD_NORM))


def read_log(path: str) -> Iterator[LogRecord]:
    """Yield the records of training at *path* in the order of its lines; those of validation are left out.

    Raises
    ------
    InputError
        As :func:`core.formats.logs.table.read_table`.
    """
    for record in _records(path):
        if _VALIDATED.isdisjoint(record.values) or not _TRAINED.isdisjoint(record.values):
            yield record


def _records(path: str) -> Iterator[LogRecord]:
    try:
        if os.path.isfile(path):  # noqa: PTH113 - a path as the user gave it
            head = b"".join(blocks_of(path, SNIFFED))
            if dicts.looks_like_state(head):
                yield from read_state(path)
                return
            if not (looks_like_events(head) or is_document(head) or table_head(head, path)):
                headings = Headings()
                for line in lines_of(blocks_of(path)):
                    if (record := read_line(headings.line(line))) is not None:
                        yield _with_loss(record)
                return
        yield from _records_of(run_to_end(read_table(path)))
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("log_unreadable", path, {"detail": detail})) from None


def _with_loss(record: LogRecord) -> LogRecord:
    """Return *record* with the loss of an evaluation, or one of an own name, called the loss."""
    if Series.LOSS in record.values:
        return record
    name = EVALUATED if EVALUATED in record.values else only_loss(record.values)
    if name is None:
        return record
    values = {str(Series.LOSS) if own == name else own: value for own, value in record.values.items()}
    return replace(record, values=values)


def _records_of(table: LogTable) -> Iterator[LogRecord]:
    """Yield the records of *table*."""
    form = next(iter(table.forms), "")
    values: list[dict[str, float]] = [{} for _ in range(len(table.step))]
    for name, column in table.columns.items():
        for record, value in zip(column.record.tolist(), column.value.tolist()):
            values[record][name] = value
    for said, step, rank in zip(values, table.step.tolist(), table.rank.tolist()):
        yield LogRecord(said, form, None if step == UNSAID else step, rank=rank)
