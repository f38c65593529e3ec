"""What runs in worker processes for the trends view: reading monitors, judging them, writing files.

Imports no Qt, and nothing heavy before it is called. Tables and reports go by way of the shelf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.errors import Problem
from core.progress import Work
from core.records.columns import Int64
from core.records.trends import UnreadRow
from gui.models.trends.scale import TrendSide

if TYPE_CHECKING:
    from core.curves.shelf import Shelved
    from core.records.trends import TrendTable
    from gui.trends.planes import Chosen


@dataclass(frozen=True)
class SideFacts:
    """What one monitor wrote, without its numbers."""

    path: str
    forms: Mapping[str, int]
    labels: tuple[str, ...]
    metrics: tuple[str, ...]
    kinds: tuple[str, ...]
    steps: Int64
    ranks: tuple[int, ...]
    rows: int
    numbers: int
    replaced: int
    unread: int
    unread_rows: tuple[UnreadRow, ...]
    problems: tuple[Problem, ...]


class Reading(NamedTuple):
    """One monitor or two."""

    target: SideFacts
    golden: SideFacts | None
    target_table: Shelved
    golden_table: Shelved | None
    report: Shelved | None
    """The :class:`~core.records.trends.TrendsReport` where there are two."""
    limit: float


def read(target: str, golden: str, shift: int, folder: str) -> Work[Reading]:
    """Read one monitor or two (*golden* is empty for one), and judge the target by the golden."""
    from core.curves.limits import shipped_limits
    from core.curves.shelf import shelve
    from core.curves.trends.judging import first_bad_cells
    from core.formats.monitors.reading import read_trends

    limit = shipped_limits().trend_limit
    mine = yield from read_trends(target)
    kept = shelve(mine, folder)
    if not golden:
        return Reading(_facts(mine), None, kept, None, None, limit)
    other = yield from read_trends(golden)
    report = yield from first_bad_cells(mine, other, limit=limit, shift=shift)
    return Reading(
        _facts(mine), _facts(other), kept, shelve(other, folder), shelve(report, folder), report.limit
    )


def _facts(table: TrendTable) -> SideFacts:
    return SideFacts(
        table.path, table.forms, table.labels, table.metrics, table.kinds, table.steps, table.ranks,
        table.rows, len(table), table.replaced, table.unread, table.unread_rows, table.problems,
    )  # fmt: skip


def export_report(path: str, report: Shelved) -> Work[str]:
    """Write the report to *path*, as csv or json by its ending."""
    from core.curves.shelf import unshelve
    from core.report.trends_report import write_trends

    yield from ()
    return write_trends(path, unshelve(report))


def export_grid(path: str, chosen: Chosen, side: TrendSide) -> Work[str]:
    """Write what the heat map shows to *path* as csv: one side, or both with their difference."""
    from core.report.trends_report import write_difference, write_grid
    from gui.trends.planes import difference_of, planes_of

    yield from ()
    if side is TrendSide.DIFFERENCE:
        return write_difference(path, difference_of(chosen))
    return write_grid(path, planes_of(chosen).grids[side])
