"""What number formats leave: rounding, hidden grids, underflow, overflow, saturation, short accumulators."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import FLOATS, cast
from builders.pattern_search import names_of, patterns_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.sampled_from([(64, 64), (1000,), (3, 20, 24)])


def shortened(values: np.ndarray, bits: int) -> np.ndarray:
    """Return float32 values rounded to nearest with *bits* low fraction bits dropped."""
    words = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((words + (1 << (bits - 1))) >> bits << bits).astype(np.uint32).view(np.float32)


@settings(max_examples=25)
@given(seed=SEEDS, shape=SHAPES, name=st.sampled_from(["bfloat16", "float16"]), hidden=st.booleans())
def test_rounding_only(seed: int, shape: tuple[int, ...], name: str, hidden: bool) -> None:
    """C11, and C34 where the target still calls itself float32."""
    golden = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    target = cast(golden, name)
    found = patterns_of(target.astype(np.float32) if hidden else target, golden)
    assert found[0].name == "rounding_only"
    assert found[0].numbers["format"] == name
    assert found[0].numbers["largest_ulps"] <= 0.5
    assert [pattern.name for pattern in found[1:]] == (["downcast_grid"] if hidden else [])


def test_a_hidden_grid_is_told_beside_noise() -> None:
    random = np.random.default_rng(1)
    golden = random.standard_normal((64, 64)).astype(np.float32)
    noisy = golden * (1 + 0.05 * random.standard_normal((64, 64)))
    (found,) = patterns_of(shortened(noisy, 16), golden)
    assert (found.name, found.numbers["grid"], found.numbers["side"]) == (
        "downcast_grid",
        "bfloat16",
        "target",
    )
    (found,) = patterns_of(shortened(noisy, 16), shortened(golden, 16))
    assert found.numbers["side"] == "both"
    (found,) = patterns_of(shortened(noisy, 13), golden * np.float32(2.0**100) * np.float32(2.0**-100))
    assert found.numbers["grid"] == "float16"
    assert names_of(np.rint(noisy * 9).astype(np.float32), golden) == []


@pytest.mark.parametrize(("bits", "name"), [(12, "hf32"), (13, "tf32"), (16, "bfloat16")])
@pytest.mark.parametrize("inner", [128, 512])
def test_products_of_short_operands(bits: int, name: str, inner: int) -> None:
    """C25: the error of a product tells how many bits its operands had."""
    random = np.random.default_rng(inner)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((96, inner), (inner, 80)))
    golden = (a.astype(np.float64) @ b).astype(np.float32)
    target = (shortened(a, bits).astype(np.float64) @ shortened(b, bits)).astype(np.float32)
    found = the_pattern(target, golden, "lower_precision")
    assert found.numbers["format"] == name
    assert found.numbers["effective_bits"] == pytest.approx(24 - bits, abs=0.3)


@settings(max_examples=20)
@given(seed=SEEDS, hidden=st.booleans(), name=st.sampled_from(["float16", "float8_e5m2"]))
def test_underflow(seed: int, hidden: bool, name: str) -> None:
    """C26: gradients below half the smallest subnormal are zero."""
    random = np.random.default_rng(seed)
    smallest = DTYPES[name].smallest_subnormal
    golden = (10 ** random.uniform(-2, 2, (64, 64)) * smallest * random.choice((-1, 1), (64, 64))).astype(
        np.float32
    )
    target = golden.astype(FLOATS[name])
    found = the_pattern(target.astype(np.float32) if hidden else target, golden, "underflow")
    lost = int(np.count_nonzero(target.astype(np.float32) == 0))
    assert found.numbers["count"] == lost
    assert found.numbers["share_of_nonzero"] == pytest.approx(lost / golden.size)
    assert found.numbers["format"] == name


def test_subnormals_flushed_to_zero() -> None:
    random = np.random.default_rng(2)
    golden = cast(10 ** random.uniform(-6.5, -1, (64, 64)), "float16")
    target = np.where(np.abs(golden) < np.float16(2.0**-14), np.float16(0), golden)
    found = the_pattern(target, golden, "underflow")
    assert (found.numbers["how"], found.numbers["format"]) == ("flushed", "float16")


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_saturation(name: str) -> None:
    """C03: the largest number of the format exactly where the golden is infinite."""
    limit = DTYPES[name].maximum
    wide = np.random.default_rng(3).standard_normal((32, 32)) * limit * 0.6
    with np.errstate(over="ignore"):
        golden = np.where(np.abs(wide) > limit, np.copysign(np.inf, wide), wide).astype(FLOATS[name])
    found = the_pattern(cast(wide, name), golden, "saturation")
    assert found.numbers["count"] == int(np.count_nonzero(np.abs(wide) > limit))
    assert found.numbers["format"] == name


@settings(max_examples=15)
@given(seed=SEEDS)
def test_overflow_of_half(seed: int) -> None:
    """C27: infinite exactly where the golden is beyond the range."""
    golden = np.random.default_rng(seed).standard_normal((8, 128)) ** 2 * 60000
    with np.errstate(over="ignore"):
        target = golden.astype(np.float16).astype(np.float32)
    lost = int(np.count_nonzero(np.isinf(target)))
    found = {pattern.name: pattern for pattern in patterns_of(target, golden)}["overflow"]
    assert (found.numbers["count"], found.numbers["format"]) == (lost, "float16")


def test_special_values() -> None:
    golden = np.random.default_rng(4).standard_normal((16, 16)).astype(np.float32)
    rows = golden.copy()
    rows[[5, 9]] = np.nan
    found = the_pattern(rows, golden, "special_slices")
    assert (found.numbers["axis"], found.numbers["indices"]) == (0, [5, 9])
    assert found.message.code == "pattern.special_slices.nan.rows"
    assert the_pattern(golden, rows, "special_slices").message.code == "pattern.special_slices.golden.rows"
    some = golden.copy()
    some[3, 4] = np.nan
    some[12, 1] = np.inf
    found = the_pattern(some, golden, "special_values")
    assert (found.numbers["count"], found.numbers["first"]) == (2, [3, 4])
    assert names_of(-some, -some) == []
    other = golden.copy()
    other[3, 4] = np.inf
    minus = other.copy()
    minus[3, 4] = -np.inf
    assert names_of(minus, other) == ["inf_sign"]
    minus[3, 4] = np.nan
    assert names_of(minus, other) == ["nan_for_inf"]
    zero = other.copy()
    zero[3, 4] = 0
    assert names_of(zero, minus) == ["zero_for_nan"]


@pytest.mark.parametrize(("value", "name"), [(256.0, "bfloat16"), (2048.0, "float16"), (2.0**24, "float32")])
def test_short_accumulators(value: float, name: str) -> None:
    """C32: 256 + 1 is 256 in bfloat16."""
    found = the_pattern(np.float32(value), np.float32(value * 19.5), "low_precision_accumulator")
    assert found.numbers["format"] == name
    assert names_of(np.float32(value + 2), np.float32(value * 19.5)) == []
    assert names_of(np.float32(value), np.float32(value / 3 + 1)) == []
