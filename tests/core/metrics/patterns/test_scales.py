"""Ratios, offsets, flipped signs, and factors of rows and columns."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import cast
from builders.pattern_search import names_of, patterns_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

SHAPES = st.sampled_from([(64, 64), (4096,), (3, 40, 24), (2, 4, 16, 32), (700, 1), (40, 3), (13, 129)])
FLOATS = st.sampled_from(["float32", "float16", "bfloat16", "float64"])
SEEDS = st.integers(0, 2**32 - 1)


def values(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@settings(max_examples=40)
@given(
    shape=SHAPES,
    name=FLOATS,
    seed=SEEDS,
    ratio=st.sampled_from(
        [(4.0, "4"), (1 / 8, "1/8"), (10.0, "10"), (1 / 3, "1/3"), (2.0, "2"), (-2.0, "-2")]
    ),
)
def test_constant_ratio(shape: tuple[int, ...], name: str, seed: int, ratio: tuple[float, str]) -> None:
    golden = cast(values(seed, shape), name)
    target = cast(golden.astype(np.float64) * ratio[0], name)
    found = the_pattern(target, golden, "constant_ratio")
    assert found.numbers["ratio"] == pytest.approx(ratio[0], rel=1e-12)
    assert found.numbers["named"] == ratio[1]
    assert found.share > 0.99


@settings(max_examples=15)
@given(shape=SHAPES, seed=SEEDS, exponent=st.sampled_from([-16, 16, -13, 10]))
def test_loss_scale(shape: tuple[int, ...], seed: int, exponent: int) -> None:
    golden = values(seed, shape).astype(np.float32)
    found = the_pattern(golden * np.float32(2.0**exponent), golden, "constant_ratio")
    assert found.numbers["named"] == f"2^{exponent}"
    assert found.message.code == "pattern.constant_ratio.loss_scale"


def test_square_roots_and_plain_numbers() -> None:
    golden = values(1, (64, 64)).astype(np.float32)
    assert (
        the_pattern(golden / np.float32(np.sqrt(8)), golden, "constant_ratio").numbers["named"] == "1/sqrt(8)"
    )
    plain = the_pattern(golden * np.float32(1.37), golden, "constant_ratio")
    assert plain.numbers["ratio"] == pytest.approx(1.37, rel=1e-6)
    assert plain.message.code == "pattern.constant_ratio.other"


def test_a_scalar_loss_with_many_digits_has_a_ratio_and_round_numbers_have_none() -> None:
    loss = np.float32(2.3371293)
    assert the_pattern(loss * np.float32(4), loss, "constant_ratio").numbers["named"] == "4"
    assert names_of(np.float32(0.75), np.float32(0.5)) == []
    assert names_of(np.float32(2.0), np.float32(0.5)) == []


@settings(max_examples=15)
@given(shape=SHAPES, name=FLOATS, seed=SEEDS)
def test_ratio_under_noise_of_the_format(shape: tuple[int, ...], name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    golden = cast(random.standard_normal(shape), name)
    unit = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}[name]
    noise = 1 + unit * random.standard_normal(shape)
    target = cast(golden.astype(np.float64) * 4 * noise, name)
    assert the_pattern(target, golden, "constant_ratio").numbers["ratio"] == pytest.approx(4.0)


@settings(max_examples=20)
@given(shape=SHAPES, seed=SEEDS, offset=st.floats(0.1, 3.0))
def test_constant_offset(shape: tuple[int, ...], seed: int, offset: float) -> None:
    golden = values(seed, shape).astype(np.float32)
    found = the_pattern(golden + np.float32(offset), golden, "constant_offset")
    assert found.numbers["offset"] == pytest.approx(offset, rel=1e-5)


def test_a_ratio_at_the_end_of_float64() -> None:
    """No power of two is near it."""
    golden = np.float32([-1.0, 2.0**-40, 3.0])
    largest = np.finfo(np.float64).max
    assert "constant_ratio" not in names_of(np.array([-largest, 5.0, 1.0]), golden)
    names_of(np.array(-largest), np.array(-1.0, np.float32))


def test_ids_that_count_from_one() -> None:
    ids = np.random.default_rng(0).integers(0, 32000, (4, 128))
    assert the_pattern(ids + 1, ids, "constant_offset").numbers["offset"] == 1


@settings(max_examples=8)
@given(
    seed=SEEDS,
    kind=st.sampled_from([np.uint64, np.int64]),
    offset=st.sampled_from([1, -1, 3, 2**40]),
    share=st.sampled_from([1.0, 0.3]),
)
def test_an_offset_of_integers_longer_than_float64_has_digits(
    seed: int, kind: type, offset: int, share: float
) -> None:
    random = np.random.default_rng(seed)
    info = np.iinfo(kind)
    golden = random.integers(info.min, info.max, (300, 200), kind, endpoint=True)
    where = random.random(golden.shape) < share
    target = np.where(where, (golden.view(np.int64) + offset).view(kind), golden)
    assert the_pattern(target, golden, "constant_offset").numbers["offset"] == offset
    other = random.integers(info.min, info.max, golden.shape, kind, endpoint=True)
    assert names_of(np.where(where, other, golden), golden) in ([], ["places"])
    once = np.full((30, 20), info.max - 5, kind)
    assert "constant_offset" not in names_of(once + kind(1), once)


def test_flipped_signs_of_all_of_rows_and_of_a_box() -> None:
    golden = values(3, (64, 48)).astype(np.float32)
    assert the_pattern(-golden, golden, "sign_flip").marks == ()
    rows = golden.copy()
    rows[[3, 9, 20]] *= -1
    found = the_pattern(rows, golden, "sign_flip")
    assert [mark.box[0] for mark in found.marks if mark.box] == [(3, 4), (9, 10), (20, 21)]
    box = golden.copy()
    box[10:20, 30:45] *= -1
    (mark,) = the_pattern(box, golden, "sign_flip").marks
    assert mark.box == ((10, 20), (30, 45))


@settings(max_examples=20)
@given(name=FLOATS, seed=SEEDS, shape=st.sampled_from([(32, 64), (100, 16), (4, 24, 32)]))
def test_row_and_column_factors(name: str, seed: int, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(seed)
    golden = cast(random.standard_normal(shape), name)
    wide = golden.astype(np.float64)
    column = np.exp(0.5 * random.standard_normal(shape[-1]))
    row = np.exp(0.5 * random.standard_normal((*shape[:-1], 1)))
    assert names_of(cast(wide * column, name), golden)[0] == "column_factor"
    assert names_of(cast(wide * row, name), golden)[0] == "row_factor"
    assert names_of(cast(wide * row * column, name), golden)[0] == "row_column_factor"


def test_a_factor_of_each_head() -> None:
    golden = values(4, (2, 8, 32, 16)).astype(np.float32)
    factor = np.linspace(1, 3, 8, dtype=np.float32)[None, :, None, None]
    found = the_pattern(golden * factor, golden, "axis_factor")
    assert found.numbers["axis"] == 1
    assert found.numbers["largest"] == pytest.approx(3.0, rel=1e-5)


@pytest.mark.parametrize("swap", [False, True])
def test_a_norm_on_one_side(swap: bool) -> None:
    """C14: RMSNorm with a weight, captured before it on one side and behind it on the other."""
    random = np.random.default_rng(5)
    before = (random.standard_normal((64, 64)) * np.exp(random.standard_normal((64, 1)))).astype(np.float32)
    weight = 1 + 0.3 * random.standard_normal(64)
    behind = (before / np.sqrt((before**2).mean(1, keepdims=True) + 1e-6) * weight).astype(np.float32)
    pair = (before, behind) if swap else (behind, before)
    found = the_pattern(*pair, "row_column_factor")
    assert found.numbers["hint"] == "norm"


def test_another_eps() -> None:
    """C24: rows of small variance are divided by too much."""
    random = np.random.default_rng(6)
    x = random.standard_normal((64, 64)) * np.geomspace(1e-3, 1e-1, 64)[:, None]
    x -= x.mean(1, keepdims=True)
    variance = x.var(1, keepdims=True)
    target, golden = (x / np.sqrt(variance + eps) for eps in (1e-5, 1e-6))
    found = the_pattern(target.astype(np.float32), golden.astype(np.float32), "row_factor")
    assert found.numbers["hint"] == "eps"
    assert found.numbers["largest"] <= 1.0


def test_complex_numbers() -> None:
    random = np.random.default_rng(7)
    golden = (random.standard_normal((32, 16)) + 1j * random.standard_normal((32, 16))).astype(np.complex64)
    assert names_of(np.conj(golden), golden) == ["conjugate"]
    assert names_of(-golden, golden) == ["sign_flip"]
    assert names_of(golden * np.complex64(4), golden) == ["constant_ratio"]
    turned = the_pattern(golden * np.complex64(1j), golden, "constant_ratio")
    assert turned.numbers["imaginary"] == pytest.approx(1.0)


def test_rows_beside_zeros_keep_their_factor() -> None:
    """C18: a mask that is ignored from a position on, and what softmax makes of the rest."""
    random = np.random.default_rng(8)
    scores = random.standard_normal((8, 1024))
    target = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    kept = np.where(np.arange(1024) < 700, np.exp(scores), 0.0)
    found = patterns_of(target.astype(np.float32), (kept / kept.sum(1, keepdims=True)).astype(np.float32))
    by_name = {pattern.name: pattern for pattern in found}
    zeros = by_name["zero_filled"]
    assert (zeros.numbers["start"], zeros.numbers["stop"], zeros.numbers["zero_side"]) == (
        700,
        1024,
        "golden",
    )
    assert "row_factor" in by_name
