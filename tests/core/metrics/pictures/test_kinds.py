"""Every kind of picture of every format and layout, against plain Python numbers."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES, Kind, coarser
from core.metrics.pictures.drawing import MINUS_INF, NAN, OUTSIDE, PLUS_INF, difference_picture, picture
from core.metrics.pictures.kinds import Difference, PairClass, Part
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Picture
from tests.core.metrics.pictures.planes import laid_out, planes, regions
from tests.core.metrics.pictures.tensors import FLOAT32_MAX, handle_of, plain_difference, seen, tensors

SHAPES = st.lists(st.integers(0, 3), max_size=5).map(tuple) | st.tuples(st.integers(0, 40))
PARTS = st.sampled_from(Part)
PIXELS = st.sampled_from([(300, 300), (2, 300), (3, 2), (1, 1)])


def agree(got: Picture, matrix: np.ma.MaskedArray, tolerance: float, limit: float = math.inf) -> None:
    """Compare with *matrix*, all numbers of the region as float64, those beyond a fold masked.

    *limit* stands for all larger magnitudes.
    """
    tall, wide = got.block
    shape = -(-matrix.shape[0] // tall), -(-matrix.shape[1] // wide)
    assert got.values.shape == got.classes.shape == shape
    wanted, classes = np.full(shape, np.nan), np.zeros(shape, int)
    for row, column in np.ndindex(*shape):
        block = matrix[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide].compressed()
        finite = np.abs(block[np.isfinite(block)])
        wanted[row, column] = min(finite.max(), limit) if finite.size else np.nan
        classes[row, column] = NAN * np.isnan(block).any() | PLUS_INF * np.isposinf(block).any()
        classes[row, column] |= MINUS_INF * np.isneginf(block).any() | OUTSIDE * (block.size == 0)
    np.testing.assert_array_equal(got.classes, classes)
    np.testing.assert_allclose(np.abs(got.values), wanted, rtol=tolerance, atol=1e-37)
    every = matrix.compressed()
    assert (got.nan, got.plus_inf) == (np.isnan(every).sum(), np.isposinf(every).sum())
    assert (got.finite, got.minus_inf) == (np.isfinite(every).sum(), np.isneginf(every).sum())
    if not got.finite:
        assert math.isnan(got.minimum)
        assert got.percentiles is None


@pytest.mark.parametrize("name", DTYPES)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), shape=SHAPES, part=PARTS, pixels=PIXELS)
def test_sides(
    name: str, data: st.DataObject, shape: tuple[int, ...], part: Part, pixels: tuple[int, int]
) -> None:
    handle, values = data.draw(tensors(name, shape))
    plane = data.draw(planes(shape))
    region = data.draw(regions(*plane.size(shape)))
    wanted = np.array([float(seen(value, part)) for value in values.reshape(-1)], float).reshape(shape)
    got = picture(handle, plane, region, pixels, part)
    matrix = laid_out(wanted, plane)[region.top : region.bottom, region.left : region.right]
    agree(got, matrix, 1e-6)
    finite = np.abs(matrix.compressed()[np.isfinite(matrix.compressed())])
    assert got.beyond == 0
    if finite.size:
        every = matrix.compressed()[np.isfinite(matrix.compressed())]
        ends = pytest.approx((every.min(), every.max()), rel=1e-6)
        assert (got.minimum, got.maximum) == ends


@pytest.mark.parametrize("name", ["float16", "float32", "bfloat16", "int8"])
@pytest.mark.parametrize("shown", [1, 2, 3, 4])
def test_what_fills_up_the_last_row_has_no_part_in_the_ends(name: str, shown: int) -> None:
    """A folded tensor ends in another sign, before the columns that are shown."""
    numbers = [3, 5, 2, 4, 6, -7]
    handle = handle_of(np.array(numbers, {"bfloat16": ml_dtypes.bfloat16}.get(name, name)))
    got = picture(handle, Plane((), (0,), (0,), width=5), Region(0, 2, shown, 5), (300, 300), Part.REAL)
    assert (got.minimum, got.maximum) == (min(numbers[shown:5]), max(numbers[shown:5]))


@pytest.mark.parametrize("difference", Difference)
@pytest.mark.parametrize("name", DTYPES)
@settings(max_examples=6, deadline=None)
@given(data=st.data(), shape=SHAPES, part=PARTS, pixels=PIXELS)
def test_differences(
    name: str,
    difference: Difference,
    data: st.DataObject,
    shape: tuple[int, ...],
    part: Part,
    pixels: tuple[int, int],
) -> None:
    other = data.draw(st.just(name) | st.sampled_from(sorted(DTYPES)))
    (target, t), (golden, g) = data.draw(tensors(name, shape)), data.draw(tensors(other, shape))
    if name == other and data.draw(st.booleans()):
        golden, g = target, t
    unit = coarser(DTYPES[name], DTYPES[other])
    pairs = zip(t.reshape(-1), g.reshape(-1))
    wanted = np.array([plain_difference(a, b, difference, part, unit) for a, b in pairs], float)
    plane = data.draw(planes(shape))
    got = difference_picture(target, golden, plane, None, pixels, difference, part)
    complex_ones = Kind.COMPLEX in (DTYPES[name].kind, DTYPES[other].kind)
    # Magnitudes and angles are rounded before they are subtracted, so what is left may be rounding.
    if complex_ones and part is not Part.REAL and part is not Part.IMAGINARY and difference in _RELATIVE:
        return
    wide = max(DTYPES[name].maximum, DTYPES[other].maximum) > FLOAT32_MAX
    wide |= complex_ones and part is Part.MAGNITUDE
    limit = FLOAT64_MAX if wide and difference is Difference.ABSOLUTE else FLOAT32_MAX
    agree(got, laid_out(wanted.reshape(shape), plane), 1e-6, limit)


FLOAT64_MAX = float(np.finfo(np.float64).max)
_RELATIVE = (Difference.RELATIVE, Difference.ULP)


def one(target: object, golden: object, kind: str, difference: Difference, part: Part = Part.REAL) -> Picture:
    sides = [handle_of(np.array([value], kind)) for value in (target, golden)]
    return difference_picture(sides[0], sides[1], Plane.of((1,)), None, (1, 1), difference, part)


def test_relative_to_zero_is_the_largest_number_and_counted_apart() -> None:
    for target, sign in ((1e-3, 1), (-2.0, -1)):
        made = one(target, 0, "float32", Difference.RELATIVE)
        assert made.values.tolist() == [[sign * FLOAT32_MAX]]
        assert (made.beyond, made.finite, made.nan, made.plus_inf, made.minus_inf) == (1, 1, 0, 0, 0)
    assert one(0, 0, "float32", Difference.RELATIVE).values.tolist() == [[0]]
    assert one(0, 0, "float32", Difference.RELATIVE).beyond == 0


def test_the_difference_of_finite_numbers_is_finite() -> None:
    for kind in ("float32", "float64"):
        most = float(np.finfo(kind).max)
        made = one(-most, most, kind, Difference.ABSOLUTE)
        assert made.values.tolist() == [[-most]]
        assert made.minus_inf == 0
    assert one(-3e38, 3e38, "float32", Difference.RELATIVE).values[0, 0] == -2


def test_ulps_have_a_sign_and_the_unit_of_the_golden() -> None:
    up, down = np.nextafter(np.float16(1), np.float16([2, 0]))
    assert one(up, 1, "float16", Difference.ULP).values.tolist() == [[1]]
    assert one(down, 1, "float16", Difference.ULP).values.tolist() == [[-0.5]]
    assert one(5, 2, "int32", Difference.ULP).values.tolist() == [[3]]
    assert one(np.inf, 1, "float16", Difference.ULP).plus_inf == 1


@pytest.mark.parametrize(
    ("target", "golden", "sign"),
    [(1, -1, 1), (1, 0, 1), (0, -1, 1), (0, 1, -1), (-1, 1, -1), (-1, 0, -1), (2, 9, 0), (-0.0, 0, 0)],
)
def test_signs(target: float, golden: float, sign: int) -> None:
    for kind in ("float32", "float16", "float64"):
        assert one(target, golden, kind, Difference.SIGN).values.tolist() == [[sign]]


def test_integers_beyond_what_a_float_holds() -> None:
    assert one(2**60 + 1, 2**60, "int64", Difference.ABSOLUTE).maximum == 1
    assert one(2**64 - 1, 2**64 - 2, "uint64", Difference.ABSOLUTE).maximum == 1
    assert one(2**63 - 1, -(2**63), "int64", Difference.ABSOLUTE).maximum == 2.0**64
    target, golden = handle_of(np.array([2**53 + 1])), handle_of(np.array([2.0**53]))
    assert difference_picture(target, golden, Plane.of((1,)), None, (1, 1)).maximum == 1
    unsigned = handle_of(np.array([2**63 + 1], np.uint64))
    assert difference_picture(unsigned, golden, Plane.of((1,)), None, (1, 1)).maximum == 2.0**63 - 2.0**53


def test_the_phase_takes_the_shorter_turn() -> None:
    almost = complex(-1, 1e-3)
    made = one(almost, almost.conjugate(), "complex128", Difference.ABSOLUTE, Part.PHASE)
    assert made.values[0, 0] == pytest.approx(-2e-3, rel=1e-5)
    # The magnitudes agree, so only what is left of the whole number shows that one is the other's conjugate.
    assert one(1 + 2j, 1 - 2j, "complex64", Difference.ABSOLUTE, Part.MAGNITUDE).values.tolist() == [[4]]


def test_the_worst_class_of_a_block_is_shown() -> None:
    target = np.array([1, np.nan, 1, np.inf, np.nan, np.inf], np.float32)
    golden = np.array([1, np.nan, np.inf, 1, 1, np.nan], np.float32)
    sides = handle_of(target), handle_of(golden)
    made = difference_picture(*sides, Plane((), (0,), (0,), 6), None, (1, 6), Difference.CLASSES)
    assert made.values.tolist() == [[PairClass(number) for number in range(6)]]
    made = difference_picture(*sides, Plane((), (0,), (0,), 6), None, (1, 3), Difference.CLASSES)
    assert made.values.tolist() == [[1, 3, 5]]


def test_other_byte_orders_are_other_bits() -> None:
    """Bytes that agree are no sign of equal numbers where one file is big-endian."""
    numbers = np.array([256.0, 1.0])
    other = handle_of(np.frombuffer(numbers.tobytes(), ">f8"))
    made = difference_picture(handle_of(numbers), other, Plane.of((2,)), None, (2, 2))
    assert made.maximum > 1
