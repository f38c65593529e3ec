"""Bits of the status register, and what training makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.dtypes import DTYPES
from core.emulation.arithmetic.block_fma import BlockFma, multiply
from core.emulation.arithmetic.loss_scale import LossScale
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding, convert
from core.emulation.arithmetic.status import (
    OVERFLOW_BITS,
    ConvertingUnit,
    StatusBit,
    check_overflow,
    status_of_conversion,
    status_of_product,
)

HALF = DTYPES["float16"]


def test_bits_are_the_documented_ones() -> None:
    assert sorted(bit.value.bit_length() - 1 for bit in StatusBit if bit) == [
        5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 61,
    ]  # fmt: skip


@pytest.mark.parametrize("mode", list(Overflow))
@pytest.mark.parametrize(
    ("value", "raised"),
    [
        (80000.0, "over"),  # 40000 + 40000 in half
        (65504.0, ""),
        (65519.0, ""),
        (65520.0, "over"),
        (2.0**-24, ""),
        (2.0**-26, "under"),
        (-(2.0**-25), "under"),
        (0.0, ""),
        (np.inf, "special"),
        (np.nan, "special"),
    ],
)
def test_conversions_raise_the_bits_of_their_unit(mode: Overflow, value: float, raised: str) -> None:
    before, conversion = np.array([1.0, value]), Conversion(HALF, overflow=mode)
    after = convert(before, conversion)
    vector = {
        "": StatusBit.NONE,
        "over": StatusBit.FLOAT_OVERFLOW,
        "under": StatusBit.FLOAT_UNDERFLOW,
        "special": StatusBit.VECTOR_INPUT_SPECIAL,
    }
    output = {
        "": StatusBit.NONE,
        "over": StatusBit.OUTPUT_OVERFLOW,
        "under": StatusBit.OUTPUT_UNDERFLOW,
        "special": StatusBit.MOVE_INPUT_SPECIAL,
    }
    assert status_of_conversion(before, after, conversion) == vector[raised]
    assert status_of_conversion(before, after, conversion, ConvertingUnit.OUTPUT) == output[raised]


@pytest.mark.parametrize(
    ("rounding", "value", "over"),
    [
        (Rounding.TOWARD_ZERO, 65535.0, False),
        (Rounding.TOWARD_ZERO, 65536.0, True),
        (Rounding.TO_ODD, -65535.0, False),
        (Rounding.UP, 65505.0, True),
        (Rounding.UP, -65505.0, False),
        (Rounding.DOWN, -65505.0, True),
        (Rounding.DOWN, 65536.0, True),
    ],
)
def test_overflow_is_judged_with_unbounded_exponent(rounding: Rounding, value: float, over: bool) -> None:
    before, conversion = np.array([value]), Conversion(HALF, rounding)
    status = status_of_conversion(before, convert(before, conversion), conversion)
    assert bool(status & StatusBit.FLOAT_OVERFLOW) == over


def test_products_raise_the_bits_of_the_cube() -> None:
    a, b, cube = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32), BlockFma(16)
    assert status_of_product(a, b, multiply(a, b, cube)) == StatusBit.NONE
    large = a * np.float32(2.0**127)
    assert status_of_product(large, b, multiply(large, b, cube)) == StatusBit.CUBE_OVERFLOW
    special = a.copy()
    special[0, 0] = np.inf
    assert status_of_product(special, b, multiply(special, b, cube)) == StatusBit.CUBE_INPUT_SPECIAL
    special[1] = 2.0**127
    both = StatusBit.CUBE_INPUT_SPECIAL | StatusBit.CUBE_OVERFLOW
    assert status_of_product(special, b, multiply(special, b, cube)) == both
    small = a * np.float32(2.0**-80)
    tiny = small, small.T * np.float32(2.0**-10)
    assert status_of_product(*tiny, multiply(*tiny, cube)) == StatusBit.CUBE_UNDERFLOW
    opposed = np.array([[1.0, -1.0, 0.0]] * 2, np.float32)  # cancels; nothing was lost
    assert status_of_product(opposed, b, multiply(opposed, b, cube)) == StatusBit.NONE
    half = replace(cube, accumulator=HALF)
    wide = a * np.float32(60000.0)
    result = np.clip(multiply(wide, b, half), -65504.0, 65504.0)
    assert status_of_product(wide, b, result, HALF, Overflow.SATURATE) == StatusBit.CUBE_OVERFLOW


def test_the_check_looks_at_the_gradient_or_at_the_status() -> None:
    finite = np.array([3e38, 3e38], np.float32)  # finite, but their float32 sum is not
    for gradient, overflown in ((finite, True), (finite[:1], False), (np.array([np.nan]), True)):
        assert check_overflow(gradient, Overflow.INF_NAN, StatusBit.NONE) is overflown
        assert check_overflow(gradient, Overflow.INF_NAN, StatusBit.FLOAT_OVERFLOW) is overflown
        assert check_overflow(gradient, Overflow.SATURATE, StatusBit.NONE) is False
    for bit in StatusBit:
        assert check_overflow(np.zeros(3), Overflow.SATURATE, bit) is bool(bit & OVERFLOW_BITS)


def test_a_plateau_is_an_overflow_that_no_value_shows() -> None:
    """40000 + 40000 in half on a chip that saturates: 65504, finite, and the step is skipped."""
    exact, conversion = np.array([80000.0]), Conversion(HALF, overflow=Overflow.SATURATE)
    gradient = convert(exact, conversion)
    assert np.isfinite(gradient).all()
    status = status_of_conversion(exact, gradient, conversion)
    assert check_overflow(gradient, Overflow.SATURATE, status)
    assert not check_overflow(gradient, Overflow.INF_NAN, status)


def test_the_scale_halves_and_doubles() -> None:
    scale = LossScale(growth_interval=3)
    seen = []
    for overflowed in (True, False, False, False, False, True, False, False, False):
        scale = scale.after(overflowed)
        seen.append(scale.scale / 2**15)
    assert seen == [1, 1, 1, 2, 2, 1, 1, 1, 2]
    usual = LossScale()
    assert (usual.scale, usual.growth_factor, usual.backoff_factor, usual.growth_interval) == (
        65536,
        2,
        0.5,
        2000,
    )
