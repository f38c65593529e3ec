"""The canvas of a heat map: nothing gets lost on the way to the screen; pointer and keys; curves."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.drawing import picture
from core.metrics.pictures.plane import Plane, Region
from gui.looks.theme import LIGHT, Theme
from gui.tensors.scales import rgb, sequential, value_range, value_shades
from gui.tensors.sight import Sight
from gui.views.tensors.curve_canvas import Curve, CurveCanvas
from gui.views.tensors.heat_canvas import HeatCanvas

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    made = qapp.findChild(Theme) or Theme(qapp)
    made.set_mode("light")
    return made


def on_screen(image: QImage) -> NDArray[np.uint8]:
    shown = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.array(shown.constBits(), np.uint8).reshape(shown.height(), shown.width(), 4)[..., :3]


def made_canvas(qtbot: QtBot, theme: Theme, width: int, height: int) -> HeatCanvas:
    holder = QObject()
    canvas = HeatCanvas(theme, Sight(holder))
    canvas.holder = holder  # type: ignore[attr-defined]
    qtbot.addWidget(canvas)
    canvas.resize(width, height)
    return canvas


class DenseCanvas(HeatCanvas):
    """On a screen that has *ratio* pixels for one of the window."""

    ratio = 1.0

    def devicePixelRatioF(self) -> float:
        return self.ratio


@pytest.mark.parametrize("block", [1, 3])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_every_pixel_has_the_colour_of_the_element_under_it(
    qtbot: QtBot, theme: Theme, ratio: float, block: int
) -> None:
    random = np.random.default_rng(round(4 * ratio) + block)
    rows, columns = 61, 83
    array = random.integers(0, 256, (rows, columns)).astype(np.float32)
    handle, plane = TensorHandle(array, DTYPES["float32"]), Plane.of(array.shape)
    canvas = DenseCanvas(theme, Sight(theme))
    qtbot.addWidget(canvas)
    canvas.ratio = ratio
    canvas.sight.set_plane(rows, columns)
    shades = value_shades(sequential(), 0.0, 255.0)
    canvas.set_shades(shades)
    pixels = -(-rows // block), -(-columns // block)
    overview = picture(handle, plane, None, pixels)
    canvas.show_overview(overview)
    for step in range(15):
        canvas.resize(int(random.integers(90, 300)), int(random.integers(70, 200)))
        if step:
            corner = random.uniform(0, rows - 8), random.uniform(0, columns - 8)
            canvas.sight.look(*corner, random.uniform(2, 60), random.uniform(2, 80))
        if step % 3 == 2:
            canvas.show_part(picture(handle, plane, canvas.sight.region(-0.2), (400, 400)))
        image = canvas.image()
        assert image is not None
        shown = on_screen(image)
        part = step >= 2
        for y, x in zip(random.integers(0, len(shown), 300), random.integers(0, len(shown[0]), 300)):
            row, column = canvas.place_at(QPointF((x + 0.01) / ratio, (y + 0.99) / ratio))
            drawn = {float(overview.values[row // block, column // block])}
            if part:
                drawn.add(float(array[row, column]))
            colours = [shades.table[int(value)].tolist() for value in drawn]
            assert shown[y, x].tolist() in colours


@pytest.mark.parametrize("what", ["nan", "plus_infinity", "minus_infinity", "outlier"])
@pytest.mark.parametrize("seed", range(6))
def test_a_single_element_is_a_pixel_at_every_zoom(qtbot: QtBot, theme: Theme, what: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns = (int(size) for size in random.integers(40, 1200, 2))
    array = random.normal(size=(rows, columns)).astype(np.float32)
    corners = [(0, 0), (rows - 1, columns - 1)]
    row, column = corners[seed] if seed < 2 else (int(random.integers(rows)), int(random.integers(columns)))
    values = {"nan": np.nan, "plus_infinity": np.inf, "minus_infinity": -np.inf, "outlier": 1e4}
    array[row, column] = values[what]
    wanted = sequential()[-1] if what == "outlier" else np.array(rgb(getattr(LIGHT, what)))
    handle, plane = TensorHandle(array, DTYPES["float32"]), Plane.of(array.shape)
    canvas = made_canvas(qtbot, theme, int(random.integers(60, 420)), int(random.integers(60, 300)))
    overview = picture(handle, plane, None, canvas.pixels())
    canvas.sight.set_plane(rows, columns)
    canvas.set_shades(value_shades(sequential(), *value_range([overview])))
    canvas.show_overview(overview)
    for step in range(12):
        image = canvas.image()
        assert image is not None
        found = (on_screen(image) == wanted).all(axis=2)
        assert found.any(), f"lost after {step} steps"
        canvas.sight.zoom(float(random.uniform(0.5, 1.1)), row + 0.5, column + 0.5)
        if step % 2:
            tall, wide = canvas.pixels()
            region = canvas.sight.region(0.25)
            canvas.show_part(picture(handle, plane, region, (int(1.5 * tall), int(1.5 * wide))))
        if step % 5 == 4:
            canvas.resize(int(random.integers(50, 400)), int(random.integers(50, 300)))


def test_zoomed_in_elements_lie_where_they_belong(qtbot: QtBot, theme: Theme) -> None:
    array = np.zeros((30, 50), np.float32)
    array[11, 40] = 1
    canvas = made_canvas(qtbot, theme, 500, 300)
    overview = picture(TensorHandle(array, DTYPES["float32"]), Plane.of(array.shape), None, canvas.pixels())
    canvas.sight.set_plane(30, 50)
    canvas.set_shades(value_shades(sequential(), 0, 1))
    canvas.show_overview(overview)
    image = canvas.image()
    assert image is not None
    bright = (on_screen(image) == sequential()[-1]).all(axis=2)
    assert bright[110:120, 400:410].all()
    assert bright.sum() == 100
    frame = canvas.rect_of(Region(11, 12, 40, 41))
    assert (frame.left(), frame.top(), frame.width(), frame.height()) == pytest.approx((400, 110, 10, 10))


@pytest.mark.parametrize("marked", [0, 1, 2])
def test_few_rows_stay_apart_however_long_they_are(qtbot: QtBot, theme: Theme, marked: int) -> None:
    array = np.zeros((3, 50_000), np.float32)
    array[marked] = 1
    array[marked, 100] = np.nan
    canvas = made_canvas(qtbot, theme, 240, 90)
    canvas.sight.set_plane(*array.shape)
    canvas.set_shades(value_shades(sequential(), 0, 1))
    kept = picture(TensorHandle(array, DTYPES["float32"]), Plane.of(array.shape), None, (256, 256))
    canvas.show_overview(kept)  # has more columns than the screen
    image = canvas.image()
    assert image is not None
    shown = on_screen(image)
    rows = np.zeros(90, bool)
    rows[30 * marked : 30 * marked + 30] = True
    assert (shown[rows][:, 10:] == sequential()[-1]).all()
    assert (shown[~rows] == sequential()[0]).all()
    assert (shown[rows] == rgb(LIGHT.nan)).all(axis=2).any(axis=1).all()


def wheel(canvas: HeatCanvas, where: QPoint, notches: int) -> None:
    QApplication.sendEvent(
        canvas,
        QWheelEvent(
            QPointF(where), QPointF(canvas.mapToGlobal(where)), QPoint(), QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip


def test_wheel_drag_and_double_click(qtbot: QtBot, theme: Theme) -> None:
    canvas = made_canvas(qtbot, theme, 400, 200)
    canvas.show()
    sight = canvas.sight
    sight.set_plane(100, 200)
    under = canvas.place_at(QPointF(301, 51))
    wheel(canvas, QPoint(301, 51), 3)
    assert sight.width == pytest.approx(200 / 1.3**3)
    assert canvas.place_at(QPointF(301, 51)) == under
    left, top = sight.left, sight.top
    QTest.mousePress(canvas, LEFT, pos=QPoint(200, 100))
    QTest.mouseMove(canvas, QPoint(250, 120))
    QTest.mouseMove(canvas, QPoint(240, 120))
    chosen: list[object] = []
    canvas.chosen.connect(lambda *place: chosen.append(place))
    QTest.mouseRelease(canvas, LEFT, pos=QPoint(240, 120))
    assert sight.left == pytest.approx(left - 40 / 400 * sight.width)
    assert sight.top == pytest.approx(top - 20 / 200 * sight.height)
    assert not chosen
    wheel(canvas, QPoint(10, 10), -30)
    assert sight.whole
    wheel(canvas, QPoint(10, 10), 90)
    assert (sight.height, sight.width) == (4, 4)
    QTest.mouseDClick(canvas, LEFT, pos=QPoint(5, 5))
    assert sight.whole


def test_shift_marks_and_a_click_chooses(qtbot: QtBot, theme: Theme) -> None:
    canvas = made_canvas(qtbot, theme, 400, 200)
    canvas.show()
    canvas.sight.set_plane(10, 20)
    with qtbot.waitSignal(canvas.marked) as marked:
        QTest.mousePress(canvas, LEFT, SHIFT, QPoint(310, 150))
        QTest.mouseMove(canvas, QPoint(100, 100))
        QTest.mouseMove(canvas, QPoint(90, 70))
        QTest.mouseRelease(canvas, LEFT, SHIFT, QPoint(90, 70))
    assert marked.args == [Region(3, 8, 4, 16)]
    assert canvas.sight.whole
    with qtbot.waitSignal(canvas.chosen) as chosen:
        QTest.mouseClick(canvas, LEFT, pos=QPoint(399, 199))
    assert chosen.args == [9, 19]


def test_keys(qtbot: QtBot, theme: Theme) -> None:
    canvas = made_canvas(qtbot, theme, 400, 200)
    canvas.show()
    canvas.sight.set_plane(100, 200)
    steps: list[tuple[int, int]] = []
    canvas.stepped.connect(lambda *step: steps.append(step))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(canvas, key)
    qtbot.keyClick(canvas, Qt.Key.Key_Down, SHIFT)
    assert steps == [(0, -1), (0, 1), (-1, 0), (1, 0), (10, 0)]
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.sight.width == pytest.approx(200 / 1.3)
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.sight.whole
    qtbot.keyClicks(canvas, "++")
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.sight.whole
    gone: list[bool] = []
    canvas.let_go.connect(lambda: gone.append(True))
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert not gone
    canvas.holds = True
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert gone


def test_an_outlier_stays_in_a_curve(qtbot: QtBot, theme: Theme) -> None:
    array = np.zeros(200_000, np.float32)
    array[123_456] = 5
    array[77] = np.nan
    holder = QObject()
    canvas = CurveCanvas(theme, Sight(holder))
    qtbot.addWidget(canvas)
    canvas.resize(300, 100)
    plane = Plane((), (0,), (0,), len(array))
    drawn = picture(TensorHandle(array, DTYPES["float32"]), plane, None, canvas.pixels())
    assert drawn.values.shape[1] <= 300
    canvas.sight.set_plane(1, len(array))
    canvas.set_shades(value_shades(sequential(), 0, 5))
    canvas.show_curves((Curve(drawn, "target"),))
    shown = on_screen(canvas.bare(1.0)).astype(int)
    blue = np.abs(shown - rgb(LIGHT.target)).sum(axis=2) < 90
    at = round(123_456 / 200_000 * 300)
    assert blue[9:40, at - 3 : at + 4].any(axis=1).all()
    assert not blue[9:40, : at - 8].any()
    assert (np.abs(shown - rgb(LIGHT.nan)).sum(axis=2) < 90)[:, :4].any()


def test_panning_a_full_screen_is_quick(qtbot: QtBot, theme: Theme) -> None:
    canvas = made_canvas(qtbot, theme, 800, 700)
    array = np.random.default_rng(0).normal(size=(1400, 1600)).astype(np.float32)
    handle, plane = TensorHandle(array, DTYPES["float32"]), Plane.of(array.shape)
    canvas.sight.set_plane(*array.shape)
    canvas.set_shades(value_shades(sequential(), -4, 4))
    canvas.show_overview(picture(handle, plane, None, canvas.pixels()))
    assert canvas.image() is not None
    taken = []
    for step in range(9):
        canvas.sight.zoom(0.9, 300 + step, 500)
        before = time.perf_counter()
        canvas.image()
        taken.append(time.perf_counter() - before)
    assert sorted(taken)[4] < 0.03
