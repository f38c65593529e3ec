"""Where a pattern lies and what it is, as its sentence says it."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import cast
from builders.pattern_search import patterns_of, the_pattern
from hypothesis import given
from hypothesis import strategies as st

from core.messages import render
from core.metrics.patterns.wording import grouped, shortest

SHAPE = (2, 8, 64, 64)


def normal(seed: int, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def sentence(target: np.ndarray, golden: np.ndarray, name: str) -> str:
    return render(the_pattern(target, golden, name).message, "en")


def test_a_head_is_told_by_its_indices_though_it_is_one_piece_of_memory() -> None:
    golden = normal(0)
    target = golden.copy()
    target[1, 5] = normal(1, (64, 64))
    found = the_pattern(target, golden, "box")
    assert "All of [1, 5, :, :] differs" in render(found.message, "en")
    assert found.numbers["flat"] == [13 * 4096, 14 * 4096]
    assert (found.numbers["bad"], found.numbers["of"]) == (4096, golden.size)


def test_rows_that_overwritten_memory_may_have_filled_are_told_as_both() -> None:
    golden = normal(2, (256, 128))
    target = golden.copy()
    target[64:80] = normal(3, (16, 128))
    found = the_pattern(target, golden, "index_range")
    words = render(found.message, "en")
    assert "[64 … 79, :]" in words
    assert "8192 … 10239" in words
    assert "overwritten memory?" in words
    assert found.numbers["multiple_of"] == 2048
    wide = normal(4, (64, 4096))  # each row is such a multiple, so it says nothing
    target = wide.copy()
    target[3:5] = normal(5, (2, 4096))
    assert "overwritten" not in sentence(target, wide, "index_range")


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_ratio_and_an_offset_say_where(noise: float) -> None:
    golden = normal(6)
    target = (golden * (1 + noise * normal(7))).astype(np.float32)
    target[1, 5] *= 1.25
    assert "[1, 5, :, :]" in sentence(target, golden, "constant_ratio")
    flat = normal(8, (200,))
    target = flat.copy()
    target[120:140] += 1
    assert "[120 … 139]" in sentence(target, flat, "constant_offset")
    every = sentence(golden * 4, golden, "constant_ratio")
    assert "(100 %)" in every
    assert "beyond noise" in every


def test_a_ratio_beside_nan_says_where_the_ratio_is() -> None:
    golden = normal(9)
    target = golden.copy()
    target[1, 2] *= 2
    target[0, 3, 5, 7] = np.nan
    special, ratio = patterns_of(target, golden)
    assert special.name == "special_values"
    assert "[0, 3, 5, 7]" in render(special.message, "en")
    assert "[1, 2, :, :]" in render(ratio.message, "en")


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_row_of_nan_comes_first_and_by_its_indices(noise: float) -> None:
    golden = normal(10, (4, 8, 64, 64))
    target = (golden * (1 + noise * normal(11, golden.shape))).astype(np.float32)
    target[2, 3, 10] = np.nan
    found = the_pattern(target, golden, "special_values")
    assert render(found.message, "en").startswith(
        "All of [2, 3, 10, :] is NaN in target and finite in golden"
    )
    names = [str(pattern.name) for pattern in patterns_of(target, golden)]
    assert "overwritten_block" not in names


def test_all_nan_is_all() -> None:
    golden = normal(12, (32, 32))
    assert "All of [:, :] is NaN" in sentence(np.full_like(golden, np.nan), golden, "special_values")


def test_padding_is_claimed_only_of_unrelated_values_up_to_the_end() -> None:
    golden = normal(13, (64, 64))
    garbage, scaled = golden.copy(), golden.copy()
    garbage[:, 50:] = normal(14, (64, 14))
    scaled[:, 50:] += 0.2 * np.abs(normal(15, (64, 14)))
    assert "padding" in sentence(garbage, golden, "index_range")
    assert "padding" not in sentence(scaled, golden, "index_range")


def test_zeros_come_before_the_factors_that_follow_from_them() -> None:
    """C18: a softmax over fewer keys is larger at the keys that are left."""
    scores = np.exp(normal(16, (8, 1024)).astype(np.float64))
    target = scores / scores.sum(axis=1, keepdims=True)
    scores[:, 700:] = 0
    golden = scores / scores.sum(axis=1, keepdims=True)
    found = patterns_of(target.astype(np.float32), golden.astype(np.float32))
    assert [str(pattern.name) for pattern in found] == ["zero_filled", "row_factor"]


def test_one_column_is_one_column() -> None:
    golden = normal(17, (64, 64))
    target = golden.copy()
    target[:, 3] = 0
    assert sentence(target, golden, "zero_filled").startswith("In column 3 target is zero")


@pytest.mark.parametrize(
    ("ratio", "named"), [(np.sqrt(143 / 144), "sqrt(143/144)"), (np.sqrt(144 / 143), "sqrt(144/143)")]
)
def test_the_ratio_of_two_estimates_of_a_deviation(ratio: float, named: str) -> None:
    golden = normal(18, (64, 144))
    found = the_pattern((golden * ratio).astype(np.float32), golden, "constant_ratio")
    assert (found.numbers["named"], found.numbers["n"]) == (named, 144)
    other = the_pattern((golden * 0.9966).astype(np.float32), golden, "constant_ratio")
    assert "n" not in other.numbers


@pytest.mark.parametrize("noise", [1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
def test_a_transpose_to_another_shape_in_noise(noise: float) -> None:
    golden = normal(19, (256, 128))
    target = (golden.T * (1 + noise * normal(20, (128, 256)))).astype(np.float32)
    assert the_pattern(target, golden, "transpose").numbers["axes"] == [1, 0]
    assert patterns_of(normal(21, (128, 256)), golden) == ()
    narrow = (5 + 0.01 * golden).astype(np.float32)  # all within the tolerance of each other
    assert patterns_of((5 + 0.01 * normal(22, (128, 256))).astype(np.float32), narrow) == ()


@given(st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_numbers_have_the_digits_of_their_format(value: float) -> None:
    words = shortest(float(np.float32(value)), 2.0**-24)
    assert np.float32(float(words)) == np.float32(value)
    assert len(words) <= len(str(np.float32(value))) + 1
    assert shortest(float(cast(np.array(0.1), "float16")), 2.0**-11) == "0.1"


def test_thousands_stand_in_groups() -> None:
    assert (grouped(999), grouped(12288)) == ("999", "12\u202f288")
