"""Csv reports whose names hold what UTF-8 cannot: every reader can read them, and knows what stood there."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.progress import run_to_end
from core.records.result import CellResult
from core.report.csv_report import write_csv

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("stem", "read"),
    [
        ("net\ud800", "net\\ud800"),
        ("\udcff\udcfe", "\\udcff\\udcfe"),
        ('a,"\udfff"\n', 'a,"\\udfff"\n'),
        ("网络😀", "网络😀"),
    ],
)
def test_a_lone_surrogate_is_one_escape(tmp_path: Path, stem: str, read: str) -> None:
    name = "Module.{}.Linear.forward.0"
    for side in ("a", "b"):
        write_dump(tmp_path / side, {name.format(stem): call([X], [X])})
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False)
    run_to_end(compare_runs(str(tmp_path / "a"), str(tmp_path / "b"), options, take=cells.append))
    place = tmp_path / "report.csv"
    run_to_end(write_csv(place, cells))
    with place.open(encoding="utf-8-sig", errors="strict", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["NPU Name"] for row in rows} == {
        f"{name.format(read)}.{slot}.0" for slot in ("input", "output")
    }
