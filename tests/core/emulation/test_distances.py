"""Distances in ULP against the neighbours that numpy and ml_dtypes give."""

from __future__ import annotations

import itertools
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.emulation.chips.distances import distance_between, measure_distance, spacing
from core.records.emulation import ULP_EDGES

FORMATS: dict[str, Any] = {
    "float16": np.float16,
    "float32": np.float32,
    "bfloat16": ml_dtypes.bfloat16,
    "float64": np.float64,
}


@pytest.mark.parametrize("name", FORMATS)
def test_one_ulp_is_the_gap_to_the_next_number_away_from_zero(name: str) -> None:
    info = ml_dtypes.finfo(FORMATS[name])
    draw = np.random.default_rng(3)
    exponents = draw.uniform(math.log2(float(info.smallest_subnormal)) - 3, info.maxexp - 1.01, 4000)
    numbers = (2.0 ** np.maximum(exponents, -1070)).astype(FORMATS[name])
    above = np.nextafter(numbers, np.array(np.inf, FORMATS[name]))
    with np.errstate(over="ignore"):
        gap = above.astype(np.float64) - numbers.astype(np.float64)
    given_ = spacing(numbers.astype(np.float64), DTYPES[name])
    finite = np.isfinite(gap)
    np.testing.assert_array_equal(given_[finite], gap[finite])
    assert spacing(np.array([0.0]), DTYPES[name])[0] == float(info.smallest_subnormal)
    assert np.isnan(spacing(np.array([np.inf, np.nan]), DTYPES[name])).all()


@given(
    st.lists(st.tuples(st.floats(width=16), st.floats(width=16)), min_size=1, max_size=200),
    st.sampled_from(["float16", "float32"]),
)
def test_figures_agree_with_a_loop(pairs: list[tuple[float, float]], name: str) -> None:
    dtype, info = DTYPES[name], np.finfo(name)
    first, second = (np.array(side) for side in zip(*pairs))
    found, histogram = measure_distance(first, second, dtype)
    ulps, special, equal, away, norm = [], 0, 0, 0.0, 0.0
    for mine, other in pairs:
        if mine == other or (math.isnan(mine) and math.isnan(other)):
            ulps.append(0.0)
            equal += 1
            if math.isfinite(other):
                norm += other**2
        elif math.isfinite(mine) and math.isfinite(other):
            exponent = math.frexp(other)[1] - 1 if other else info.minexp
            ulps.append(abs(mine - other) / 2.0 ** (max(exponent, info.minexp) - info.nmant))
            away += (mine - other) ** 2
            norm += other**2
        else:
            special += 1
    assert (found.special, histogram[-1]) == (special, special)
    assert found.equal == equal / len(pairs)
    assert found.max_ulp == max(ulps, default=0.0)
    assert found.mean_ulp == pytest.approx(sum(ulps) / len(ulps) if ulps else 0.0)
    expected = math.sqrt(away / norm) if norm else (math.inf if away else 0.0)
    assert found.relative_l2 == pytest.approx(expected)
    edges = (-1.0, *ULP_EDGES)
    counted = [sum(low < ulp <= high for ulp in ulps) for low, high in itertools.pairwise(edges)]
    assert list(histogram[:-1]) == counted


def test_large_arrays_are_looked_at_in_parts() -> None:
    draw = np.random.default_rng(1)
    first = draw.standard_normal((300, 400)).astype(np.float16).astype(np.float64)
    second = first.copy()
    second[7, 9] = np.nan
    second[299, 399] *= 1.5
    found, histogram = measure_distance(first, second, DTYPES["float16"])
    assert (found.special, sum(histogram)) == (1, first.size)
    assert found.equal == (first.size - 2) / first.size
    assert distance_between(first, first.astype(np.complex128), DTYPES["float16"]).equal == 1.0
