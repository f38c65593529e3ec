"""How shares are spelt."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.checks.numbers import percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (0.013, "1.3 %"),
        (0.999, "100 %"),
        (1.0, "100 %"),
        (1.24, "124 %"),
        (12.4, "1240 %"),
        (math.nan, "—"),
    ],
)
def test_shares_are_plain_numbers(value: float, text: str) -> None:
    assert percent(value) == text


@given(st.floats(1e-4, 2.0), st.sampled_from([0.001, 0.005, 0.01]))
def test_a_share_is_told_from_its_limit(value: float, limit: float) -> None:
    if value != limit and abs(value / limit - 1) < 1e-4:
        return
    assert (percent(value, limit) == percent(limit)) is (value == limit)
    assert "e" not in percent(value, limit)


def test_a_share_beside_its_limit_has_the_digits_that_it_needs() -> None:
    assert percent(0.0104, 0.01) == "1.04 %"
    assert percent(0.01004, 0.01) == "1.004 %"
    assert percent(0.02, 0.01) == "2 %"
