"""Tier 1 against exact rational arithmetic."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle, open_tensor
from core.metrics import elementwise
from core.metrics.elementwise import compare_tensors
from core.metrics.tensor_metrics import TensorMetrics

TORCH_FILES = Path(__file__).resolve().parents[2] / "data" / "tensors"


def handle(array: np.ndarray) -> TensorHandle:
    name = array.dtype.name
    if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        return TensorHandle(array.view(f"u{array.dtype.itemsize}"), DTYPES[name])
    return TensorHandle(array.view(), DTYPES[name])


def compare(target: object, golden: object) -> TensorMetrics:
    return compare_tensors(handle(np.asarray(target)), handle(np.asarray(golden)))


def root(square: Fraction) -> float:
    """Return the square root to more digits than float64 has, whatever the size."""
    if not square:
        return 0.0
    shift = 2 * max(0, 200 - (square.numerator.bit_length() - square.denominator.bit_length()))
    scaled = math.isqrt(int(square * 4**shift))
    return float(Fraction(scaled, 2**shift))


def exact(target: np.ndarray, golden: np.ndarray) -> dict[str, Any]:
    """Return every metric of real tensors in rational arithmetic."""
    pairs = list(zip(target.astype(float).ravel().tolist(), golden.astype(float).ravel().tolist()))
    finite = [
        (at, Fraction(t), Fraction(g))
        for at, (t, g) in enumerate(pairs)
        if math.isfinite(t) and math.isfinite(g)
    ]
    same = sum(t == g or (t != t and g != g) for t, g in pairs)
    found: dict[str, Any] = {"count": len(pairs), "equal_count": same}
    if not finite:
        return found
    n = len(finite)
    errors = [abs(t - g) for _, t, g in finite]
    worst = max(errors)
    norm_t, norm_g = sum(t * t for _, t, _ in finite), sum(g * g for _, _, g in finite)
    norm_d = sum(error * error for error in errors)
    relative = {at: abs(t - g) / abs(g) for at, t, g in finite if g}
    below = [(abs(t - g) / abs(g) if g else (0 if t == g else math.inf)) for _, t, g in finite]
    dot = sum(t * g for _, t, g in finite)
    found |= {
        "max_abs": float(worst),
        "rmse": root(norm_d / n),
        "mae": float(sum(errors) / n),
        "euclidean": root(norm_d),
        "sign_flips": sum(t * g < 0 for _, t, g in finite),
        "target_zeros": sum(t == 0 for _, t, _ in finite),
        "golden_zeros": sum(g == 0 for _, _, g in finite),
        "target_norm": root(norm_t),
        "golden_norm": root(norm_g),
        "golden_max_abs": float(max(abs(g) for _, _, g in finite)),
        "target_max_abs": float(max(abs(t) for _, t, _ in finite)),
        "cosine": 1.0
        if not worst
        else math.nan
        if not norm_t or not norm_g
        else math.copysign(root(dot**2 / norm_t / norm_g), 1 if dot >= 0 else -1),
        "relative_l2": 0.0 if not norm_d else (root(norm_d / norm_g) if norm_g else math.nan),
        "max_rel": float(max(relative.values())) if relative else (math.nan if worst else 0.0),
        "share_below_1e3": sum(error < Fraction(1, 1000) for error in below) / n,
        "share_below_5e3": sum(error < Fraction(5, 1000) for error in below) / n,
    }
    if worst:
        found["near_worst"] = [at for at, t, g in finite if abs(t - g) >= worst * (1 - Fraction(1, 2**50))]
    return found


def check(target: np.ndarray, golden: np.ndarray, tolerance: float = 1e-12) -> TensorMetrics:
    metrics = compare(target, golden)
    for name, value in exact(target, golden).items():
        if name == "near_worst":  # float64 may not tell the very largest from its equals
            assert metrics.max_abs_index in value
            continue
        got = getattr(metrics, name)
        if math.isnan(value):
            assert math.isnan(got), name
        elif name == "cosine":
            assert got == pytest.approx(value, abs=1e-14), name
        elif isinstance(value, int):
            assert got == value, name
        else:
            assert got == pytest.approx(value, rel=tolerance, abs=0.0), name
    return metrics


FLOATS = {
    "float32": hnp.arrays(np.float32, 40, elements=st.floats(width=32, allow_subnormal=True)),
    "float16": hnp.arrays(np.float16, 40, elements=st.floats(width=16, allow_subnormal=True)),
    "float64": hnp.arrays(
        np.float64, 40, elements=st.floats(-1e100, 1e100) | st.just(math.inf) | st.just(math.nan)
    ),
}
SHARES = 1e-9


@pytest.mark.parametrize("name", FLOATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_numbers(name: str, data: st.DataObject) -> None:
    target, golden = data.draw(FLOATS[name]), data.draw(FLOATS[name])
    with np.errstate(all="ignore"):
        if data.draw(st.booleans()):
            golden = (target * golden.dtype.type(1 + data.draw(st.sampled_from([0.0, 1e-6, 3e-3])))).astype(
                target.dtype
            )
        size = np.abs(target.astype(float) / golden.astype(float) - 1)
    if np.any(np.abs(size - 1e-3) < SHARES) or np.any(np.abs(size - 5e-3) < SHARES):
        return  # too near the bound for float64 to say which side
    if name == "float64" and not _comparable_range(target, golden):
        return
    check(target, golden)


def _comparable_range(*arrays: np.ndarray) -> bool:
    """Return whether the squares of all differences stay in float64's normal range."""
    t, g = (np.where(np.isfinite(array), array, 0) for array in arrays)
    sizes = np.abs(np.concatenate([t, g, t - g]))
    return bool(np.all((sizes == 0) | (sizes > 1e-140)))


@pytest.mark.parametrize("factor", [1 + 1e-7, 1 + 2e-6, 1.0004, 1.5, -1.0])
@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float64"]
)
def test_chunk_borders_and_formats(dtype: str, factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "CHUNK", 64)
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    golden = np.random.default_rng(7).standard_normal(1000).astype(kind)
    golden[::9] = 0
    target = (golden.astype(np.float64) * factor).astype(kind)
    target[63:65] = 0
    golden[640:704] = target[640:704]
    check(target, golden)


def test_tiny_differences_keep_all_their_digits() -> None:
    """A float32 sum would see nothing of one part in 2**23, or lose it beside large numbers."""
    golden = np.linspace(1, 2, 500, dtype=np.float32)
    target = np.nextafter(golden, np.float32(9))
    metrics = check(target, golden)
    assert 1e-8 < metrics.relative_l2 < 1.2e-7
    assert 0 < 1 - metrics.cosine < 1e-12 or metrics.cosine == 1.0


def test_large_numbers_do_not_overflow() -> None:
    golden = np.full(4096, 3e38, np.float32)
    target = golden.copy()
    target[7] = -3e38
    metrics = check(target, golden)
    assert metrics.euclidean == pytest.approx(6e38, rel=1e-6)


@pytest.mark.parametrize("scale", [1e300, 1e200, 1e-200, 1e-300, 5e-324])
def test_float64_beyond_the_range_of_its_squares(scale: float) -> None:
    golden = np.arange(1, 60) * scale
    target = golden + scale * (np.arange(59) % 3)
    metrics = compare(target, golden)
    wanted = exact(target, golden)
    for name in ("cosine", "max_abs", "relative_l2", "max_rel", "mae", "euclidean", "golden_norm"):
        assert getattr(metrics, name) == pytest.approx(wanted[name], rel=1e-12, abs=0), name


def test_equal_bytes() -> None:
    golden = np.random.default_rng(1).standard_normal((70, 1000)).astype(np.float32)
    metrics = compare(golden.copy(), golden)
    assert metrics.identical_bytes
    assert (metrics.cosine, metrics.max_abs, metrics.relative_l2, metrics.max_rel) == (1.0, 0.0, 0.0, 0.0)
    assert metrics.equal_count == metrics.count == 70000
    assert (metrics.max_abs_index, metrics.first_different_index) == (-1, -1)
    assert metrics.share_below_1e3 == 1.0
    assert metrics.golden_norm == pytest.approx(float(np.linalg.norm(golden.astype(float))), rel=1e-12)
    assert not compare(golden.astype(np.float64), golden).identical_bytes


def test_signed_zeros_are_equal_values() -> None:
    metrics = compare(np.array([0.0, -0.0, 1.0]), np.array([-0.0, 0.0, 1.0]))
    assert (metrics.equal_count, metrics.max_abs, metrics.identical_bytes) == (3, 0.0, False)
    assert metrics.sign_flips == 0


def test_cosine_never_leaves_its_range() -> None:
    random = np.random.default_rng(2)
    for size in range(1, 200):
        golden = random.standard_normal(size).astype(np.float32)
        for factor in (1.0, 3.0, -7.0):
            cosine = compare(golden * np.float32(factor), golden).cosine
            assert -1.0 <= cosine <= 1.0
            assert abs(cosine) == pytest.approx(1.0, abs=1e-12)


def test_all_zero_sides_have_no_cosine() -> None:
    zeros, ones = np.zeros(4, np.float32), np.ones(4, np.float32)
    assert math.isnan(compare(zeros, ones).cosine)
    assert math.isnan(compare(ones, zeros).cosine)
    both = compare(zeros, -zeros)
    assert (both.cosine, both.relative_l2, both.max_rel, both.max_rel_index) == (1.0, 0.0, 0.0, -1)
    against_zeros = compare(ones, zeros)
    assert math.isnan(against_zeros.relative_l2)
    assert math.isnan(against_zeros.max_rel)
    assert against_zeros.max_rel_index == -1
    assert against_zeros.share_below_5e3 == 0.0


def test_classes_of_special_values() -> None:
    values = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
    target, golden = np.repeat(values, 4), np.tile(values, 4)
    metrics = compare(target, golden)
    assert metrics.class_counts == (1,) * 16
    assert metrics.count == 16
    assert metrics.equal_count == 4
    assert metrics.first_different_index == 1
    assert metrics.max_abs == 0.0


def test_metrics_beside_special_values() -> None:
    golden = np.array([1, np.nan, 3.5, np.inf, 2, 0], np.float32)
    target = np.array([1, np.nan, 3.0, np.inf, np.nan, 0], np.float32)
    metrics = check(target, golden)
    assert (metrics.max_abs, metrics.max_abs_index) == (0.5, 2)
    assert (metrics.max_rel, metrics.max_rel_index) == (pytest.approx(1 / 7), 2)
    assert metrics.first_different_index == 2


def test_indices_beside_special_values_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "CHUNK", 16)
    golden = np.arange(1, 101, dtype=np.float32)
    target = golden.copy()
    target[3::10] = np.nan
    golden[3::10] = np.nan
    target[57] += 5
    metrics = check(target, golden)
    assert metrics.max_abs_index == metrics.max_rel_index == metrics.first_different_index == 57


def test_only_special_values() -> None:
    metrics = compare(np.array(np.nan, np.float32), np.array(np.nan, np.float32))
    assert (metrics.count, metrics.equal_count, metrics.finite_count) == (1, 1, 0)
    assert math.isnan(metrics.max_abs)


@pytest.mark.parametrize(("dtype", "top"), [("float16", 65504.0), ("float32", 3.4028234663852886e38)])
def test_saturation_is_counted(dtype: str, top: float) -> None:
    golden = np.array([np.inf, -np.inf, np.inf, 1], dtype)
    target = np.array([top, -top, 5, 1], dtype)
    assert compare(target, golden).saturated == 2
    assert compare(golden, target).saturated == 0


def test_golden_zero_does_not_hide_the_largest_relative_error() -> None:
    metrics = compare(np.array([0, 1, 2], np.float32), np.array([0, 1, 2.5], np.float32))
    assert (metrics.max_rel, metrics.max_rel_index) == (pytest.approx(0.2), 2)


def test_mixed_formats_are_compared_as_numbers() -> None:
    golden = np.random.default_rng(4).standard_normal((9, 7)).astype(np.float32)
    check(golden.astype(np.float16), golden)
    check(golden.astype(ml_dtypes.bfloat16), golden.astype(np.float64))
    check(np.arange(5, dtype=np.int64), np.arange(5, dtype=np.float32))
    check(np.array([True, False, True]), np.array([1, 0, 0.5], np.float16))


def test_shapes() -> None:
    values = np.arange(6, dtype=np.float32)
    assert compare(values.reshape(1, 6), values.reshape(6, 1)).equal_count == 6
    assert compare(values.reshape(2, 3), values.reshape(3, 2)).count == -1
    empty = compare(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
    assert (empty.count, empty.equal_count) == (0, 0)
    number = compare(np.array(1.5, np.float32), np.array([1.0], np.float32))
    assert (number.max_abs, number.max_abs_index, number.max_rel) == (0.5, 0, 0.5)


def test_strided_tensors() -> None:
    base = np.random.default_rng(6).standard_normal((60, 80)).astype(np.float32)
    target, golden = base[::2, ::3].T, np.ascontiguousarray(base[::2, ::3].T) + np.float32(0.25)
    metrics = compare(target, golden)
    assert metrics.max_abs == pytest.approx(0.25, rel=1e-5)
    assert exact(target, golden)["rmse"] == pytest.approx(metrics.rmse, rel=1e-12)


def test_complex_stays_complex() -> None:
    golden = np.array([1 + 2j, 3 - 1j, 0j, 2 + 0j], np.complex64)
    metrics = compare(golden.conj(), golden)
    assert metrics.max_abs == 4.0
    assert metrics.max_abs_index == 0
    assert metrics.euclidean == pytest.approx(math.sqrt(16 + 4))
    assert metrics.cosine == pytest.approx(((1 - 4) + (9 - 1) + 4) / (5 + 10 + 4))
    assert metrics.max_rel == pytest.approx(4 / math.sqrt(5))
    assert (metrics.sign_flips, metrics.golden_zeros, metrics.equal_count) == (-1, 1, 2)
    special = np.array([complex(np.nan, 1), complex(1, np.inf), 1], np.complex64)
    assert compare(special, special).class_counts[0] == 1


def test_a_pending_conjugation_is_no_equality() -> None:
    plain = open_tensor(str(TORCH_FILES / "complex64.pt"))
    conjugate = open_tensor(str(TORCH_FILES / "conjugate.pt"))
    metrics = compare_tensors(conjugate, plain)
    assert not metrics.identical_bytes
    assert metrics.max_abs == pytest.approx(2 * float(np.abs(plain.read().imag).max()))


def test_memory_does_not_grow_with_the_tensors() -> None:
    golden = np.random.default_rng(8).standard_normal(1 << 22).astype(np.float32)
    target, bits = golden * np.float32(1.001), golden.view(np.uint16)
    compare(target[:100000], golden[:100000])
    tracemalloc.start()
    compare(target, golden)
    compare_tensors(TensorHandle(bits[::2], DTYPES["bfloat16"]), TensorHandle(bits[1::2], DTYPES["bfloat16"]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_the_inputs_are_left_alone() -> None:
    golden = np.array([1.0, np.nan, 3.0])
    target = golden * 2
    kept = target.copy(), golden.copy()
    compare(target, golden)
    np.testing.assert_array_equal(target, kept[0])
    np.testing.assert_array_equal(golden, kept[1])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_float32_on_a_coarser_grid_is_seen(dtype: str) -> None:
    full = np.random.default_rng(9).standard_normal(500).astype(np.float32)
    coarse = full.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float16).astype(np.float32)
    metrics = compare(coarse, full)
    assert (metrics.target_grid, metrics.golden_grid) == (dtype, "")
    coarse[::5] = np.inf
    assert compare(coarse, full).target_grid == dtype


@pytest.mark.parametrize(
    "values",
    [
        np.ones(500),
        np.arange(100) % 2,
        np.arange(128),
        np.full(500, 1.0078125),
        np.zeros(500),
        np.array([1.5]),
    ],
)
def test_numbers_on_every_grid_prove_nothing(values: np.ndarray) -> None:
    assert compare(values.astype(np.float32), values.astype(np.float32)).target_grid == ""
