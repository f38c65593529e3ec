"""Sums against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from builders.exact_rounding import rounded
from hypothesis import example, given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.emulation.arithmetic.exact_sum import add_to_odd, sum_to_odd
from core.emulation.arithmetic.rounding import Rounding

numbers = st.floats(-(2.0**200), 2.0**200)
spread = st.builds(
    lambda sign, power, low: sign * 2.0**power * (1 + low * 2.0**-52),
    st.sampled_from([-1.0, 1.0]),
    st.integers(-120, 120),
    st.sampled_from([0, 1, 2**52 - 1]),
)


def to_odd(terms: list[float]) -> float:
    return rounded(sum((Fraction(term) for term in terms), Fraction(0)), DTYPES["float64"], Rounding.TO_ODD)


@given(st.lists(numbers | spread, min_size=1, max_size=20))
@example([1.0, 2.0**-53, 2.0**-106])
@example([1.0, -(2.0**-53), -(2.0**-107)])
@example([2.0**60, 1.0, -(2.0**60), 2.0**-60])
def test_sums_are_those_of_fractions(terms: list[float]) -> None:
    assert sum_to_odd(np.array(terms)[:, np.newaxis]).tolist() == [to_odd(terms)]


@given(numbers | spread, numbers | spread)
def test_additions_are_those_of_fractions(first: float, second: float) -> None:
    assert add_to_odd(np.array([first]), np.array([second])).tolist() == [to_odd([first, second])]


def test_what_is_not_finite_stays_as_ieee_754_has_it() -> None:
    first = np.array([np.inf, np.inf, np.nan, 1.0])
    second = np.array([1.0, -np.inf, 1.0, np.inf])
    with np.errstate(invalid="ignore"):
        found = add_to_odd(first, second)
    assert np.array_equal(found, [np.inf, np.nan, np.nan, np.inf], equal_nan=True)
