"""Numbers as they are written: nothing that arithmetic may give is too odd to be said."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui import numbers

WRITTEN = (
    numbers.scientific,
    numbers.compact,
    numbers.cosine,
    numbers.percent,
    numbers.size,
    numbers.times,
)


@pytest.mark.parametrize("written", WRITTEN)
@given(number=st.floats(-1e300, 1e300) | st.sampled_from([math.nan, math.inf, -math.inf]))
def test_every_number_can_be_written(written: Callable[[float], str], number: float) -> None:
    said = written(number)
    assert "nan" not in said
    assert "inf" not in said


@pytest.mark.parametrize("nothing", [math.nan, math.inf, -math.inf])
def test_a_share_of_nothing_is_a_dash(nothing: float) -> None:
    assert numbers.percent(nothing) == numbers.size(nothing) == "—"
    assert numbers.cosine(nothing) == ""


@given(st.floats(0, 1))
def test_only_a_whole_reads_as_one(share: float) -> None:
    assert (numbers.percent(share) == f"100{numbers.THIN_SPACE}%") is (share == 1)
