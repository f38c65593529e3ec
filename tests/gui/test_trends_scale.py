"""Colours of trends: nothing clipped, order kept, the limit of a difference at its place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders.trend_pairs import layer
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.messages import set_language
from gui.models.trends.metrics import Metric, Metrics
from gui.models.trends.scale import (
    FIRST,
    LAST,
    Form,
    Special,
    difference_words,
    scale_of_difference,
    scale_of_values,
)
from gui.models.trends.words import telling_parts

NUMBERS = arrays(np.float64, st.integers(1, 30), elements=st.floats(allow_nan=True, allow_infinity=True))


@given(values=NUMBERS)
def test_a_scale_of_values_keeps_their_order_and_reaches_both_ends(values: np.ndarray) -> None:
    scale = scale_of_values([values])
    finite = np.unique(values[np.isfinite(values)])
    levels = scale.levels(finite)
    assert (np.diff(levels.astype(int)) >= 0).all()
    if len(finite) > 1 and finite[-1] / 2 - finite[0] / 2 > 1e-300:
        assert levels[0] == FIRST
        assert levels[-1] == LAST
    assert (levels >= FIRST).all()


@given(values=NUMBERS, limit=st.sampled_from([0.001, 0.05, 1.0]))
def test_a_difference_is_symmetric_and_its_limit_has_a_fixed_place(values: np.ndarray, limit: float) -> None:
    scale = scale_of_difference(values, limit)
    finite = values[np.isfinite(values)]
    up, down = scale.positions(finite), scale.positions(-finite)
    np.testing.assert_allclose(up - 0.5, 0.5 - down, atol=1e-12)
    places = scale.positions(np.array((-limit, 0.0, limit)))
    np.testing.assert_allclose(places, (0.35, 0.5, 0.65), atol=1e-9)
    assert scale.high >= np.abs(finite).max(initial=0)


def test_what_is_no_number_has_no_level_of_values() -> None:
    scale = scale_of_values([np.array((1.0, 1000.0))])
    assert scale.form is Form.LOGARITHMIC
    assert scale.levels(np.array((math.nan, 1.0))).tolist() == [Special.ABSENT, FIRST]
    assert max(Special) < FIRST


def test_ticks_tell_the_ends_and_the_limit() -> None:
    set_language("en")
    ticks = scale_of_difference(np.array((-2.0, 0.1)), 0.05).ticks()
    assert [tick.words for tick in ticks] == [
        "−200\u202f%",
        "−5\u202f%",
        "0\u202f%",
        "+5\u202f%",
        "+200\u202f%",
    ]
    assert [tick.limit for tick in ticks] == [False, True, False, True, False]
    values = scale_of_values([np.array((0.0, 1e-3, 10.0))]).ticks()
    assert [tick.words for tick in values] == ["0.001", "0.1", "10"]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0605, "+6.05\u202f%"), (-1.5, "−150\u202f%"), (1e6, "+1\u202f000\u202f000 ×"), (math.nan, "NaN"),
     (-math.inf, "−Inf"), (0.0, "0\u202f%")],
)  # fmt: skip
def test_differences_are_read_in_per_cent(value: float, words: str) -> None:
    assert difference_words(value) == words


def test_names_lose_what_all_of_them_share() -> None:
    names = [f"module.{layer(number)}.weight" for number in (0, 1, 10)]
    assert telling_parts(names) == ("0", "1", "10")
    assert telling_parts(["a.b"]) == ("a.b",)
    assert telling_parts(["a.b.w", "a.b"]) == ("b.w", "b")
    assert telling_parts(["a", "a"]) == ("a", "a")


def test_a_kind_keeps_the_statistic_and_bad_metrics_are_walked_through() -> None:
    metrics = Metrics(
        (Metric("a.min", "a", 0), Metric("a.norm", "a", 3), Metric("b.norm", "b", 0), Metric("b.max", "b", 1))
    )
    assert metrics.first == "a.norm"
    assert metrics.like("b", "a.norm") == "b.norm"
    assert metrics.like("b", "a.min") == "b.norm"
    assert metrics.next_bad("a.norm", True) == "b.max"
    assert metrics.next_bad("a.norm", False) == "b.max"
    assert metrics.next_bad("b.max", True) == "a.norm"
    assert Metrics(()).next_bad("a.norm", True) == ""
