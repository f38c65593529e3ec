"""What is drawn and said in the error trajectory; that drawing is safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.result import CellResult, Origin, Reason, Verdict
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts


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
