"""The map of steps and ranks: levels, signs, keys, what is missing, what is still to be counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.cell_results import clean, write_cells
from builders.results import gpt_result, single_run
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import Message
from core.records.result import CellResult
from core.records.run import CellKey
from gui.looks.theme import DARK, LIGHT
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.cell_matrix import CellMatrix, CellState, Level, Metric
from gui.models.pair.roll_up import CellsCounted, CellSummary, RollUp
from gui.views.cells.canvas import CellsCanvas, level_colours
from gui.views.cells.view import CellsView

KEYS = [CellKey("", step, rank) for step in (0, 10) for rank in (0, 1, 4) if (step, rank) != (10, 1)]
BAD = KEYS[3]
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cell = gpt_result(layers=3, faulty_layer=1)
    path = tmp_path_factory.mktemp("matrix") / "ranks.h5"
    write_cells(path, [(key, cell if key == BAD else clean(cell)) for key in KEYS])
    return path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, result_file: Path) -> MainWindow:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    QApplication.processEvents()  # the table takes the focus once it is there
    window.actions_registry["cells"].trigger()
    QApplication.processEvents()
    return window


def card(window: MainWindow) -> CellsView:
    assert window.workspace is not None
    return window.workspace.cells


def made_up(steps: int, ranks: int) -> RollUp:
    random = np.random.default_rng(5)
    keys = [CellKey("", step, rank) for step in range(steps) for rank in range(ranks)]
    bad = random.random(len(keys)) < 0.1
    counts = {key: (0, 90, 8, 2, 0, 0, 40 * int(is_bad), 0) for key, is_bad in zip(keys, bad)}
    summaries = {
        key: CellSummary(
            10.0 ** (-2 if is_bad else -7), 0.99 if is_bad else 1.0, "Functional.gelu.1.forward", 0.25
        )
        for key, is_bad in zip(keys, bad)
    }
    return RollUp().with_cells(CellsCounted(0, 0, Message("gui.progress.preparing"), counts, summaries))


def test_levels_follow_the_numbers() -> None:
    keys = [CellKey("", 0, rank) for rank in range(4)]
    matrix = CellMatrix([*keys, CellKey("", 1, 0)])
    none = (0,) * len(Category)
    counts = [list(none) for _ in keys]
    for at, row in enumerate(counts):
        row[Category.CLOSE], row[Category.NOT_COMPARED], row[Category.INHERITED] = 50, 50 * at, 10**at
    summaries = [
        CellSummary(1e-6, 1.0, "a", 0.5), CellSummary(1e-2, 0.9, "b", 0.1),
        CellSummary(np.inf, None, "c", 0.9), CellSummary(),
    ]  # fmt: skip
    matrix.take(RollUp(dict(zip(keys, map(tuple, counts))), dict(zip(keys, summaries))))
    assert matrix.missing == 3
    assert matrix.counted == 4
    error = matrix.scale(Metric.ERROR)
    assert error.levels[:, 0].tolist() == [Level.FIRST, Level.LAST, Level.BEYOND, Level.NOTHING]
    assert error.levels[:, 1].tolist() == [Level.WAITING, *[Level.MISSING] * 3]
    assert (error.low, error.high) == ("1.00e−06", "1.00e−02")
    cosine = matrix.scale(Metric.COSINE)
    assert cosine.levels[:2, 0].tolist() == [Level.FIRST, Level.LAST]
    assert (cosine.low, cosine.high) == ("1.0000000", "0.9000000")
    differing = matrix.scale(Metric.DIFFERING).levels[:, 0]
    assert (np.diff(differing.astype(int)) > 0).all()
    place = matrix.scale(Metric.PLACE).levels[:3, 0]
    assert place[1] > place[0] > place[2]  # the earlier, the worse
    compared = matrix.scale(Metric.COMPARED)
    shares = [1 - row[Category.NOT_COMPARED] / sum(row) for row in counts]
    assert np.argsort(compared.levels[:, 0]).tolist() == np.argsort(np.negative(shares)).tolist()
    assert (compared.low, compared.high) == ("100\u202f%", "0\u202f%")
    verdict = matrix.scale(Metric.VERDICT).levels[:, 0]
    assert verdict.tolist() == [Level.FIRST + Category.INHERITED] * 4
    first = matrix.first_differing(1, 0)
    assert first is not None
    assert (first.operator, first.place, first.error) == ("b", 0.1, None)


def test_one_value_is_a_scale_of_its_own() -> None:
    keys = [CellKey("", 0, 0), CellKey("", 0, 1)]
    matrix = CellMatrix(keys)
    counts = (0, 4, 0, 0, 0, 0, 0, 0)
    matrix.take(RollUp(dict.fromkeys(keys, counts), dict.fromkeys(keys, CellSummary(1e-6, 1.0))))
    for metric in Metric:
        assert matrix.scale(metric).levels.shape == (2, 1)
    assert matrix.scale(Metric.PLACE).levels.tolist() == [[Level.NOTHING]] * 2


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_levels_have_colours_apart(colours: object) -> None:
    for metric in Metric:
        table = level_colours(metric, False, colours)  # type: ignore[arg-type]
        known = {table[level] for level in (Level.WAITING, Level.NOTHING, Level.BEYOND)}
        assert len(known) == 3
    assert len({*level_colours(Metric.ERROR, False, colours)[Level.FIRST :]}) > 200  # type: ignore[arg-type]


def test_the_map_shows_each_cell_and_goes_there(qtbot: QtBot, opened: MainWindow) -> None:
    view, session = card(opened), opened.session
    canvas = view.canvas
    assert view.isVisible()
    assert canvas.hasFocus()
    assert canvas.matrix.ranks == (0, 1, 4)
    assert session.cell is not None
    assert canvas.marked == session.cell.key == BAD
    place = canvas.matrix.place(BAD)
    assert place is not None
    assert canvas.matrix.category[place] == Category.INTRODUCED
    told = canvas.tip(*place)
    assert told.startswith("step 10 · rank 0\n")
    assert "Functional.gelu.1.forward" in told
    assert "along the run" in told
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=canvas.cell_rect(2, 0).center())
    assert session.cell.key == CellKey("", 0, 4)
    assert canvas.marked == session.cell.key


def test_keys_move_and_enter_opens(qtbot: QtBot, opened: MainWindow) -> None:
    canvas, session = card(opened).canvas, opened.session
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.accessibleDescription() == "step 10 · rank 1\nnot in both runs"
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert not session.busy  # there is nothing to go to
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.accessibleDescription().startswith("step 0 · rank 1\n0 of ")
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert session.cell is not None
    assert session.cell.key == CellKey("", 0, 1)


def test_control_and_click_lay_a_cell_over_the_plot(qtbot: QtBot, opened: MainWindow) -> None:
    canvas, overlays = card(opened).canvas, opened.session.overlays
    where = canvas.cell_rect(0, 0).center()
    qtbot.mouseClick(canvas.viewport(), LEFT, CONTROL, where)
    assert overlays.others == (CellKey("", 0, 0),)
    assert canvas.overlaid == {(0, 0)}
    qtbot.mouseClick(canvas.viewport(), LEFT, CONTROL, where)
    assert overlays.others == ()
    assert canvas.overlaid == frozenset()


@pytest.mark.parametrize("metric", list(Metric))
def test_other_numbers_colour_the_map(qtbot: QtBot, opened: MainWindow, metric: Metric) -> None:
    view = card(opened)
    view.metric_box.setCurrentIndex(view.metric_box.findData(metric.value))
    view.metric_box.activated.emit(view.metric_box.currentIndex())
    assert view.canvas.coloured_by is metric
    assert opened.context.settings.cells_metric == metric.value
    assert view.legend.words[-1] == "not in both runs"
    assert not view.grab().toImage().isNull()
    bad, good = (view.canvas.matrix.place(key) for key in (BAD, KEYS[0]))
    assert bad is not None
    assert good is not None
    corners = [view.canvas.cell_rect(*place).topLeft() + QPoint(4, 4) for place in (bad, good)]
    picture = view.canvas.viewport().grab().toImage()
    apart = picture.pixelColor(corners[0]) != picture.pixelColor(corners[1])
    assert apart == (metric is not Metric.COMPARED)  # which is the same in both


def test_the_command_shows_goes_to_and_hides(qtbot: QtBot, opened: MainWindow) -> None:
    view, action = card(opened), opened.actions_registry["cells"]
    assert opened.workspace is not None
    opened.workspace.table.table.setFocus()
    action.trigger()
    assert view.canvas.hasFocus()
    action.trigger()
    assert not view.isVisible()
    button = opened.workspace.verdicts.map_button
    assert button.isVisible()
    qtbot.mouseClick(button, LEFT)
    assert view.isVisible()


def test_one_cell_has_no_map(window: MainWindow, show: Callable[..., None], cell: CellResult) -> None:
    show(single_run(cell))
    assert window.workspace is not None
    assert not card(window).useful
    assert "One run is open" in card(window).note.sentence
    assert not window.actions_registry["cells"].isEnabled()
    assert not window.workspace.verdicts.map_button.isVisible()
    assert not window.workspace.docks["cells"].toggleViewAction().isVisible()
    show(cell)  # the info of this one tells of more cells
    assert window.actions_registry["cells"].isEnabled()
    assert window.workspace.docks["cells"].toggleViewAction().isVisible()


def test_what_is_not_counted_yet_is_said(loaded: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    view, session = card(loaded), loaded.session
    monkeypatch.setattr(type(session.cells), "counting", property(lambda _self: True))
    session.cells.roll_up = made_up(1, 4)
    session.cells.changed.emit()
    matrix = view.canvas.matrix
    assert matrix.counted == 4
    assert np.count_nonzero(matrix.state == CellState.WAITING) == 4
    assert "counting … 4 of 8" in view.legend.words
    assert view.canvas.tip(0, 1).endswith("still to be counted")
    session.cells.roll_up = made_up(2, 4)
    session.cells.changed.emit()
    assert view.canvas.matrix is matrix
    assert (matrix.state == CellState.COUNTED).all()


def test_many_cells_are_drawn_in_no_time(qtbot: QtBot, loaded: MainWindow) -> None:
    canvas = CellsCanvas(loaded.context.theme)
    qtbot.addWidget(canvas)
    canvas.resize(900, 500)
    matrix = CellMatrix([CellKey("", step, rank) for step in range(1000) for rank in range(64)])
    matrix.take(made_up(1000, 64))
    canvas.show_matrix(matrix)
    canvas.show()
    QApplication.processEvents()
    spent = []
    for at in range(9):
        canvas.horizontalScrollBar().setValue(at * 100)
        began = time.process_time()
        canvas.viewport().repaint()
        canvas.tip(at, at * 100)
        spent.append(time.process_time() - began)
    assert sorted(spent)[4] < 0.05  # about 2 ms in practice; a busy machine must not fail the test
