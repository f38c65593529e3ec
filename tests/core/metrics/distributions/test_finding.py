"""An element counted in a bar, a cell or a point is found by a click on it."""

from __future__ import annotations

import numpy as np
from builders.element_pairs import handle_of, pairs, sources_of, wide
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.inspection.distributions import (
    Bins,
    DistributionRequest,
    PairSources,
    ValueRange,
    find_value,
    pair_distributions,
    worst_along,
)
from core.metrics.inspection.elements import By
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end


def found(sources: PairSources, what: ValueRange) -> set[tuple[int, ...]]:
    """Return all places that clicking again and again leads to, until the first comes round."""
    places: list[tuple[int, ...]] = []
    after = None
    while True:
        place = run_to_end(
            find_value(
                sources,
                ValueRange(what.side, what.low, what.high, what.low2, what.high2, after, what.magnitude),
            )
        )
        if place is None or place in places:
            assert place is None or place == places[0]
            return set(places)
        places.append(place)
        after = place


@settings(max_examples=70, deadline=None)
@given(pairs(), st.sampled_from(list(Bins)), st.randoms(use_true_random=False))
def test_every_bar_leads_to_as_many_elements_as_it_counts(pair, bins, random) -> None:  # type: ignore[no-untyped-def]
    target, golden, *layouts = pair
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    answer = run_to_end(pair_distributions(DistributionRequest(sources, bins)))
    assert answer.values is not None
    assert answer.exponents is not None
    assert answer.scatter is not None
    edges = answer.values.edges
    for side, counts in (("target", answer.values.target), ("golden", answer.values.golden)):
        assert counts is not None
        for bar in (
            random.sample(range(len(counts)), min(len(counts), 3)) + np.flatnonzero(counts)[:2].tolist()
        ):
            places = found(sources, ValueRange(side, edges[bar], edges[bar + 1]))
            assert len(places) == counts[bar]
    exponents = answer.exponents.target
    assert exponents is not None
    for bar in np.flatnonzero(exponents)[:2].tolist():
        power = answer.exponents.first + bar
        places = found(
            sources, ValueRange("target", *np.ldexp(1.0, [power, min(power + 1, 1023)]), magnitude=True)
        )
        assert len(places) == exponents[bar] or power == 1023
    ys, xs = np.nonzero(answer.scatter.density)
    for y, x in list(zip(ys.tolist(), xs.tolist()))[:2]:
        cell = ValueRange("both", edges[y], edges[y + 1], edges[x], edges[x + 1])
        assert len(found(sources, cell)) == answer.scatter.density[y, x]
    if answer.ulps is not None:
        assert len(found(sources, ValueRange("ulps", 0, 0))) == answer.ulps.equal
        for bar in np.flatnonzero(answer.ulps.counts)[:3].tolist():
            ends = answer.ulps.edges[bar : bar + 2]
            assert len(found(sources, ValueRange("ulps", *ends))) == answer.ulps.counts[bar]


def test_the_search_goes_on_and_round() -> None:
    golden = np.zeros((3, 4), np.float32)
    golden[0, 1] = golden[1, 2] = golden[2, 3] = 5
    sources = sources_of(None, handle_of(golden))
    what = ValueRange("golden", 4, 6)
    assert run_to_end(find_value(sources, what)) == (0, 1)
    assert run_to_end(find_value(sources, ValueRange("golden", 4, 6, after=(0, 1)))) == (1, 2)
    assert run_to_end(find_value(sources, ValueRange("golden", 4, 6, after=(1, 1)))) == (1, 2)
    assert run_to_end(find_value(sources, ValueRange("golden", 4, 6, after=(2, 3)))) == (0, 1)
    assert run_to_end(find_value(sources, ValueRange("golden", 7, 8))) is None
    assert run_to_end(find_value(sources, ValueRange("target", 4, 6))) is None
    assert run_to_end(find_value(sources, ValueRange("both", 4, 6, 4, 6))) is None
    plane = Plane((0,), (1,), (0, 0))
    assert run_to_end(find_value(sources, what, plane, Region(1, 3, 0, 3))) == (1, 2)


@settings(max_examples=70, deadline=None)
@given(pairs(("float32", "bfloat16", "float64", "int8")), st.data())
def test_a_point_of_a_profile_leads_to_its_largest_difference(pair, data) -> None:  # type: ignore[no-untyped-def]
    target, golden, *layouts = pair
    if not target.ndim:
        return
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    axis = data.draw(st.integers(0, target.ndim - 1))
    start = data.draw(st.integers(0, max(target.shape[axis] - 1, 0)))
    stop = data.draw(st.integers(start, target.shape[axis]))
    place = run_to_end(worst_along(sources, axis, start, stop))
    with np.errstate(all="ignore"):
        t, g = wide(target).astype(float), wide(golden).astype(float)
        sizes = np.abs(t - g)
        special = ~(np.isfinite(t) & np.isfinite(g))
        same = (t == g) | (np.isnan(t) & np.isnan(g))
    sizes[special] = 0
    sizes[special & ~same] = np.inf
    group = np.zeros(target.shape, bool)
    group[(slice(None),) * axis + (slice(start, stop),)] = True
    sizes[~group] = 0
    if not sizes.size or not sizes.any():
        assert place is None
        return
    assert place == tuple(int(at) for at in np.unravel_index(sizes.argmax(), sizes.shape))


def test_the_worst_of_a_group_by_other_measures() -> None:
    golden = np.array([[1, 100, 0], [1, 1, 1]], np.float32)
    target = golden + np.array([[1, 5, 1e-3], [0, 0, 0]], np.float32)
    sources = sources_of(handle_of(target), handle_of(golden))
    assert run_to_end(worst_along(sources, 0, 0, 1)) == (0, 1)
    assert run_to_end(worst_along(sources, 0, 0, 1, by=By.RELATIVE)) == (0, 2)
    assert run_to_end(worst_along(sources, 0, 1, 2, by=By.RELATIVE)) is None
    assert run_to_end(worst_along(sources, 7, 0, 1)) is None
