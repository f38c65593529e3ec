"""Trends as JSON, text and tables."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

from builders.monitors import Row
from builders.trend_tables import table_of

from core.curves.trends.difference import difference
from core.curves.trends.grids import grid_of
from core.curves.trends.judging import first_bad_cells
from core.messages import set_language
from core.progress import run_to_end
from core.records.trends import TrendsReport, TrendTable
from core.report.trends_report import (
    trends_as_json,
    trends_as_text,
    write_difference,
    write_grid,
    write_trends,
)


def tables() -> tuple[TrendTable, TrendTable]:
    golden = [
        Row("grad_reduced", layer, step, {"norm": 1.0 + step / 3})
        for step in range(4)
        for layer in ("=a", "b")
    ]
    target = [
        row._replace(values={"norm": math.nan if row.step == 2 and row.layer == "b" else 1.1})
        for row in golden
    ]
    return table_of(target, "npu"), table_of(
        [*golden, Row("grad_reduced", "c", 0, {"norm": math.inf})], "gpu"
    )


def report() -> TrendsReport:
    return run_to_end(first_bad_cells(*tables()))


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def test_json_can_be_read_by_anything(tmp_path: Path) -> None:
    document = trends_as_json(report())
    path = write_trends(tmp_path / "trends.json", report())
    strict = json.loads(Path(path).read_text(), parse_constant=lambda name: 1 / 0)
    assert strict == document
    assert (document["verdict"], document["first_bad_step"]) == ("fail", 0)
    assert document["counts"]["over"] == sum(entry["over"] for entry in document["over_limit"])
    worst = [entry for entry in document["over_limit"] if entry["layer"] == "b"]
    assert worst[0]["worst"] == "inf"
    assert {finding["name"] for finding in document["findings"]} >= {
        "first_layer",
        "not_finite",
        "missing_layers",
    }


def test_text_begins_with_the_judgement() -> None:
    for language, word in (("en", "failed"), ("zh_CN", "不通过")):
        set_language(language)
        lines = trends_as_text(report())
        assert lines[0] == f"npu | gpu: {word}"
        assert len(lines) == 1 + len(report().findings)  # the sentence is the first finding's


def test_tables_hold_all_and_no_formula(tmp_path: Path) -> None:
    found = report()
    table = rows(Path(write_trends(tmp_path / "trends.csv", found)))
    assert table[0][:3] == ["metric", "layer", "compared"]
    assert [row[1] for row in table[1:]] == ["'=a", "b", "c"]
    assert table[3][2:] == ["0", "0", "0", "0", "0", "1", "", "", "", ""]
    target, golden = tables()
    grid = rows(Path(write_grid(tmp_path / "grid.csv", grid_of(target, "grad_reduced.norm", rank=0))))
    assert grid == [
        ["grad_reduced.norm", "step 0", "step 1", "step 2", "step 3"],
        ["'=a", "1.1", "1.1", "1.1", "1.1"],
        ["b", "1.1", "1.1", "nan", "1.1"],
    ]
    cells = rows(
        Path(write_difference(tmp_path / "d.csv", difference(target, golden, "grad_reduced.norm", rank=0)))
    )
    assert cells[0] == ["metric", "layer", "step", "target", "golden", "relative"]
    assert len(cells) == 1 + 9
    assert cells[-1] == ["grad_reduced.norm", "c", "0", "", "inf", ""]
    assert float(cells[1][5]) == (1.1 - 1.0) / 1.0
