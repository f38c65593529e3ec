"""Which columns are shown: sets of them, moved and hidden ones, what they tell, and their tint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders.results import gpt_result
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWhatsThis
from pytestqt.qtbot import QtBot

from core.messages import text
from core.records.result import CellResult, Reason
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.roles import Role
from gui.models.table.call_columns import CALL_COLUMNS
from gui.models.table.column_sets import SETS, ColumnSet
from gui.models.table.columns import COLUMNS, PLACES
from gui.models.table.metric_table import MetricTable
from gui.models.table.shading import RULES, level
from gui.settings import Settings
from gui.views.table.choice import SlotColumns
from gui.views.table.view import TableView

LEFT = Qt.MouseButton.LeftButton


def view(window: MainWindow) -> TableView:
    assert window.workspace is not None
    return window.workspace.table


def shown(window: MainWindow) -> list[str]:
    return [COLUMNS[number].key for number in view(window).slots.columns.visible()]


def action(menu: QMenu, words: str) -> QAction:
    return next(found for found in menu.actions() if found.text() == words)


def when_offered(act: Callable[[QMenu], object]) -> None:
    """Let *act* choose from the next menu that is shown, and close it."""

    def look() -> None:
        menu = QApplication.activePopupWidget()
        if not isinstance(menu, QMenu):
            QTimer.singleShot(5, look)
            return
        act(menu)
        menu.close()

    QTimer.singleShot(0, look)


def columns_of(wanted: ColumnSet) -> list[str]:
    """Return what a set shows where nothing is noted."""
    return [key for key in SETS[wanted] if key != "note"]


def choose(window: MainWindow, words: str) -> None:
    """Choose a set as its menu does."""
    found = next(
        button for button in view(window).findChildren(QToolButton) if hasattr(button, "menu_of_sets")
    )
    menu = found.menu_of_sets()
    action(menu, words).trigger()
    menu.deleteLater()


# ---- sets


@pytest.mark.parametrize("wanted", [found for found in ColumnSet if found is not ColumnSet.OWN])
def test_a_set_shows_its_columns_in_its_order(loaded: MainWindow, wanted: ColumnSet) -> None:
    choose(loaded, text(f"gui.column_set.{wanted.value}"))
    assert shown(loaded) == columns_of(wanted)
    assert loaded.context.settings.column_set == wanted.value


def test_a_set_keeps_the_order_of_rows_and_what_is_selected(loaded: MainWindow) -> None:
    table = view(loaded).table
    table.sort_by(PLACES["error"])
    table.selectRow(7)
    before, row = view(loaded).model.order.tolist(), loaded.session.row
    for words in ("Official", "All", "Statistics of both sides", "Ours"):
        choose(loaded, words)
        assert view(loaded).model.order.tolist() == before
        assert loaded.session.row == row
        assert list(table.selected_rows()) == [7]
        assert view(loaded).model.sort_column == PLACES["error"]


def test_a_column_of_ones_own_makes_the_set_ones_own(loaded: MainWindow) -> None:
    choose(loaded, "Statistics of both sides")
    menu = view(loaded).columns.menu(loaded)
    action(menu, "RMSE").trigger()
    menu.deleteLater()
    own = [*columns_of(ColumnSet.STATISTICS), "rmse"]
    assert sorted(shown(loaded)) == sorted(own)
    assert loaded.context.settings.column_set == "own"
    choose(loaded, "Ours")
    assert "rmse" not in shown(loaded)
    choose(loaded, "Own")
    assert sorted(shown(loaded)) == sorted(own)


def test_moved_columns_are_remembered(
    loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    heading = view(loaded).table.heading
    heading.moveSection(heading.visualIndex(PLACES["shape"]), 1)
    moved = shown(loaded)
    assert moved[:2] == ["operator", "shape"]
    again = SlotColumns(loaded.context.settings)
    again.origins = True
    assert list(again.shown()) == moved
    choose(loaded, "Ours")
    assert shown(loaded) == columns_of(ColumnSet.OURS)
    choose(loaded, "Own")
    assert shown(loaded) == moved


def test_the_operator_stays_the_first_column(loaded: MainWindow) -> None:
    heading = view(loaded).table.heading
    assert not heading.isFirstSectionMovable()
    assert shown(loaded)[0] == "operator"


def test_reset_brings_the_first_columns_back(loaded: MainWindow) -> None:
    choose(loaded, "All")
    view(loaded).columns.reset()
    assert shown(loaded) == columns_of(ColumnSet.OURS)


@pytest.mark.parametrize("word", ["", "neon", "own"])
def test_odd_settings_show_something(word: str) -> None:
    settings = Settings(column_set=word, hidden_columns=["no such"] if word == "own" else [])
    choice = SlotColumns(settings)
    assert set(choice.shown()) <= {column.key for column in COLUMNS}
    assert "operator" in choice.shown()


def test_a_choice_made_before_there_were_sets_stays() -> None:
    choice = SlotColumns(Settings(hidden_columns=["shape"]))
    assert choice.set is ColumnSet.OWN
    assert "shape" not in choice.shown()


def test_columns_of_calls_are_chosen_too(loaded: MainWindow) -> None:
    view(loaded).set_calls(True)
    keeper = view(loaded).columns
    menu = keeper.menu(loaded)
    action(menu, "Origin").trigger()
    action(menu, "Golden operator").trigger()
    menu.deleteLater()
    keys = [CALL_COLUMNS[number].key for number in keeper.visible()]
    assert "origin" not in keys
    assert "golden_operator" in keys
    assert loaded.context.settings.hidden_call_columns == ["origin"]


# ---- the statistics of both sides


def test_statistics_are_those_of_the_dumps(qapp: object, cell: CellResult, facts: Facts) -> None:
    model = MetricTable()
    model.set_cell(cell, facts)
    for row in range(0, len(cell.rows), 7):
        sides = (
            (cell.target.slots, int(cell.rows.target_slot[row])),
            (cell.golden.slots, int(cell.rows.golden_slot[row])),
        )
        for name in ("max", "min", "mean", "norm"):
            values = [
                float(getattr(slots, name)[slot]) if slot >= 0 and slots.known[slot] else None
                for slots, slot in sides
            ]
            told = [
                model.plain_text(model.index(row, PLACES[f"{side}_{name}"])) for side in ("target", "golden")
            ]
            assert told == ["" if value is None else repr(value) for value in values]
            target, golden = values
            difference = model.plain_text(model.index(row, PLACES[f"difference_{name}"]))
            if target is None or golden is None:
                assert difference == ""
            else:
                assert float(difference) == target - golden


# ---- what a column tells


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_heading_tells_what_it_is(loaded: MainWindow, language: str) -> None:
    loaded.actions_registry[f"language_{language}"].trigger()
    for column in (*COLUMNS, *CALL_COLUMNS):
        assert column.title in column.help
        assert len(column.help) > len(column.title) + 10
    cosine = COLUMNS[PLACES["cosine"]].help
    assert ("constant factor" if language == "en" else "常数倍") in cosine
    loaded.actions_registry["language_en"].trigger()


def test_the_menu_of_a_heading_is_reached_by_keyboard(
    qtbot: QtBot, loaded: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = view(loaded).table
    table.setFocus()
    asked: list[str] = []
    told: list[str] = []
    when_offered(lambda menu: asked.extend(found.text() for found in menu.actions()))
    monkeypatch.setattr(QWhatsThis, "showText", lambda _place, words, _widget: told.append(words))
    qtbot.keyClick(table, Qt.Key.Key_Right)
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert "What is this column?" in asked
    menu = view(loaded).columns.heading_menu(PLACES["cosine"], loaded)
    action(menu, "What is this column?").trigger()
    assert "constant factor" in told[0]
    action(menu, "Hide this column").trigger()
    menu.deleteLater()
    assert "cosine" not in shown(loaded)


def test_a_right_click_offers_the_menu_of_that_heading(loaded: MainWindow) -> None:
    offered: list[str] = []
    when_offered(lambda menu: offered.extend(found.text() for found in menu.actions()))
    heading = view(loaded).table.heading
    where = QPoint(heading.sectionViewportPosition(PLACES["error"]) + 10, 10)
    heading.customContextMenuRequested.emit(where)
    assert "Sort by this column" in offered


# ---- tints


def test_only_what_differs_is_tinted(qapp: object, cell: CellResult, facts: Facts) -> None:
    model = MetricTable()
    model.set_cell(cell, facts)
    tinted = set()
    for row in range(len(facts)):
        steps = model.index(row, PLACES["error"]).data(Role.LEVEL)
        error, allowed = float(cell.rows.error[row]), float(cell.rows.allowed[row])
        differs = Category(int(facts.category[row])).differs
        times = error / allowed if allowed > 0 and error > 0 else np.inf if error > 0 else 0
        expected = sum(times > limit for limit in (1, 10, 1000)) if differs else 0
        assert (steps or 0) == expected
        if steps:
            tinted.add(steps)
            assert model.index(row, PLACES["error"]).data(Role.TINT) == facts.category[row]
    assert tinted
    model.set_tinted(False)
    assert all(model.index(row, PLACES["error"]).data(Role.LEVEL) is None for row in range(len(facts)))


def test_absolute_numbers_are_never_tinted(cell: CellResult) -> None:
    assert not {"max_abs", "rmse", "mae", "euclidean", "max_rel"} & set(RULES)
    assert level("cosine", cell, -1) == 0
    assert set(RULES) <= {column.key for column in COLUMNS}


def test_tints_are_switched_off_in_the_menu_of_columns(qtbot: QtBot, loaded: MainWindow) -> None:
    when_offered(lambda menu: action(menu, "Tint what is beyond").trigger())
    button = next(found for found in view(loaded).findChildren(QToolButton) if found.text() == "Columns")
    qtbot.mouseClick(button, LEFT)
    assert not loaded.context.settings.tinted_cells
    model = view(loaded).model
    levels = [model.index(at, PLACES["error"]).data(Role.LEVEL) for at in range(model.rowCount())]
    assert not any(levels)


def test_one_run_alone_has_its_own_columns(show: Callable[..., None], window: MainWindow) -> None:
    cell = gpt_result(layers=1, faulty_layer=0)
    alone = np.full(len(cell.rows), Reason.SINGLE_RUN, np.uint8)
    show(replace(cell, rows=replace(cell.rows, reason=alone)), golden="")
    assert "target_max" in shown(window)
    assert "verdict" not in shown(window)
