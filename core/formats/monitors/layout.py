"""What the columns of a monitor's csv file are, by its header."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

ABSENT = -1
"""The number of a column that is not there."""
_NO_NUMBERS = frozenset(("shape", "dtype", "id", "md5", "name", "param_name", "module_name"))
"""Columns that are no statistics; an id or a checksum may look like a number."""
_MOST_COLUMNS = 1000


class Form(StrEnum):
    """Forms of files, as :attr:`~core.records.trends.TrendTable.forms` names them."""

    MONITOR = "monitor"
    MONITOR_V2 = "monitor_v2"
    GRAD_PROBE = "grad_probe"
    TREND_DB = "trend_db"


_SIGNS = {
    Form.MONITOR: ("name", ("vpp_stage", "name", "step")),
    Form.MONITOR_V2: ("module_name", ("vpp_stage", "module_name", "step")),
    Form.GRAD_PROBE: ("param_name", ("param_name",)),
}
"""Column of the layer's name, and columns that a header of each form has."""


class Layout(NamedTuple):
    """Numbers of columns, :data:`ABSENT` where there is none."""

    form: Form
    width: int
    name: int
    stage: int
    step: int
    scope: int
    micro: int
    statistics: tuple[tuple[int, str], ...]
    """Column and name of each statistic."""

    def without(self, columns: Iterable[int]) -> Layout:
        """Return the layout without the statistics in *columns*."""
        left_out = set(columns)
        return self._replace(statistics=tuple(item for item in self.statistics if item[0] not in left_out))


def layout_of(cells: Sequence[str]) -> Layout | None:
    """Return what a header of these *cells* says, ``None`` if it is no monitor's.

    The columns: monitor, ``vpp_stage,name,step[,micro_step]`` and statistics; monitor v2,
    ``vpp_stage,step,module_name,scope[,micro_step]`` and statistics; grad_probe, ``param_name``, a checksum,
    shares of intervals and statistics (msprobe's ``data_writers.py``, ``monitor_v2/writer.py`` and
    ``grad_stat_csv.py``).
    """
    names = [cell.strip() for cell in cells]
    if len(names) > _MOST_COLUMNS or len(set(names)) < len(names):
        return None
    form = next((form for form, (_, signs) in _SIGNS.items() if all(sign in names for sign in signs)), None)
    if form is None:
        return None
    place = {column: number for number, column in enumerate(names)}
    name, stage, step, scope, micro = (
        place.get(role, ABSENT) for role in (_SIGNS[form][0], "vpp_stage", "step", "scope", "micro_step")
    )
    statistics = tuple(
        (number, column)
        for number, column in enumerate(names)
        if number not in (name, stage, step, scope, micro) and column and column.lower() not in _NO_NUMBERS
    )
    probe_like = any(column in ("max", "min", "norm") or column.startswith("(") for _, column in statistics)
    if form is Form.GRAD_PROBE and not probe_like and "MD5" not in place:
        return None
    return Layout(form, len(names), name, stage, step, scope, micro, statistics)


def header_of(line: bytes) -> Layout | None:
    """Return what the first line of a file says, ``None`` if it is no monitor's."""
    text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
    if not text or "\0" in text or text.count('"') % 2:
        return None
    try:
        return layout_of(next(csv.reader([text])))
    except (csv.Error, StopIteration):
        return None
