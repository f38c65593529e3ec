"""Trend databases: what msprobe's ``data2db`` makes of monitor files and of dumps, for its trend viewer.

Tables (``db_manager.py``, class ``TrendSql``): ``monitoring_targets`` (target_id, target_name, vpp_stage,
micro_step), ``monitoring_metrics`` (metric_id, metric_name), ``trend_data`` (rank, step, target_id,
metric_id and a column a statistic). Values are cut to ±1e9, and infinities stand as ±(1e9 + 1)
(``data2db_utils.py``); SQLite stores NaN as NULL.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.errors import Problem
from core.formats.monitors.cells import SMALL_BOUND, STEP_BOUND
from core.records.columns import Float64, Int32, Int64
from core.records.log_table import UNSAID
from core.records.trends import Bool, UnreadRow

BOUND = 1e9
"""Largest magnitude that is stored as it is."""
_BATCH = 50_000
_KEYS = ("rank", "step", "target_id", "metric_id")
_NAMES = ("monitoring_targets", "monitoring_metrics", "trend_data")
_LONGEST_NAME = 4096


class TargetRow(NamedTuple):
    """One of the things whose statistics are kept."""

    name: str
    stage: int
    micro: int


class StoredRows(NamedTuple):
    """Some rows of the table of statistics."""

    rank: Int32
    step: Int64
    target: list[TargetRow]
    """One a row."""
    metric: list[str]
    """One a row."""
    statistics: tuple[tuple[str, Float64, Bool, Bool], ...]
    """Name, values, which of them are there, and which were cut."""


class TrendDatabase:
    """Reads one database; :attr:`unread` counts rows that it could not.

    It is opened as a file that nobody changes: nothing is written, no lock is taken, and what a writer has
    not yet merged from its journal is not seen.

    Raises
    ------
    sqlite3.Error
        If it is no database, or a table is missing.
    """

    def __init__(self, path: str, most_samples: int) -> None:
        self._path = path
        self._most = most_samples
        self._number = 0
        self.unread = 0
        self.samples: list[UnreadRow] = []
        place = Path(path).absolute()
        self.problems = [
            Problem("trend_journal", path, {"journal": journal.name})
            for journal in (place.with_name(place.name + "-wal"), place.with_name(place.name + "-journal"))
            if journal.is_file() and journal.stat().st_size
        ]
        self._connection = sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self._connection.execute("PRAGMA trusted_schema = OFF")
            found = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            missing = set(_NAMES) - {name for (name,) in found}
            if missing:
                raise sqlite3.DatabaseError(f"no table {', '.join(sorted(missing))}")
            self.statistics = self._columns()
            self._targets = dict(self._target_rows())
            self._metrics = {
                number: name
                for number, name in self._connection.execute(
                    "SELECT metric_id, metric_name FROM monitoring_metrics"
                )
                if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME
            }
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()

    def rows(self) -> Iterator[StoredRows]:
        """Yield the rows in the order of their keys.

        Raises
        ------
        sqlite3.Error
            If it is damaged further on; what was yielded before stays good.
        """
        columns = ", ".join(f'"{name}"' for name in (*_KEYS, *(_quoted(name) for name in self.statistics)))
        cursor = self._connection.execute(f"SELECT {columns} FROM trend_data")
        while batch := cursor.fetchmany(_BATCH):
            good = [row for row in batch if self._is_good(row)]
            if good:
                yield self._stored(good)

    def _columns(self) -> tuple[str, ...]:
        names = [row[1] for row in self._connection.execute("PRAGMA table_info(trend_data)")]
        if not set(_KEYS) <= set(names):
            raise sqlite3.DatabaseError(f"trend_data has no {', '.join(sorted(set(_KEYS) - set(names)))}")
        return tuple(name for name in names if name not in _KEYS)

    def _target_rows(self) -> Iterator[tuple[Any, TargetRow]]:
        """Yield the targets by id. Micro-steps that are 0 everywhere are none: the tool's word for that."""
        found = self._connection.execute(
            "SELECT target_id, target_name, vpp_stage, micro_step FROM monitoring_targets ORDER BY target_id"
        ).fetchall()
        counted = any(micro for *_, micro in found)
        for number, name, stage, micro in found:
            wholes = all(isinstance(value, int) and abs(value) < SMALL_BOUND for value in (stage, micro))
            if wholes and isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME:
                yield number, TargetRow(name, stage, micro if counted else UNSAID)

    def _is_good(self, row: tuple[Any, ...]) -> bool:
        self._number += 1
        rank, step, target, metric, *values = row
        if (
            isinstance(rank, int)
            and abs(rank) < SMALL_BOUND
            and isinstance(step, int)
            and abs(step) < STEP_BOUND
            and target in self._targets
            and metric in self._metrics
            and all(value is None or isinstance(value, (int, float)) for value in values)
        ):
            return True
        self.unread += 1
        if len(self.samples) < self._most:
            self.samples.append(UnreadRow(self._path, self._number, ", ".join(map(str, row))[:200]))
        return False

    def _stored(self, rows: list[tuple[Any, ...]]) -> StoredRows:
        rank, step, target, metric, *columns = zip(*rows)
        values = [
            np.array([math.nan if value is None else value for value in column], np.float64)
            for column in columns
        ]
        absent = _absent(values)
        statistics = []
        for name, column, missing in zip(self.statistics, values, absent):
            infinite = np.abs(column) == BOUND + 1
            whole = np.where(infinite, np.copysign(np.inf, column), column)
            clipped = (np.abs(column) >= BOUND) & ~infinite
            statistics.append((name, whole, ~missing, clipped))
        return StoredRows(
            np.array(rank, np.int32),
            np.array(step, np.int64),
            [self._targets[number] for number in target],
            [self._metrics[number] for number in metric],
            tuple(statistics),
        )


def _absent(values: list[Float64]) -> list[Bool]:
    """Return for each column where NULL means that nothing was recorded.

    All statistics of a tensor with NaN are NaN. Beside a finite number NULL is what the tensor does not have
    (integers have no norm, another metric has other statistics). Beside an infinite one the mean may be NaN.
    """
    if not values:
        return []
    table = np.stack(values)
    empty = np.isnan(table)
    finite = (np.abs(table) < BOUND + 1).any(axis=0)
    infinite = (np.abs(table) == BOUND + 1).any(axis=0)
    return list(empty & (finite & ~infinite))


def _quoted(name: str) -> str:
    return name.replace('"', '""')
