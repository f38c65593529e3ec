"""The tab of elements: the worst ones, exact values around the cursor, statistics, copies, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.tensor_gestures import look_at
from builders.tensor_pairs import write_pair
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.plane import Region
from gui.looks.contrast import LEAST, contrast, mixed, readable
from gui.main_window import MainWindow
from gui.models.tensors.element_table import Column
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
    huge = np.full((6, 40), -1.2345678e-30, np.float32)
    huge[2, 20:] *= 1e35
    waves = (huge[:, :20] + 1j * huge[:, 20:]).astype(np.complex64)
    broken = huge.copy()
    broken[3] = np.nan
    chosen = {
        "deep": deep(), "line": (other, line), "same": (same, same), "huge": (huge * np.float32(-3), huge),
        "waves": (waves.conj(), waves), "broken": (broken, huge), "shapes": (huge[:4, :30], huge[:, :25]),
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("pair")
    path = folder / "result.h5"
    assert main(["compare", *map(str, write_pair(folder, chosen)), "-o", str(path), "--quiet"]) == 1
    return path


@pytest.fixture
def detail(open_detail: Callable[[Path], DetailCard], result: Path) -> DetailCard:
    return open_detail(result)


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
    tall = view.grid.cell_size[1]
    qtbot.mouseClick(view.shown.buttons["target"], LEFT)
    assert view.grid.cell_size[1] < tall
    last = view.grid.sight.bottom - 2  # seen now, and still where cells are higher again
    detail._pair.go_to((0, last, 6))
    qtbot.mouseClick(view.shown.buttons["all"], LEFT)
    assert view.grid.sight.top <= last < view.grid.sight.bottom
    qtbot.mouseClick(view.shown.buttons["target"], LEFT)
    detail._pair.go_to((0, 5, 6))
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


def facts_of(view: ElementsView) -> dict[str, str]:
    return {row[0]: row[1] for row in view.statistics.apart.texts()}


@pytest.mark.parametrize("name", ["huge", "waves", "line"])
def test_no_sign_of_a_number_is_cut_off(
    view: ElementsView, detail: DetailCard, patience: Until, name: str
) -> None:
    """A column is as wide as the widest number in sight."""
    look_at(detail, name)
    grid = view.grid
    patience(lambda: grid.held is not None and lines(view, 0, 0) != [])
    sight, room = grid.sight, grid.cell_size[0] - 2 * 6
    for row in range(sight.top, sight.bottom):
        for column in range(sight.left, sight.right):
            for words in lines(view, row, column):
                assert grid._metrics.horizontalAdvance(words) <= room
    width = grid.cell_size[0]
    grid.horizontalScrollBar().setValue(grid.horizontalScrollBar().maximum())
    assert grid.cell_size[0] >= width  # and never narrower again: nothing jumps


def test_the_measure_that_ranks_stands_after_the_index(qtbot: QtBot, view: ElementsView) -> None:
    table = view.worst.table
    header = table.horizontalHeader()
    for word, column in (
        ("ulp", Column.ULPS),
        ("relative", Column.RELATIVE),
        ("absolute", Column.DIFFERENCE),
    ):
        qtbot.mouseClick(view.worst.by.buttons[word], LEFT)
        qtbot.waitUntil(lambda column=column: header.logicalIndex(1) == column, timeout=20_000)  # type: ignore[misc]
        assert header.logicalIndex(0) == Column.PLACE
        assert header.sectionViewportPosition(column) + header.sectionSize(column) <= table.viewport().width()


def test_a_difference_of_complex_numbers_is_complex(
    view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "waves")
    patience(lambda: len(lines(view, 0, 0)) == 3 and lines(view, 0, 0)[2].endswith("i"))


def test_special_values_that_differ_are_no_error_of_0(
    view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "broken")
    patience(lambda: facts_of(view).get("of these NaN or Inf") == "40")
    assert facts_of(view)["max abs error"] == "—"
    assert facts_of(view)["differing"] == "40"


def test_a_golden_of_another_shape_shows_its_values(
    view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "shapes")
    detail._pair.go_to((0, 22))
    patience(lambda: len(lines(view, 0, 22)) == 3)
    assert lines(view, 0, 22)[1] == lines(view, 0, 22)[0]
    detail._pair.go_to((0, 26))
    patience(lambda: len(lines(view, 0, 26)) == 3)
    assert lines(view, 0, 26)[1] == "—"


def test_the_worst_of_a_marked_rectangle(
    qtbot: QtBot, view: ElementsView, detail: DetailCard, patience: Until
) -> None:
    """Whatever is marked, list and statistics tell of it; one button leads back to the whole."""
    detail._pair.go_to((1, 120, 77))
    detail._pair.select(Region(118, 122, 70, 80))
    patience(lambda: view.worst._found is not None and view.worst._found.total == 40)
    assert view.worst.rows.elements[0].index == (1, 120, 77)
    patience(lambda: view.statistics.whole.isVisible())
    qtbot.mouseClick(view.statistics.whole, LEFT)
    assert detail._pair.rectangle is None
    patience(lambda: view.worst._found is not None and view.worst._found.total == 120_000)
    assert not view.statistics.whole.isVisible()


def test_every_button_has_a_name(view: ElementsView) -> None:
    for button in (view.worst.more, view.export.copy, view.export.save, view.statistics.whole):
        assert button.accessibleName().strip(" ▾")


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("role", ["target", "golden", "dim"])
def test_digits_can_be_read(window: MainWindow, mode: str, role: str) -> None:
    """On the card, and on the ground of the element that differs most."""
    theme = window.context.theme
    before = theme.mode
    theme.set_mode(mode)
    card, words = theme.colour("card"), theme.colour("text")
    for share in (0.0, 0.15, 0.3, 0.5):
        for ground in (mixed(card, theme.colour(name), share) for name in ("introduces", "nan")):
            assert contrast(readable(theme.colour(role), ground, words), ground) >= LEAST
    assert contrast(theme.colour("golden"), card) >= LEAST
    theme.set_mode(before)


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


def test_a_run_by_itself_is_neither_ranked_nor_compared(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Until
) -> None:
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    alone, _ = write_pair(tmp_path, {"only": (numbers, numbers)})
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_paths([str(alone)])
    assert window.workspace is not None
    detail = window.workspace.detail
    look_at(detail, "only")
    qtbot.mouseClick(detail.tabs, LEFT, pos=detail.tabs.tabRect(Tab.ELEMENTS).center())
    view = detail.view_of(ElementsView)
    patience(lambda: view.grid.held is not None and lines(view, 2, 3) == ["11"])
    assert not view.worst.isVisible()
    assert not view.shown.isVisible()
