"""Event files of TensorBoard as columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from core.errors import Problem
from core.formats.logs.columns import Columns
from core.formats.logs.events import read_events
from core.formats.logs.file_table import FileTable
from core.formats.logs.names import columns_of
from core.formats.logs.text_table import Unread, progress, table_of
from core.progress import Work
from core.records.log_table import SparseColumn


def read_event_files(path: str, files: Sequence[str]) -> Work[FileTable]:
    """Read the event *files* of one run, in the order of its restarts; *path* is what the user gave.

    Raises
    ------
    OSError
        If one of them cannot be read.
    """
    columns, unread, problems = Columns(), Unread(), list[Problem]()
    records, done = 0, 0
    total = sum(os.path.getsize(file) for file in files)  # noqa: PTH202 - paths as the user gave them
    for file in files:
        end = 0
        for block in read_events(file, records + 1, problems):
            columns.add(block.read.parts)
            unread.add(block.read.unread)
            records, end = records + block.records, block.end
            yield progress(path, done + end, total)
        done += end
    collected = columns.collected()
    named = columns_of(collected.columns)
    collected = collected._replace(
        columns={
            named[tag][0]: SparseColumn(column.record, column.value * named[tag][1])
            for tag, column in collected.columns.items()
        }
    )
    return replace(table_of(path, collected, records, unread, done), problems=tuple(problems))
