"""Our csv against the official tool's, cell by cell, for the pairs whose official csv is at hand.

What may differ is listed in docs/official-comparison.md; everything else must be the same text or number.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.progress import run_to_end
from core.records.result import CellResult
from core.report.csv_report import write_csv

PAIRS = [
    ("cnn", "bn_kernel"),
    ("cnn", "fp16sim"),
    ("gpt", "bf16"),
    ("gpt", "extraop"),
    ("gpt", "gelu_tanh"),
    ("gpt", "ln_eps"),
    ("gpt", "overflow"),
    ("gpt", "rerun"),
    ("gpt", "sdpa"),
    ("gpt", "weight_mismatch"),
]
GOLDEN = {"overflow": "bench_ovf"}
NOT_A_NUMBER = {"N/A", "unsupported", "shape unmatched"}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def number(text: str) -> float | None:
    try:
        return float(text.strip().rstrip("%"))
    except ValueError:
        return None


def agrees(column: str, ours: dict[str, str], theirs: dict[str, str]) -> bool:
    mine, official = ours[column], theirs[column].strip()
    if mine == official:
        return True
    if column == "NPU_Stack_Info":
        return official == "N/A"  # ours also shows the forward call's stack on a backward call
    if official in NOT_A_NUMBER:
        return column not in ("NPU Name", "Bench Name")  # we compare what it does not
    left, right = number(mine), number(official)
    if left is None or right is None:
        return False
    if math.isnan(left) and math.isnan(right):
        return True
    if column == "Cosine" and right > 0.9999:
        return abs(left - right) <= 1e-6  # rounded there
    if column == "MaxRelativeErr" and "Compared" in ours and ours["Bench zeros"] not in ("", "0"):
        return True  # the official tool divides by an eps where the golden is 0
    if column.endswith("Ratio") and ours["Bench zeros"] not in ("", "0"):
        return abs(left - right) <= int(ours["Bench zeros"]) / int(ours["Compared"]) + 1e-12
    tolerance = 1e-6 if column == "MaxRelativeErr" else 1e-9
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=1e-12)


@pytest.mark.parametrize("mode", ["tensor_mix", "statistics_mix", "md5_mix"])
@pytest.mark.parametrize(("model", "variant"), PAIRS)
def test_csv_agrees_with_the_official_one(
    cases: Path, tmp_path: Path, model: str, variant: str, mode: str
) -> None:
    theirs = read(cases / "official" / model / f"{variant}.{mode}.csv")
    sides = [
        cases / "msprobe" / model / name / mode / "step0" for name in (variant, GOLDEN.get(variant, "bench"))
    ]
    cells: list[CellResult] = []
    work = compare_runs(str(sides[0]), str(sides[1]), CompareOptions(use_cache=False), take=cells.append)
    run_to_end(work)
    (written,) = run_to_end(write_csv(tmp_path / "ours.csv", cells))
    ours = read(Path(written))
    assert list(ours[0])[: len(theirs[0])] == list(theirs[0])
    by_name = {row["NPU Name"]: row for row in ours}
    one_sided = {row["NPU Name"] for row in ours if row["Reason"] == "target_only"}
    wrong: list[Any] = []
    for row in theirs:
        mine = by_name.get(row["NPU Name"])
        if mine is None:
            # A call on the target only is one row with us.
            assert any(row["NPU Name"].startswith(name + ".") for name in one_sided), row["NPU Name"]
            continue
        if mine["Bench Name"] != row["Bench Name"] or mine["Verdict"] == "not_compared":
            assert variant in (
                "extraop",
                "sdpa",
            )  # where calls are missing, which one pairs with which may differ
            continue
        wrong += [
            (row["NPU Name"], name, mine[name], row[name]) for name in row if not agrees(name, mine, row)
        ]
    assert wrong == []
