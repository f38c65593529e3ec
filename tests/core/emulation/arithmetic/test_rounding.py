"""Every format and rounding against gfloat, ml_dtypes and fractions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import gfloat
import ml_dtypes
import numpy as np
import pytest
from builders.exact_rounding import rounded
from gfloat import formats
from hypothesis import given
from hypothesis import strategies as st

from core.dtypes import COMPUTING_FORMATS, DTYPES, dtype_named
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding, convert

ALL = {**DTYPES, **COMPUTING_FORMATS}
NAMES = ("float16", "bfloat16", "float32", "hf32", "hf32_10", "tf32", "float8_e4m3fn", "float8_e5m2")


def shortened(name: str, precision: int) -> gfloat.FormatInfo:
    """Return gfloat's float32 with fewer fraction bits."""
    return replace(
        formats.format_info_binary32,
        name=name,
        k=8 + precision,
        precision=precision,
        num_high_nans=2 ** (precision - 1) - 1,
    )


GFLOAT = {
    "float16": formats.format_info_binary16,
    "bfloat16": formats.format_info_bfloat16,
    "float32": formats.format_info_binary32,
    "hf32": shortened("hf32", 12),
    "tf32": shortened("tf32", 11),
    "hf32_10": shortened("hf32_10", 11),
    "float8_e4m3fn": formats.format_info_ocp_e4m3,
    "float8_e5m2": formats.format_info_ocp_e5m2,
}
MODES = {
    Rounding.NEAREST_EVEN: gfloat.RoundMode.TiesToEven,
    Rounding.NEAREST_AWAY: gfloat.RoundMode.TiesToAway,
    Rounding.TOWARD_ZERO: gfloat.RoundMode.TowardZero,
    Rounding.UP: gfloat.RoundMode.TowardPositive,
    Rounding.DOWN: gfloat.RoundMode.TowardNegative,
}
HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def same(found: Any, wanted: Any) -> bool:
    """Whether two arrays are equal, signs of zeros included."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    signs = np.isnan(wanted) | (np.signbit(found) == np.signbit(wanted))
    return np.array_equal(found, wanted, equal_nan=True) and bool(signs.all())


def numbers(holder: Any) -> np.ndarray:
    """All halves, random bits, and numbers around the ranges of the formats."""
    random = np.random.default_rng(7)
    bits = random.integers(0, 1 << 32, 40_000, dtype=np.uint32).view(np.float32)
    near = random.standard_normal(40_000) * 2.0 ** random.integers(-30, 18, 40_000)
    low = random.standard_normal(5_000) * 2.0 ** random.integers(-152, -120, 5_000)
    edges = [m * (1 + d * 2.0**-20) for m in (464.0, 448.0, 65520.0, 61440.0, 2.0**-25) for d in (-1, 0, 1)]
    # float16 has signalling NaNs; what is tested is what a conversion makes of quiet ones.
    with np.errstate(invalid="ignore", over="ignore"):
        parts = (HALVES.astype(np.float64), bits.astype(np.float64), near, low, edges, np.negative(edges))
        return np.concatenate(parts).astype(holder)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("holder", [np.float32, np.float64])
@pytest.mark.parametrize("rounding", list(MODES))
def test_rounding_is_that_of_gfloat(name: str, holder: Any, rounding: Rounding) -> None:
    values = numbers(holder)
    for overflow in Overflow:
        found = convert(values, Conversion(ALL[name], rounding, overflow, nan_to_zero=False))
        assert found.dtype == holder
        with np.errstate(all="ignore"):
            wanted = gfloat.round_ndarray(
                GFLOAT[name], values.astype(np.float64), MODES[rounding], overflow is Overflow.SATURATE
            )
        assert same(found, wanted), (name, rounding, overflow)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_rounding_to_nearest_is_that_of_ml_dtypes(name: str) -> None:
    values = numbers(np.float32)
    with np.errstate(all="ignore"):
        wanted = values.astype(np.float16 if name == "float16" else getattr(ml_dtypes, name))
    assert same(convert(values, Conversion(DTYPES[name])), wanted.astype(np.float32))


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
    st.integers(-1060, 1000),
    st.sampled_from(NAMES[:-2]),
    st.sampled_from(list(Rounding)),
)
def test_rounding_of_float64_is_that_of_fractions(
    values: list[float], scale: int, name: str, rounding: Rounding
) -> None:
    # Numbers near the format's range as well as all over float64's.
    scaled = values + [math.ldexp(value, scale) for value in values if abs(value) < 1e6]
    found = convert(np.array(scaled), Conversion(ALL[name], rounding))
    assert found.tolist() == [rounded(Fraction(value), ALL[name], rounding) for value in scaled]


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1), st.sampled_from(NAMES)
)
def test_rounding_to_odd_is_that_of_fractions(values: list[float], name: str) -> None:
    found = convert(np.array(values, np.float32), Conversion(ALL[name], Rounding.TO_ODD))
    assert found.tolist() == [rounded(Fraction(value), ALL[name], Rounding.TO_ODD) for value in values]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "hf32", "tf32"])
@pytest.mark.parametrize("rounding", list(Rounding))
def test_a_rounding_after_one_to_odd_is_no_second_one(name: str, rounding: Rounding) -> None:
    random = np.random.default_rng(3)
    values = random.standard_normal(20_000) * 2.0 ** random.integers(-30, 18, 20_000)
    between = convert(values, Conversion(DTYPES["float32"], Rounding.TO_ODD))
    conversion = Conversion(ALL[name], rounding)
    assert same(convert(between, conversion), convert(values, conversion))


EXAMPLE = 0.5 + 2.0**-12
HIGHER = 0.5 + 2.0**-11


@pytest.mark.parametrize(
    ("rounding", "half"),
    [
        (Rounding.NEAREST_EVEN, 0.5),
        (Rounding.DOWN, 0.5),
        (Rounding.UP, HIGHER),
        (Rounding.NEAREST_AWAY, HIGHER),
        (Rounding.TOWARD_ZERO, 0.5),
        (Rounding.TO_ODD, HIGHER),
    ],
)
def test_casts_to_half_are_those_the_vendor_works_out(rounding: Rounding, half: float) -> None:
    """CANN, Ascend C API documents, data structures: precision conversion."""
    assert convert(np.array([EXAMPLE]), Conversion(DTYPES["float16"], rounding)) == half


@pytest.mark.parametrize(
    ("rounding", "steps"),
    [
        (Rounding.NEAREST_EVEN, 1),
        (Rounding.UP, 1),
        (Rounding.NEAREST_AWAY, 1),
        (Rounding.DOWN, 0),
        (Rounding.TOWARD_ZERO, 0),
    ],
)
def test_casts_to_bfloat16_are_those_the_vendor_works_out(rounding: Rounding, steps: int) -> None:
    value = np.array([0.5 + 2.0**-9 + 2.0**-11], np.float32)
    assert convert(value, Conversion(DTYPES["bfloat16"], rounding)) == 0.5 + steps * 2.0**-8


def test_saturation_and_flushing() -> None:
    special = np.array([np.inf, -np.inf, np.nan, 7e4, -7e4, 2.0**-15, -(2.0**-20), 1.0], np.float32)
    half = Conversion(DTYPES["float16"], overflow=Overflow.SATURATE, flush_subnormals=True)
    assert same(convert(special, half), [65504.0, -65504.0, 0.0, 65504.0, -65504.0, 0.0, -0.0, 1.0])
    assert np.isnan(convert(special, replace(half, nan_to_zero=False))[2])
    single = replace(half, format=DTYPES["float32"])
    largest = DTYPES["float32"].maximum
    values = np.array([np.inf, -np.inf, np.nan, 1e-40, -1e-40, 2.0**-126], np.float32)
    assert same(convert(values, single), [largest, -largest, 0.0, 0.0, -0.0, 2.0**-126])
    # What is rounded up to the smallest normal number is normal.
    assert convert(np.array([2.0**-14 * (1 - 2.0**-13)]), half) == 2.0**-14


def test_shapes_chunks_and_refusals() -> None:
    values = np.random.default_rng(0).standard_normal((3, 50_001), np.float32)
    with np.errstate(all="ignore"):
        wanted = values.T.astype(np.float16).astype(np.float32)
    assert same(convert(values.T, Conversion(DTYPES["float16"])), wanted)
    assert convert(np.float32(1.0), Conversion(DTYPES["float16"])).shape == ()
    assert convert(np.zeros((0, 3), np.float32), Conversion(DTYPES["float16"])).shape == (0, 3)
    assert convert(values, Conversion(DTYPES["float64"])) is values
    with pytest.raises(TypeError):
        convert(np.zeros(3, np.float16), Conversion(DTYPES["float16"]))
    with pytest.raises(ValueError):
        convert(values, Conversion(DTYPES["int8"]))


def test_no_dump_stores_a_computing_format() -> None:
    assert all(dtype_named(name) is None for name in COMPUTING_FORMATS)
    assert [COMPUTING_FORMATS[name].precision for name in ("hf32", "hf32_10", "tf32")] == [12, 11, 11]
    for dtype in COMPUTING_FORMATS.values():
        bits = np.float32(dtype.maximum).view(np.uint32)
        assert bits == 0x7F7FFFFF & ~((1 << (24 - dtype.precision)) - 1)
