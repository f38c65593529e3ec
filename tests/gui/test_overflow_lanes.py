"""The lanes: nothing is lost by drawing few pixels, the axis keeps its place, and drawing is quick."""

from __future__ import annotations

import time

import numpy as np
import pytest
from builders import overflow_reports
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.overflow import CellTrack, Special, Spread, Station, Way
from core.records.run import CellKey
from gui.looks.theme import DARK, LIGHT, Theme
from gui.models.overflow.lanes import Link, flags_by_pixel, lanes_of, links_of, nearest_bad
from gui.views.overflow.lane_bands import band_image
from gui.views.overflow.lane_canvas import LaneCanvas
from gui.widgets.birth_mark import value_colour
from gui.widgets.lane_axis import LaneAxis

KEY = CellKey("", 0, 0)


@st.composite
def tracks(draw: st.DrawFn) -> CellTrack:
    total = draw(st.integers(1, 400))
    rows = sorted(draw(st.sets(st.integers(0, total - 1), max_size=60)))
    flags = [draw(st.integers(0, 15)) for _ in rows]
    return CellTrack(
        KEY, total, np.array(rows, np.int32), np.array(flags, np.uint8), np.array(flags[::-1], np.uint8)
    )


@given(tracks(), st.integers(1, 97), st.floats(0, 1), st.floats(0.02, 1))
def test_every_bad_call_in_sight_is_under_its_pixel(
    track: CellTrack, pixels: int, start: float, share: float
) -> None:
    span = max(track.operators * share, 1.0)
    left = start * (track.operators - span)
    goes_in, comes_out = flags_by_pixel(track, left, left + span, pixels)
    # a plain loop over calls and pixels says what must be there
    for line, flags in ((goes_in, track.goes_in), (comes_out, track.comes_out)):
        wide = span / pixels
        for row, flag in zip(track.rows.tolist(), flags.tolist()):
            if wide > 1:
                if left <= row < left + span - 1e-6:
                    at = min(int((row - left) / wide), pixels - 1)
                    near = line[max(at - 1, 0) : at + 2]
                    assert int(np.bitwise_or.reduce(near)) & flag == flag
            else:
                for pixel in range(pixels):
                    middle = left + (pixel + 0.5) * wide
                    if row + 1e-6 < middle < row + 1 - 1e-6:
                        assert line[pixel] == flag
        said, there = int(np.bitwise_or.reduce(line)), int(np.bitwise_or.reduce(flags, initial=0))
        assert said & ~there == 0


def test_a_single_nan_of_twenty_thousand_calls_is_seen() -> None:
    track = CellTrack(
        KEY, 20_000, np.array([12_345], np.int32), np.zeros(1, np.uint8), np.array([1], np.uint8)
    )
    picture = band_image([track], (Special.NAN,), 0, 20_000, 700, 2, LIGHT)
    lit = [x for x in range(700) if picture.pixelColor(x, 0).alpha()]
    assert lit == [432, 433]
    assert picture.pixelColor(432, 0) == value_colour(Special.NAN, LIGHT)


def test_kinds_stand_in_lines_of_their_own() -> None:
    both = np.array([Special.NAN | Special.MINUS_INF], np.uint8)
    track = CellTrack(KEY, 4, np.array([1], np.int32), np.zeros(1, np.uint8), both)
    picture = band_image([track], (Special.NAN, Special.PLUS_INF, Special.MINUS_INF), 0, 4, 40, 1, DARK)
    assert [picture.pixelColor(15, line).alpha() for line in range(3)] == [255, 0, 255]
    passing = CellTrack(KEY, 4, track.rows, both, np.zeros(1, np.uint8))
    weak = band_image([passing], (Special.NAN,), 0, 4, 40, 1, DARK)
    assert 0 < weak.pixelColor(15, 0).alpha() < 255


@given(
    st.integers(1, 100_000), st.integers(1, 2000),
    st.lists(st.tuples(st.floats(0.1, 10), st.floats(0, 1)), max_size=12),
)  # fmt: skip
def test_the_axis_stays_inside_of_all_calls(
    calls: int, pixels: int, zooms: list[tuple[float, float]]
) -> None:
    axis = LaneAxis()
    axis.set_calls(calls)
    axis.pixels = pixels
    for factor, place in zooms:
        axis.zoom(factor, place * pixels)
        assert -1e-6 <= axis.left < axis.right <= calls + 1e-6
        assert axis.span >= axis.least - 1e-6
        axis.pan((place - 0.5) * 300)
        assert -1e-6 <= axis.left < axis.right <= calls + 1e-6
        assert axis.row(axis.x(axis.left + axis.span / 3)) == pytest.approx(axis.left + axis.span / 3)
        ticks = axis.ticks(90)
        assert ticks == sorted(set(ticks))
        assert all(axis.left - 1e-6 <= tick <= axis.right + 1e-6 for tick in ticks)


def test_the_call_under_the_pointer_stays_there() -> None:
    axis = LaneAxis()
    axis.set_calls(1000)
    axis.pixels = 500
    before = axis.row(200)
    axis.zoom(0.5, 200)
    assert axis.row(200) == pytest.approx(before)
    assert axis.span == pytest.approx(500)


def test_the_nearest_bad_call() -> None:
    track = CellTrack(KEY, 100, np.array([10, 20], np.int32), np.ones(2, np.uint8), np.ones(2, np.uint8))
    assert nearest_bad(track, 12.0, 5) == 0
    assert nearest_bad(track, 17.0, 5) == 1
    assert nearest_bad(track, 50.0, 5) == -1
    empty = CellTrack(KEY, 100, np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.uint8))
    assert nearest_bad(empty, 50.0, 500) == -1


def test_lines_come_from_the_call_that_sent_the_values() -> None:
    one, two, three = (CellKey("", 0, rank) for rank in range(3))
    report = overflow_reports.report(
        tracks=tuple(
            overflow_reports.track(key, 50, np.array([1]), np.array([1])) for key in (one, two, three)
        )
    )
    first = (Station(Way.BORN, two, "a", 3), Station(Way.FLOW, two, "all_reduce", 20))
    spread = Spread(
        0,
        (
            first,
            (Station(Way.COMMUNICATION, one, "all_reduce", 21, sender=two, sender_row=20),),
            (Station(Way.GRADIENTS, three, "b", 30, sender=two, sender_row=3),),
            (Station(Way.STEP, CellKey("", 1, 0), "c", 0, sender=two, sender_row=3),),
        ),
    )
    assert links_of(spread, lanes_of(report, "", 0)) == [Link(1, 20, 0, 21), Link(1, 3, 2, 30)]


# ---- the widget


@pytest.fixture
def canvas(qtbot: QtBot, qapp: QApplication) -> LaneCanvas:
    made = LaneCanvas(qapp.findChild(Theme) or Theme(qapp))
    qtbot.addWidget(made)
    made.resize(1200, 420)
    made.show()
    report = overflow_reports.training(4, 3)
    made.show_lanes(lanes_of(report, "", 0))
    return made


def turn(canvas: LaneCanvas, where: QPoint, by: int, keys: Qt.KeyboardModifier) -> None:
    event = QWheelEvent(
        QPointF(where), QPointF(canvas.viewport().mapToGlobal(where)), QPoint(), QPoint(0, by),
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


def test_wheel_zooms_drag_pans_and_the_button_fits(qtbot: QtBot, canvas: LaneCanvas) -> None:
    here = QPoint(700, 100)
    before = canvas.axis.row(here.x() - canvas.scene.left)
    turn(canvas, here, 360, Qt.KeyboardModifier.NoModifier)
    assert canvas.axis.zoomed
    assert canvas.axis.row(here.x() - canvas.scene.left) == pytest.approx(before)
    assert canvas.horizontalScrollBar().maximum() > 0
    left = canvas.axis.left
    view = canvas.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=here)
    qtbot.mouseMove(view, here + QPoint(-120, 0))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=here + QPoint(-120, 0))
    assert canvas.axis.left > left
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert not canvas.axis.zoomed


def test_a_click_on_a_birth_chooses_it_and_beside_it_the_call(qtbot: QtBot, canvas: LaneCanvas) -> None:
    mark = canvas.scene.lanes.marks[-1]
    where = QPoint(round(canvas.scene.x(mark.row)), round(canvas.scene.middle(mark.lane)))
    with qtbot.waitSignal(canvas.chosen, timeout=1000) as caught:
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert caught.args == [mark.birth]
    with qtbot.waitSignal(canvas.chosen, timeout=1000) as caught:
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=where + QPoint(60, 0))
    key, row = caught.args[0]
    assert key == mark.birth.cell
    assert row > mark.row


def test_sixty_four_lanes_of_twenty_thousand_calls_draw_quickly(qtbot: QtBot, qapp: QApplication) -> None:
    report = overflow_reports.huge()
    lanes = lanes_of(report, "", 0)
    assert len(lanes.tracks) == 64
    assert sum(len(track.rows) for track in lanes.tracks) > 300_000
    canvas = LaneCanvas(qapp.findChild(Theme) or Theme(qapp))
    qtbot.addWidget(canvas)
    canvas.resize(1500, 64 * 16 + 60)  # all lanes in sight at once
    canvas.show()
    canvas.show_lanes(lanes)
    canvas.look_at(report.first, report.spreads[0], (report.origins[0].cell, report.origins[0].row))
    canvas.grab()
    spent = []
    for at in range(9):
        canvas.axis.zoom(0.8 if at < 5 else 1.2, 700)
        began = time.perf_counter()
        canvas.viewport().grab()
        spent.append(time.perf_counter() - began)
    # about 15 ms in practice; the median, and room for a busy machine
    assert sorted(spent)[len(spent) // 2] < 0.05, spent


def test_many_births_are_drawn_as_clusters_and_none_of_few_is_lost(qapp: QApplication) -> None:
    report = overflow_reports.huge(4, 1)
    keys = [track.key for track in report.tracks]
    crowd = tuple(overflow_reports.birth(keys[at % 4], at * 3, 20_000) for at in range(6000))
    canvas = LaneCanvas(qapp.findChild(Theme) or Theme(qapp))
    canvas.resize(1200, 300)
    canvas.show_lanes(lanes_of(overflow_reports.report(crowd, tracks=report.tracks), "", 0))
    drawn = canvas.scene.visible_marks()
    assert 20 < len(drawn) <= 400
    assert {canvas.scene.lanes.marks[at].lane for at in drawn} == {0, 1, 2, 3}
    canvas.axis.show(0, 60)
    inside = [mark for mark in canvas.scene.lanes.marks if mark.row < 60]
    assert [canvas.scene.lanes.marks[at] for at in canvas.scene.visible_marks()][-len(inside) :] == inside
    canvas.deleteLater()
