"""The trends view as a person uses it: heat map, cells, curve, findings, layers, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import trend_pairs as pairs
from builders.monitors import Row, write_v1
from builders.trend_pairs import BROKEN, DRIFT_LAYER, DRIFT_STEP, LAYERS, STEPS, layer
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.trends import GridAxis
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.trends.columns import JUDGED_COLUMNS
from gui.models.trends.scale import TrendSide
from gui.views.trends.view import TrendsView

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
COLUMN = {column.key: number for number, column in enumerate(JUDGED_COLUMNS)}


@pytest.fixture
def empty(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrendsView]:
    """Return a view without anything on show."""
    view = pairs.answer_at_once(window, monkeypatch)
    yield view
    view.close()
    view.deleteLater()


@pytest.fixture
def view(empty: TrendsView, tmp_path: Path) -> TrendsView:
    """Return a view with a target that drifts from a layer and a step on."""
    empty.open_paths([str(path) for path in reversed(pairs.pair(tmp_path))])
    QApplication.processEvents()
    return empty


def at_cell(view: TrendsView, row: int, column: int) -> QPoint:
    return view.map.canvas.scene.cell(row, column).center().toPoint()


def cell_of(view: TrendsView) -> tuple[str, int]:
    cell = view.state.picture.cell
    assert cell is not None
    return cell.layer, cell.place


def turn_wheel(view: TrendsView, where: QPoint, keys: Qt.KeyboardModifier = NONE, up: bool = True) -> None:
    canvas = view.map.canvas
    event = QWheelEvent(
        QPointF(where), canvas.mapToGlobal(QPointF(where)), QPoint(), QPoint(0, 120 if up else -120),
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


# ---- the answer


def test_two_monitors_are_judged_and_the_first_bad_cell_is_looked_at(view: TrendsView) -> None:
    assert view.state.target.endswith("npu_monitor")
    assert view.state.golden.endswith("gpu_monitor")
    assert view.headline.words[0] == "failed"
    assert layer(DRIFT_LAYER) in view.headline.words[1]
    assert view.headline.mark.category is Category.INTRODUCED
    words = view.headline.chips.words
    assert words[:2] == ["Target  npu_monitor", "Golden  gpu_monitor"]
    report = view.state.report
    assert report is not None
    assert f"{report.over} over the limit" in words
    assert view.state.picture.side is TrendSide.DIFFERENCE
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)
    assert view.map.canvas.marked == (DRIFT_LAYER, DRIFT_STEP)
    assert "+10\u202f%" in view.map.readout.text()
    assert "micro-step 0" in view.map.readout.text()
    assert view.curve.canvas.scene.curve is not None
    assert view.curve.canvas.scene.curve.layer == layer(DRIFT_LAYER)
    assert not view.map.grab().isNull()


def test_the_picture_has_the_colours_of_its_cells(view: TrendsView) -> None:
    view.map.canvas.clearFocus()
    image = view.map.canvas.grab().toImage()
    ratio = image.devicePixelRatio()

    def colour(row: int, column: int) -> tuple[int, int, int]:
        where = QPointF(at_cell(view, row, column)) * ratio
        found = image.pixelColor(where.toPoint())
        return found.red(), found.green(), found.blue()

    quiet, loud = colour(0, 2), colour(LAYERS - 1, STEPS - 1)
    assert min(quiet) > 240
    assert loud[0] > 180
    assert max(loud[1:]) < 120
    view.map.controls.sides[TrendSide.TARGET].click()
    image = view.map.canvas.grab().toImage()
    assert colour(0, 2) != quiet
    scale = view.map.legend.bar.scale
    assert scale is not None
    assert scale.low > 0


def test_swapping_exchanges_the_sides(view: TrendsView) -> None:
    before = view.state.target
    view.headline.swap.click()
    assert view.state.golden == before
    assert view.state.report is not None
    assert view.state.report.target_path.endswith("gpu_monitor")


# ---- the heat map


def test_a_click_shows_the_curve_of_its_layer(qtbot: QtBot, view: TrendsView) -> None:
    qtbot.mouseClick(view.map.canvas, LEFT, pos=at_cell(view, 1, 5))
    assert cell_of(view) == (layer(1), 5)
    assert view.curve.canvas.scene.curve is not None
    assert view.curve.canvas.scene.curve.layer == layer(1)
    assert view.curve.canvas.marked == 5
    where = QPoint(round(view.curve.canvas.scene.x(9.5)), 60)
    qtbot.mouseClick(view.curve.canvas, LEFT, pos=where)
    assert cell_of(view) == (layer(1), 9)
    assert view.map.canvas.marked == (1, 9)


def test_pointing_reads_a_cell_and_marks_its_step(view: TrendsView) -> None:
    canvas, where = view.map.canvas, QPointF(at_cell(view, 4, 20))
    buttons = Qt.MouseButton.NoButton
    move = QMouseEvent(QEvent.Type.MouseMove, where, canvas.mapToGlobal(where), buttons, buttons, NONE)
    QApplication.sendEvent(canvas, move)
    assert view.map.readout.text().startswith(f"{layer(4)}   ·   step 20 · rank 0")
    assert view.curve.canvas.cross == 20
    QApplication.sendEvent(view.map.canvas, QEvent(QEvent.Type.Leave))
    assert view.map.readout.text().startswith(layer(DRIFT_LAYER))


def test_keys_walk_over_cells_and_to_bad_ones(qtbot: QtBot, view: TrendsView) -> None:
    canvas = view.map.canvas
    qtbot.mouseClick(canvas, LEFT, pos=at_cell(view, 1, 5))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up):
        qtbot.keyClick(canvas, key)
    assert cell_of(view) == (layer(1), 7)
    qtbot.keyClick(canvas, Qt.Key.Key_N)
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)
    qtbot.keyClick(canvas, Qt.Key.Key_N)
    assert cell_of(view) == (layer(DRIFT_LAYER + 1), DRIFT_STEP)
    count = (LAYERS - DRIFT_LAYER) * (STEPS - DRIFT_STEP)
    assert view.map.controls.count.text() == f"2 of {count} over"
    qtbot.keyClick(canvas, Qt.Key.Key_Up, CONTROL)
    assert cell_of(view) == (layer(0), DRIFT_STEP)
    view.map.controls.before.click()  # nothing bad is before it: the last one of the metric before
    assert view.state.picture.metric == "grad_reduced.norm"
    assert cell_of(view) == BROKEN
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert view.state.picture.metric == "actv.output.norm"
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)


def test_the_wheel_zooms_along_both_axes_or_one(view: TrendsView) -> None:
    canvas = view.map.canvas
    middle = at_cell(view, 3, 15)
    spans = canvas.rows.span, canvas.axis.span
    turn_wheel(view, middle, SHIFT)
    assert canvas.rows.span == spans[0]
    assert canvas.axis.span < spans[1]
    canvas.fit()
    turn_wheel(view, middle)
    assert canvas.axis.span < spans[1]
    assert view.curve.canvas.axis is canvas.axis
    canvas.fit()
    assert not canvas.zoomed


def test_a_grid_larger_than_the_screen_is_drawn_closer_where_it_is_looked_at(
    qtbot: QtBot, empty: TrendsView, tmp_path: Path, patience: Callable[..., None]
) -> None:

    made = (Row("g", f"l.{row}", step, {"norm": 1.0 + row}) for row in range(6) for step in range(700))
    empty.resize(560, 420)
    empty.state.open(str(write_v1(tmp_path / "run", made, window=1000)))
    canvas, picture = empty.map.canvas, empty.state.picture
    QApplication.processEvents()
    assert picture.drawing is not None
    assert not picture.drawing.exact
    for _ in range(8):
        turn_wheel(empty, canvas.scene.box.center().toPoint())
    patience(lambda: picture.part is not None)
    part = picture.part
    assert part is not None
    seen = canvas.scene.seen
    assert part.region.top <= seen.top
    assert part.region.bottom >= seen.bottom
    assert canvas.scene.part is not None
    assert not canvas.grab().isNull()


# ---- what is shown


def test_ranks_lie_across_at_the_step_of_the_cell(qtbot: QtBot, empty: TrendsView, tmp_path: Path) -> None:
    empty.open_paths([str(path) for path in pairs.pair(tmp_path, ranks=3)])
    controls, picture = empty.map.controls, empty.state.picture
    controls.axis.setCurrentIndex(1)
    controls.axis.activated.emit(1)
    assert picture.axis is GridAxis.RANK
    assert picture.at == DRIFT_STEP
    assert picture.facts is not None
    assert picture.facts.places.tolist() == [0, 1, 2]
    assert cell_of(empty) == (layer(DRIFT_LAYER), 0)
    qtbot.keyClick(empty.map.canvas, Qt.Key.Key_Right)
    controls.axis.setCurrentIndex(0)
    controls.axis.activated.emit(0)
    assert (picture.axis, picture.rank) == (GridAxis.STEP, 1)
    assert cell_of(empty) == (layer(DRIFT_LAYER), DRIFT_STEP)
    controls.place.setValue(2)
    assert picture.rank == 2


def test_another_metric_keeps_layer_and_step(view: TrendsView) -> None:
    controls = view.map.controls
    assert [controls.statistic.itemText(at).split()[0] for at in range(2)] == ["norm", "max"]
    controls.statistic.activated.emit(1)
    assert view.state.picture.metric == "actv.output.max"
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)
    controls.kind.activated.emit(1)
    assert view.state.picture.metric == "grad_reduced.norm"
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)


def test_a_module_is_followed_to_its_parameters(empty: TrendsView, tmp_path: Path) -> None:
    made = [
        Row(kind, name, step, {"norm": 1.0 + step})
        for kind, ending in (("actv", ".output"), ("grad_reduced", ".weight"))
        for name in (f"a.fc1{ending}", f"a.fc2{ending}")
        for step in range(4)
    ]
    empty.open_paths([str(write_v1(tmp_path / "run", made))])
    empty.state.picture.go_to("actv.output.norm", "a.fc2", 2, 0)
    empty.state.picture.choose_metric("grad_reduced.norm")
    assert cell_of(empty) == ("a.fc2.weight", 2)
    empty.state.picture.choose_metric("actv.output.norm")
    assert cell_of(empty) == ("a.fc2", 2)


def test_cut_and_one_sided_cells_stand_in_the_legend(empty: TrendsView, tmp_path: Path) -> None:
    empty.open_paths([str(path) for path in pairs.cut_pair(tmp_path)])
    shown = [chip.words for chip in empty.map.legend.chips.values() if not chip.isHidden()]
    assert shown == ["cut to 1e9  8", "target only  1", "golden only  1"]
    assert "8 cut on both sides" in empty.headline.chips.words
    assert not empty.map.grab().isNull()
    canvas = empty.map.canvas
    canvas.chosen.emit(3, 2)
    assert "unknown: both were cut" in empty.map.readout.text()
