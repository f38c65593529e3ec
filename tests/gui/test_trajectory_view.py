"""The plot of the trajectory with keys and buttons: neighbours, jumps, zoom, inputs, signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders.results import gpt_result, single_run
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from core.records.result import CellResult, Reason
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.trajectory.points import Lane, Role
from gui.views.trajectory.legend import SignLegend
from gui.views.trajectory.view import TrajectoryView

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def view(loaded: MainWindow) -> TrajectoryView:
    assert loaded.workspace is not None
    made = loaded.workspace.trajectory
    made.setFocus()
    QApplication.processEvents()
    return made


def span(view: TrajectoryView) -> tuple[float, float]:
    (left, right), _y = view._box.viewRange()
    return left, right


def drawn(view: TrajectoryView) -> int:
    """Return how many points of inputs are drawn."""
    return sum(len(item.data) for item in view._scene.inputs.values())


def test_keys_go_to_neighbours_and_ends(qtbot: QtBot, loaded: MainWindow, view: TrajectoryView) -> None:
    points = view._points
    assert points is not None
    qtbot.keyClick(view, KEY.Key_Home)
    assert loaded.session.row == points.row[0]
    qtbot.keyClick(view, KEY.Key_Right)
    assert loaded.session.row == points.row[1]
    qtbot.keyClick(view, KEY.Key_End)
    assert loaded.session.row == points.row[-1]
    qtbot.keyClick(view, KEY.Key_Left)
    assert loaded.session.row == points.row[-2]


def test_keys_zoom_about_the_selected_call(qtbot: QtBot, loaded: MainWindow, view: TrajectoryView) -> None:
    whole = span(view)
    facts = loaded.session.facts
    assert facts is not None
    call = float(facts.call_of_row[loaded.session.row])
    for _ in range(3):
        qtbot.keyClick(view, KEY.Key_Plus)
    near = span(view)
    assert near[1] - near[0] == pytest.approx((whole[1] - whole[0]) * 0.343, rel=0.02)
    assert (call - near[0]) / (near[1] - near[0]) == pytest.approx(
        (call - whole[0]) / (whole[1] - whole[0]), abs=0.02
    )
    qtbot.keyClick(view, KEY.Key_Minus)
    assert span(view)[1] - span(view)[0] > near[1] - near[0]
    qtbot.keyClick(view, KEY.Key_0)
    assert span(view) == pytest.approx(whole)


def test_jumps_by_key_and_button(qtbot: QtBot, loaded: MainWindow, view: TrajectoryView) -> None:
    session = loaded.session
    facts = session.facts
    assert facts is not None
    guilty = int(np.flatnonzero((facts.category == Category.INTRODUCED) & facts.is_output)[0])
    session.select(0)
    qtbot.keyClick(view, KEY.Key_J)
    assert session.row == guilty
    session.select(0)
    qtbot.mouseClick(view.buttons.jump, LEFT)
    assert session.row == guilty
    session.select(0)
    qtbot.keyClick(view, KEY.Key_J, Qt.KeyboardModifier.ShiftModifier)
    assert session.row == guilty


def test_a_run_without_a_jump_says_so(qtbot: QtBot, window: MainWindow, show: Callable[..., None]) -> None:
    show(gpt_result(layers=4, faulty_layer=99))
    assert window.workspace is not None
    row = window.session.row
    qtbot.mouseClick(window.workspace.trajectory.buttons.jump, LEFT)
    assert window.session.row == row
    assert "Nowhere along the run" in window.notice.sentence


def test_inputs_are_shown_when_asked_for(qtbot: QtBot, loaded: MainWindow, view: TrajectoryView) -> None:
    assert drawn(view) == 0
    qtbot.mouseClick(view.buttons.inputs, LEFT)
    qtbot.waitUntil(lambda: drawn(view) > 0, timeout=3000)
    assert loaded.context.settings.trajectory_inputs
    points = view._points
    assert points is not None
    # the call that introduces the error: its input is fine, its output is not
    facts = loaded.session.facts
    assert facts is not None
    guilty = int(np.flatnonzero((facts.category == Category.INTRODUCED) & facts.is_output)[0])
    here = points.of_call(float(facts.call_of_row[guilty]))
    by_role = {int(role): y for role, y, lane in zip(points.role[here], points.y[here], points.lane[here])
               if lane <= Lane.ZERO}  # fmt: skip
    assert by_role[Role.OUTPUT] - by_role[Role.INPUT] > 1
    qtbot.mouseClick(view.buttons.inputs, LEFT)
    qtbot.waitUntil(lambda: drawn(view) == 0, timeout=3000)


@pytest.mark.parametrize(
    ("role", "words"),
    [(Role.TARGET_ONLY, "on the target only"), (Role.GOLDEN_ONLY, "on the golden only")],
)
def test_calls_of_one_side_are_told_and_selected(
    qtbot: QtBot, loaded: MainWindow, view: TrajectoryView, monkeypatch: pytest.MonkeyPatch, role: Role,
    words: str,
) -> None:  # fmt: skip
    points = view._points
    assert points is not None
    at = int(np.flatnonzero(points.role == role)[0])
    view._box.setXRange(points.x[at] - 6, points.x[at] + 6, padding=0)
    QApplication.processEvents()
    assert len(view._scene.lost[role].data) == 1
    where = view._plot.mapFromScene(view._box.mapViewToScene(QPointF(points.x[at], points.y[at])))
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _where, tip, *_rest: told.append(tip))
    qtbot.mouseMove(view._plot.viewport(), where - QPoint(40, 30))
    qtbot.wait(50)  # pyqtgraph passes over moves that follow each other at once
    qtbot.mouseMove(view._plot.viewport(), where)
    qtbot.waitUntil(lambda: bool(told), timeout=3000)
    assert words in told[-1]
    qtbot.mouseClick(view._plot.viewport(), LEFT, pos=where)
    assert loaded.session.row == points.row[at]


def test_what_a_filter_hides_is_faint(loaded: MainWindow, view: TrajectoryView) -> None:
    loaded.session.set_filter(text="gelu")
    QApplication.processEvents()
    points, mask = view._points, loaded.session.mask
    assert points is not None
    strong = sum(len(item.data) for item in view._scene.outputs.values())
    shown = mask[points.row] & (points.role == Role.OUTPUT)
    assert strong == np.count_nonzero(shown)
    assert len(view._scene.faint.data) == np.count_nonzero(~mask[points.row])


def test_the_signs_are_explained(qtbot: QtBot, view: TrajectoryView) -> None:
    qtbot.mouseClick(view.buttons.legend, LEFT)
    (legend,) = view.findChildren(SignLegend)
    words = [label.text() for label in legend.findChildren(QLabel)]
    assert {category.word for category in Category} <= set(words)
    assert any("J steepest jump" in each for each in words)
    qtbot.keyClick(legend, KEY.Key_Escape)
    assert not legend.isVisible()


def test_all_buttons_answer_to_keys_and_have_names(view: TrajectoryView) -> None:
    for button in view.buttons.all:
        assert button.accessibleName()
        assert button.toolTip()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_one_run_and_no_rows_have_no_plot(
    window: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    show(single_run(cell))
    assert window.workspace is not None
    plot = window.workspace.trajectory
    assert not plot.isVisible()
    assert (single_run(cell).rows.reason == Reason.SINGLE_RUN).all()
    show(gpt_result(layers=1, faulty_layer=0))
    assert plot.isVisible()
    few = gpt_result(layers=1, faulty_layer=0)
    show(replace(few, rows=few.rows.take(slice(0, 0)), class_counts=few.class_counts.take(slice(0, 0))))
    plot.next_jump()
    plot.fit()
    assert plot._points is not None
    assert len(plot._points) == 0


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_passes_are_named_in_both_languages(loaded: MainWindow, view: TrajectoryView, language: str) -> None:
    loaded.actions_registry[f"language_{language}"].trigger()
    QApplication.processEvents()
    named = [label.toPlainText() for label in view._labels.passes if label.isVisible()]
    assert named == (["forward", "backward"] if language == "en" else ["前向", "反向"])
