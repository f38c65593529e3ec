"""The tab of elements: the worst ones, exact values around the cursor, statistics, copies, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.tensor_pairs import write_pair
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.plane import Region
from gui.main_window import MainWindow
from gui.numbers import grouped
from gui.pages.detail import DetailCard, Tab
from gui.views.elements.value_grid import ValueGrid
from gui.views.elements.view import ElementsView

Until = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NO_KEY = Qt.KeyboardModifier.NoModifier


def deep() -> tuple[np.ndarray, np.ndarray]:
    """Return a pair of which half the elements differ, with special values on one side."""
    random = np.random.default_rng(9)
    golden = random.normal(size=(2, 300, 200)).astype(np.float32)
    change = np.where(random.random(golden.shape) < 0.5, random.normal(size=golden.shape) * 1e-3, 0)
    target = golden + change.astype(np.float32)
    target[1, 120, 77] += 3
    target[0, 5, 6] = np.nan
    return target, golden


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    line = np.arange(10, dtype=np.int64)
    other = line.copy()
    other[3] = 2**53 + 1
    same = np.ones((3, 4), np.float32)
    chosen = {"deep": deep(), "line": (other, line), "same": (same, same)}
    folder = tmp_path_factory.mktemp("pair")
    path = folder / "result.h5"
    assert main(["compare", *map(str, write_pair(folder, chosen)), "-o", str(path), "--quiet"]) == 1
    return path


@pytest.fixture
def detail(qtbot: QtBot, window: MainWindow, result: Path) -> DetailCard:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_paths([str(result)])
    assert window.workspace is not None
    return window.workspace.detail


def look_at(detail: DetailCard, name: str) -> None:
    """Select the output of a call."""
    focus = detail._focus
    assert focus.facts is not None
    at = focus.facts.operators.texts.index(f"Functional.{name}.0.forward")
    focus.select(int(np.flatnonzero(focus.facts.operator == at)[0]))


@pytest.fixture
def view(qtbot: QtBot, detail: DetailCard, patience: Until) -> ElementsView:
    look_at(detail, "deep")
    qtbot.mouseClick(detail.tabs, LEFT, pos=detail.tabs.tabRect(Tab.ELEMENTS).center())
    made = detail.view_of(ElementsView)
    patience(lambda: bool(made.worst.rows.elements) and made.grid.held is not None)
    return made


def cell_centre(grid: ValueGrid, row: int, column: int) -> QPoint:
    return grid.cell_rect(row, column).center()


def lines(view: ElementsView, row: int, column: int) -> list[str]:
    found = view.grid.words.at(view.grid.held, row, column)
    return [] if found is None else [words for words, _ in found.lines]


def choose(qtbot: QtBot, button: QToolButton, *path: int) -> None:
    """Press *button* and choose an entry of its menu, or of the menu in that entry."""
    qtbot.mouseClick(button, LEFT)
    menu = button.findChild(QMenu)
    for at in path[:-1]:
        inner = menu.actions()[at].menu()
        assert isinstance(inner, QMenu)
        menu = inner
    menu.actions()[path[-1]].trigger()
    button.findChild(QMenu).close()


def test_the_worst_come_first(qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until) -> None:
    target, golden = (side.astype(np.float64) for side in deep())
    apart = np.abs(target - golden)
    rows = view.worst.rows
    assert rows.elements[0].index == (0, 5, 6)  # NaN where the golden is finite
    order = np.argsort(-np.nan_to_num(apart, nan=-1.0), axis=None, kind="stable")[:99]
    expected = [tuple(int(at) for at in np.unravel_index(flat, apart.shape)) for flat in order]
    assert [element.index for element in rows.elements[1:]] == expected
    differing = int((apart > 0).sum()) + 1
    counted = grouped(differing)
    assert view.worst.line.text() == f"worst 100 of {counted} that differ, of {grouped(120_000)}"
    qtbot.mouseClick(view.worst.by.buttons["relative"], LEFT)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.nan_to_num(apart / np.abs(golden), nan=-1.0)
    worst = tuple(int(at) for at in np.unravel_index(int(relative.argmax()), relative.shape))
    patience(lambda: rows.elements[1].index == worst)
    assert view._context.settings.elements_by == "relative"
    qtbot.mouseClick(view.worst.more, LEFT)
    patience(lambda: len(rows.elements) == 1000)


def test_rows_lead_to_the_element_and_are_copied(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    table = view.worst.table
    place = table.visualRect(view.worst.rows.index(1, 1)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    assert detail._pair.place == (1, 120, 77)
    assert view.grid.current == (120, 77)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert detail._pair.place == view.worst.rows.elements[2].index
    copied = detail.copied_text().split("\n")
    assert copied[0].split("\t")[:3] == ["Index", "Target", "Golden"]
    assert len(copied) == 101
    target, golden = deep()
    row = copied[2].split("\t")
    assert row[0] == "[1, 120, 77]"
    assert float(row[1]) == float(target[1, 120, 77])
    assert float(row[3]) == float(target[1, 120, 77]) - float(golden[1, 120, 77])


def test_keys_and_the_wheel_move_through_the_values(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    target, golden = deep()
    detail._pair.go_to((1, 120, 77))
    grid = view.grid
    patience(lambda: lines(view, 120, 77) != [])
    grid.setFocus()
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    qtbot.keyClick(grid, Qt.Key.Key_Down)
    assert detail._pair.place == (1, 121, 78)
    told = [float(words.replace("−", "-")) for words in lines(view, 121, 78)]
    assert [np.float32(number) for number in told[:2]] == [target[1, 121, 78], golden[1, 121, 78]]
    qtbot.keyClick(grid, Qt.Key.Key_End, CONTROL)
    assert detail._pair.place == (1, 299, 199)
    patience(lambda: lines(view, 299, 199) != [])
    assert np.float32(lines(view, 299, 199)[1].replace("−", "-")) == golden[1, 299, 199]
    qtbot.keyClick(grid, Qt.Key.Key_Home)
    qtbot.keyClick(grid, Qt.Key.Key_PageUp)
    assert detail._pair.place is not None
    assert detail._pair.place[2] == 0
    assert grid.sight.top <= grid.current[0] < grid.sight.bottom  # type: ignore[index]
    grid.verticalScrollBar().setValue(10)
    patience(lambda: lines(view, 10, 0) != [])
    place = cell_centre(grid, 11, 1)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=place)
    assert detail._pair.place == (1, 11, 1)
    assert view.place.text() == "[1, 11, 1]"


def test_a_rectangle_is_marked_and_measured(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    target, golden = (side.astype(np.float64) for side in deep())
    detail._pair.go_to((1, 120, 77))
    grid = view.grid
    grid.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(grid, key, SHIFT)
    assert detail._pair.rectangle == Region(120, 123, 77, 79)
    patience(lambda: "Rectangle 3 × 2" in view.statistics._title.text())
    part = target[1, 120:123, 77:79]
    facts = {row[0]: row[1:] for row in view.statistics.sides.texts()}
    assert facts["elements"] == ["6", "6"]
    assert float(facts["max"][0].replace("−", "-")) == pytest.approx(part.max(), rel=1e-4)
    assert float(facts["mean"][0].replace("−", "-")) == pytest.approx(part.mean(), rel=1e-4)
    apart = {row[0]: row[1] for row in view.statistics.apart.texts()}
    expected = np.abs(part - golden[1, 120:123, 77:79]).max()
    assert float(apart["max abs error"].replace("−", "-")) == pytest.approx(expected, rel=1e-3)
    QTest.keyClick(grid, Qt.Key.Key_Escape)
    assert detail._pair.rectangle is None
    patience(lambda: view.statistics._title.text() == "Whole tensor")
    assert {row[0]: row[1:] for row in view.statistics.sides.texts()}["NaN"] == ["1", "0"]
    start = cell_centre(grid, grid.sight.top + 1, grid.sight.left)
    end = cell_centre(grid, grid.sight.top + 2, grid.sight.left + 1)
    QTest.mousePress(grid.viewport(), LEFT, NO_KEY, start)
    QTest.mouseMove(grid.viewport(), end)
    QTest.mouseRelease(grid.viewport(), LEFT, NO_KEY, end)
    marked = detail._pair.rectangle
    assert marked is not None
    assert (marked.bottom - marked.top, marked.right - marked.left) == (2, 2)


def test_what_a_cell_holds_is_chosen_and_kept(qtbot: QtBot, view: ElementsView, detail: DetailCard) -> None:
    detail._pair.go_to((0, 5, 6))
    tall = view.grid.cell_size[1]
    qtbot.mouseClick(view.shown.buttons["target"], LEFT)
    assert view.grid.cell_size[1] < tall
    assert view._context.settings.elements_shown == "target"
    assert view.grid.cell_at(QPointF(cell_centre(view.grid, 5, 6))) == (5, 6)


def test_exact_numbers_of_integers_and_nothing_that_differs(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "line")
    patience(lambda: [element.index for element in view.worst.rows.elements] == [(3,)])
    patience(lambda: view.grid.held is not None)
    row, column = detail._pair.plane.position(detail._pair.shape, (3,)) or (0, 0)
    patience(lambda: lines(view, row, column)[:1] == ["9\u202f007\u202f199\u202f254\u202f740\u202f993"])
    assert view.worst.rows.elements[0].difference == 2**53 + 1 - 3
    look_at(detail, "same")
    patience(lambda: view.worst._note.sentence == "None of 12 elements differs.")


def test_values_are_copied_and_saved(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    target, golden = deep()
    detail._pair.go_to((1, 120, 77))
    detail._pair.select(Region(119, 122, 76, 79))
    path = tmp_path / "part.npy"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    choose(qtbot, view.export.save, 2)
    patience(path.exists)
    expected = target[1, 119:122, 76:79].astype(np.float64) - golden[1, 119:122, 76:79].astype(np.float64)
    patience(lambda: not view._context.session.exports.running)
    np.testing.assert_array_equal(np.load(path), expected)
    QGuiApplication.clipboard().clear()
    choose(qtbot, view.export.copy, 0, 1)
    patience(lambda: "np.array" in QGuiApplication.clipboard().text())
    copied = eval(QGuiApplication.clipboard().text(), {"np": np})
    np.testing.assert_array_equal(copied, target[1, 119:122, 76:79])
