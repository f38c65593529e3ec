"""No pattern is claimed where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import draw
from builders.pattern_search import patterns_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.metrics.patterns.pattern import PatternName

BATCH = 125


@pytest.mark.parametrize("first", range(0, 8 * BATCH, BATCH))
def test_a_thousand_random_pairs_have_only_the_patterns_they_are_made_with(first: int) -> None:
    for seed in range(first, first + BATCH):
        pair = draw(seed)
        for pattern in patterns_of(pair.target, pair.golden):
            if pattern.name is PatternName.ALL_ZERO:
                # Of sparse tensors of few elements one is all zero now and then, and that is what it says.
                side = pair.target if pattern.numbers["side"] == "target" else pair.golden
                assert not side.any()
                continue
            assert pattern.name in pair.true, (seed, pair.kind, pair.target.shape, pattern)


DTYPES = st.sampled_from(
    [np.float16, np.float32, np.float64, np.complex64, np.int8, np.int64, np.uint64, np.bool_]
)


@settings(max_examples=150)
@given(
    shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7),
    target=DTYPES,
    golden=DTYPES,
    data=st.data(),
)
def test_any_values_of_any_formats_are_taken(
    shape: tuple[int, ...], target: type, golden: type, data: st.DataObject
) -> None:
    """Special values, extremes of each format and mixed formats: no warning, no exception."""
    left = data.draw(hnp.arrays(target, shape))
    right = data.draw(hnp.arrays(golden, shape))
    patterns_of(left, right)
    patterns_of(left.reshape(-1), right)


@settings(max_examples=40)
@given(
    shape=hnp.array_shapes(min_dims=0, max_dims=4, max_side=9),
    dtype=DTYPES,
    data=st.data(),
)
def test_equal_tensors_have_no_pattern(shape: tuple[int, ...], dtype: type, data: st.DataObject) -> None:
    values = data.draw(hnp.arrays(dtype, shape))
    assert patterns_of(values, values.copy()) == ()


def test_only_the_signs_of_zeros() -> None:
    golden = np.array([[0.0, 1.0], [0.0, -2.0]], np.float32)
    target = np.array([[-0.0, 1.0], [0.0, -2.0]], np.float32)
    (found,) = patterns_of(target, golden)
    assert found.name is PatternName.SIGNED_ZEROS
    assert found.numbers["count"] == 1
