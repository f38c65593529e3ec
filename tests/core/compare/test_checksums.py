"""What checksums prove, and what they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from core.records.result import CellResult, Evidence, Reason, Verdict
from tests.builders.dumps import call
from tests.core.compare.test_vectors import compare, row_of

X = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)
F = "Torch.f.0.forward"


def judged(cell: CellResult, slot: str = "output.0") -> tuple[Verdict, Reason, Evidence]:
    row = row_of(cell, slot)
    rows = cell.rows
    return Verdict(int(rows.verdict[row])), Reason(int(rows.reason[row])), Evidence(int(rows.evidence[row]))


def outputs(tmp_path: Path, target: Any, golden: Any, **how: Any) -> tuple[Verdict, Reason, Evidence]:
    return judged(
        compare(tmp_path, {F: call([X], [target])}, {F: call([X], [golden])}, checksums=True, **how)
    )


def test_equal_checksums_prove_equal_bytes(tmp_path: Path) -> None:
    assert outputs(tmp_path, X, X) == (Verdict.EQUAL, Reason.IDENTICAL, Evidence.CHECKSUM)
    assert outputs(tmp_path, X, X, statistics=False) == (Verdict.EQUAL, Reason.IDENTICAL, Evidence.CHECKSUM)


def test_noise_is_noise_whatever_the_checksum(tmp_path: Path) -> None:
    assert outputs(tmp_path, X * np.float32(1 + 2e-7), X)[:2] == (Verdict.CLOSE, Reason.WITHIN_NOISE)


def test_other_bytes_with_the_same_statistics_are_no_chance_in_float32(tmp_path: Path) -> None:
    exact = np.arange(64, dtype=np.float32).reshape(8, 8)  # sums without rounding: any order, same statistics
    assert outputs(tmp_path, exact[::-1], exact)[:2] == (Verdict.DIFFERS, Reason.CHECKSUM_ONLY)


def test_they_may_be_chance_in_bf16(tmp_path: Path) -> None:
    exact = np.arange(64, dtype=np.float32).reshape(8, 8).astype(ml_dtypes.bfloat16)
    assert outputs(tmp_path, exact[::-1], exact)[:2] == (Verdict.CLOSE, Reason.CHECKSUM_ONLY)


def test_integers_are_exact(tmp_path: Path) -> None:
    ids = np.arange(64).reshape(8, 8)
    assert outputs(tmp_path, ids[::-1], ids)[:2] == (Verdict.DIFFERS, Reason.VALUE)


def test_checksums_alone(tmp_path: Path) -> None:
    assert outputs(tmp_path, X, X + 1, statistics=False) == (
        Verdict.DIFFERS,
        Reason.CHECKSUM,
        Evidence.CHECKSUM,
    )


def test_checksums_over_other_dtypes_say_nothing(tmp_path: Path) -> None:
    half = X.astype(np.float16)
    assert outputs(tmp_path, half, X, statistics=False)[:2] == (
        Verdict.NOT_COMPARED,
        Reason.INCOMPARABLE_CHECKSUMS,
    )
    assert outputs(tmp_path, half, X)[:2] == (Verdict.CLOSE, Reason.DTYPE)


@pytest.mark.parametrize("api", ["Tensor.add_", "Tensor.__iadd__", "Tensor.mul_"])
def test_a_value_about_to_change_in_place_has_a_checksum_that_proves_nothing(
    tmp_path: Path, api: str
) -> None:
    exact = np.arange(64, dtype=np.float32).reshape(8, 8)
    sides = [
        {F: call([X], [value]), f"{api}.0.forward": call([value, X], [X])} for value in (exact[::-1], exact)
    ]
    cell = compare(tmp_path, *sides, checksums=True)
    assert judged(cell)[:2] == (Verdict.EQUAL, Reason.RACY_CHECKSUM)
    assert cell.counts()["differs"] == 0


def test_a_value_that_changes_long_after_has_a_good_checksum(tmp_path: Path) -> None:
    exact = np.arange(64, dtype=np.float32).reshape(8, 8)
    between = {f"Torch.g.{index}.forward": call([X], [X]) for index in range(40)}
    sides = [
        {F: call([X], [value]), **between, "Tensor.add_.0.forward": call([value, X], [X])}
        for value in (exact[::-1], exact)
    ]
    assert judged(compare(tmp_path, *sides, checksums=True))[:2] == (Verdict.DIFFERS, Reason.CHECKSUM_ONLY)


def test_double_underscores_are_not_in_place(tmp_path: Path) -> None:
    exact = np.arange(64, dtype=np.float32).reshape(8, 8)
    sides = [{"Tensor.__add__.0.forward": call([value, X], [X])} for value in (exact[::-1], exact)]
    cell = compare(tmp_path, *sides, checksums=True)
    assert judged(cell, "input.0")[:2] == (Verdict.DIFFERS, Reason.CHECKSUM_ONLY)
