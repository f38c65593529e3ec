"""Trend tables made of rows, without files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from builders.monitors import Row

from core.formats.monitors.gathering import Gathering
from core.records.trends import TrendTable


def table_of(rows: Iterable[Row], path: str = "monitor_output") -> TrendTable:
    """Return the table that a monitor's reader makes of *rows*."""
    gathering = Gathering()
    count = 0
    for row in rows:
        count += 1
        layer, kind = gathering.place(row.stage, row.layer, row.kind)
        gathering.add(
            np.array([layer]),
            np.array([kind]),
            np.array([row.step], np.int64),
            np.array([row.rank], np.int32),
            np.array([row.micro], np.int32),
            [(name, np.array([value]), None, None) for name, value in row.values.items()],
        )
    made = gathering.sorted()
    return TrendTable(
        path=path,
        forms={"monitor": count},
        layers=made.layers,
        stages=made.stages,
        metrics=made.metrics,
        kinds=made.kinds,
        **made.columns,
        rows=count,
        replaced=made.replaced,
        unread=0,
    )


def cut_table(table: TrendTable) -> TrendTable:
    """Return *table* as if its numbers had been cut to the bound of a trend database."""
    clipped = np.isfinite(table.value) & (np.abs(table.value) >= 1e9)
    value = np.where(clipped, np.copysign(1e9, table.value), table.value)
    return replace(table, value=value, clipped=clipped)
