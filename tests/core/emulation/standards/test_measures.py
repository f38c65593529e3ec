"""Measures against loops in Python's own numbers, one element at a time."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.emulation.standards import Measures, Variant, accumulated_rates, measure, pairs

SMALL = {
    (Variant.CODE, "float16"): (2**-10, 2**-16, 1e-16),
    (Variant.CODE, "bfloat16"): (2**-10, 1e-16, 1e-16),
    (Variant.CODE, "float32"): (2**-20, 2**-30, 2**-30),
    (Variant.DOCUMENT, "float16"): (2**-11, 2**-16, 2**-16),
    (Variant.DOCUMENT, "bfloat16"): (2**-8, 2**-16, 2**-16),
    (Variant.DOCUMENT, "float32"): (2**-14, 2**-30, 2**-30),
}
EPSILON = {"float16": 2**-23, "bfloat16": 2**-8, "float32": 2**-52}
RTOL = {"float16": 2**-10, "bfloat16": 2**-8, "float32": 2**-20}
ULP = {"float16": (10, -14, 1), "bfloat16": (7, -126, 1), "float32": (23, -126, 32)}
BOUND = {"float16": 2**-8, "bfloat16": 2**-7, "float32": 2**-11}

finite = st.floats(-6e4, 6e4, allow_subnormal=False)
pairs_of_numbers = st.lists(st.tuples(finite, st.one_of(finite, st.just(0.0))), min_size=1, max_size=30)
formats = st.sampled_from(["float16", "bfloat16", "float32"])
variants = st.sampled_from(list(Variant))


def exactly(device: float, bench: float) -> Fraction:
    return abs(Fraction(device) - Fraction(bench))


def ulp_of(bench: float, name: str, variant: Variant) -> Fraction:
    bits, least, _ = ULP[name]
    if bench == 0:
        exponent = 0 if variant is Variant.CODE else least
    else:
        exponent = max(math.frexp(bench)[1] - 1, least)
    return Fraction(2) ** (exponent - bits)


def looped(numbers: list[tuple[float, float]], name: str, variant: Variant) -> dict[str, float]:
    """Return the measures of (device, bench) pairs that are all finite."""
    small_value, threshold, benchmark = SMALL[variant, name]
    small = [item for item in numbers if abs(item[1]) <= small_value]
    normal = [item for item in numbers if abs(item[1]) > small_value]
    relative = [float(exactly(*item)) / (abs(item[1]) + EPSILON[name]) for item in normal]
    units = [float(exactly(d, b) / ulp_of(b, name, variant)) for d, b in numbers]
    size = len(numbers)
    mean_square = sum(float(exactly(*item)) ** 2 for item in normal) / size
    rounded = [
        float(np.float64(b).astype(np.float16 if name == "float16" else np.float32)) for _, b in numbers
    ]
    above = sum(d > r for (d, _), r in zip(numbers, rounded))
    below = sum(d < r for (d, _), r in zip(numbers, rounded))
    return {
        "size": size,
        "small_value_error_share": sum(exactly(*i) > benchmark for i in small) / max(len(small), 1),
        "rmse": math.sqrt(mean_square * (size / (len(normal) + 0.0001) + 0.0001)),
        "max_relative_error": max(relative, default=0.0),
        "mean_relative_error": sum(relative) / max(len(relative), 1),
        "error_balance": abs(above - below) / size,
        "special_error_rate": 0.0,
        "relative_error_ratio": sum(r > RTOL[name] for r in relative) / max(len(normal), 1),
        "absolute_error_ratio": sum(exactly(*i) > threshold for i in small) / max(len(small), 1),
        "max_ulp": max(units),
        "mean_ulp": sum(units) / size,
        "ulp_share": sum(unit > ULP[name][2] for unit in units) / size,
        "thousandth_share": sum(float(exactly(d, b)) / (abs(b) + EPSILON[name]) < 0.001 for d, b in numbers)
        / size,
        "unequal_share": sum(d != b for d, b in numbers) / size,
    }


def measured(numbers: list[tuple[float, float]], name: str, variant: Variant) -> Measures:
    device, bench = (np.array(side, np.float64) for side in zip(*numbers))
    return measure(device, bench, DTYPES[name], variant)


@given(pairs_of_numbers, formats, variants)
@settings(max_examples=150)
def test_measures_of_finite_numbers(numbers: list[tuple[float, float]], name: str, variant: Variant) -> None:
    found = measured(numbers, name, variant)
    for key, value in looped(numbers, name, variant).items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-12, abs=1e-300), key


@given(pairs_of_numbers, formats)
@settings(max_examples=40)
def test_the_accumulative_error_has_one_bound(numbers: list[tuple[float, float]], name: str) -> None:
    device, bench = (np.array(side, np.float64) for side in zip(*numbers))
    found = accumulated_rates(device, bench, DTYPES[name], Variant.CODE)
    small = [item for item in numbers if abs(item[1]) <= 1]
    normal = [item for item in numbers if abs(item[1]) > 1]
    wrong = sum(float(exactly(d, b)) / (abs(b) + EPSILON[name]) > BOUND[name] for d, b in normal)
    assert found.relative_error_ratio == wrong / max(len(normal), 1)
    assert found.absolute_error_ratio == sum(exactly(*i) > BOUND[name] for i in small) / max(len(small), 1)


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    bench = random.normal(size=1000)
    device = bench + random.normal(size=1000) * 1e-3
    whole = measure(device, bench, DTYPES["float16"], Variant.CODE)
    monkeypatch.setattr(pairs, "CHUNK", 37)
    cut = measure(device, bench, DTYPES["float16"], Variant.CODE)
    for key in Measures.__dataclass_fields__:
        assert getattr(cut, key) == pytest.approx(getattr(whole, key), rel=1e-12)


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn"])
def test_nothing_and_nothing_finite_are_defined(name: str, variant: Variant) -> None:
    empty = measure(np.empty((0, 3)), np.empty((0, 3)), DTYPES[name], variant)
    assert (empty.rmse, empty.max_ulp, empty.mean_relative_error, empty.thousandth_share) == (0, 0, 0, 1)
    nothing = np.full(4, np.nan)
    special = measure(nothing, nothing, DTYPES[name], variant)
    assert (special.rmse, special.max_relative_error, special.small_value_error_share) == (0, 0, 0)
    assert special.special_error_rate == 0
    assert math.isnan(special.mean_ulp)
    assert special.unequal_share == (1.0 if variant is Variant.CODE else 0.0)
    zeros = measure(np.zeros(3), np.zeros(3), DTYPES[name], variant)
    assert (zeros.ulp_share, zeros.rmse, zeros.unequal_share) == (0, 0, 0)
    if name != "float8_e4m3fn" or variant is Variant.DOCUMENT:
        assert zeros.max_ulp == 0


INF = math.inf


@pytest.mark.parametrize(
    ("device", "bench", "wrong_by_code", "wrong_by_document"),
    [
        (INF, INF, False, False),
        (-INF, INF, True, True),
        (math.nan, math.nan, False, False),
        (math.nan, 1.0, True, True),
        (1.0, math.nan, True, True),
        (INF, 70000.0, False, False),  # float16 cannot hold 70000
        (65504.0, 70000.0, False, False),
        (60000.0, 70000.0, True, True),
        (5.0, INF, False, True),  # the code divides by the infinite bench
        (INF, 5.0, True, True),
    ],
)
def test_special_values_of_float16(
    device: float, bench: float, wrong_by_code: bool, wrong_by_document: bool
) -> None:
    arrays = np.array([device, 1.0]), np.array([bench, 1.0])
    by_code = measure(*arrays, DTYPES["float16"], Variant.CODE).special_error_rate
    by_document = measure(*arrays, DTYPES["float16"], Variant.DOCUMENT).special_error_rate
    assert by_code == (1.0 if wrong_by_code else 0.0)  # of the special ones
    assert by_document == (0.5 if wrong_by_document else 0.0)  # of all


def edge(name: str, bench: float, away: float, variant: Variant) -> Measures:
    return measured([(bench + away, bench)], name, variant)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("variant", Variant)
def test_a_tolerance_may_be_reached(name: str, variant: Variant) -> None:
    small_value, threshold, benchmark = SMALL[variant, name]
    just = 1 + 2**-20
    assert edge(name, 0.0, threshold, variant).absolute_error_ratio == 0
    assert edge(name, 0.0, threshold * just, variant).absolute_error_ratio == 1
    assert edge(name, 0.0, benchmark, variant).small_value_error_share == 0
    assert edge(name, 0.0, benchmark * just, variant).small_value_error_share == 1
    assert edge(name, small_value, 1.0, variant).max_relative_error == 0  # small
    assert edge(name, small_value * just, 1.0, variant).max_relative_error > 0  # normal
    bits, _, limit = ULP[name]
    assert edge(name, 1.0, limit * 2.0**-bits, variant).ulp_share == 0
    assert edge(name, 1.0, limit * 2.0**-bits * just, variant).ulp_share == 1
    allowed = RTOL[name] * (1024 + EPSILON[name])
    assert edge(name, 1024.0, allowed / just, variant).relative_error_ratio == 0
    assert edge(name, 1024.0, allowed * just, variant).relative_error_ratio == 1


def test_beside_a_zero_the_code_counts_units_of_one() -> None:
    by_code = edge("float16", 0.0, 2.0**-10, Variant.CODE)
    by_document = edge("float16", 0.0, 2.0**-10, Variant.DOCUMENT)
    assert (by_code.max_ulp, by_document.max_ulp) == (1.0, 2.0**14)


@pytest.mark.parametrize(
    ("bench", "unit"), [(1.0, 2**-3), (20.0, 2**4 * 2**-2), (2.0**9, 2**9 * 2**-1), (2.0**-5, 2**-5 * 2**-2)]
)
def test_eight_bit_units_taper(bench: float, unit: float) -> None:
    for sign in (1.0, -1.0):
        numbers: list[Any] = [(bench + sign * 1.5 * unit, bench)]
        by_code = measured(numbers, "float8_e5m2", Variant.CODE)
        by_document = measured(numbers, "float8_e5m2", Variant.DOCUMENT)
        assert by_code.max_ulp == pytest.approx(sign * 1.5)
        assert by_code.ulp_share == (1.0 if sign > 0 else 0.0)  # the code keeps the sign
        assert by_document.max_ulp == pytest.approx(1.5)
        assert by_document.ulp_share == 1.0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        measure(np.zeros(3), np.zeros(4), DTYPES["float32"], Variant.CODE)
    with pytest.raises(ValueError, match="complex64"):
        measure(np.zeros(3), np.zeros(3), DTYPES["complex64"], Variant.CODE)
