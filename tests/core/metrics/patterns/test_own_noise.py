"""Patterns of pairs that are noisier than their formats: TF32 or HF32 products, bf16 behind many layers."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import cast
from builders.pattern_search import names_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
NOISE = st.sampled_from([("float32", 3e-4), ("float32", 5e-3), ("float16", 5e-3), ("bfloat16", 0.02)])


@settings(max_examples=30)
@given(seed=SEEDS, noise=NOISE)
def test_orders_and_scales_beside_noise(seed: int, noise: tuple[str, float]) -> None:
    random = np.random.default_rng(seed)
    name, size = noise
    exact = random.standard_normal((64, 64))

    def noisy(values: np.ndarray) -> np.ndarray:
        return cast(values + size * random.standard_normal(values.shape), name)

    golden = cast(exact, name)
    assert the_pattern(noisy(4 * exact), golden, "constant_ratio").numbers["ratio"] == pytest.approx(
        4, rel=2e-3
    )
    assert names_of(noisy(exact.T), golden)[0] == "transpose"
    assert the_pattern(noisy(np.roll(exact, 5, 1)), golden, "roll").numbers["shift"] == 5
    heads = exact.reshape(64, 2, 4, 8).swapaxes(1, 2).reshape(64, 64)
    assert names_of(noisy(heads), golden)[0] == "interleave"
    assert names_of(noisy(-exact), golden)[0] == "sign_flip"


@settings(max_examples=30)
@given(seed=SEEDS, noise=NOISE)
def test_places_beside_noise(seed: int, noise: tuple[str, float]) -> None:
    random = np.random.default_rng(seed)
    name, size = noise
    golden = cast(random.standard_normal((64, 96)), name)
    target = cast(golden.astype(np.float64) + size * random.standard_normal((64, 96)), name)
    row = target.copy()
    row[7] = cast(30 + 10 * random.random(96), name)
    assert the_pattern(row, golden, "index_range").numbers["start"] == 7
    zeros = target.copy()
    zeros[:, 80:] = 0
    assert the_pattern(zeros, golden, "zero_filled").numbers["start"] == 80
    one = target.copy()
    one[3, 4] = 30000
    assert the_pattern(one, golden, "single_element").numbers["places"] == [[3, 4]]
    block = target.copy()
    block.reshape(-1)[1000:1512] = cast(30 + 10 * random.random(512), name)
    assert the_pattern(block, golden, "overwritten_block").numbers["start"] == 1000
