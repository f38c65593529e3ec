"""The door: a monitor's output in, its statistics out. Content decides, not the extension."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np

from core.errors import InputError, Problem
from core.formats.monitors.database import TrendDatabase
from core.formats.monitors.gathering import Gathering
from core.formats.monitors.kinds import kind_of_v1, kind_of_v2, step_of_probe
from core.formats.monitors.layout import Form
from core.formats.monitors.places import MonitorFile, files_below, find_files, form_of, rank_of
from core.formats.monitors.row_block import RowBlock
from core.formats.monitors.rows import RowReader
from core.messages import Message
from core.progress import Progress, Work
from core.records.trends import TrendTable, UnreadRow

_MOST_SAMPLES = 20
_MUCH = 2 << 20
"""Bytes of all files from which the import of pandas pays."""
_MOST_SNIFFED = 200
"""Files that are looked into to tell a monitor's folder."""


def is_monitor(path: str) -> bool:
    """Whether *path* is a file or folder of a monitor, by a look at the first bytes of some files."""
    try:
        files = islice(files_below(path), _MOST_SNIFFED) if os.path.isdir(path) else (path,)  # noqa: PTH112
        return any(_is_monitor_file(file) for file in files)
    except (OSError, ValueError):
        return False


def read_trends(path: str) -> Work[TrendTable]:
    """Read the statistics of every layer that a monitor wrote.

    Parameters
    ----------
    path
        One csv file, a trend database, the folder of a rank, or a folder of several of these. Databases are
        read only where no csv file lies: they are made of such files, and know less.

    Raises
    ------
    InputError
        ``not_there``, ``no_permission``, ``not_readable``, ``not_a_monitor``, ``no_monitor_files``,
        ``trend_database_broken``, ``monitor_empty``: not one number can be read.
    """
    yield Progress(0, 0, Message("progress.read", {"path": path}))
    files, problems = _files(path)
    total = sum(file.size for file in files)
    reading = _Reading(path, problems, quick=total >= _MUCH)
    done = 0
    for file in files:
        for within in reading.read(file):
            yield Progress(min(done + within, total), total, Message("progress.read", {"path": file.path}))
        done += file.size
    return reading.table()


def _is_monitor_file(path: str) -> bool:
    try:
        form = form_of(path) if os.path.isfile(path) else None  # noqa: PTH113
        if form is Form.TREND_DB:
            TrendDatabase(path, 0).close()
    except (OSError, ValueError, sqlite3.Error):
        return False
    return form is not None


def _files(path: str) -> tuple[list[MonitorFile], list[Problem]]:
    if os.path.isdir(path):  # noqa: PTH112
        places = find_files(path)
        tables = [file for file in places.files if file.form is not Form.TREND_DB]
        if tables:
            beside = [
                file for file in places.files if file.form is Form.TREND_DB and _is_monitor_file(file.path)
            ]
            places.problems += [Problem("trend_database_beside", file.path) for file in beside]
            return tables, places.problems
        files = [file for file in places.files if _is_monitor_file(file.path)]
        if not files:
            found = places.problems or [Problem("no_monitor_files", path, {"count": places.folders})]
            raise InputError(found[0])
        return files, places.problems
    try:
        form = form_of(path)
        size = os.path.getsize(path)  # noqa: PTH202
    except FileNotFoundError:
        raise InputError(Problem("not_there", path)) from None
    except PermissionError:
        raise InputError(Problem("no_permission", path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(Problem("not_readable", path, {"reason": reason})) from None
    if form is None:
        raise InputError(Problem("not_a_monitor", path))
    return [MonitorFile(path, form, rank_of(path), size)], []


class _Reading:
    """What was read so far."""

    def __init__(self, path: str, problems: list[Problem], *, quick: bool) -> None:
        self._path = path
        self._quick = quick
        self._problems = problems
        self._gathering = Gathering()
        self._forms: Counter[str] = Counter()
        self._unread = 0
        self._samples: list[UnreadRow] = []

    def read(self, file: MonitorFile) -> Iterator[int]:
        """Add the rows of *file*; yield the bytes read, as far as that is known."""
        if file.form is Form.TREND_DB:
            yield from self._read_database(file)
        else:
            yield from self._read_csv(file)

    def table(self) -> TrendTable:
        """Return everything.

        Raises
        ------
        InputError
            If there is not one number.
        """
        if not self._forms:
            problem = Problem("monitor_empty", self._path, {"count": self._unread})
            raise InputError(self._problems[0] if self._problems else problem)
        made = self._gathering.sorted()
        return TrendTable(
            path=self._path,
            forms=dict(self._forms),
            layers=made.layers,
            stages=made.stages,
            metrics=made.metrics,
            kinds=made.kinds,
            **made.columns,
            rows=self._forms.total(),
            replaced=made.replaced,
            unread=self._unread,
            unread_rows=tuple(self._samples),
            problems=tuple(self._problems),
        )

    def _read_csv(self, file: MonitorFile) -> Iterator[int]:
        probe_step = step_of_probe(file.path)
        if file.form is Form.GRAD_PROBE and probe_step is None:
            self._problems.append(Problem("grad_probe_step", file.path))
            return
        reader = RowReader(file.path, _MOST_SAMPLES - len(self._samples), quick=self._quick)
        try:
            for block in reader.blocks():
                if file.form is Form.GRAD_PROBE:
                    block = block._replace(step=np.full(len(block.step), probe_step, np.int64))
                elif file.form is Form.MONITOR_V2:
                    block = _without_voids(block)
                self._add_csv(file, block)
                yield reader.read_bytes
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._problems.append(Problem("not_readable", file.path, {"reason": reason}))
        self._unread += reader.unread
        self._samples += reader.samples

    def _add_csv(self, file: MonitorFile, block: RowBlock) -> None:
        if not len(block.step) or not block.statistics:
            return
        kind_of_file = _kind(file)
        places = [
            self._gathering.place(stage, name, f"{kind_of_file}.{scope}" if scope else kind_of_file)
            for stage, name, scope in block.keys
        ]
        layer, kind = np.array(places, np.int64).T
        rank = np.full(len(block.step), file.rank, np.int32)
        statistics = [(name, values, present, None) for name, values, present in block.statistics]
        self._forms[file.form.value] += len(block.step)
        self._gathering.add(layer[block.key], kind[block.key], block.step, rank, block.micro, statistics)

    def _read_database(self, file: MonitorFile) -> Iterator[int]:
        try:
            database = TrendDatabase(file.path, _MOST_SAMPLES - len(self._samples))
        except (OSError, ValueError, sqlite3.Error) as error:
            self._problems.append(Problem("trend_database_broken", file.path, {"detail": str(error)}))
            return
        self._problems += database.problems
        try:
            for rows in database.rows():
                pairs = zip(rows.target, rows.metric)
                places = [self._gathering.place(target.stage, target.name, kind) for target, kind in pairs]
                layer, kind = np.array(places, np.int64).T
                micro = np.array([target.micro for target in rows.target], np.int32)
                self._forms[Form.TREND_DB.value] += len(micro)
                self._gathering.add(layer, kind, rows.step, rows.rank, micro, rows.statistics)
                yield 0
        except sqlite3.Error as error:
            self._problems.append(Problem("trend_database_damaged", file.path, {"detail": str(error)}))
        finally:
            database.close()
        self._unread += database.unread
        self._samples += database.samples


def _kind(file: MonitorFile) -> str:
    """Return the kind that the name of a file says; a scope in its rows makes it narrower."""
    if file.form is Form.GRAD_PROBE:
        return str(Form.GRAD_PROBE)
    return kind_of_v1(file.path) if file.form is Form.MONITOR else kind_of_v2(file.path)


def _without_voids(block: RowBlock) -> RowBlock:
    """Return *block* without statistics that are NaN for want of one row only.

    Where a statistic is missing in any row of a step, the second monitor writes NaN in all of them
    (``monitor_v2/writer.py``, ``_stack_stats``). A tensor with NaN has no finite statistic beside it.
    """
    _, group, size = np.unique(block.step, return_inverse=True, return_counts=True)
    lacking = [np.bincount(group, ~np.isfinite(values), len(size)) for _, values, _ in block.statistics]
    finite = np.any([count == 0 for count in lacking], axis=0) if lacking else np.zeros(len(size), np.bool_)
    made = []
    for name, values, present in block.statistics:
        broken = np.isnan(values) if present is None else np.isnan(values) & present
        void = (np.bincount(group, broken, len(size)) == size) & finite
        if void.any():
            present = ~void[group] if present is None else present & ~void[group]
        made.append((name, values, present))
    return block._replace(statistics=tuple(made))
