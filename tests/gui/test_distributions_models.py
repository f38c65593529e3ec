"""Axes, heights and zones of the histograms, against plain numpy."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.distributions.records import AxisProfile
from gui.models.tensors.heights import CountHeights, MagnitudeHeights
from gui.models.tensors.ticks import decade_ticks, even_ticks, short_count
from gui.models.tensors.zones import FORMATS, zones_of
from gui.views.distributions.profile_pane import most_telling

FINITE = st.floats(-1e300, 1e300)


@given(st.lists(FINITE, min_size=2, max_size=2, unique=True), st.integers(1, 200), st.integers(2, 9))
def test_round_numbers_stand_where_they_belong(ends: list[float], bins: int, most: int) -> None:
    low, high = sorted(ends)
    edges = np.linspace(low, high, bins + 1)
    if not (np.diff(edges) > 0).all():
        return
    for tick in even_ticks(edges, 0, bins, most):
        said = float(tick.words.replace("−", "-"))
        at = float(np.interp(tick.place, np.arange(bins + 1), edges))
        assert at == pytest.approx(said, abs=(high - low) * 1e-4, rel=1e-4)


@given(st.integers(-300, 290), st.integers(1, 12), st.integers(3, 12))
def test_powers_of_ten_on_both_sides_of_zero(low: int, decades: int, most: int) -> None:
    sizes = 10.0 ** np.linspace(low, low + decades, 4 * decades + 1)
    edges = np.concatenate([-sizes[::-1], sizes])
    ticks = decade_ticks(edges, 0, len(edges) - 1, most)
    assert [tick.place for tick in ticks] == sorted(tick.place for tick in ticks)
    assert "0" in [tick.words for tick in ticks]
    for tick in ticks:
        said = float(tick.words.replace("−", "-"))
        assert said == pytest.approx(float(np.interp(tick.place, np.arange(len(edges)), edges)), rel=1e-9)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=50), st.booleans())
def test_only_what_was_not_counted_has_no_height(counts: list[int], logarithmic: bool) -> None:
    values = np.array(counts, float)
    heights = CountHeights(float(values.max()), logarithmic)
    found = heights.of(values)
    assert ((found > 0) == (values > 0)).all()
    assert found.max() <= 1 + 1e-12
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()
    if logarithmic and values.max():
        assert found[values > 0].min(initial=1.0) >= 0.4 / (math.log10(values.max()) + 0.4) - 1e-12
    for tick in heights.ticks(5):
        assert 0 < tick.place <= 1 + 1e-12


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=40))
def test_magnitudes_keep_their_order_and_zero_the_ground(sizes: list[float]) -> None:
    values = np.array(sizes)
    heights = MagnitudeHeights.holding(values)
    found = heights.of(values)
    assert ((found == 0) == (values == 0)).all()
    assert (found <= 1).all()
    assert (np.diff(found[np.argsort(values)]) >= 0).all()
    places = [tick.place for tick in heights.ticks(6)]
    assert len(places) == len(set(places))


@pytest.mark.parametrize(
    ("name", "info"),
    [
        ("float16", np.finfo(np.float16)),
        ("bfloat16", ml_dtypes.finfo(ml_dtypes.bfloat16)),
        ("float8_e4m3fn", ml_dtypes.finfo(ml_dtypes.float8_e4m3fn)),
        ("float8_e5m2", ml_dtypes.finfo(ml_dtypes.float8_e5m2)),
    ],
)
def test_zones_are_those_of_the_format(name: str, info: np.finfo) -> None:
    zones = zones_of(name)
    assert zones.lowest == math.frexp(float(info.smallest_subnormal))[1] - 1
    assert zones.normal == math.frexp(float(info.smallest_normal))[1] - 1
    assert zones.highest == math.frexp(float(info.max))[1] - 1
    assert name in FORMATS


def test_shares_of_what_a_format_does_not_hold() -> None:
    values = np.array([2.0**-30, 2.0**-20, 2.0**-15, 1.0, 1.5, 70000.0, 0.0, 0.0])
    exponents = np.frexp(values[values != 0])[1] - 1
    counts = np.bincount(exponents + 30)
    assert zones_of("float16").shares(-30, counts, 2) == (1 / 8, 2 / 8, 1 / 8)


def test_counts_beside_an_axis_are_short() -> None:
    assert [short_count(count) for count in (1, 999, 1500, 2e6, 3.4e9)] == ["1", "999", "1.5k", "2M", "3.4G"]


def profile(axis: int, errors: list[float], special: list[int] | None = None) -> AxisProfile:
    size = len(errors)
    counts = np.array(special or [0] * size, np.int64)
    starts, largest = np.arange(size), np.array(errors, float)
    return AxisProfile(axis, starts, starts + 1, largest, largest, largest, counts, counts * 0)


@pytest.mark.parametrize(
    ("profiles", "expected"),
    [
        ([profile(0, [1, 1.1]), profile(1, [1, 1, 9, 1]), profile(2, [1, 1, 1, 2])], 1),
        ([profile(0, [0, 3]), profile(1, [0, 0, 3, 0, 0])], 1),  # one index of five says more than one of two
        ([profile(0, [1]), profile(1, [1, 1])], 1),  # an axis of one index says nothing
        ([profile(0, [5, 1, 1]), profile(1, [1, 1, math.nan], [0, 0, 4])], 1),
        ([profile(0, [0, 0])], 0),
    ],
)
def test_the_axis_along_which_the_error_varies_most(profiles: list[AxisProfile], expected: int) -> None:
    assert most_telling(profiles) == expected
