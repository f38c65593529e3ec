"""Outlines and cross hair over a picture: what they speak of stays to be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QRectF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.drawing import picture
from core.metrics.pictures.plane import Plane, Region
from gui.looks.theme import LIGHT, Theme
from gui.tensors.scales import rgb, sequential, value_shades
from gui.tensors.sight import Sight
from gui.views.tensors.curve_canvas import Curve, CurveCanvas
from gui.views.tensors.heat_canvas import HeatCanvas
from gui.views.tensors.overlay import outline
from gui.views.tensors.plane_canvas import PlaneCanvas

WHOLE = QRectF(0, 0, 240, 144)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    made = qapp.findChild(Theme) or Theme(qapp)
    made.set_mode("light")
    return made


def heat_canvas(qtbot: QtBot, theme: Theme, array: np.ndarray, width: int, height: int) -> HeatCanvas:
    holder = QObject()
    canvas = HeatCanvas(theme, Sight(holder))
    canvas.holder = holder  # type: ignore[attr-defined]
    qtbot.addWidget(canvas)
    canvas.resize(width, height)
    canvas.sight.set_plane(*array.shape)
    canvas.set_shades(value_shades(sequential(), 0, 1))
    handle = TensorHandle(array, DTYPES["float32"])
    canvas.show_overview(picture(handle, Plane.of(array.shape), None, canvas.pixels()))
    return canvas


def covered(canvas: PlaneCanvas) -> np.ndarray:
    """Return which pixels of the picture something is drawn over; not those of its frame."""
    shown, bare = canvas.grab().toImage(), canvas.bare(1.0)
    over = np.array(
        [
            [shown.pixelColor(x, y).rgb() != bare.pixelColor(x, y).rgb() for x in range(canvas.width())]
            for y in range(canvas.height())
        ]
    )
    over[[0, -1]] = over[:, [0, -1]] = False
    return over


def test_rows_near_each_other_have_one_outline() -> None:
    rows = [QRectF(0, 3 * row, 240, 3) for row in range(32)]
    shown = outline(rows, WHOLE)
    assert not shown.ticks
    assert len(shown.path.toSubpathPolygons()) == 1
    assert shown.path.boundingRect().bottom() == pytest.approx(32 * 3 + 3, abs=1)


def test_thin_rows_and_columns_have_ticks_at_the_edges() -> None:
    shown = outline([QRectF(0, 40, 240, 2), QRectF(0, 90, 240, 0.1), QRectF(30, 0, 3, 144)], WHOLE)
    assert shown.path.isEmpty()
    assert len(shown.ticks) == 6
    for tick in shown.ticks:
        assert WHOLE.contains(tick)
        assert min(tick.width(), tick.height()) >= 2
        assert not tick.intersects(WHOLE.adjusted(8, 8, -8, -8))


def test_what_is_far_apart_or_out_of_sight_is_told_apart() -> None:
    shown = outline(
        [QRectF(10, 10, 20, 20), QRectF(60, 60, 30, 20), QRectF(33, 12, 9, 9), QRectF(300, 0, 9, 9)], WHOLE
    )
    assert len(shown.path.toSubpathPolygons()) == 2
    assert outline([QRectF(-50, -50, 400, 400)], WHOLE).path.boundingRect().width() < WHOLE.width()


@given(st.data())
def test_no_line_runs_through_what_it_is_around(data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.tuples(st.integers(1, 22), st.integers(1, 12)), min_size=1, max_size=30))
    frames = [QRectF(10 * column, 10 * row, 10, 10) for column, row in cells]
    path = outline(frames, WHOLE).path
    for polygon in path.toSubpathPolygons():
        for one, other in zip(list(polygon), list(polygon)[1:]):
            for part in range(11):
                x = one.x() + (other.x() - one.x()) * part / 10
                y = one.y() + (other.y() - one.y()) * part / 10
                assert not any(frame.adjusted(0.5, 0.5, -0.5, -0.5).contains(x, y) for frame in frames)


def test_many_rows_of_a_pattern_stay_to_be_seen(qtbot: QtBot, theme: Theme) -> None:
    canvas = heat_canvas(qtbot, theme, np.random.default_rng(0).random((48, 16), np.float32), 240, 144)
    canvas.set_boxes(tuple(Region(row, row + 1, 0, 16) for row in range(32)))
    assert covered(canvas)[: 32 * 3].mean() < 0.06
    assert len(canvas.outlined) == 32


def test_the_cross_hair_leaves_the_element_and_what_is_around_it(qtbot: QtBot, theme: Theme) -> None:
    canvas = heat_canvas(qtbot, theme, np.random.default_rng(0).random((48, 60), np.float32), 240, 144)
    canvas.set_cursor((20, 30))
    over = covered(canvas)
    assert not over[57:67, 117:127].any()  # the element is 4 × 3 pixels
    for line in (over[61], over[:, 122]):  # and most of its row and column
        assert line.any()
        assert line.sum() <= 2 * (22 + 6)
        assert line[:5].any()
        assert line[-5:].any()
    canvas.show_overview(None)
    assert not covered(canvas).any()  # nothing over what is no longer there


@pytest.mark.parametrize("count", [40, 5000])
def test_the_cross_hair_of_a_curve_goes_through_the_point(qtbot: QtBot, theme: Theme, count: int) -> None:
    array = np.zeros(count, np.float32)
    array[3 * count // 4] = 4.0
    holder = QObject()
    canvas = CurveCanvas(theme, Sight(holder))
    qtbot.addWidget(canvas)
    canvas.resize(300, 118)
    plane = Plane((), (0,), (0,), count)
    drawn = picture(TensorHandle(array, DTYPES["float32"]), plane, None, canvas.pixels())
    canvas.sight.set_plane(1, count)
    canvas.set_shades(value_shades(sequential(), -1, 4))
    canvas.show_curves((Curve(drawn, "target"),))
    canvas.set_cursor((0, 3 * count // 4))
    element = canvas.element_rect()
    assert element is not None
    assert element.center().x() == pytest.approx(225, abs=300 / 40)
    assert element.center().y() == pytest.approx(9)
    canvas.set_cursor((0, 2))
    element = canvas.element_rect()
    assert element is not None
    assert element.center().y() == pytest.approx(9 + 100 * 4 / 5)
    zero = next(tick for tick in canvas.ticks_down() if tick.zero)
    assert (zero.at, zero.words) == (pytest.approx(89), "0")
    assert len(canvas.ticks_across()) >= 3


def test_a_curve_has_no_height_where_it_is_nan(qtbot: QtBot, theme: Theme) -> None:
    array = np.full(40, np.nan, np.float32)
    holder = QObject()
    canvas = CurveCanvas(theme, Sight(holder))
    qtbot.addWidget(canvas)
    canvas.resize(300, 118)
    plane = Plane((), (0,), (0,), 40)
    drawn = picture(TensorHandle(array, DTYPES["float32"]), plane, None, canvas.pixels())
    canvas.sight.set_plane(1, 40)
    canvas.set_shades(value_shades(sequential(), 0, 1))
    canvas.show_curves((Curve(drawn, "target"),))
    canvas.set_cursor((0, 20))
    element = canvas.element_rect()
    assert element is not None
    assert element.height() == canvas.height()
    shown = canvas.grab().toImage()
    nan = shown.pixelColor(int(element.center().x()), 30)
    assert (nan.red(), nan.green(), nan.blue()) == rgb(LIGHT.nan)
