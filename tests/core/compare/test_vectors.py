"""The 26 acceptance vectors: two dumps with equal inputs and one output each, and the verdict on it.

With the tensors at hand every one is decided. Statistics cannot see all of it; what they can see must agree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.progress import run_to_end
from core.records.result import CellResult, Evidence, Reason, Verdict
from core.report.json_report import json_rows
from tests.builders.dumps import call, write_dump

X = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
HALF = np.where(np.arange(20).reshape(4, 5) % 2 == 0, np.float32(1.5), np.float32(1)) * X
BF16 = X.astype(ml_dtypes.bfloat16)
NAN, INF = np.nan, np.inf
F4 = np.float32


def array(*values: float, dtype: Any = F4) -> np.ndarray[Any, Any]:
    return np.array(values, dtype)


DIFFERS, CLOSE, EQUAL = {Verdict.DIFFERS}, {Verdict.CLOSE}, {Verdict.EQUAL}
NOT_COMPARED = {Verdict.NOT_COMPARED}
EITHER = {Verdict.CLOSE, Verdict.DIFFERS}

VECTORS: dict[int, tuple[Any, Any, set[Verdict]]] = {
    1: (X * F4(1.0004), X, DIFFERS),
    2: (X * F4(1.0015), X, DIFFERS),
    3: (HALF, X, DIFFERS),
    4: (-X, X, DIFFERS),
    5: (array(1, NAN, 3), array(1, 2, 3), DIFFERS),
    6: (array(1, NAN, 3, INF), array(1, NAN, 3.5, INF), DIFFERS),
    7: (array(1, INF, 3), array(1, -INF, 3), DIFFERS),
    8: (np.zeros(4, F4), np.zeros(4, F4), EQUAL),
    9: (np.zeros(4, F4), np.ones(4, F4), DIFFERS),
    10: (np.ones(4, F4), np.zeros(4, F4), DIFFERS),
    11: (np.full(4, 1e-17, F4), np.full(4, -1e-17, F4), CLOSE),
    12: (np.ones(4, F4), np.ones(5, F4), DIFFERS),
    13: (X[:1, :5], X[:1, :5].T, CLOSE),
    14: (X.astype(np.float16), X, CLOSE),
    15: (X.astype(np.float64), X, EQUAL),
    16: (array(1, 2, 3, dtype=np.int64), array(1, 2, 3), CLOSE),
    17: (np.array(3, np.uint8), np.array(5, np.uint8), DIFFERS),
    18: (array(3, 4, dtype=np.uint8), array(5, 4, dtype=np.uint8), DIFFERS),
    19: (np.array([True, False, True]), np.array([True, True, True]), DIFFERS),
    20: (np.array(1.5, F4), np.array(1.0, F4), DIFFERS),
    21: (np.array(NAN, F4), np.array(NAN, F4), EQUAL),
    22: (np.zeros((0, 3), F4), np.zeros((0, 3), F4), NOT_COMPARED),
    23: (BF16, (BF16.astype(F4) * F4(1.01)).astype(ml_dtypes.bfloat16), EITHER),
    24: (3, 4, DIFFERS),
}
UNDECIDED_BY_STATISTICS = {6}
"""NaN has swallowed all statistics of both sides."""


def compare(tmp_path: Path, target: dict[str, Any], golden: dict[str, Any], **how: Any) -> CellResult:
    write_dump(tmp_path / "target" / "step0" / "rank0", target, **how)
    write_dump(tmp_path / "golden" / "step0" / "rank0", golden, **how)
    cells: list[CellResult] = []
    work = compare_runs(
        str(tmp_path / "target"), str(tmp_path / "golden"), CompareOptions(use_cache=False), take=cells.append
    )
    run_to_end(work)
    assert len(cells) == 1
    return cells[0]


def row_of(cell: CellResult, slot: str) -> int:
    slots = [cell.target.slot_name(int(slot_row)) for slot_row in cell.rows.target_slot]
    return slots.index(slot)


@pytest.mark.parametrize("number", sorted(VECTORS))
def test_vector_with_tensors(number: int, tmp_path: Path) -> None:
    target, golden, wanted = VECTORS[number]
    cell = compare(
        tmp_path,
        {"Torch.f.0.forward": call([X], [target])},
        {"Torch.f.0.forward": call([X], [golden])},
        tensors=True,
    )
    row = row_of(cell, "output.0")
    assert Verdict(int(cell.rows.verdict[row])) in wanted
    assert Evidence(int(cell.rows.evidence[row])) is Evidence.FULL
    assert Verdict(int(cell.rows.verdict[row_of(cell, "input.0")])) is Verdict.EQUAL


@pytest.mark.parametrize("number", sorted(VECTORS))
def test_vector_with_statistics(number: int, tmp_path: Path) -> None:
    target, golden, wanted = VECTORS[number]
    cell = compare(
        tmp_path, {"Torch.f.0.forward": call([X], [target])}, {"Torch.f.0.forward": call([X], [golden])}
    )
    row = row_of(cell, "output.0")
    verdict = Verdict(int(cell.rows.verdict[row]))
    assert verdict in (NOT_COMPARED if number in UNDECIDED_BY_STATISTICS else wanted)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(13, Reason.SHAPE_ONES), (15, Reason.DTYPE), (16, Reason.DTYPE_CLASS), (22, Reason.BOTH_EMPTY)],
)
def test_reason_of_vector(number: int, reason: Reason, tmp_path: Path) -> None:
    target, golden, _ = VECTORS[number]
    cell = compare(
        tmp_path,
        {"Torch.f.0.forward": call([X], [target])},
        {"Torch.f.0.forward": call([X], [golden])},
        tensors=True,
    )
    assert Reason(int(cell.rows.reason[row_of(cell, "output.0")])) is reason


@pytest.mark.parametrize(
    ("number", "classes"),
    [
        (5, {"nan": {"finite": 1}, "finite": {"finite": 2}}),
        (7, {"+inf": {"-inf": 1}, "finite": {"finite": 2}}),
    ],
)
def test_special_values_are_counted(number: int, classes: dict[str, dict[str, int]], tmp_path: Path) -> None:
    target, golden, _ = VECTORS[number]
    cell = compare(
        tmp_path,
        {"Torch.f.0.forward": call([X], [target])},
        {"Torch.f.0.forward": call([X], [golden])},
        tensors=True,
    )
    row = next(row for row in json_rows(cell) if row["slot"] == "output.0")
    assert row["metrics"]["classes"] == classes


@pytest.mark.parametrize("tensors", [True, False])
def test_vectors_25_and_26_one_sided_calls_are_rows_of_their_own(tensors: bool, tmp_path: Path) -> None:
    shared = {"Torch.f.0.forward": call([X], [X])}
    cell = compare(
        tmp_path,
        {"NPU.fused.0.forward": call([X], [X]), **shared},
        {**shared, "Torch.g.0.forward": call([X], [X])},
        tensors=tensors,
    )
    rows = list(json_rows(cell))
    alone = [row for row in rows if row["verdict"] == "not_compared"]
    assert [(row["operator"], row["golden_operator"], row["reason"]) for row in alone] == [
        ("NPU.fused.0.forward", None, "target_only"),
        (None, "Torch.g.0.forward", "golden_only"),
    ]
    assert all(row["slot"] is None for row in alone)
    assert cell.counts()["equal"] == 2
