"""A difference that is a function of the value, and noise that is none."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, pi, sqrt

import numpy as np
import pytest
from builders.noise_pairs import cast
from builders.pattern_search import names_of, the_pattern

Function = Callable[[np.ndarray], np.ndarray]


def gelu(x: np.ndarray) -> np.ndarray:
    return x * 0.5 * (1.0 + np.vectorize(erf)(x / sqrt(2.0)))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1.0 + np.tanh(sqrt(2.0 / pi) * (x + 0.044715 * x**3)))


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1.0 + np.exp(-x))


def inputs(seed: int, shape: tuple[int, ...] = (128, 128)) -> np.ndarray:
    return 1.5 * np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize(
    ("target", "golden", "most"),
    [
        (gelu_tanh, gelu, 4.73e-4),
        (silu, gelu, 0.195),
        (lambda x: x * (27 + x * x) / (27 + 9 * x * x), np.tanh, 0.0235),
    ],
)
def test_another_formula_of_an_activation(target: Function, golden: Function, most: float) -> None:
    x = inputs(1)
    found = the_pattern(
        target(x).astype(np.float32), golden(x).astype(np.float32), "function_of_value"
    ).numbers
    assert abs(float(str(found["largest"]))) == pytest.approx(most, rel=0.15)
    assert float(str(found["from"])) < float(str(found["largest_at"])) < float(str(found["to"]))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("shape", [(64, 64), (2, 4, 96, 64)])
def test_rounding_is_no_function_of_the_value(name: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(2).uniform(-1, 1, shape).astype(np.float32)
    assert "function_of_value" not in names_of(cast(values, name).astype(np.float32), values)
    assert "function_of_value" not in names_of(cast(1.01 * values, name).astype(np.float32), values)


@pytest.mark.parametrize("seed", range(12))
def test_noise_of_a_wide_range_is_no_function_of_the_value(seed: int) -> None:
    """A few huge values must not tilt the line that everything else is measured from."""
    random = np.random.default_rng(seed)
    golden = random.standard_normal((8, 64, 24)) * np.exp(3 * random.standard_normal((8, 64, 24)))
    size = 10 ** random.uniform(-4, -0.5)
    noise = random.standard_normal(golden.shape) if seed % 2 else random.standard_t(1.5, golden.shape)
    assert names_of(golden * (1 + size * noise), golden) == []


def test_a_constant_is_no_function_of_the_value() -> None:
    golden = inputs(3, (24, 24, 24)).astype(np.float32)
    assert names_of(np.full_like(golden, 0.7), golden) == []
    assert "function_of_value" not in names_of((2 * golden + 1).astype(np.float32), golden)
