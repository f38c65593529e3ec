"""Planes: which element stands where, and their regions read from memory of any layout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.sheet import Sheet
from tests.core.metrics.pictures.planes import laid_out, planes, regions

SHAPES = st.lists(st.integers(0, 5), max_size=5).map(tuple)
FULL = st.lists(st.integers(1, 5), max_size=5).map(tuple)


@settings(max_examples=200, deadline=None)
@given(data=st.data(), shape=SHAPES)
def test_index_and_position_undo_each_other(data: st.DataObject, shape: tuple[int, ...]) -> None:
    plane = data.draw(planes(shape))
    assert plane.fits(shape)
    rows, columns = plane.size(shape)
    seen = set()
    for row, column in np.ndindex(rows, columns):
        place = plane.index(shape, row, column)
        if place is not None:
            assert plane.position(shape, place) == (row, column)
            seen.add(place)
    here = {place for place in np.ndindex(*shape) if plane.position(shape, place) is not None}
    assert seen == here
    for place in np.ndindex(*shape):
        assert plane.at(place).position(shape, place) is not None
    assert plane.index(shape, rows, 0) is plane.index(shape, 0, columns) is plane.index(shape, -1, 0) is None


@settings(max_examples=100, deadline=None)
@given(shape=SHAPES)
def test_the_whole_tensor_in_c_order(shape: tuple[int, ...]) -> None:
    plane = Plane.whole(shape)
    assert plane.fits(shape)
    assert not plane.free
    numbers = np.arange(math.prod(shape)).reshape(shape)
    matrix = laid_out(numbers, plane)
    assert matrix.compressed().tolist() == list(range(math.prod(shape)))
    if len(shape) > 1:
        assert matrix.shape[1] == shape[-1]


def test_attention_with_its_heads_side_by_side() -> None:
    scores = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)  # batch, heads, query, key
    plane = Plane((0, 2), (1, 3), (0, 0, 0, 0))
    assert plane.size(scores.shape) == (8, 15)
    assert plane.index(scores.shape, 5, 7) == (1, 1, 1, 2)
    assert plane.position(scores.shape, (1, 1, 1, 2)) == (5, 7)
    wanted = scores.transpose(0, 2, 1, 3).reshape(8, 15)
    np.testing.assert_array_equal(laid_out(scores, plane), wanted)


def test_the_last_two_axes_at_a_place() -> None:
    assert Plane.of((2, 3, 4), (1,)) == Plane((1,), (2,), (1, 0, 0))
    assert Plane.of((2, 3, 4), (9, -4, 2)) == Plane((1,), (2,), (1, 0, 2))
    assert Plane.of((2, 3, 4)).free == (0,)
    assert Plane.of((7,)) == Plane((), (0,), (0,))
    assert Plane.of(()) == Plane()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 16, 17, 1000])
def test_a_fold_is_nearly_square_unless_told(count: int) -> None:
    rows, columns = Plane.of((count,)).size((count,))
    assert abs(rows - columns) <= 1
    if count > 7:
        assert Plane((), (0,), (0,), 7).size((count,)) == (math.ceil(count / 7), 7)
    if count:
        assert Plane((), (0,), (0,), 10**6).size((count,)) == (1, count)
        assert Plane((0,), (), (0,)).size((count,)) == (count, 1)


@pytest.mark.parametrize(
    "plane",
    [
        Plane((0,), (0,), (0, 0)),
        Plane((0,), (2,), (0, 0)),
        Plane((0,), (-1,), (0, 0)),
        Plane((0,), (), (0, 3)),
        Plane((0,), (1,), (0,)),
    ],
)
def test_planes_that_do_not_exist(plane: Plane) -> None:
    assert not plane.fits((2, 3))
    with pytest.raises(ValueError, match="no plane"):
        Sheet(np.zeros((2, 3)), plane)


LAYOUTS = {
    "contiguous": lambda array: array.copy(),
    "turned round": lambda array: array.T.copy().T,
    "every other": lambda array: np.repeat(array, 2, -1)[..., ::2] if array.ndim else array,
    "backwards": lambda array: array[..., ::-1].copy()[..., ::-1] if array.ndim else array,
    "spread out": lambda array: np.broadcast_to(array[..., :1], array.shape) if array.ndim else array,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=80, deadline=None)
@given(data=st.data(), shape=FULL)
def test_regions_of_any_layout(layout: str, data: st.DataObject, shape: tuple[int, ...]) -> None:
    array: np.ndarray[Any, Any] = LAYOUTS[layout](np.arange(math.prod(shape)).reshape(shape))
    plane = data.draw(planes(shape))
    matrix, sheet = laid_out(array, plane), Sheet(array, plane)
    assert sheet.size == matrix.shape
    region = data.draw(regions(*matrix.shape))
    wanted = matrix[region.top : region.bottom, region.left : region.right]
    got, fill = sheet.take(region)
    assert got.shape == wanted.shape
    assert fill == np.ma.count_masked(wanted)
    inside = ~np.ma.getmaskarray(wanted)
    np.testing.assert_array_equal(got[inside], wanted.compressed())
    rows, columns = np.arange(region.top, region.bottom, 2), np.arange(region.left, region.right, 3)
    np.testing.assert_array_equal(sheet.sample(rows, columns), wanted[::2, ::3].compressed())


@settings(max_examples=40, deadline=None)
@given(data=st.data(), shape=SHAPES)
def test_planes_without_elements(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = np.zeros((*shape, 0, 2))
    plane = data.draw(planes(array.shape))
    sheet = Sheet(array, plane)
    assert math.prod(sheet.size) == 0
    assert sheet.take(Region(0, sheet.size[0], 0, sheet.size[1]))[0].shape == sheet.size


def test_a_merged_plane_of_contiguous_memory_is_not_copied() -> None:
    array = np.zeros((3, 4, 5, 6))
    for plane in (Plane.whole(array.shape), Plane((0, 1), (2, 3), (0,) * 4), Plane((), (2, 3), (1, 2, 0, 0))):
        sheet = Sheet(array, plane)
        taken, _ = sheet.take(Region(0, sheet.size[0], 0, sheet.size[1]))
        assert np.shares_memory(taken, array)
