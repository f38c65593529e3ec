"""The heat maps, and what is drawn and said in the error trajectory; that drawing is safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.metrics.pictures import NAN, PLUS_INF, Picture
from core.metrics.plane import Region
from core.records.result import CellResult, Origin, Reason, Verdict
from gui.comparison.tensor_pictures import Question, Source, draw, value_at
from gui.looks.theme import LIGHT
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.views.tensors.heat_colours import diverging, limits, paint, sequential, symmetric_limit
from gui.views.tensors.view import TensorsView


def test_a_click_on_a_point_selects_it(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    view = loaded.workspace.trajectory
    QApplication.processEvents()
    assert view._points is not None
    at = int(np.flatnonzero(view._points.category == Category.CLOSE)[10])
    scene = view._box.mapViewToScene(QPointF(view._points.x[at], view._points.y[at]))
    where = view._plot.mapFromScene(scene)
    qtbot.mouseMove(view._plot.viewport(), where)
    qtbot.mouseClick(view._plot.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert loaded.session.row == int(view._points.row[at])
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert loaded.session.row == int(view._points.row[at + 1])
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert loaded.session.row == int(view._points.row[at])


def test_a_click_beside_all_points_selects_nothing(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    before = loaded.session.row
    view = loaded.workspace.trajectory
    qtbot.mouseClick(view._plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert loaded.session.row == before


def test_five_hundred_repaints(loaded: MainWindow) -> None:
    # Qt for Python 6.12.0 loses a reference to None at each, and ends CPython 3.11 after some hundred.
    assert loaded.workspace is not None
    plot = loaded.workspace.trajectory._plot
    for _ in range(500):
        plot.repaint()
        plot.viewport().repaint()
    assert not plot.grab().isNull()


# ---- heat maps


def small(values: list[list[float]], classes: list[list[int]] | None = None) -> Picture:
    array = np.array(values, np.float32)
    finite = array[np.isfinite(array)]
    marks = np.zeros(array.shape, np.uint8) if classes is None else np.array(classes, np.uint8)
    return Picture(
        array, marks, Region(0, array.shape[0], 0, array.shape[1]), (1, 1),
        float(finite.min()) if len(finite) else float("nan"),
        float(finite.max()) if len(finite) else float("nan"), len(finite), 0, 0, 0,
    )  # fmt: skip


def rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def test_a_difference_is_drawn_symmetrically_about_zero() -> None:
    picture = small([[-2.0, 0.0, 2.0], [-0.02, 0.02, 4.0]])
    bound = symmetric_limit(picture)
    assert bound == 4.0
    pixels = paint(picture, diverging(LIGHT), -bound, bound, LIGHT)[..., :3].astype(int)
    assert np.abs(pixels[0, 1] - rgb(LIGHT.card)).max() <= 4
    assert pixels[0, 0, 2] > pixels[0, 0, 0]  # negative: blue
    assert pixels[0, 2, 0] > pixels[0, 2, 2]  # positive: red
    assert pixels[1, 2].tolist() == rgb(LIGHT.introduces)


def test_special_values_have_colours_of_their_own() -> None:
    picture = small([[0.0, np.nan, 5.0]], [[0, NAN, PLUS_INF]])
    pixels = paint(picture, sequential(), 0, 5, LIGHT)
    assert pixels[0, 1, :3].tolist() == rgb(LIGHT.nan)
    assert pixels[0, 2, :3].tolist() == rgb(LIGHT.plus_infinity)
    assert pixels[0, 0, :3].tolist() == sequential()[0].tolist()
    assert (pixels[..., 3] == 255).all()


@pytest.mark.parametrize("values", [[[np.nan, np.nan]], [[3.0, 3.0]], [[-3.4e38, 3.4e38]]])
def test_any_range_can_be_drawn(values: list[list[float]]) -> None:
    picture = small(values)
    low, high = limits(picture, None)
    assert high > low
    assert np.isfinite([low, high]).all()
    assert paint(picture, sequential(), low, high, LIGHT).shape == (1, 2, 4)
    assert symmetric_limit(picture) > 0


def saved(path: Path, array: np.ndarray) -> Source:
    np.save(path, array)
    info = path.stat()
    return Source(str(path.parent), path.name, str(array.dtype), info.st_size, info.st_mtime_ns)


def test_pictures_and_values_of_a_pair(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    golden = random.normal(size=(3, 40, 50)).astype(np.float32)
    target = golden.copy()
    target[1, 7, 9] += 0.5
    target[2, 0, 0] = np.nan
    question = Question(
        saved(tmp_path / "t.npy", target), saved(tmp_path / "g.npy", golden), (1, 7, 9), None, (400, 400)
    )
    answer = draw(question)
    assert answer.plane == (40, 50)
    assert answer.fixed[0] == 1
    assert answer.difference is not None
    np.testing.assert_array_equal(answer.difference.values, target[1] - golden[1])
    values = value_at(question, 7, 9)
    assert values is not None
    assert values.index == (1, 7, 9)
    assert (values.target, values.golden) == (target[1, 7, 9], golden[1, 7, 9])
    unit = float(np.spacing(np.abs(golden[1, 7, 9])))
    assert values.ulps == pytest.approx(abs(float(target[1, 7, 9]) - float(golden[1, 7, 9])) / unit)
    assert value_at(question, 40, 0) is None
    part = draw(Question(question.target, question.golden, (2, 0, 0), (0, 10, 0, 20), (400, 400)))
    assert part.target is not None
    assert part.target.nan == 1
    assert part.target.values.shape == (10, 20)


def test_a_file_that_is_gone_is_a_problem_of_its_side(tmp_path: Path) -> None:
    here = saved(tmp_path / "t.npy", np.ones((4, 4), np.float32))
    gone = Source(str(tmp_path), "gone.npy", "float32", 10, 10)
    answer = draw(Question(here, gone, (), None, (100, 100)))
    assert answer.target is not None
    assert answer.golden is None
    assert [problem.path for problem in answer.problems] == [str(tmp_path / "gone.npy")]


def test_different_shapes_have_no_difference_but_a_reason(tmp_path: Path) -> None:
    question = Question(
        saved(tmp_path / "t.npy", np.ones((4, 6))),
        saved(tmp_path / "g.npy", np.ones((6, 4))),
        (),
        None,
        (99, 99),
    )
    answer = draw(question)
    assert answer.difference is None
    assert answer.no_difference is not None
    assert answer.no_difference.parameters == {"target": "4 × 6", "golden": "6 × 4"}
    assert answer.golden is not None


def test_zoom_slice_and_readout_in_the_window(
    qtbot: QtBot,
    window: MainWindow,
    demo_pair: tuple[Path, Path],
    patience: Callable[[Callable[[], bool]], None],
) -> None:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(*map(str, demo_pair))
    assert window.workspace is not None
    view = window.workspace.detail.view_of(TensorsView)
    patience(lambda: "ULP" in view.readout)
    worst = view.readout
    view.target.hovered.emit(0, 0)
    patience(lambda: view.readout.endswith("[0, 0, 0]"))
    view.target.left.emit()
    patience(lambda: view.readout == worst)
    view.target.box.setRange(xRange=(5, 15), yRange=(2, 6), padding=0)
    (left, right), _ = view.difference.box.viewRange()
    assert (left, right) == pytest.approx((5, 15))
    # the next tensor of the same size keeps the zoom
    row = window.session.row
    window.session.select(row - 1)
    patience(lambda: window.session.pictures.idle and view._answer is not None)
    assert view.golden.box.viewRange()[0] == pytest.approx([5, 15])
    view.fit()
    assert view.golden.box.viewRange()[0][0] == 0


def changed(cell: CellResult, row: int, reason: Reason, error: float) -> CellResult:
    """Return *cell* with row *row* the only one that differs, by *reason*."""
    rows = replace(
        cell.rows,
        verdict=np.full(len(cell.rows), Verdict.CLOSE, np.uint8),
        origin=np.full(len(cell.rows), Origin.UNKNOWN, np.uint8),
        reason=np.full(len(cell.rows), Reason.WITHIN_NOISE, np.uint8),
        error=np.full(len(cell.rows), 1e-6),
    )
    rows.verdict[row], rows.reason[row], rows.error[row] = Verdict.DIFFERS, reason, error
    return replace(cell, rows=rows)


@pytest.mark.parametrize(
    ("reason", "error", "words", "lane"),
    [
        (Reason.SHAPE, np.nan, "another shape", "other"),
        (Reason.TYPE, np.nan, "another kind of value", "other"),
        (Reason.VALUE, np.nan, "another value", "other"),
        (Reason.SPECIAL_VALUES, np.inf, "NaN or Inf", "NaN/Inf"),
        (Reason.SPECIAL_VALUES, 1e-6, "NaN or Inf", "NaN/Inf"),
        (Reason.BEYOND_NOISE, 0.012, "1.2e−02", ""),
    ],
)
def test_the_label_says_by_what_it_differs(
    window: MainWindow, show: Callable[..., None], cell: CellResult, facts: Facts, reason: Reason,
    error: float, words: str, lane: str,
) -> None:  # fmt: skip
    row = int(np.flatnonzero(facts.is_output & (facts.category == Category.INTRODUCED))[0])
    show(changed(cell, row, reason, error))
    assert window.workspace is not None
    plot = window.workspace.trajectory
    assert plot._labels.headline.toPlainText().strip().endswith(f"gelu.14 is the first that differs: {words}")
    points = plot._points
    assert points is not None
    height = float(points.y[points.row == row][0])
    assert plot._axis.lanes.get(height, "") == lane


@pytest.mark.parametrize("size", [(900, 600), (1280, 800), (1680, 1050)])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_labels_lie_on_no_dot_and_on_no_line(
    loaded: MainWindow, size: tuple[int, int], language: str
) -> None:
    loaded.resize(*size)
    loaded.actions_registry[f"language_{language}"].trigger()
    QApplication.processEvents()
    assert loaded.workspace is not None
    plot = loaded.workspace.trajectory
    points = plot._points
    assert points is not None
    spots = [plot._box.mapViewToScene(QPointF(x, y)) for x, y in zip(points.x, points.y)]
    turns = [plot._box.mapViewToScene(QPointF(each.begin - 0.5, 0)).x() for each in plot._passes[1:]]
    labels = plot._labels
    shown = [label for label in (labels.headline, labels.noise, *labels.passes) if label.isVisible()]
    assert labels.headline in shown
    taken = [label.sceneBoundingRect() for label in shown]
    for label, place in zip(shown, taken):
        assert not any(place.contains(spot) for spot in spots), label.toPlainText()
        if label is not labels.headline:  # which has a ground of its own
            assert not any(place.left() < turn < place.right() for turn in turns), label.toPlainText()
    assert not any(one.intersects(other) for at, one in enumerate(taken) for other in taken[:at])
