"""The worst elements against sorting all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders.element_pairs import handle_of, pairs, sources_of, wide
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES, coarser
from core.metrics.inspection.elements import By, WorstRequest, worst_elements
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end

LARGEST = float(np.finfo(np.float64).max)


def class_of(value: Any) -> int:
    """Return 0 finite, 1 NaN, 2 +Inf, 3 −Inf."""
    if np.isnan(value):
        return 1
    if np.isfinite(value):
        return 0
    return 3 if not isinstance(value, complex) and value < 0 else 2


def badness(target: Any, golden: Any, by: By, precision: int, normal: float) -> tuple[int, float]:
    """Return how bad one pair is, in Python's own numbers; (0, 0) is equal."""
    first, second = class_of(target), class_of(golden)
    if first or second:
        return (3, 0.0) if first != second else (0, 0.0)
    size = abs(target - golden)
    if not size:
        return 0, 0.0
    if by is By.RELATIVE:
        if not golden:
            return 2, float(size)
        with np.errstate(all="ignore"):
            return 1, float(np.float64(size) / np.float64(abs(golden)))
    if by is By.ULP and precision:
        exponent = np.frexp(max(float(abs(golden)), normal))[1] - precision
        with np.errstate(all="ignore"):
            half = abs(target / 2 - golden / 2) if size == np.inf else size / 2
            return 1, float(np.minimum(np.float64(half) / np.ldexp(1.0, int(exponent)) * 2, LARGEST))
    return 1, float(size)


def plain(array: np.ndarray) -> list[Any]:
    """Return the elements as Python's numbers."""
    return wide(array).reshape(-1).tolist()  # type: ignore[no-any-return]


@settings(max_examples=120, deadline=None)
@given(pairs(), st.sampled_from(list(By)), st.integers(0, 40))
def test_the_first_of_all_sorted(pair: tuple[np.ndarray, np.ndarray, str, str], by: By, count: int) -> None:
    target, golden, *layouts = pair
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    answer = run_to_end(worst_elements(WorstRequest(sources, by, count)))
    dtype = coarser(DTYPES[target.dtype.name], DTYPES[golden.dtype.name])
    with np.errstate(all="ignore"):
        found = [
            badness(t, g, by, dtype.precision, dtype.smallest_normal or 1.0)
            for t, g in zip(plain(target), plain(golden))
        ]
    order = sorted((at for at, bad in enumerate(found) if bad[0]), key=lambda at: found[at], reverse=True)
    assert answer.total == target.size
    assert answer.differing == len(order)
    places = [int(np.ravel_multi_index(row.index, target.shape)) if target.ndim else 0 for row in answer.rows]
    assert len(places) == min(count, len(order))
    assert len(set(places)) == len(places)
    # Python's complex and numpy's may differ in the last bit of a magnitude.
    np.testing.assert_allclose(
        [found[at][1] for at in places], [found[at][1] for at in order[:count]], rtol=1e-14
    )
    assert [found[at][0] for at in places] == [found[at][0] for at in order[:count]]
    if "c" not in (target.dtype.kind, golden.dtype.kind):
        assert places == order[:count]


@pytest.mark.parametrize("count", [1, 100, 70_000])
def test_many_blocks_with_ties(count: int) -> None:
    random = np.random.default_rng(3)
    golden = np.zeros((500, 400), np.float32)
    target = random.integers(0, 4, golden.shape).astype(np.float32)
    target[499, 3], golden[498, 7] = np.nan, np.inf
    sources = sources_of(handle_of(target), handle_of(golden))
    work = worst_elements(WorstRequest(sources, By.ABSOLUTE, min(count, 3000)))
    answer = run_to_end(work)
    key = target.copy().reshape(-1)
    key[[499 * 400 + 3, 498 * 400 + 7]] = 99
    order = np.argsort(-key, kind="stable")[: min(count, 3000)]
    assert [row.index for row in answer.rows] == [tuple(np.unravel_index(at, golden.shape)) for at in order]
    assert answer.differing == np.count_nonzero(key)


def test_a_rectangle_and_the_values_of_a_row() -> None:
    golden = np.arange(24, dtype=np.int64).reshape(4, 6)
    target = golden.copy()
    target[0, 0], target[2, 3], target[3, 5] = 2**62, -7, 100
    sources = sources_of(handle_of(target), handle_of(golden))
    plane = Plane.of(golden.shape)
    answer = run_to_end(worst_elements(WorstRequest(sources, By.ULP, 5, plane, Region(1, 4, 0, 6))))
    assert [row.index for row in answer.rows] == [(3, 5), (2, 3)]
    assert (answer.differing, answer.total) == (2, 18)
    first = answer.rows[0]
    assert (first.target, first.golden, first.difference, first.ulps) == (100, 23, 77, None)


def test_the_end_of_a_folded_tensor_counts_once() -> None:
    golden = np.zeros(10, np.float32)
    sources = sources_of(handle_of(golden + 1), handle_of(golden))
    request = WorstRequest(sources, By.ABSOLUTE, 99, Plane((), (0,), (0,), 4), Region(1, 3, 1, 4))
    answer = run_to_end(worst_elements(request))
    assert [row.index for row in answer.rows] == [(5,), (6,), (7,), (9,)]
    assert (answer.differing, answer.total) == (4, 4)


def test_sides_that_cannot_be_subtracted() -> None:
    one = handle_of(np.zeros(3, np.float32))
    other = handle_of(np.zeros(4, np.float32))
    for sources in (sources_of(one, None), sources_of(one, other), sources_of(None, None)):
        answer = run_to_end(worst_elements(WorstRequest(sources)))
        assert (answer.rows, answer.differing, answer.total) == ((), 0, 0)
