"""Claims that must be made in every format and size, and claims that must not be made."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import FLOATS, cast
from builders.pattern_search import names_of, patterns_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES

SEEDS = st.integers(0, 2**32 - 1)
HALVES = ("float32", "float16", "bfloat16")
KINDS = {
    "normal": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "positive": np.abs,
    "weights": lambda x: 1 + 0.2 * x,
}


@settings(max_examples=60)
@given(
    power=st.integers(-20, 20).filter(bool),
    factor=st.sampled_from([None, None, None, 0.1, 3.0, 1 / 3]),
    formats=st.sampled_from(
        [(name, name) for name in FLOATS] + [("bfloat16", "float32"), ("float32", "bfloat16")]
    ),
    kind=st.sampled_from(sorted(KINDS)),
    seed=SEEDS,
)
def test_a_factor_is_found_in_every_format(
    power: int, factor: float | None, formats: tuple[str, str], kind: str, seed: int
) -> None:
    golden = cast(KINDS[kind](np.random.default_rng(seed).standard_normal((64, 48))), formats[1])
    wide = golden.astype(np.float64)
    ratio = factor or 2.0**power
    scaled = np.abs(wide[wide != 0] * ratio)
    dtype = DTYPES[formats[0]]
    if scaled.max() > dtype.maximum or np.quantile(scaled, 0.05) < dtype.smallest_normal:
        return  # beyond the range of the format
    short = dtype.precision < 8
    if short and (kind == "weights" or 1 / 8 < ratio < 8):
        return  # within what eight bits leave
    found = the_pattern(cast(wide * ratio, formats[0]), golden, "constant_ratio")
    assert found.numbers["ratio"] == pytest.approx(ratio, rel=0.1 if short else 1e-12)


@settings(max_examples=20)
@given(seed=SEEDS, name=st.sampled_from(HALVES), power=st.integers(-12, 12))
def test_factors_of_rows_are_found_at_every_size(seed: int, name: str, power: int) -> None:
    random = np.random.default_rng(seed)
    golden = cast(random.standard_normal((64, 48)), name)
    factors = 2.0**power * np.exp(0.3 * random.standard_normal((64, 1)))
    assert names_of(cast(golden.astype(np.float64) * factors, name), golden)[0] == "row_factor"


@settings(max_examples=20)
@given(seed=SEEDS, name=st.sampled_from(HALVES), ratio=st.sampled_from([33.1, 7.03, 1 / 12.1, 60.6]))
def test_a_ratio_beside_a_whole_number_is_not_rounded_to_it(seed: int, name: str, ratio: float) -> None:
    golden = cast(np.random.default_rng(seed).standard_normal((64, 64)), name)
    found = the_pattern(cast(golden.astype(np.float64) * ratio, name), golden, "constant_ratio")
    assert found.numbers["ratio"] == pytest.approx(ratio, rel=1e-3)
    assert "." in str(found.numbers["named"])


@pytest.mark.parametrize(("t", "g"), [(1.5, 1.25), (0.7, 0.3), (-2.0, 1.0)])
def test_one_pair_of_values_is_one_observation(t: float, g: float) -> None:
    random = np.random.default_rng(0)
    where = random.random((32, 32)) < 0.3
    golden = np.where(where, g, 0.0).astype(np.float32)
    target = np.where(where, t, 0.0).astype(np.float32)
    assert not {"constant_ratio", "constant_offset"} & set(names_of(target, golden))
    other = random.integers(3, 9, (32, 32))
    ids = np.where(where, 5, other)
    assert "constant_offset" not in names_of(np.where(ids == 5, 7, ids), ids)


def test_a_scalar_has_a_ratio_only_if_it_counts_something() -> None:
    loss = np.float32(2.3371293)
    assert the_pattern(loss / np.float32(4), loss, "constant_ratio").numbers["named"] == "1/4"
    assert names_of(loss * np.float32(np.sqrt(3)), loss) == []
    assert names_of(np.full(64, loss * 3), np.full(64, loss)) == []


def test_signs_that_are_all_a_tensor_holds() -> None:
    signs = np.random.default_rng(14).choice([-1.0, 0.0, 1.0], (32, 32)).astype(np.float32)
    assert names_of(-signs, signs) == ["sign_flip"]


@settings(max_examples=40)
@given(
    seed=SEEDS,
    name=st.sampled_from(["float32", "float16", "bfloat16", "float8_e5m2"]),
    scale=st.floats(-3, 4.0),
    share=st.sampled_from([0.02, 0.1, 0.5]),
)
def test_inf_anywhere_is_no_overflow(seed: int, name: str, scale: float, share: float) -> None:
    random = np.random.default_rng(seed)
    golden = cast(10**scale * random.standard_normal((40, 40)), name)
    there = random.random((40, 40)) < share
    target = np.where(there, np.copysign(np.inf, random.standard_normal((40, 40))), golden.astype(np.float64))
    names = names_of(target.astype(FLOATS[name]), golden)
    assert "overflow" not in names
    assert not there.any() or names[0] in ("special_values", "special_slices")


def test_rows_of_inf_come_before_an_overflow() -> None:
    golden = np.random.default_rng(1).uniform(1, 2, (32, 32)).astype(np.float32)
    golden[[4, 9]] *= 1e5
    target = golden.copy()
    target[[4, 9]] = np.inf
    assert names_of(target, golden) == ["special_slices", "overflow"]


@pytest.mark.parametrize(("name", "form"), [("float16", "float16"), ("float8_e5m2", "float8_e5m2")])
def test_overflow_of_its_own_format(name: str, form: str) -> None:
    golden = (np.random.default_rng(2).standard_normal((64, 64)) * DTYPES[form].maximum).astype(np.float32)
    with np.errstate(over="ignore"):
        target = golden.astype(FLOATS[name])
    found = {pattern.name: pattern for pattern in patterns_of(target, golden)}["overflow"]
    assert found.numbers["format"] == form


@settings(max_examples=40)
@given(
    seed=SEEDS,
    name=st.sampled_from(HALVES),
    power=st.floats(0.5, 3.0),
    size=st.floats(0.02, 0.5),
    shape=st.sampled_from([(128, 64), (2, 96, 32), (400, 3), (1000,)]),
)
def test_errors_that_grow_have_no_range(
    seed: int, name: str, power: float, size: float, shape: tuple[int, ...]
) -> None:
    random = np.random.default_rng(seed)
    exact = random.standard_normal(shape)
    axis = max(len(shape) - 2, 0)
    length = shape[axis]
    index = (np.arange(length) / length).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    error = size * index**power * random.standard_normal(shape)
    assert not set(names_of(cast(exact + error, name), cast(exact, name))) - {"growth", "function_of_value"}


@pytest.mark.parametrize("name", HALVES)
def test_all_but_the_first_position_is_no_padding(name: str) -> None:
    """Causal attention over other keys: the first row sees one key only, and is equal."""
    random = np.random.default_rng(3)
    golden, target = (random.standard_normal((4, 64, 16)) for _ in range(2))
    target[:, 0] = golden[:, 0]
    names = names_of(cast(target, name), cast(golden, name))
    assert not {"index_range", "overwritten_block", "box"} & set(names)


def test_zero_rows_are_no_factor() -> None:
    """Gradients of an embedding whose ids were others, and rows that a mask zeroed."""
    random = np.random.default_rng(4)
    golden = random.standard_normal((200, 32)).astype(np.float32)
    target = golden.copy()
    golden[random.permutation(200)[:150]] = 0
    target[random.permutation(200)[:150]] = 0
    assert not [name for name in names_of(target, golden) if name.endswith("factor")]
    masked = golden.copy()
    masked[::3] = 0
    assert not [name for name in names_of(masked, golden) if name.endswith("factor")]


def test_ids_of_a_text_are_no_top_k() -> None:
    random = np.random.default_rng(5)
    ids = random.permuted(np.tile(np.arange(50_000), (8, 1)), axis=1)[:, :32]
    other = ids.copy()
    other[3] = random.permutation(50_000)[:32]
    assert "near_tie" not in names_of(other, ids)
    experts = random.permuted(np.tile(np.arange(64), (32, 1)), axis=1)[:, :8]
    whole = experts.copy()
    whole[5] = (experts[5] + 31) % 64
    assert "near_tie" not in names_of(whole, experts)


def test_whole_numbers_are_no_grid() -> None:
    for numbers in (np.arange(256), np.arange(2048), 4 * np.arange(1500), np.arange(-300, 300)):
        values = np.random.default_rng(6).permutation(numbers).astype(np.float32)
        assert "downcast_grid" not in names_of(values, values[::-1] + np.float32(0.1))
    large = np.random.default_rng(7).uniform(1e6, 9e6, 4096)
    rounded = cast(large, "bfloat16").astype(np.float32)
    assert "downcast_grid" in names_of(rounded, (large * 1.07).astype(np.float32))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.49, 0.7, 1.0])
def test_all_zero_is_all_zero(share: float) -> None:
    random = np.random.default_rng(8)
    golden = np.where(random.random((64, 64)) < share, random.standard_normal((64, 64)), 0).astype(np.float32)
    assert the_pattern(golden * 0, golden, "all_zero").numbers["side"] == "target"


@pytest.mark.parametrize("axis", [0, 1])
def test_zeros_among_zeros(axis: int) -> None:
    golden = np.maximum(np.random.default_rng(9).standard_normal((128, 128)), 0).astype(np.float32)
    target = golden.copy()
    target[(slice(None),) * axis + (slice(64, None),)] = 0
    found = the_pattern(target, golden, "zero_filled")
    assert (found.numbers["axis"], found.numbers["start"], found.numbers["zero_side"]) == (axis, 64, "target")
    assert len(patterns_of(target, golden)) == 1


@settings(max_examples=20)
@given(seed=SEEDS, axis=st.integers(0, 1))
def test_other_values_among_zeros_are_not_zero_filled(seed: int, axis: int) -> None:
    """A sparse golden is zero nearly everywhere, in every part of it."""
    random = np.random.default_rng(seed)
    golden = np.where(random.random((64, 96)) < 0.1, random.standard_normal((64, 96)), 0).astype(np.float32)
    target = golden.copy()
    part = (slice(None),) * axis + (slice(20, 40),)
    target[part] = random.standard_normal(target[part].shape)
    assert names_of(target, golden) == ["index_range"]


@pytest.mark.parametrize("shape", [(64, 2), (2, 64), (8, 2, 16)])
def test_halves_of_two_with_a_sign(shape: tuple[int, ...]) -> None:
    """Complex numbers stored as two: multiplied by i."""
    golden = np.random.default_rng(10).standard_normal(shape).astype(np.float32)
    axis = shape.index(2)
    real, imaginary = np.split(golden, 2, axis)
    found = the_pattern(np.concatenate([-imaginary, real], axis), golden, "swapped_halves")
    assert (found.numbers["axis"], found.numbers["negated"]) == (axis, "first")


@pytest.mark.parametrize("by", [5, 1000, 120_000, -77])
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_a_roll_of_a_long_vector(by: int, name: str) -> None:
    golden = np.random.default_rng(11).standard_normal((1 << 18) + 4099)
    found = the_pattern(cast(np.roll(golden, by), name), cast(golden, name), "roll")
    assert found.numbers["shift"] == by


@pytest.mark.parametrize("shape", [(256, 128), (1024, 512)])
def test_rows_in_another_order_and_rounded(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(12)
    golden = cast(random.standard_normal(shape), "bfloat16")
    order = random.permutation(shape[0])
    noise = 1 + 2.0**-8 * random.uniform(-1, 1, shape)
    found = the_pattern(cast(golden.astype(np.float64)[order] * noise, "bfloat16"), golden, "permutation")
    assert found.numbers["from"] == order[:64].tolist()


def test_a_zero_for_nan_is_no_finding_among_zeros() -> None:
    random = np.random.default_rng(13)
    target = np.where(random.random((40, 40)) < 0.2, 0, random.standard_normal((40, 40))).astype(np.float32)
    golden = target.copy()
    zero = tuple(np.argwhere(target == 0)[3])
    golden[zero] = np.nan
    assert names_of(target, golden) == ["special_values"]
    golden[target == 0] = np.nan
    assert "zero_for_nan" in names_of(target, golden)
    dropped = np.where(random.random((40, 40)) < 0.1, 0, golden).astype(np.float32)
    assert "zero_for_nan" not in names_of(dropped, golden)


def test_rounding_is_told_in_units_of_the_golden() -> None:
    """At 1.999 one unit is half of that at 2, to which it is rounded."""
    golden = np.linspace(1.991, 1.9999, 64).astype(np.float32)
    target = cast(golden, "bfloat16")
    found = the_pattern(target, golden, "rounding_only")
    errors = np.abs(target.astype(np.float64) - golden) / 2.0**-7
    assert found.numbers["largest_ulps"] == pytest.approx(float(errors.max()))
