"""Files as training monitors write them, from rows that a test makes up."""

from __future__ import annotations

import csv
import io
import math
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """The statistics of one tensor at one step."""

    kind: str
    layer: str
    step: int
    values: Mapping[str, float]
    rank: int = 0
    stage: int = 0
    micro: int = -1


def write_v1(root: Path, rows: Iterable[Row], *, began: str = "Dec03_21-34-40", window: int = 100) -> Path:
    """Write the first monitor's csv files, a folder a rank; a tag is split at colons as its writer does."""
    for row in rows:
        folder = root / f"{began}-rank{row.rank}-1a2b3c4d"
        folder.mkdir(parents=True, exist_ok=True)
        start = row.step // window * window
        micro = [] if row.micro < 0 else ["micro_step"]
        header = ["vpp_stage", "name", "step", *micro, *row.values]
        tag = f"{row.stage}:{row.layer}" + (f":{row.micro}" if micro else "")
        cells = tag.split(":")
        cells.insert(2, str(row.step))
        line = [*cells, *map(number_text, row.values.values())]
        _append(folder / f"{row.kind}_{start}-{start + window - 1}.csv", header, line)
    return root


def write_v2(root: Path, rows: Iterable[Row], *, window: int = 100) -> Path:
    """Write the second monitor's csv files; a kind is ``slug.scope``."""
    for row in rows:
        folder = root / f"rank_{row.rank}"
        folder.mkdir(parents=True, exist_ok=True)
        slug, _, scope = row.kind.partition(".")
        start = row.step // window * window
        micro = {} if row.micro < 0 else {"micro_step": str(row.micro)}
        header = ["vpp_stage", "step", "module_name", "scope", *micro, *row.values]
        values = map(number_text, row.values.values())
        line = [str(row.stage), str(row.step), row.layer, scope, *micro.values(), *values]
        _append(folder / f"{slug}_step{start}-{start + window - 1}.csv", header, line)
    return root


def write_probe(root: Path, rows: Iterable[Row]) -> Path:
    """Write grad_probe's csv files, one a rank and step, with a checksum and a shape."""
    for row in rows:
        folder = root / f"rank{row.rank}"
        folder.mkdir(parents=True, exist_ok=True)
        header = ["param_name", "MD5", *row.values, "shape"]
        line = [row.layer, "12345678", *map(number_text, row.values.values()), "[16, 32]"]
        _append(folder / f"grad_summary_{row.step}.csv", header, line)
    return root


def write_database(path: Path, rows: Iterable[Row]) -> Path:
    """Write a trend database with the tables of msprobe's ``TrendSql``, values cut as its tool cuts them."""
    rows = list(rows)
    statistics = list(dict.fromkeys(name for row in rows for name in row.values))
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE monitoring_targets (target_id INTEGER PRIMARY KEY AUTOINCREMENT,
            target_name TEXT NOT NULL, vpp_stage INTEGER NOT NULL, micro_step INTEGER NOT NULL DEFAULT 0,
            UNIQUE(target_name, vpp_stage, micro_step));
        CREATE TABLE monitoring_metrics (metric_id INTEGER PRIMARY KEY AUTOINCREMENT,
            metric_name TEXT UNIQUE NOT NULL);
        CREATE TABLE monitoring_tags (tag_id INTEGER PRIMARY KEY AUTOINCREMENT, tag_name TEXT NOT NULL,
            category TEXT NOT NULL, metric_id INTEGER NOT NULL, UNIQUE(tag_name, category, metric_id));
        CREATE TABLE tag_target_mapping (tag_id INTEGER NOT NULL, target_id INTEGER NOT NULL,
            PRIMARY KEY (tag_id, target_id));
        CREATE TABLE global_stats (min_step INTEGER DEFAULT 0, max_step INTEGER DEFAULT 0,
            max_rank INTEGER DEFAULT 0);
        """
    )
    columns = "".join(f', "{name}" REAL DEFAULT NULL' for name in statistics)
    connection.execute(
        "CREATE TABLE trend_data (rank INTEGER NOT NULL, step INTEGER NOT NULL, target_id INTEGER NOT NULL, "
        f"metric_id INTEGER NOT NULL{columns}, PRIMARY KEY (rank, step, target_id, metric_id)) WITHOUT ROWID"
    )
    targets: dict[tuple[str, int, int], int] = {}
    metrics: dict[str, int] = {}
    for row in rows:
        target = targets.setdefault((row.layer, row.stage, max(row.micro, 0)), len(targets) + 1)
        metric = metrics.setdefault(row.kind, len(metrics) + 1)
        values = [cut(row.values.get(name, math.nan)) for name in statistics]
        marks = ", ".join("?" * (4 + len(values)))
        insert = f"INSERT OR REPLACE INTO trend_data VALUES ({marks})"
        connection.execute(insert, (row.rank, row.step, target, metric, *values))
    connection.executemany(
        "INSERT INTO monitoring_targets VALUES (?, ?, ?, ?)",
        [(number, name, stage, micro) for (name, stage, micro), number in targets.items()],
    )
    connection.executemany(
        "INSERT INTO monitoring_metrics VALUES (?, ?)", [(number, name) for name, number in metrics.items()]
    )
    connection.commit()
    connection.close()
    return path


def cut(value: float) -> float | None:
    """Return *value* as the official tool stores it."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return math.copysign(1e9 + 1, value)
    return min(max(value, -1e9), 1e9)


def number_text(value: float) -> str:
    """Return the digits that give *value* back, or ``nan``, ``inf``, ``-inf``."""
    return repr(float(value))


def _append(path: Path, header: list[str], line: list[str]) -> None:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    if not path.exists():
        writer.writerow(header)
    writer.writerow(line)
    with path.open("a", encoding="utf-8", newline="") as stream:
        stream.write(lines.getvalue())
