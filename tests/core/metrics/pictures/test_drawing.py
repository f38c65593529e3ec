"""Pictures against a slow and plain reduction."""

from __future__ import annotations

import math
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.pictures import reduction
from core.metrics.pictures.content import of_side
from core.metrics.pictures.drawing import MINUS_INF, NAN, OUTSIDE, PLUS_INF, difference_picture, draw, picture
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Picture
from tests.core.metrics.pictures.planes import laid_out, planes, regions

FLOATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
WHOLES = ["int8", "int64", "uint8", "uint64", "bool", "int32"]


def handle(array: np.ndarray) -> TensorHandle:
    dtype = DTYPES[array.dtype.name]
    return TensorHandle(array.view() if dtype.native else array.view(dtype.storage), dtype)


def plain(matrix: np.ma.MaskedArray, region: Region | None, pixels: tuple[int, int]) -> Picture:
    area = region or Region(0, matrix.shape[0], 0, matrix.shape[1])
    part = matrix[area.top : area.bottom, area.left : area.right]
    steps = [max(1, -(-extent // most)) for extent, most in zip(part.shape, pixels)]
    shape = tuple(-(-extent // step) for extent, step in zip(part.shape, steps))
    values, classes = np.full(shape, np.nan, np.float32), np.zeros(shape, np.uint8)
    for row, column in np.ndindex(*shape):
        block = part[row * steps[0] :][: steps[0], column * steps[1] :][:, : steps[1]]
        inside = block.compressed()
        finite = inside[np.isfinite(inside)]
        if finite.size:
            values[row, column] = finite[np.argmax(np.abs(finite))]
        classes[row, column] = (
            NAN * np.isnan(inside).any()
            | PLUS_INF * np.isposinf(inside).any()
            | MINUS_INF * np.isneginf(inside).any()
            | OUTSIDE * (inside.size == 0)
        )
    every = part.compressed()
    finite = every[np.isfinite(every)]
    ends = (finite.min(), finite.max()) if finite.size else (np.nan, np.nan)
    return Picture(
        values,
        classes,
        area,
        (steps[0], steps[1]),
        float(ends[0]),
        float(ends[1]),
        len(finite),
        int(np.isnan(every).sum()),
        int(np.isposinf(every).sum()),
        int(np.isneginf(every).sum()),
    )


def agree(got: Picture, wanted: Picture) -> None:
    np.testing.assert_array_equal(np.abs(got.values.astype(np.float32)), np.abs(wanted.values))
    np.testing.assert_array_equal(got.classes, wanted.classes)
    for name in ("region", "block", "finite", "nan", "plus_inf", "minus_inf"):
        assert getattr(got, name) == getattr(wanted, name), name
    np.testing.assert_array_equal([got.minimum, got.maximum], [wanted.minimum, wanted.maximum])


def drawn(data: st.DataObject, name: str, shape: tuple[int, ...]) -> np.ndarray:
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    kind = np.dtype(getattr(ml_dtypes, name, None) or name)
    if name in FLOATS:
        way = data.draw(st.sampled_from(["signed", "positive", "negative"]))
        values = random.standard_normal(shape) * 3
        values = {"signed": values, "positive": np.abs(values), "negative": -np.abs(values)}[way]
        special = data.draw(st.sampled_from([0.0, 0.02, 0.6, 1.0]))
        choice = random.choice([np.nan, np.inf, -np.inf], shape)
        return np.where(random.random(shape) < special, choice, values).astype(kind)
    limits = (0, 1) if name == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
    high = limits[1] if name == "bool" else min(limits[1], 2**40)
    return random.integers(max(limits[0], -(2**40)), high, shape, endpoint=True).astype(kind)


@pytest.mark.parametrize("name", FLOATS + WHOLES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_plane_region_and_size(name: str, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 13), min_size=0, max_size=4)))
    array = drawn(data, name, shape)
    plane = data.draw(planes(shape))
    region = data.draw(st.none() | regions(*plane.size(shape)))
    pixels = data.draw(st.integers(1, 14)), data.draw(st.integers(1, 14))
    kept = reduction._TILE
    reduction._TILE = data.draw(st.sampled_from([3, 16, 1000]))
    try:
        got = picture(handle(array), plane, region, pixels)
    finally:
        reduction._TILE = kept
    agree(got, plain(laid_out(array.astype(np.float64), plane), region, pixels))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), first=st.sampled_from(FLOATS + WHOLES), second=st.sampled_from(FLOATS + WHOLES))
def test_any_difference(data: st.DataObject, first: str, second: str) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=0, max_size=4)))
    target, golden = drawn(data, first, shape), drawn(data, second, shape)
    with np.errstate(invalid="ignore"):
        wide_t, wide_g = target.astype(float), golden.astype(float)
        same = (wide_t == wide_g) | (np.isnan(wide_t) & np.isnan(wide_g))
        difference = np.where(same, 0.0, wide_t - wide_g)
    plane, pixels = Plane.of(shape), (4, 5)
    got = difference_picture(handle(target), handle(golden), plane, None, pixels)
    wanted = plain(laid_out(difference, plane), None, pixels)
    np.testing.assert_array_equal(got.classes, wanted.classes)
    np.testing.assert_allclose(np.abs(got.values), np.abs(wanted.values), rtol=1e-6)
    assert (got.finite, got.nan, got.plus_inf) == (wanted.finite, wanted.nan, wanted.plus_inf)


def test_one_outlier_and_one_nan_show_at_every_size() -> None:
    array = np.random.default_rng(1).standard_normal((700, 900)).astype(np.float32)
    array[123, 456], array[600, 7] = -1e4, np.nan
    for pixels in (1, 2, 10, 99, 700, 2000):
        made = picture(handle(array), Plane.of(array.shape), None, (pixels, pixels))
        tall, wide = made.block
        assert made.values[123 // tall, 456 // wide] == -1e4
        assert made.classes[600 // tall, 7 // wide] == NAN
        assert np.count_nonzero(made.classes) == made.nan == 1
        assert made.values.shape[0] <= pixels
        assert made.values.shape[1] <= pixels


def test_signs_are_kept() -> None:
    array = np.array([[1.0, -3.0, 2.0, 2.5]])
    made = picture(handle(array), Plane.of((1, 4)), None, (1, 2))
    assert made.values.tolist() == [[-3.0, 2.5]]


@pytest.mark.parametrize(
    "row",
    [
        [1e300, -1e300, 0.0], [0.0, 0.0, 1e-60], [1.0, 1e100, -2.0], [5e-324, 1e-323, 0.0],
        [1.0, 1.0 + 1e-12, 1.0], [2**60, 2**60 + 256, 2**60],
    ],
)  # fmt: skip
def test_what_float32_cannot_tell_is_drawn_in_float64(row: list[float]) -> None:
    array = np.array([row, row])
    whole = picture(handle(array), Plane.of((2, 3)), None, (2, 3))
    np.testing.assert_array_equal(whole.values, array)
    assert (whole.minimum, whole.maximum) == (array.min(), array.max())
    block = picture(handle(array), Plane.of((2, 3)), None, (1, 1))
    assert abs(float(block.values[0, 0])) == pytest.approx(np.abs(array).max(), rel=1e-6, abs=0)
    difference = difference_picture(handle(array), handle(array * 0), Plane.of((2, 3)), None, (2, 3))
    np.testing.assert_array_equal(difference.values, array)
    assert difference.beyond == whole.beyond == 0


def test_ordinary_float64_is_drawn_in_float32() -> None:
    array = np.random.default_rng(3).standard_normal((40, 50))
    assert picture(handle(array), Plane.of(array.shape), None, (99, 99)).values.dtype == np.float32


def test_empty_tensors_make_empty_pictures() -> None:
    for shape in ((0,), (0, 3), (2, 0), (2, 0, 3)):
        made = picture(handle(np.zeros(shape, np.float32)), Plane.of(shape), None, (8, 8))
        assert made.values.size == 0
        assert np.isnan(made.minimum)


def test_complex_by_magnitude() -> None:
    array = np.array([[3 + 4j, 0], [1j, complex(np.nan, 1)]], np.complex64)
    made = picture(handle(array), Plane.of((2, 2)), None, (2, 2))
    np.testing.assert_array_equal(made.values, [[5, 0], [1, np.nan]])
    assert made.nan == 1
    other = difference_picture(handle(array.conj()), handle(array), Plane.of((2, 2)), None, (2, 2))
    np.testing.assert_array_equal(other.values, [[8, 0], [2, 0]])


def test_differences_over_dimensions_of_one() -> None:
    target = np.arange(6.0).reshape(2, 3)
    made = difference_picture(
        handle(target), handle(target.reshape(1, 2, 3) - 1), Plane.of((2, 3)), None, (9, 9)
    )
    np.testing.assert_array_equal(made.values, np.ones((2, 3)))
    with pytest.raises(ValueError, match="no common plane"):
        difference_picture(handle(target), handle(target.T.copy()), Plane.of((2, 3)), None, (9, 9))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="this platform has no wider float")
def test_neighbours_beyond_2_to_the_53_differ() -> None:
    target, golden = np.array([2**60 + 1, 2**60]), np.array([2**60, 2**60])
    made = difference_picture(handle(target), handle(golden), Plane.of((2,)), None, (2, 2))
    assert made.maximum == 1.0


def test_a_plane_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="no plane"):
        picture(handle(np.zeros((2, 3))), Plane((0,), (2,), (0, 0)), None, (2, 2))


def test_memory_is_that_of_a_tile() -> None:
    array = np.zeros((2000, 4000), np.float32)
    array[::7] = np.nan
    tracemalloc.start()
    picture(handle(array), Plane.of(array.shape), None, (100, 100))
    difference_picture(handle(array), handle(array * 2), Plane.of(array.shape), None, (100, 100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < array.nbytes + (16 << 20)  # the product above is one tensor


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64", "int16", "bool", "complex64"])
def test_percentiles_are_values_of_elements(name: str) -> None:
    random = np.random.default_rng(5)
    array = (random.standard_normal((700, 300)) * 50).astype(getattr(ml_dtypes, name, None) or name)
    seen = np.abs(array) if name == "complex64" else array.astype(np.float64)
    if name in FLOATS:
        array[random.random(array.shape) < 0.2] = np.nan
        array[0, 0] = np.inf
        seen = array.astype(np.float64)
    found = picture(handle(array), Plane.of(array.shape), None, (9, 9)).percentiles
    ordered = np.sort(seen[np.isfinite(seen)])
    wanted = [ordered[round((ordered.size - 1) * share)] for share in (0.001, 0.01, 0.99, 0.999)]
    assert found is not None
    assert [found.low_999, found.low_99, found.high_99, found.high_999] == wanted


@pytest.mark.parametrize("shape", [(3000, 1000), (3, 10**6), (10**6, 3), (3 * 10**6,), (30, 40, 50, 50)])
def test_percentiles_of_many_elements_come_from_an_even_sample(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(6).uniform(0, 1, shape).astype(np.float32)
    planes = [Plane.of(shape), Plane.whole(shape)]
    planes += [Plane((0, 2), (1, 3), (0,) * 4)] if len(shape) == 4 else []
    for plane in planes:
        if math.prod(plane.size(shape)) < 10**6:
            continue
        found = picture(handle(array), plane, None, (9, 9)).percentiles
        assert found is not None
        assert found.low_999 < found.low_99 < 0.02 < 0.98 < found.high_99 < found.high_999


def test_a_picture_comes_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there already is right, what is not is outside; others have their turn all the time."""
    array = np.random.default_rng(7).standard_normal((2000, 1500)).astype(np.float32)
    array[1999, 3] = np.nan
    monkeypatch.setattr(reduction, "_TILE", 30_000)
    monkeypatch.setattr(reduction, "_BREATH", 0.0)
    monkeypatch.setattr(reduction, "_PARTIAL", 0.001)
    for layout in (array, array.T.copy().T):
        drawing = draw(of_side(handle(layout), Plane.of(array.shape)), None, (100, 100))
        parts = []
        while True:
            try:
                parts.append(next(drawing))
            except StopIteration as end:
                whole = end.value
                break
        seen = [part for part in parts if part is not None]
        assert len(parts) > 20
        assert len(seen) > 3
        for part in seen:
            there = part.classes & OUTSIDE == 0
            np.testing.assert_array_equal(part.values[there], whole.values[there])
            assert np.isnan(part.values[~there]).all()
            assert part.percentiles == whole.percentiles
            assert whole.minimum <= part.minimum <= part.maximum <= whole.maximum
        counts = [part.finite for part in seen]
        assert counts == sorted(counts)
        assert whole.finite == array.size - 1
        assert not (whole.classes & OUTSIDE).any()
