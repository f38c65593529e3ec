"""Values to colours, pictures to pixels of the screen, exact values to words, patterns to places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.metrics.patterns.pattern import Mark
from core.metrics.pictures.extremes import MINUS_INF, NAN, PLUS_INF
from core.metrics.pictures.percentiles import Percentiles
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import DARK, LIGHT
from gui.tensors.marked_boxes import boxes_of, first_place
from gui.tensors.painting import paint
from gui.tensors.scales import (
    ColourMap,
    Extent,
    Scale,
    difference_shades,
    diverging,
    rgb,
    sequential,
    symmetric_limit,
    value_range,
    value_shades,
)
from gui.tensors.spreading import spread
from gui.tensors.value_words import value_words


def small(
    values: list[list[float]],
    classes: list[list[int]] | None = None,
    block: tuple[int, int] = (1, 1),
    percentiles: Percentiles | None = None,
) -> Picture:
    array = np.array(values, np.float32)
    finite = array[np.isfinite(array)]
    marks = np.zeros(array.shape, np.uint8) if classes is None else np.array(classes, np.uint8)
    return Picture(
        array, marks, Region(0, array.shape[0] * block[0], 0, array.shape[1] * block[1]), block,
        float(finite.min()) if len(finite) else float("nan"),
        float(finite.max()) if len(finite) else float("nan"), len(finite), 0, 0, 0,
        percentiles=percentiles,
    )  # fmt: skip


def pixels(picture: Picture, low: float, high: float) -> NDArray[np.int64]:
    painted = paint(picture, value_shades(sequential(), low, high), LIGHT)
    assert (painted[..., 3] == 255).all()
    return painted[..., :3].astype(int)


# ---- colours


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_a_difference_is_drawn_symmetrically_about_zero(colours: object) -> None:
    scheme = LIGHT if colours is LIGHT else DARK
    picture = small([[-2.0, 0.0, 2.0], [-0.02, 0.02, 4.0]])
    bound = symmetric_limit(picture)
    assert bound == 4.0
    painted = paint(picture, difference_shades(diverging(scheme), bound), scheme)[..., :3].astype(int)
    assert np.abs(painted[0, 1] - rgb(scheme.card)).max() <= 4
    assert painted[0, 0, 2] > painted[0, 0, 0]  # negative: blue
    assert painted[0, 2, 0] > painted[0, 2, 2]  # positive: red
    assert tuple(painted[1, 2]) == rgb(scheme.introduces)


def test_special_values_have_colours_of_their_own() -> None:
    painted = pixels(small([[0.0, np.nan, 5.0]], [[0, NAN, PLUS_INF]]), 0, 5)
    assert tuple(painted[0, 1]) == rgb(LIGHT.nan)
    assert tuple(painted[0, 2]) == rgb(LIGHT.plus_infinity)
    assert painted[0, 0].tolist() == sequential()[0].tolist()


def test_special_values_are_wider_where_pixels_are_many_elements_and_hide_no_other() -> None:
    values = [[1.0] * 6 for _ in range(5)]
    marks = [[0] * 6 for _ in range(5)]
    marks[2][2], marks[2][3] = NAN, MINUS_INF
    painted = pixels(small(values, marks, block=(3, 3)), 0, 5)
    assert tuple(painted[2, 2]) == rgb(LIGHT.nan)
    assert tuple(painted[2, 3]) == rgb(LIGHT.minus_infinity)
    assert tuple(painted[1, 1]) == rgb(LIGHT.nan)
    assert tuple(painted[3, 4]) == rgb(LIGHT.minus_infinity)
    assert tuple(painted[0, 0]) not in (rgb(LIGHT.nan), rgb(LIGHT.minus_infinity))


@pytest.mark.parametrize(("block", "touched"), [((1, 50), (1, 3)), ((50, 1), (3, 1)), ((1, 1), (1, 1))])
def test_special_values_do_not_spread_to_rows_that_are_told_apart(
    block: tuple[int, int], touched: tuple[int, int]
) -> None:
    marks = [[0] * 5 for _ in range(5)]
    marks[2][2] = NAN
    painted = pixels(small([[1.0] * 5 for _ in range(5)], marks, block), 0, 5)
    found = (painted == rgb(LIGHT.nan)).all(axis=2)
    assert (found.any(axis=1).sum(), found.any(axis=0).sum()) == touched


@pytest.mark.parametrize("values", [[[np.nan, np.nan]], [[3.0, 3.0]], [[-3.4e38, 3.4e38]], [[1e30, 1e30]]])
@pytest.mark.parametrize("scale", list(Scale))
def test_any_range_can_be_drawn(values: list[list[float]], scale: Scale) -> None:
    picture = small(values)
    low, high = value_range([picture, None])
    assert high > low
    assert np.isfinite([low, high]).all()
    assert paint(picture, value_shades(sequential(), low, high, scale), LIGHT).shape == (1, 2, 4)
    limit = symmetric_limit(picture)
    assert limit > 0
    assert paint(picture, difference_shades(diverging(LIGHT), limit, scale), LIGHT).shape == (1, 2, 4)


@pytest.mark.parametrize("name", list(ColourMap))
def test_colour_maps_get_lighter_all_the_way(name: ColourMap) -> None:
    lightness = sequential(name).astype(float) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > -1.5).all()
    assert lightness[-1] - lightness[0] > 120


@given(
    st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.sampled_from([Scale.LINEAR, Scale.SYMLOG]),
    st.floats(0, 1),
)  # fmt: skip
def test_a_position_on_the_bar_is_the_value_drawn_there(
    low: float, width: float, scale: Scale, position: float
) -> None:
    shades = value_shades(sequential(), low, low + width, scale)
    value = shades.value(position)
    # A value far from zero is told no nearer than float64 tells its neighbours, and logarithms round too.
    rounding = 64 * np.spacing(abs(low) + width) / width
    assert shades.position(value) == pytest.approx(position, abs=max(1e-6, rounding))
    step = int(shades.steps(np.array([value], np.float32))[0])
    # float32 of huge values with a small width is coarse
    assert abs(step - position * 255) <= 1 + 255 * 2 * (abs(low) + width) * 2**-23 / width


def test_logarithmic_colours_tell_small_values_apart() -> None:
    values = np.array([1e-5, 1e-3, 1e-1, 1.0], np.float32)
    assert len(set(value_shades(sequential(), 0.0, 1.0, Scale.LOG).steps(values).tolist())) == 4
    assert len(set(value_shades(sequential(), 0.0, 1.0).steps(values).tolist())) < 4
    both = difference_shades(diverging(LIGHT), 1.0, Scale.LOG).steps(np.concatenate([-values, values]))
    assert len(set(both.tolist())) == 8


def test_ranges_by_percentiles() -> None:
    picture = small([[-50.0, 0.0, 90.0]], percentiles=Percentiles(-5, -1, 2, 7))
    assert value_range([picture], Extent.ALL) == (-50, 90)
    assert value_range([picture], Extent.MOST) == (-5, 7)
    assert value_range([picture, small([[3.0]])], Extent.BULK) == (-1, 3)
    assert symmetric_limit(picture, Extent.BULK) == 2
    only_one_differs = small([[0.0, 0.0, 4.0]], percentiles=Percentiles(0, 0, 0, 0))
    assert symmetric_limit(only_one_differs, Extent.BULK) == 4


# ---- onto the screen


@given(st.data())
def test_no_pixel_of_a_picture_in_sight_is_left_out(data: st.DataObject) -> None:
    block = data.draw(st.integers(1, 40))
    count = data.draw(st.integers(1, 60))
    begin = data.draw(st.integers(0, 50))
    end = begin + count * block - data.draw(st.integers(0, block - 1))
    near = data.draw(st.floats(max(begin - 30.0, 0.0), end - 0.5))
    extent = data.draw(st.floats(0.5, float(end - begin + 30)))
    seen = [
        pixel for pixel in range(count)
        if max(begin + pixel * block, near) < min(begin + (pixel + 1) * block, end, near + extent) - 1e-6
    ]  # fmt: skip
    room = data.draw(st.integers(len(seen) + 2, 2 * len(seen) + 90))
    found = spread(begin, end, block, near, extent, room)
    first, last = max(near, begin), min(near + extent, end)
    if last - first <= 1e-3:
        return
    if found is None:  # what is beside it takes all the room
        assert (last - first) / extent * room < len(seen) + 2
        return
    start, which = found
    assert set(seen) <= set(which.tolist())
    assert (np.diff(which) >= 0).all()
    assert start >= 0
    assert start + len(which) <= room


def test_what_is_too_fine_for_the_screen_is_not_drawn() -> None:
    assert spread(0, 100, 1, 0.0, 100.0, 99) is None
    assert spread(0, 100, 1, 200.0, 10.0, 99) is None
    found = spread(0, 100, 1, 0.0, 100.0, 100)
    assert found is not None
    assert found[1].tolist() == list(range(100))


# ---- words


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float32_is_written_so_that_it_can_be_read_again(value: float) -> None:
    written = value_words(float(np.float32(value)), "float32").replace("−", "-")
    assert np.float32(written) == np.float32(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float64_is_written_so_that_it_can_be_read_again(value: float) -> None:
    assert float(value_words(value, "float64").replace("−", "-")) == value


@pytest.mark.parametrize(
    ("value", "dtype", "words"),
    [
        (0.10000000149011612, "float32", "0.1"), (0.0999755859375, "float16", "0.1"),
        (0.10009765625, "bfloat16", "0.100097656"), (1.5, "float8_e4m3fn", "1.5"), (0.1, "float64", "0.1"),
        (True, "bool", "True"), (9007199254740993, "int64", "9\u202f007\u202f199\u202f254\u202f740\u202f993"),
        (-3, "int8", "−3"), (1.5 - 2j, "complex64", "1.5 − 2i"), (complex(0, 0.5), "complex64", "0 + 0.5i"),
        (float("nan"), "float32", "NaN"), (float("-inf"), "float16", "−Inf"), (None, "", "—"),
        (1e-9, "float64", "1e−09"), (complex(1, float("nan")), "complex64", "1 + NaNi"),
    ],
)  # fmt: skip
def test_values_in_words(value: complex | None, dtype: str, words: str) -> None:
    assert value_words(value, dtype) == words


# ---- where patterns lie


@given(st.data())
def test_a_box_is_outlined_where_its_elements_are(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4)))
    axes = data.draw(st.permutations(range(len(shape))))
    split = data.draw(st.integers(0, len(shape)))
    last = data.draw(st.integers(split, len(shape)))
    fixed = tuple(data.draw(st.integers(0, size - 1)) for size in shape)
    plane = Plane(tuple(axes[:split]), tuple(axes[split:last]), fixed)
    flat = data.draw(st.booleans())
    if flat:
        start = data.draw(st.integers(0, int(np.prod(shape)) - 1))
        stop = data.draw(st.integers(start + 1, int(np.prod(shape))))
        mark = Mark(flat=(start, stop))
        inside = [start <= at < stop for at in range(int(np.prod(shape)))]
    else:
        starts = [data.draw(st.integers(0, size - 1)) for size in shape]
        box = tuple((start, data.draw(st.integers(start + 1, size))) for start, size in zip(starts, shape))
        mark = Mark(box=box)
        inside = [all(a <= at < b for at, (a, b) in zip(place, box)) for place in np.ndindex(*shape)]
    boxes = boxes_of(mark, shape, plane)
    rows, columns = plane.size(shape)
    outlined = {
        (row, column)
        for one in boxes
        for row in range(one.top, one.bottom)
        for column in range(one.left, one.right)
    }
    there = set()
    for place, wanted in zip(np.ndindex(*shape), inside):
        at = plane.position(shape, place)
        if wanted and at is not None:
            there.add(at)
    if flat:  # neighbours in the file that are no neighbours in the plane are not outlined at all
        assert outlined in (there, set())
        if plane.rows + plane.columns == tuple(range(len(shape))):
            assert outlined == there
    else:
        assert there <= outlined
        merged = max(len(plane.rows), len(plane.columns)) > 1
        assert merged or outlined == there
    assert all(0 <= row < rows and 0 <= column < columns for row, column in outlined)
    first = first_place(mark, shape)
    assert first == next(place for place, wanted in zip(np.ndindex(*shape), inside) if wanted)


def test_a_range_of_a_folded_tensor() -> None:
    shape, plane = (100,), Plane((), (0,), (0,), 10)
    assert boxes_of(Mark(flat=(25, 48)), shape, plane) == (
        Region(2, 3, 5, 10), Region(3, 4, 0, 10), Region(4, 5, 0, 8),
    )  # fmt: skip
    assert boxes_of(Mark(box=((20, 40),)), shape, plane) == (Region(2, 4, 0, 10),)
    assert boxes_of(Mark(box=((3, 5), (1, 2))), shape, plane) == ()
