"""Distributions against plain numpy, for every dtype, rank and layout; counts add up, nothing is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders.element_pairs import handle_of, numpy_dtype, pairs, sources_of, wide
from hypothesis import given, settings

from core.dtypes import DTYPES, coarser
from core.formats.tensors import TensorHandle
from core.metrics.inspection.distributions import (
    Bins,
    DistributionRequest,
    Distributions,
    Histogram,
    pair_distributions,
)
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end

LARGEST = np.finfo(np.float64).max


def distributions(
    target: np.ndarray | None,
    golden: np.ndarray | None,
    bins: Bins = Bins.LINEAR,
    layouts: tuple[str, str] = ("plain", "plain"),
    plane: Plane | None = None,
    rectangle: Region | None = None,
) -> Distributions:
    sides = [
        handle_of(side, layout) if side is not None else None
        for side, layout in zip((target, golden), layouts)
    ]
    request = DistributionRequest(sources_of(*sides), bins, plane, rectangle)
    return run_to_end(pair_distributions(request))


def magnitude(array: np.ndarray) -> np.ndarray:
    """Return what is binned: float64 numbers, of complex ones the magnitudes."""
    values = wide(array)
    if values.dtype.kind == "c":
        with np.errstate(all="ignore"):
            sizes = np.abs(values)
        return np.where(np.isfinite(values), np.minimum(sizes, LARGEST), sizes)
    return values.astype(np.float64)


def is_finite(array: np.ndarray) -> np.ndarray:
    return np.isfinite(wide(array)) if array.dtype.kind not in "iub" else np.ones(array.shape, bool)


def in_bins(edges: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the bin of each value by comparing it with all edges."""
    found = np.searchsorted(edges, values, side="right") - 1
    return np.where(values == LARGEST, np.minimum(found, len(edges) - 2), found)


def check_histogram(values: Histogram, counts: np.ndarray | None, side: np.ndarray) -> None:
    finite = magnitude(side)[is_finite(side)]
    assert counts is not None
    assert np.all(np.diff(values.edges) > 0)
    expected = np.bincount(in_bins(values.edges, finite), minlength=len(values.edges) - 1)
    np.testing.assert_array_equal(counts, expected)
    if len(finite):
        assert values.lowest <= finite.min()
        assert values.highest >= finite.max()


def ulps_of(target: np.ndarray, golden: np.ndarray) -> np.ndarray:
    """Return |t − g| / ulp(g) of finite pairs in plain float64."""
    dtype = coarser(DTYPES[target.dtype.name], DTYPES[golden.dtype.name])
    kind = complex if "c" in (target.dtype.kind, golden.dtype.kind) else float
    t, g = wide(target).astype(kind), wide(golden).astype(kind)
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.maximum(np.abs(g), dtype.smallest_normal))[1] - 1
        unit = np.ldexp(1.0, exponent - dtype.precision + 1)
        errors = np.abs(t - g) / unit
        halves = np.abs(t / 2 - g / 2) / unit * 2
        return np.minimum(np.where(np.isfinite(errors), errors, halves), LARGEST)


@settings(max_examples=120, deadline=None)
@given(pairs())
def test_all_counts_agree_with_numpy(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    target, golden, *layouts = pair
    for bins in Bins:
        answer = distributions(target, golden, bins, (layouts[0], layouts[1]))
        assert answer.values is not None
        assert answer.exponents is not None
        check_histogram(answer.values, answer.values.target, target)
        check_histogram(answer.values, answer.values.golden, golden)
        for side, special, zeros, exponents in (
            (target, answer.values.target_special, answer.exponents.target_zeros, answer.exponents.target),
            (golden, answer.values.golden_special, answer.exponents.golden_zeros, answer.exponents.golden),
        ):
            finite = is_finite(side)
            assert exponents is not None
            assert special.nan + special.plus_inf + special.minus_inf == side.size - finite.sum()
            assert exponents.sum() + zeros == finite.sum()
            assert zeros == np.count_nonzero(magnitude(side)[finite] == 0)
        finite = is_finite(target) & is_finite(golden)
        assert answer.scatter is not None
        assert answer.scatter.density.sum() == finite.sum()
        x = in_bins(answer.values.edges, magnitude(golden)[finite])
        y = in_bins(answer.values.edges, magnitude(target)[finite])
        expected = np.zeros_like(answer.scatter.density)
        np.add.at(expected, (y, x), 1)
        np.testing.assert_array_equal(answer.scatter.density, expected)


@settings(max_examples=80, deadline=None)
@given(pairs())
def test_exponents_are_those_of_the_exact_numbers(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    for side in pair[:2]:
        answer = distributions(side, None)
        assert answer.exponents is not None
        assert answer.exponents.golden is None
        if side.dtype.kind in "iub":
            found = [abs(int(value)).bit_length() - 1 for value in side.reshape(-1) if value]
        else:
            sizes = np.abs(magnitude(side))[is_finite(side)]
            found = (np.frexp(sizes[sizes > 0])[1] - 1).tolist()
        expected = {exponent: found.count(exponent) for exponent in set(found)}
        counts = answer.exponents.target
        assert counts is not None
        first = answer.exponents.first
        assert {first + at: int(count) for at, count in enumerate(counts) if count} == expected


@settings(max_examples=120, deadline=None)
@given(pairs())
def test_ulp_errors(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    target, golden, *layouts = pair
    answer = distributions(target, golden, Bins.LINEAR, (layouts[0], layouts[1]))
    exact = {target.dtype.kind, golden.dtype.kind} <= set("iub")
    if exact:
        assert answer.ulps is None
        return
    found = answer.ulps
    assert found is not None
    finite = is_finite(target) & is_finite(golden)
    errors = ulps_of(target[finite], golden[finite])
    equal = wide(target)[finite] == wide(golden)[finite]
    assert found.special == target.size - finite.sum()
    assert found.equal == equal.sum()
    assert found.counts.sum() + found.equal + found.special == target.size
    edges = found.edges
    assert edges[0] == 0
    expected = np.bincount(np.searchsorted(edges, errors[~equal], side="left") - 1, minlength=len(edges) - 1)
    np.testing.assert_array_equal(found.counts, expected)
    if finite.any():
        assert found.within_one == pytest.approx(np.mean(errors <= 1))
        for percent, limit in found.quantiles.items():
            exactly = np.sort(errors)[int(np.ceil(len(errors) * percent / 100)) - 1]
            assert (
                max(exactly, 0) <= limit <= max(min(exactly, LARGEST / 2) * (1 + 1 / 64), 2**-23)
                or exactly > LARGEST / 2
            )


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("near", [True, False])
def test_ulp_errors_of_any_bits_of_a_coarse_format(name: str, near: bool) -> None:
    random = np.random.default_rng(6)
    kind = numpy_dtype(name)
    words = random.integers(0, 1 << 8 * kind.itemsize, (2, 70_000)).astype(f"u{kind.itemsize}")
    if near:
        words[0] = words[1] + random.integers(-40, 41, 70_000).astype(words.dtype)
    target, golden = words.view(kind)
    found = distributions(target, golden).ulps
    assert found is not None
    finite = is_finite(target) & is_finite(golden)
    errors = ulps_of(target[finite], golden[finite])
    unequal = errors[wide(target)[finite] != wide(golden)[finite]]
    expected = np.searchsorted(found.edges, unequal, side="left") - 1
    np.testing.assert_array_equal(found.counts, np.bincount(expected, minlength=len(found.edges) - 1))


@settings(max_examples=80, deadline=None)
@given(pairs())
def test_profiles(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    target, golden, *layouts = pair
    answer = distributions(target, golden, Bins.LINEAR, (layouts[0], layouts[1]))
    if not target.size:
        assert answer.profiles == ()
        return
    assert [profile.axis for profile in answer.profiles] == list(range(target.ndim))
    finite = is_finite(target) & is_finite(golden)
    exact = {target.dtype.kind, golden.dtype.kind} <= set("iub")
    with np.errstate(all="ignore"):
        if exact:
            sizes = np.array(
                [float(abs(int(t) - int(g))) for t, g in zip(target.reshape(-1), golden.reshape(-1))]
            ).reshape(target.shape)
        else:
            sizes = np.where(finite, np.abs(wide(target) - wide(golden)), 0).astype(np.float64)
    errors = np.zeros(target.shape) if exact else np.where(finite, ulps_of(target, golden), 0.0)
    for profile in answer.profiles:
        others = tuple(axis for axis in range(target.ndim) if axis != profile.axis)
        np.testing.assert_array_equal(profile.starts, np.arange(target.shape[profile.axis]))
        np.testing.assert_array_equal(profile.stops, profile.starts + 1)
        known = finite.any(axis=others)  # no number stands for an index without a finite pair
        np.testing.assert_allclose(
            profile.max_abs, np.where(known, sizes.max(axis=others), np.nan), rtol=1e-6
        )
        with np.errstate(all="ignore"):
            means = sizes.sum(axis=others) / finite.sum(axis=others)
        np.testing.assert_allclose(profile.mean_abs, means, rtol=1e-5)
        np.testing.assert_allclose(profile.max_ulp, errors.max(axis=others), rtol=1e-6)
        np.testing.assert_array_equal(profile.target_special, (~is_finite(target)).sum(axis=others))
        np.testing.assert_array_equal(profile.golden_special, (~is_finite(golden)).sum(axis=others))


def test_a_rectangle_of_a_plane() -> None:
    random = np.random.default_rng(1)
    golden = random.standard_normal((3, 40, 5, 6)).astype(np.float32)
    target = golden + np.float32(0.001) * random.standard_normal(golden.shape).astype(np.float32)
    plane = Plane((0, 2), (1,), (0, 0, 0, 4))
    answer = distributions(target, golden, plane=plane, rectangle=Region(4, 11, 10, 31))
    part_t, part_g = (
        side[:, :, :, 4].transpose(0, 2, 1).reshape(15, 40)[4:11, 10:31] for side in (target, golden)
    )
    assert answer.values is not None
    check_histogram(answer.values, answer.values.target, part_t)
    check_histogram(answer.values, answer.values.golden, part_g)
    (profile,) = answer.profiles  # the rows are two axes
    assert profile.axis == 1
    np.testing.assert_array_equal(profile.starts, np.arange(10, 31))
    np.testing.assert_allclose(profile.max_abs, np.abs(part_t - part_g).max(axis=0), rtol=1e-6)


def test_a_rectangle_at_the_end_of_a_folded_tensor() -> None:
    golden = np.arange(100, dtype=np.float32)
    plane = Plane((), (0,), (0,), 16)
    answer = distributions(golden + 1, golden, plane=plane, rectangle=Region(5, 7, 2, 12))
    part = np.concatenate([golden[82:92], golden[98:100]])
    assert answer.values is not None
    check_histogram(answer.values, answer.values.golden, part)
    assert answer.scatter is not None
    assert answer.scatter.density.sum() == 12
    assert answer.profiles == ()


@pytest.mark.parametrize("name", ["bfloat16", "float32", "float64", "int32"])
def test_many_blocks_and_groups(name: str) -> None:
    random = np.random.default_rng(2)
    golden = (random.standard_normal((2500, 150)) * 100).astype(numpy_dtype(name))
    target = golden.copy()
    target[:1000] = (wide(golden[:1000]) * 1.1).astype(golden.dtype)
    if name != "int32":
        target[2000, 7], golden[2001, 9] = np.nan, -np.inf
        golden[2002], target[2002] = np.inf, np.inf
    answer = distributions(target, golden)
    assert answer.values is not None
    check_histogram(answer.values, answer.values.target, target)
    check_histogram(answer.values, answer.values.golden, golden)
    there = np.concatenate([wide(side)[is_finite(side)] for side in (target, golden)])
    assert (answer.values.lowest, answer.values.highest) == (there.min(), there.max())
    rows, columns = answer.profiles
    assert len(rows.starts) == 2048
    assert rows.starts[0] == 0
    assert rows.stops[-1] == 2500
    np.testing.assert_array_equal(rows.starts[1:], rows.stops[:-1])
    finite = is_finite(target) & is_finite(golden)
    with np.errstate(invalid="ignore"):
        sizes = np.where(finite, np.abs(wide(target).astype(float) - wide(golden)), 0)
    for start, stop, largest, mean, special in zip(
        rows.starts, rows.stops, rows.max_abs, rows.mean_abs, rows.golden_special
    ):
        count = finite[start:stop].sum()
        expected = (sizes[start:stop].max(), sizes[start:stop].sum() / count) if count else (np.nan, np.nan)
        assert (largest, mean) == pytest.approx(expected, rel=1e-5, nan_ok=True)
        assert special == np.count_nonzero(~is_finite(golden)[start:stop])
    np.testing.assert_allclose(columns.max_abs, sizes.max(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(columns.target_special, (~is_finite(target)).sum(axis=0))


def test_whole_numbers_and_booleans_have_a_bin_each() -> None:
    answer = distributions(np.array([3, 5, 5, 9], np.int64), np.array([3, 5, 4, 9], np.int64), Bins.SYMLOG)
    assert answer.values is not None
    np.testing.assert_array_equal(answer.values.edges, np.arange(2.5, 10))
    np.testing.assert_array_equal(answer.values.target, [1, 0, 2, 0, 0, 0, 1])
    answer = distributions(np.array([True, True]), None)
    assert answer.values is not None
    np.testing.assert_array_equal(answer.values.edges, [-0.5, 0.5, 1.5])
    np.testing.assert_array_equal(answer.values.target, [0, 2])


def test_linear_bins_of_a_coarse_format_hold_equally_many_of_its_numbers() -> None:
    words = np.arange(0x3F80, 0x4080, dtype=np.uint16)  # every bf16 from 1 to 4
    answer = distributions(words.view(numpy_dtype("bfloat16")), None)
    assert answer.values is not None
    counts = answer.values.target
    assert counts is not None
    below_two = answer.values.edges[:-1] < 2
    assert set(counts[below_two]) == {4}
    assert set(counts[~below_two & (counts > 0)]) == {2}


def test_logarithmic_bins_leave_at_most_one_in_a_thousand_to_the_one_around_zero() -> None:
    random = np.random.default_rng(5)
    values = (random.standard_normal(100_000) * 10.0 ** random.integers(-4, 3, 100_000)).astype(np.float32)
    answer = distributions(values, values, Bins.SYMLOG)
    assert answer.values is not None
    threshold = answer.values.threshold
    assert np.log2(threshold) == int(np.log2(threshold))
    assert np.mean(np.abs(values) < threshold) <= 1e-3
    assert np.mean(np.abs(values) < 2 * threshold) > 1e-3
    inner = answer.values.edges[(answer.values.edges > threshold)]
    ratios = inner[1:] / inner[:-1]
    assert ratios.max() / ratios.min() < 1.02
    assert len(answer.values.edges) <= 162


@pytest.mark.parametrize("name", ["bfloat16", "float32", "int64", "complex64"])
def test_pending_signs_and_a_dtype_of_its_own(name: str) -> None:
    array = np.array([1, 2, 2, 5]).astype(numpy_dtype(name))
    dtype = DTYPES[name]
    bits = array.view(dtype.storage) if not dtype.native else array
    turned = TensorHandle(bits.view(), dtype, negative=True, conjugate=name == "complex64")
    request = DistributionRequest(sources_of(turned, handle_of(array)))
    answer = run_to_end(pair_distributions(request))
    assert answer.values is not None
    check_histogram(answer.values, answer.values.target, -array)
    assert answer.profiles[0].max_abs.tolist() == [2, 4, 4, 10]
    kept_wide = TensorHandle(
        np.array([1.0, 1.0078125], np.float32), DTYPES["float32"], dtype=DTYPES["bfloat16"]
    )
    answer = run_to_end(
        pair_distributions(DistributionRequest(sources_of(kept_wide, handle_of(np.ones(2, np.float32)))))
    )
    assert answer.ulps is not None
    assert (answer.ulps.dtype, answer.ulps.equal, answer.ulps.counts.tolist()) == ("bfloat16", 1, [0, 1])


def test_one_side_or_other_shapes() -> None:
    target = np.arange(6, dtype=np.float32)
    alone = distributions(None, target)
    assert alone.values is not None
    assert alone.values.target is None
    assert alone.values.golden is not None
    assert alone.values.golden.sum() == 6
    assert (alone.ulps, alone.scatter, alone.profiles) == (None, None, ())
    unlike = distributions(target, target[:4])
    assert unlike.values is not None
    assert unlike.values.target is not None
    assert unlike.values.golden is not None
    assert (unlike.values.target.sum(), unlike.values.golden.sum()) == (6, 4)
    assert unlike.scatter is None
    nothing = distributions(None, None)
    assert (nothing.shape, nothing.values) == (None, None)


def test_an_answer_is_small_and_work_reports_often() -> None:
    golden = np.zeros((1200, 1000), np.float32)
    target = golden + np.random.default_rng(0).standard_normal(golden.shape).astype(np.float32)
    work = pair_distributions(DistributionRequest(sources_of(handle_of(target), handle_of(golden))))
    reports: list[Any] = []
    answer = run_to_end(work, reports.append)
    assert all(0 < report.done <= report.total for report in reports)
    assert answer.scatter is not None
    assert answer.scatter.density.nbytes < 200_000
