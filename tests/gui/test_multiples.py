"""The tab of steps and ranks: one slot in all cells as small pictures, and the way into a cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.tensor_gestures import look_at
from builders.tensor_pairs import write_pair
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.records.run import CellKey
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.pages.detail import DetailCard, Tab
from gui.views.multiples.view import MultiplesView

Until = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton
STEPS, RANKS = 2, 3
BAD = CellKey("", 1, 2)
"""Where the target has one wrong element."""
LOST = CellKey("", 0, 1)
"""Where neither side has the call."""


def value(step: int, rank: int) -> np.ndarray:
    return np.random.default_rng(10 * step + rank).normal(size=(20, 30)).astype(np.float32)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the result of comparing two runs of all steps and ranks."""
    folder = tmp_path_factory.mktemp("runs")
    for side in ("npu", "gpu"):
        for step in range(STEPS):
            for rank in range(RANKS):
                made = value(step, rank)
                other = np.ones((4, 4), np.float32)
                calls = {"Functional.relu.0.forward": call(outputs=[other])}
                if CellKey("", step, rank) != LOST:
                    if side == "npu" and CellKey("", step, rank) == BAD:
                        made[4, 9] += 5
                    calls["Functional.gelu.0.forward"] = call(outputs=[made])
                write_dump(folder / side / f"step{step}" / f"rank{rank}", calls, tensors=True)
    path = folder / "result.h5"
    runs = str(folder / "npu"), str(folder / "gpu")
    assert main(["compare", *runs, "-o", str(path), "--quiet"]) == 1
    return path


@pytest.fixture
def detail(open_detail: Callable[[Path], DetailCard], result: Path) -> DetailCard:
    return open_detail(result)


@pytest.fixture
def view(qtbot: QtBot, detail: DetailCard, patience: Until) -> MultiplesView:
    look_at(detail, "gelu")
    assert detail.tabs.isTabVisible(Tab.CELLS)
    qtbot.mouseClick(detail.tabs, LEFT, pos=detail.tabs.tabRect(Tab.CELLS).center())
    made = detail.view_of(MultiplesView)
    patience(lambda: len(made.cells.found) == STEPS * RANKS and not made.cells.working)
    patience(
        lambda: (
            bool(made.canvas.tiles) and not made.pictures.working and made.canvas.tiles[BAD].image is not None
        )
    )
    return made


def test_every_cell_is_there_with_its_verdict(view: MultiplesView) -> None:
    canvas = view.canvas
    assert len(canvas.tiles) == STEPS * RANKS
    assert canvas.tiles[BAD].category in (Category.INTRODUCED, Category.DIFFERS)
    assert canvas.tiles[LOST].words == "no such slot here"
    assert canvas.tiles[CellKey("", 1, 0)].category == Category.EQUAL
    first = canvas.tile_rect(CellKey("", 0, 0))
    assert canvas.tile_rect(CellKey("", 1, 0)).left() > first.left()  # steps are columns
    assert canvas.tile_rect(CellKey("", 0, 2)).top() > first.top()  # ranks are rows
    lines = dict(line.split("\t")[:2] for line in view.copied_text().split("\n"))
    assert set(lines) == {key.label() for key in view.cells.cells if key != LOST}


def test_tiles_use_the_room_and_are_not_scrolled_while_there_is_some(
    view: MultiplesView, window: MainWindow, patience: Until
) -> None:
    canvas = view.canvas
    for size in ((1280, 800), (1680, 1050), (1100, 1000)):
        window.resize(*size)
        patience(lambda size=size: window.size().toTuple() == size)  # type: ignore[misc]
        for _ in range(3):
            QApplication.processEvents()
        wide, tall = canvas.picture_size.toTuple()
        steps, ranks = STEPS, RANKS
        fits = canvas.viewport().height() >= ranks * (40 + 18 + 8) + 20
        assert not fits or canvas.verticalScrollBar().maximum() == 0
        assert canvas.horizontalScrollBar().maximum() == 0
        # one of the two is as large as can be, or has its best shape
        full = (wide + 8 + steps) * steps + 20 >= canvas.viewport().width()
        assert full or not fits or tall >= (canvas.viewport().height() - 20) // ranks - 18 - 8 - ranks


def test_all_pictures_have_one_range(qtbot: QtBot, view: MultiplesView, patience: Until) -> None:
    picture = view.pictures.pictures[BAD]
    np.testing.assert_allclose(picture.values[4, 9], 5, rtol=1e-6)
    assert np.count_nonzero(picture.values) == 1
    assert view.key.ends == ("−5.00e+00", "5.00e+00")
    image = view.canvas.tiles[BAD].image
    assert image is not None
    card = QColor(view._theme.colours.card)
    assert image.pixelColor(9, 4).red() > image.pixelColor(9, 4).blue() + 60
    view.canvas.bring(CellKey("", 1, 0))
    patience(lambda: view.canvas.tiles[CellKey("", 1, 0)].image is not None)
    other = view.canvas.tiles[CellKey("", 1, 0)].image
    assert other is not None
    assert abs(other.pixelColor(3, 3).red() - card.red()) < 8  # no difference: as the card
    view.canvas.bring(BAD)
    qtbot.mouseClick(view.shown.buttons["golden"], LEFT)
    patience(lambda: BAD in view.pictures.pictures and not view.pictures.working)
    np.testing.assert_array_equal(view.pictures.pictures[BAD].values, value(1, 2))
    held = [
        value(step, rank) for step in range(STEPS) for rank in range(RANKS) if CellKey("", step, rank) != LOST
    ]
    seen = [value(key.step, key.rank) for key in view.pictures.pictures]
    assert len(seen) <= len(held)
    patience(lambda: f"{max(map(np.max, seen)):.4g}" in view.key.ends)
    assert view._context.settings.multiples_shown == "golden"


def test_a_click_opens_the_cell_at_the_slot(
    qtbot: QtBot, view: MultiplesView, detail: DetailCard, patience: Until
) -> None:
    session = view._context.session
    view.canvas.bring(BAD)
    place = view.canvas.tile_rect(BAD).center()
    qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=QPoint(place))
    patience(lambda: session.cell is not None and session.cell.key == BAD and session.row >= 0)
    assert session.facts is not None
    assert session.facts.operators[int(session.facts.operator[session.row])] == "Functional.gelu.0.forward"
    patience(lambda: view.canvas.current == BAD)


def test_keys_go_from_tile_to_tile(qtbot: QtBot, view: MultiplesView, patience: Until) -> None:
    canvas, session = view.canvas, view._context.session
    canvas.setFocus()
    canvas.show_cells(view.cells.cells, CellKey("", 0, 0))
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.in_sight
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    patience(lambda: session.cell is not None and session.cell.key == CellKey("", 1, 1))


def test_another_slot_is_looked_up(view: MultiplesView, detail: DetailCard, patience: Until) -> None:
    look_at(detail, "relu")
    patience(lambda: LOST in view.cells.found and view.cells.found[LOST].row >= 0)
    view.canvas.bring(CellKey("", 0, 0))
    patience(lambda: view.canvas.tiles[CellKey("", 0, 0)].image is not None)


def test_a_single_cell_has_no_such_tab(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Until
) -> None:
    same = np.ones((3, 4), np.float32)
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(*map(str, write_pair(tmp_path, {"gelu": (same, same)})))
    assert window.workspace is not None
    assert not window.workspace.detail.tabs.isTabVisible(Tab.CELLS)
