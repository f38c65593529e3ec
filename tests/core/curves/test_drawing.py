"""Tracks, smoothing and the shelf: what is drawn of a curve, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.curves.drawing.differences import difference
from core.curves.drawing.smoothing import smoothed
from core.curves.drawing.tracks import extent, polyline, track_of, value_at
from core.curves.shelf import Shelved, discard, shelve, unshelve
from core.records.curves import Paired

VALUES = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf])


@given(arrays(np.float64, st.integers(0, 3000), elements=VALUES, fill=st.nothing()), st.data())
def test_extent_is_that_of_a_plain_search(y: np.ndarray, data: st.DataObject) -> None:
    x = np.arange(len(y), dtype=float)
    left = data.draw(st.floats(-10, 3100))
    right = left + data.draw(st.floats(0, 3100))
    seen = [value for place, value in zip(x, y) if left <= place <= right and math.isfinite(value)]
    low, high = extent(track_of(x, y), left, right)
    assert (low, high) == (min(seen), max(seen)) if seen else (math.isnan(low) and math.isnan(high))


@given(st.integers(1, 40_000), st.integers(1, 500), st.integers(0, 2**31))
def test_a_spike_is_drawn_at_every_zoom(count: int, pixels: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    y = random.normal(size=count)
    spike = int(random.integers(count))
    y[spike] = 1e9
    x = np.arange(count, dtype=float)
    width = float(random.uniform(1, count))
    left = spike - float(random.uniform(0, width))
    drawn_x, drawn_y = polyline(track_of(x, y), left, left + width, pixels)
    assert np.nanmax(drawn_y) == 1e9
    assert len(drawn_x) == len(drawn_y) <= 4 * pixels + 2
    step = max(count / pixels * 2, 2)
    assert abs(drawn_x[int(np.nanargmax(drawn_y))] - spike) <= step


def test_gaps_stay_gaps() -> None:
    y = np.ones(10_000)
    y[4000:6000] = np.nan
    y[7000] = np.inf
    track = track_of(np.arange(10_000, dtype=float), y)
    x, drawn = polyline(track, 0, 10_000, 100)
    inside = (x > 4100) & (x < 5900)
    assert np.isnan(drawn[inside]).all()
    assert np.isfinite(drawn[(x < 3900)]).all()
    assert track.broken.tolist() == [*range(4000, 6000), 7000]
    x, drawn = polyline(track, 6990, 7010, 100)
    assert np.isnan(drawn[x == 7000]).all()


def test_the_value_at_a_place_is_the_last_one_before() -> None:
    track = track_of(np.array([1.0, 5.0, 9.0]), np.array([10.0, 50.0, 90.0]))
    assert [value_at(track, x) for x in (1.0, 4.9, 5.0, 100.0)] == [10.0, 10.0, 50.0, 90.0]
    assert math.isnan(value_at(track, 0.5))


def plain_average(x: list[float], y: list[float], half_life: float) -> list[float]:
    """The definition, point by point."""
    made = []
    for last, value in enumerate(y):
        seen = [i for i in range(last + 1) if math.isfinite(y[i])]
        weights = [0.5 ** ((x[last] - x[i]) / half_life) for i in seen]
        known = math.isfinite(value)
        made.append(sum(w * y[i] for w, i in zip(weights, seen)) / sum(weights) if known else value)
    return made


@given(
    st.lists(st.tuples(st.floats(0.01, 50), VALUES), min_size=1, max_size=120),
    st.floats(0.05, 1000),
)
def test_smoothing_follows_its_definition_and_never_looks_ahead(
    points: list[tuple[float, float]], half_life: float
) -> None:
    x = np.cumsum([gap for gap, _ in points])
    y = np.array([value for _, value in points])
    made = smoothed(x, y, half_life)
    scale = max((abs(v) for v in y if math.isfinite(v)), default=1.0)
    np.testing.assert_allclose(made, plain_average(x.tolist(), y.tolist(), half_life), 1e-9, 1e-9 * scale)
    for shorter in (1, len(y) // 2, len(y) - 1):
        np.testing.assert_array_equal(smoothed(x[:shorter], y[:shorter], half_life), made[:shorter])


def test_the_difference_of_equal_specials_is_nothing() -> None:
    ends = np.array([1.0, 0.0, np.inf, np.nan, 2.0, 0.0])
    golden = np.array([2.0, 0.0, np.inf, 1.0, np.inf, -1.0])
    made = difference(Paired(np.arange(6.0), np.arange(6), ends, golden, np.zeros(6)))
    np.testing.assert_array_equal(made.relative.y, [-0.5, 0.0, 0.0, np.nan, np.nan, 1.0])


def test_what_is_shelved_comes_back_mapped(tmp_path) -> None:
    value = {"a": np.arange(5), "b": [np.arange(100_000, dtype=float), np.empty(0)], "c": "x"}
    token = shelve(value, str(tmp_path))
    back = unshelve(token)
    np.testing.assert_array_equal(back["a"], value["a"])
    np.testing.assert_array_equal(back["b"][0], value["b"][0])
    assert not back["b"][0].flags.writeable
    assert len(token.head) < 2000
    discard(token)
    assert not list(tmp_path.iterdir())
    assert back["b"][0][-1] == 99_999


def test_a_cut_shelf_is_refused(tmp_path) -> None:
    token = shelve(np.arange(1000), str(tmp_path))
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="cut"):
        unshelve(Shelved(token.head, str(path), token.spans))


def test_a_value_without_arrays_needs_no_file(tmp_path) -> None:
    assert unshelve(shelve({"a": 1, "b": np.empty(0)}, str(tmp_path)))["a"] == 1
    assert not list(tmp_path.iterdir())
