"""Every range of numbers has colours, and every number a place among them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.drawing import picture
from core.metrics.pictures.plane import Plane
from gui.looks.theme import LIGHT
from gui.tensors.painting import paint
from gui.tensors.scales import (
    Scale,
    Shades,
    difference_shades,
    diverging,
    sequential,
    small_magnitude,
    symmetric_limit,
    value_range,
    value_shades,
)
from gui.tensors.ticks import value_ticks

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SMALL = st.none() | st.floats(min_value=5e-324, allow_infinity=False)


def total(shades: Shades, values: list[float]) -> None:
    """Check that *shades* draw all of *values* in the order that they have."""
    inside = sorted(min(max(value, shades.low), shades.high) for value in values)
    for value in inside:
        assert 0 <= shades.position(value) <= 1
    for position in (0.0, 0.25, 0.5, 1.0):
        assert shades.low <= shades.value(position) <= shades.high
    for kind in (np.float64, np.float32):
        with np.errstate(over="ignore"):
            drawn = shades.steps(np.array([*sorted(values), math.nan], np.float64).astype(kind))
        assert drawn.dtype == np.uint8
        assert drawn[-1] == 0
        if shades.scale is not Scale.LOG:  # that goes by magnitude
            assert (np.diff(drawn[:-1].astype(int)) >= 0).all()
    ends = shades.steps(np.array([shades.low, shades.high], np.float64))
    assert ends.tolist() == [0, len(shades.table) - 1]
    for tick in value_ticks(shades, 200.0, 40.0):
        assert math.isfinite(tick.at)


@given(FINITE, FINITE, st.lists(FINITE, max_size=5), st.sampled_from(Scale), SMALL)
@example(-1e-320, 1e-320, [0.0, 5e-324], Scale.SYMLOG, None)
@example(5e-324, 1e-323, [0.0], Scale.LOG, None)
@example(1e-46, 1e-45, [3e-46], Scale.LOG, None)
@example(-1.7e308, 1.7e308, [0.0, -1.0, 1e300], Scale.LINEAR, None)
@example(1.7e308, 1.7e308, [], Scale.LINEAR, None)
@example(1.0, math.nextafter(1.0, 2.0), [], Scale.LOG, None)
@example(-1e300, 1e300, [1e-320], Scale.SYMLOG, 5e-324)
@example(0.0, 0.0, [], Scale.LINEAR, None)
def test_every_range_draws_every_value(
    low: float, high: float, values: list[float], scale: Scale, small: float | None
) -> None:
    total(value_shades(sequential(), low, high, scale, small), [*values, low, high])


@given(
    st.floats(min_value=5e-324, allow_infinity=False), st.lists(FINITE, max_size=5),
    st.sampled_from(Scale), SMALL, st.booleans(),
)  # fmt: skip
@example(5e-324, [0.0], Scale.LOG, None, False)
@example(1.7e308, [1e-300], Scale.SYMLOG, 1e-320, False)
def test_every_limit_draws_every_difference(
    limit: float, values: list[float], scale: Scale, small: float | None, one_sided: bool
) -> None:
    shades = difference_shades(diverging(LIGHT), limit, scale, small, one_sided)
    total(shades, values)
    if not one_sided:
        assert shades.position(0.0) == pytest.approx(0.5)


@given(st.floats(1e-3, 1e3), st.lists(st.floats(0, 1), min_size=1), st.integers(-1000, 1000))
def test_colours_do_not_depend_on_the_unit(high: float, shares: list[float], power: int) -> None:
    """What is a power of two larger or smaller looks the same, to the rounding of one colour."""
    values = np.array(shares) * high
    plain = value_shades(sequential(), 0.0, high).steps(values)
    scaled = value_shades(sequential(), 0.0, math.ldexp(high, power)).steps(np.ldexp(values, power))
    assert np.abs(plain.astype(int) - scaled).max() <= 1


@pytest.mark.parametrize("unit", [1e100, 1e-60, 1e300, 5e-324])
@pytest.mark.parametrize("scale", Scale)
def test_an_outlier_beyond_float32_is_seen(unit: float, scale: Scale) -> None:
    array = np.zeros((40, 60))
    array[7, 11] = unit
    for pixels in ((40, 60), (10, 20)):
        made = picture(TensorHandle(array, DTYPES["float64"]), Plane.of(array.shape), None, pixels)
        low, high = value_range([made])
        assert (low, high) == (0, unit)
        values = paint(made, value_shades(sequential(), low, high, scale, small_magnitude([made])), LIGHT)
        shades = difference_shades(diverging(LIGHT), symmetric_limit(made), scale)
        for painted in (values, paint(made, shades, LIGHT)):
            others = painted.view(np.uint32)[..., 0] != painted[0, 0].view(np.uint32)
            assert np.argwhere(others).tolist() == [[7 // made.block[0], 11 // made.block[1]]]


def test_neighbours_of_a_narrow_range_are_seen() -> None:
    array = 1 + np.arange(16.0).reshape(4, 4) * 2**-50
    made = picture(TensorHandle(array, DTYPES["float64"]), Plane.of(array.shape), None, (4, 4))
    steps = value_shades(sequential(), *value_range([made])).steps(made.values)
    assert steps.reshape(-1).tolist() == [17 * at for at in range(16)]
