"""No size and no kind of picture hides a single NaN, Inf or outlier of a large tensor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.formats.tensors import TensorHandle
from core.metrics.pictures.drawing import MINUS_INF, NAN, PLUS_INF, difference_picture, picture
from core.metrics.pictures.kinds import Difference, PairClass
from core.metrics.pictures.plane import Place, Plane, Region
from core.metrics.pictures.reduction import Picture
from tests.core.metrics.pictures.tensors import handle_of, numpy_type

LAYOUTS = ("contiguous", "turned", "strided", "folded", "merged")
NAMES = ("float32", "bfloat16", "float16", "float8_e5m2", "float64")
PLANTED = {NAN: np.nan, PLUS_INF: np.inf, MINUS_INF: -np.inf}
OUTLIER = -40000.0
ROUNDS = 2


def laid(array: np.ndarray, layout: str) -> tuple[TensorHandle, Plane]:
    """Return 3 × 300 × 400 numbers in another layout, and a plane of them."""
    if layout == "turned":
        return handle_of(array.transpose(0, 2, 1).copy().transpose(0, 2, 1)), Plane.of(array.shape, (1,))
    if layout == "strided":
        return handle_of(np.repeat(array, 2, 1)[:, ::2]), Plane((0, 1), (2,), (0, 0, 0))
    if layout == "folded":
        return handle_of(array.reshape(-1)), Plane((), (0,), (0,), 0)
    if layout == "merged":
        return handle_of(array), Plane((1,), (2, 0), (0, 0, 0))
    return handle_of(array), Plane.of(array.shape, (1,))


def planted(random: np.random.Generator, shape: tuple[int, ...], plane: Plane) -> tuple[int, int, Place]:
    """Return row and column of any element in the plane, and its index."""
    rows, columns = plane.size(shape)
    while True:
        row, column = int(random.integers(rows)), int(random.integers(columns))
        place = plane.index(shape, row, column)
        if place is not None:
            return row, column, place


def zooms(random: np.random.Generator, plane: Plane, shape: tuple[int, ...], at: tuple[int, int]) -> Iterator:
    """Yield regions around *at*, the whole plane first, with numbers of pixels."""
    rows, columns = plane.size(shape)
    yield None, (1, 1)
    yield None, (512, 512)
    for _ in range(4):
        top, left = int(random.integers(at[0] + 1)), int(random.integers(at[1] + 1))
        bottom, right = (int(random.integers(low + 1, high + 1)) for low, high in zip(at, (rows, columns)))
        yield Region(top, bottom, left, right), tuple(int(number) for number in random.integers(1, 700, 2))


def pixel(made: Picture, row: int, column: int) -> tuple[float, int]:
    at = (row - made.region.top) // made.block[0], (column - made.region.left) // made.block[1]
    return float(made.values[at]), int(made.classes[at])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NAMES)
def test_one_element_shows_in_its_pixel(name: str, layout: str) -> None:
    random = np.random.default_rng([NAMES.index(name), LAYOUTS.index(layout)])
    base = random.standard_normal((3, 300, 400)).astype(numpy_type(name))
    outlier = float(np.array(OUTLIER).astype(numpy_type(name)))
    for _ in range(ROUNDS):
        handle, plane = laid(base, layout)
        row, column, place = planted(random, handle.shape, plane)
        bits = np.array(handle.bits())  # in memory of its own, for what is planted
        kept = bits[place]
        for mark in (*PLANTED, 0):
            value = np.array(PLANTED.get(mark, outlier)).astype(numpy_type(name))
            bits[place] = value if handle.stored.native else value.view(handle.stored.storage)
            seen = TensorHandle(bits.view() if layout != "turned" else _turned(bits), handle.stored)
            for region, pixels in zooms(random, plane, handle.shape, (row, column)):
                found, classes = pixel(picture(seen, plane, region, pixels), row, column)
                assert classes == mark
                assert found == outlier or mark
        bits[place] = kept


def _turned(bits: np.ndarray) -> np.ndarray:
    return bits.transpose(0, 2, 1).copy().transpose(0, 2, 1)


@pytest.mark.parametrize("difference", Difference)
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_difference_shows_in_its_pixel(name: str, difference: Difference, layout: str) -> None:
    random = np.random.default_rng(LAYOUTS.index(layout))
    base = random.uniform(1, 2, (3, 300, 400)).astype(numpy_type(name))
    for mark in (*PLANTED, 0):
        golden, plane = laid(base, layout)
        row, column, place = planted(random, golden.shape, plane)
        flat = np.ravel_multi_index(place, golden.shape)
        other = base.copy()
        other.reshape(-1)[flat] = PLANTED.get(mark, OUTLIER)
        target = laid(other, layout)[0]
        for region, pixels in zooms(random, plane, golden.shape, (row, column)):
            made = difference_picture(target, golden, plane, region, pixels, difference)
            found, classes = pixel(made, row, column)
            if difference is Difference.CLASSES:
                wanted = {NAN: PairClass.TARGET_NAN, 0: PairClass.FINITE}.get(mark, PairClass.TARGET_INF)
                assert (found, np.nansum(made.values > 0)) == (wanted, 1 if mark else 0)
                continue
            assert classes == mark
            assert np.count_nonzero(made.classes & ~np.uint8(8)) == (1 if mark else 0)
            assert mark or found < -100 or (difference is Difference.SIGN and found == -1)
