"""Pairs of tensors at random: noise has no pattern, and what is planted is named first.

Noise is drawn as the tests draw it. What is planted is exact, in any format, shape and size: the other
half of the search, its patience with noise, stands in the tests.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from campaign import Failure, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders.noise_pairs import draw
from builders.pattern_search import patterns_of

from core.metrics.patterns.pattern import PatternName

Array = np.ndarray[Any, Any]
DTYPES: tuple[Any, ...] = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
LARGEST = 1 << 30
"""Seeds of noise; those of the tests are among them."""


def _ratio(random: Random, golden: Array) -> Array:
    return (golden.astype(np.float64) * 2.0 ** random.choice((-2, -1, 1, 2, 3))).astype(golden.dtype)


def _sign(_random: Random, golden: Array) -> Array:
    return -golden


def _transpose(_random: Random, golden: Array) -> Array:
    return np.ascontiguousarray(golden.T)


def _roll(random: Random, golden: Array) -> Array:
    return np.roll(golden, random.randrange(1, golden.shape[0]), axis=0)


def _single(random: Random, golden: Array) -> Array:
    target = golden.copy()
    target.flat[random.randrange(golden.size)] = golden.dtype.type(100.0)
    return target


def _rows(random: Random, golden: Array) -> Array:
    order = list(range(golden.shape[0]))
    while order == sorted(order) or order in _rotations(len(order)) or order == sorted(order, reverse=True):
        random.shuffle(order)
    return golden[order]


def _rotations(count: int) -> list[list[int]]:
    return [[(at + shift) % count for at in range(count)] for shift in range(count)]


PLANTED: tuple[tuple[Callable[[Random, Array], Array], frozenset[str]], ...] = (
    (_ratio, frozenset({"constant_ratio"})),
    (_sign, frozenset({"sign_flip"})),
    (_transpose, frozenset({"transpose"})),
    (_roll, frozenset({"roll", "swapped_halves"})),  # by half, it is both
    (_single, frozenset({"single_element"})),
    (_rows, frozenset({"permutation", "interleave", "roll"})),
)
"""What is done to a golden, and the names that are right."""


def _noise(random: Random) -> str:
    seed = random.randrange(LARGEST)
    pair = draw(seed)
    for pattern in patterns_of(pair.target, pair.golden):
        side = pair.target if pattern.numbers.get("side") == "target" else pair.golden
        empty = pattern.name is PatternName.ALL_ZERO and not side.any()
        if pattern.name not in pair.true and not empty:
            raise Failure(f"noise {seed} ({pair.kind}, {pair.target.shape}): {pattern}")
    return "noise"


def trial(random: Random) -> str:
    """Draw noise, or plant something, and ask for its patterns."""
    if random.random() < 0.5:
        return _noise(random)
    dtype, shape = random.choice(DTYPES), (random.randrange(7, 90), random.randrange(91, 300))
    drawn = np.random.default_rng(random.randrange(LARGEST)).standard_normal(shape)
    golden = drawn.astype(dtype)
    plant, right = random.choice(PLANTED)
    target = plant(random, golden)
    names = [str(pattern.name) for pattern in patterns_of(target, golden)]
    if not names or names[0] not in right:
        raise Failure(f"{plant.__name__[1:]} in {np.dtype(dtype)} {shape} is told as {names}")
    return plant.__name__[1:]


if __name__ == "__main__":
    run("patterns", trial)
