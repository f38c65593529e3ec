"""Verdicts of tensors: the vectors, the cases, and what lies between the rules."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from core.dtypes import DTYPES
from core.formats.tensors import TensorError, TensorHandle, open_tensor
from core.metrics.elementwise import compare_tensors
from core.metrics.noise import NoiseTable, noise_from
from core.metrics.verdict import Judgement, judge_tensors
from core.records.result import Reason, Verdict
from tests.core.metrics.vectors import IDS, VECTORS, Vector, handle

NOISE = NoiseTable.default()


def judge(target: TensorHandle, golden: TensorHandle, noise: NoiseTable = NOISE) -> Judgement:
    metrics = compare_tensors(target, golden)
    return judge_tensors(metrics, (target.dtype, golden.dtype), (target.shape, golden.shape), noise)


def judged(target: np.ndarray, golden: np.ndarray) -> Judgement:
    return judge(handle(np.asarray(target)), handle(np.asarray(golden)))


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(vector: Vector) -> None:
    got = judged(vector.target, vector.golden)
    assert (got.verdict, got.reason) == (vector.verdict, vector.reason)
    if got.reason is Reason.BEYOND_NOISE:
        assert got.error > got.allowed
    if got.verdict in (Verdict.EQUAL, Verdict.CLOSE):
        assert got.error <= got.allowed


def _cases() -> list[str]:
    shared = Path(__file__).resolve().parents[4] / "shared" / "cases"
    folder = Path(os.environ.get("ULPSCOPE_CASES", shared))
    names = [
        *(folder / "pairs").glob("*"),
        *(folder / "files").glob("C5[38]*"),
        *(folder / "files").glob("C63*"),
    ]
    return sorted(f"{path.parent.name}/{path.name}" for path in names) or ["pairs"]


@pytest.mark.parametrize("name", _cases())
def test_cases(name: str, cases: Path) -> None:
    accepted = json.loads((cases / name / "expect.json").read_text("utf-8"))["accept"]
    paths = [str(cases / name / f"{side}.npy") for side in ("tgt", "gold")]
    if accepted == ["not_compared"]:
        with pytest.raises(TensorError, match=r"too short|raw bytes"):
            open_tensor(paths[0])
    else:
        assert judge(*map(open_tensor, paths)).verdict.name.lower() in accepted


R = np.random.default_rng(11)
BASE = R.standard_normal((64, 64)).astype(np.float32)


def noise(size: float) -> np.ndarray:
    return (BASE + size * R.standard_normal(BASE.shape)).astype(np.float32)


def test_noise_of_a_reduced_matrix_unit_is_noise() -> None:
    left, right = R.standard_normal((2, 96, 96)).astype(np.float32)
    eleven_bits = [(side.view(np.uint32) + 0x1000 & 0xFFFFE000).view(np.float32) for side in (left, right)]
    product = (eleven_bits[0].astype(float) @ eleven_bits[1]).astype(np.float32)
    got = judged(product, (left.astype(float) @ right).astype(np.float32))
    assert (got.verdict, got.reason) == (Verdict.CLOSE, Reason.WITHIN_NOISE)
    assert 1e-4 < got.error <= got.allowed == 1e-3


@pytest.mark.parametrize(
    "target",
    [
        BASE * np.float32(1.0004),
        BASE + np.float32(3e-4),
        np.where(np.arange(4096).reshape(64, 64) % 4 == 0, BASE * np.float32(1.001), BASE),
        np.where(np.arange(64) == 7, BASE + np.float32(3e-3), BASE),
        0.5 * BASE * (1 + np.tanh(np.sqrt(2 / np.pi) * (BASE + 0.044715 * BASE**3))),
        BASE / np.sqrt(BASE.var(axis=1, keepdims=True) + np.float32(1e-3)),
        noise(2e-3),
    ],
    ids=["scale", "offset", "every fourth", "one column", "tanh gelu", "eps", "more noise"],
)
def test_errors_with_a_cause_are_not_noise(target: np.ndarray, request: pytest.FixtureRequest) -> None:
    golden = BASE
    name = request.node.callspec.id
    if name == "tanh gelu":
        golden = (0.5 * BASE * (1 + np.vectorize(math.erf)(BASE / math.sqrt(2)))).astype(np.float32)
    if name == "eps":
        golden = (BASE / np.sqrt(BASE.var(axis=1, keepdims=True) + np.float32(1e-5))).astype(np.float32)
    got = judged(target.astype(np.float32), golden)
    assert (got.verdict, got.reason) == (Verdict.DIFFERS, Reason.BEYOND_NOISE)


def test_the_reduced_noise_rule_can_be_turned_off() -> None:
    strict = noise_from({"float32": {"incoherent_limit": 0}})
    pair = handle(noise(1e-4)), handle(BASE)
    assert judge(*pair).verdict is Verdict.CLOSE
    assert judge(*pair, strict).verdict is Verdict.DIFFERS


def test_bf16_values_in_a_float32_are_judged_as_bf16() -> None:
    rounded = BASE.astype(ml_dtypes.bfloat16).astype(np.float32)
    got = judged(rounded, BASE)
    assert (got.verdict, got.allowed) == (Verdict.CLOSE, 8 * 2.0**-8)
    assert judged(rounded * np.float32(1.1), BASE).verdict is Verdict.DIFFERS
    labelled = TensorHandle(rounded.view(), DTYPES["float32"], dtype=DTYPES["bfloat16"])
    assert judge(labelled, handle(BASE)).reason is Reason.DTYPE


@pytest.mark.parametrize(
    ("dtype", "close", "differs"),
    [("float64", 1e-13, 1e-11), ("float32", 1e-5, 1e-4), ("float16", 5e-3, 0.05), ("bfloat16", 0.02, 0.2)],
)
def test_each_format_has_its_noise(dtype: str, close: float, differs: float) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    golden = BASE.astype(np.float64)
    for size, verdict in ((close, Verdict.CLOSE), (differs, Verdict.DIFFERS)):
        assert judged((golden * (1 + size)).astype(kind), golden.astype(kind)).verdict is verdict


def test_one_wrong_element_of_many_is_found_by_the_peak() -> None:
    golden = np.ones(10_000_000, np.float32)
    target = golden.copy()
    target[1234567] = 1.001
    got = judged(target, golden)
    assert got.verdict is Verdict.DIFFERS
    assert got.error == pytest.approx(0.001, rel=1e-3)


def test_a_golden_of_zeros_has_no_relative_error() -> None:
    got = judged(np.full(4, 1e-3, np.float32), np.zeros(4, np.float32))
    assert got == (Verdict.DIFFERS, Reason.BEYOND_NOISE, math.inf, 256 * 2.0**-24)
    assert judged(np.full(4, 1e-17, np.float32), np.zeros(4, np.float32)).verdict is Verdict.CLOSE


def test_complex_conjugate_differs() -> None:
    golden = (BASE + 1j * BASE.T).astype(np.complex64)
    assert judged(golden.conj(), golden).verdict is Verdict.DIFFERS
    assert judged(golden.copy(), golden).verdict is Verdict.EQUAL
    assert judged(golden.astype(np.complex128), golden).reason is Reason.DTYPE
