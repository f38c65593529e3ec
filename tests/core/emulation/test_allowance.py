"""Rounding, special values, and what is allowed between them."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.emulation.terms.allowance import judge
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded, growth
from core.emulation.terms.formats import round_to
from core.emulation.terms.outcome import NotReplayable, NotReplayed, ReplayVerdict, SlotReplay
from core.emulation.terms.special_functions import normal_cdf, sigmoid, softplus

TYPES = {
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


def verdict_of(dumped: list[float], exact: list[float], dtype: str = "float16") -> SlotReplay:
    tensor = Tensor(np.array(dumped, np.float64), DTYPES[dtype])
    return judge(0, tensor, Bounded(np.array(exact, np.float64)), DTYPES[dtype])


@given(st.lists(numbers, min_size=1, max_size=30), st.sampled_from(sorted(TYPES)))
def test_rounding_is_that_of_other_libraries(values: list[float], name: str) -> None:
    exact = np.array(values, np.float64)
    with np.errstate(over="ignore"):
        expected = exact.astype(np.float32).astype(TYPES[name]).astype(np.float64)
    assert np.array_equal(round_to(exact, DTYPES[name]), expected)


@given(st.lists(numbers, min_size=1, max_size=30), st.sampled_from(sorted(TYPES)))
def test_what_is_rounded_once_is_right(values: list[float], name: str) -> None:
    exact = np.array(values, np.float64)
    rounded = round_to(exact, DTYPES[name])
    found = verdict_of(rounded.tolist(), values, name)
    assert found.verdict is ReplayVerdict.RIGHT
    assert found.overflowed == np.isinf(rounded).sum()
    assert found.error <= 0.5 or found.overflowed


@given(st.floats(1.0, 2.0), st.floats(4.0, 1e4), st.sampled_from(["float32", "float16", "bfloat16"]))
def test_more_than_a_truncation_is_wrong(value: float, units: float, name: str) -> None:
    off = value * (1.0 + units * DTYPES[name].unit_roundoff)
    found = verdict_of([off], [value], name)
    assert found.verdict is ReplayVerdict.WRONG
    assert found.units == pytest.approx(units, rel=1e-6)
    assert found.relative_l2 == pytest.approx(units * DTYPES[name].unit_roundoff, rel=1e-6)


@pytest.mark.parametrize(
    ("dumped", "exact", "right"),
    [
        (math.inf, 70000.0, True),
        (65504.0, 70000.0, True),  # saturation
        (65504.0, 65510.0, True),
        (math.inf, 65000.0, False),
        (-math.inf, 70000.0, False),
        (60000.0, 70000.0, False),
        (math.nan, math.nan, True),
        (0.0, math.nan, False),
        (math.nan, 1.0, False),
        (math.inf, math.inf, True),
        (65504.0, math.inf, True),
        (-math.inf, math.inf, False),
        (1.0, math.inf, False),
        (0.0, 2.0**-25, True),
        (2.0**-24, 0.0, True),
        (2.0**-20, 0.0, False),
    ],
)
def test_special_values_and_the_ends_of_the_range(dumped: float, exact: float, right: bool) -> None:
    found = verdict_of([1.0, dumped], [1.0, exact])
    assert (found.verdict is ReplayVerdict.RIGHT) == right
    if not right:
        assert found.worst_index == 1
    if not math.isfinite(dumped) and not right:
        assert found.special_differences == 1
    if right and exact == 70000.0:
        assert (found.overflowed, found.saturated) == ((1, 0) if math.isinf(dumped) else (0, 1))


def test_a_shape_that_differs_by_more_than_ones_is_not_judged() -> None:
    tensor = Tensor(np.zeros((2, 3)), DTYPES["float32"])
    assert judge(0, tensor, Bounded(np.zeros((1, 2, 3))), DTYPES["float32"]).error == 0.0
    with pytest.raises(NotReplayable) as raised:
        judge(0, tensor, Bounded(np.zeros((3, 2))), DTYPES["float32"])
    assert raised.value.reason is NotReplayed.SHAPE_MISMATCH


@given(st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_matrix_products_in_float32_stay_inside_their_bound(terms: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    left = draw.standard_normal((4, terms)).astype(np.float32)
    right = draw.standard_normal((terms, 3)).astype(np.float32)
    exact = Bounded(left.astype(np.float64)) @ Bounded(right.astype(np.float64))
    total = np.zeros((4, 3), np.float32)
    for index in range(terms):  # the worst order: one after the other
        total = (total + left[:, index, None] * right[None, index]).astype(np.float32)
    found = judge(0, Tensor(total.astype(np.float64), DTYPES["float32"]), exact, DTYPES["float32"])
    assert found.verdict is ReplayVerdict.RIGHT
    off = total.copy()
    off[1, 1] += np.float32(np.abs(left[1]) @ np.abs(right[:, 1]) * 1e-3)
    wrong = judge(0, Tensor(off.astype(np.float64), DTYPES["float32"]), exact, DTYPES["float32"])
    assert wrong.verdict is ReplayVerdict.WRONG


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=60))
def test_bounds_of_composed_arithmetic_hold(values: list[float]) -> None:
    """Standardize in float32, step by step: every intermediate error lies inside the bound."""
    single = np.array(values, np.float32)
    exact = Bounded(single.astype(np.float64))
    centred = exact - exact.mean()
    scaled = centred * Bounded(np.asarray(0.37)) / Bounded(np.asarray(1.7)) + centred * centred
    rough = single - single.mean(dtype=np.float32)
    made = rough * np.float32(0.37) / np.float32(1.7) + rough * rough
    allowed = 4.0 * 2.0**-24 * (scaled.error + np.abs(scaled.value)) + 1e-38
    assert (np.abs(made.astype(np.float64) - scaled.value) <= allowed).all()


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_growth_rises_with_the_number_of_terms(first: int, second: int) -> None:
    low, high = sorted((first, second))
    assert 0 <= growth(low) <= growth(high) <= max(high - 1, 0)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=20))
def test_special_functions(values: list[float]) -> None:
    x = np.array(values)
    for index, value in enumerate(values):
        assert normal_cdf(x)[index] == pytest.approx(0.5 * math.erfc(-value / math.sqrt(2.0)), rel=1e-14)
        tail = math.exp(-abs(value))
        assert sigmoid(x)[index] == pytest.approx((1.0 if value >= 0 else tail) / (1.0 + tail), rel=1e-14)
        assert softplus(x)[index] == pytest.approx(max(value, 0.0) + math.log1p(tail), rel=1e-14)
