"""Calls in windows of their own, and the way back to the ones looked at before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.pages.detail_window import DetailWindow
from gui.views.arguments.view import ArgumentsView
from gui.views.summary.view import SummaryView

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
PASSED_BY = 200
"""Milliseconds after which a call counts as looked at."""


def row_of(window: MainWindow, operator: str, slot: str = "output.0") -> int:
    facts = window.session.facts
    assert facts is not None
    rows = np.flatnonzero(
        (facts.operator == facts.operators.texts.index(operator))
        & (facts.slot == facts.slots.texts.index(slot))
    )
    return int(rows[0])


def look_at(qtbot: QtBot, window: MainWindow, *operators: str) -> list[int]:
    rows = [row_of(window, operator) for operator in operators]
    for row in rows:
        qtbot.wait(PASSED_BY)
        window.session.select(row)
    return rows


@pytest.fixture
def opened(qtbot: QtBot, loaded: MainWindow) -> DetailWindow:
    look_at(qtbot, loaded, "Functional.gelu.3.forward")
    loaded.activateWindow()
    qtbot.keyClick(loaded, Qt.Key.Key_D, CONTROL)
    (made,) = loaded.details.windows
    return made


GELU, LINEAR, NORM = (
    "Functional.gelu.1.forward",
    "Functional.linear.2.forward",
    "Functional.layer_norm.3.forward",
)


def test_a_window_stays_with_its_call_while_the_main_one_goes_on(
    qtbot: QtBot, loaded: MainWindow, opened: DetailWindow
) -> None:
    assert opened.isVisible()
    assert opened.windowTitle().startswith("gelu.3 output.0 — step 0")
    loaded.session.set_filter(text="nothing fits this")
    look_at(qtbot, loaded, LINEAR)
    assert opened.windowTitle().startswith("gelu.3 output.0")
    assert "gelu.3" in opened.card.view_of(SummaryView).sentence
    assert loaded.workspace is not None
    assert "linear.2" in loaded.workspace.summary.sentence


def test_it_follows_the_selection_when_told_to(
    qtbot: QtBot, loaded: MainWindow, opened: DetailWindow
) -> None:
    look_at(qtbot, loaded, LINEAR)
    qtbot.mouseClick(opened.follow_button, Qt.MouseButton.LeftButton)
    assert opened.windowTitle().startswith("linear.2")
    look_at(qtbot, loaded, NORM)
    assert opened.windowTitle().startswith("layer_norm.3")
    qtbot.mouseClick(opened.follow_button, Qt.MouseButton.LeftButton)
    look_at(qtbot, loaded, GELU)
    assert opened.windowTitle().startswith("layer_norm.3")


def test_a_slot_chosen_in_it_moves_it_and_not_the_main_window(
    qtbot: QtBot, loaded: MainWindow, opened: DetailWindow
) -> None:
    opened.card.tabs.setCurrentIndex(Tab.ARGUMENTS)
    table, before = opened.card.view_of(ArgumentsView).table, loaded.session.row
    table.setCurrentIndex(opened.card.view_of(ArgumentsView).model.index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert opened.windowTitle().startswith("gelu.3 input.0")
    assert loaded.session.row == before


@pytest.mark.parametrize(("key", "modifier"), [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
                                               (Qt.Key.Key_W, CONTROL)])  # fmt: skip
def test_it_closes_by_keys_and_leaves_the_others(
    qtbot: QtBot, loaded: MainWindow, opened: DetailWindow, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    look_at(qtbot, loaded, LINEAR)
    loaded.actions_registry["open_detail"].trigger()
    other = loaded.details.windows[1]
    with qtbot.waitActive(opened):
        opened.activateWindow()
    qtbot.keyClick(opened, key, modifier)
    assert loaded.details.windows == [other]
    assert loaded.isVisible()
    look_at(qtbot, loaded, NORM)  # what is closed hears nothing any more
    QApplication.processEvents()


def test_all_close_with_another_pair_and_with_the_main_window(
    loaded: MainWindow, opened: DetailWindow, show: Callable[..., None], cell: CellResult
) -> None:
    show(cell, golden="/data/another")
    assert loaded.details.windows == []
    loaded.actions_registry["open_detail"].trigger()
    (made,) = loaded.details.windows
    loaded.close()
    assert loaded.details.windows == []
    assert not made.isVisible()


def test_it_speaks_the_language_that_is_chosen(loaded: MainWindow, opened: DetailWindow) -> None:
    loaded.actions_registry["language_zh_CN"].trigger()
    assert opened.follow_button.text() == "跟随选择"
    assert opened.card.tabs.tabText(Tab.ARGUMENTS) == "参数"
    loaded.actions_registry["language_en"].trigger()
    assert opened.follow_button.text() == "Follow the selection"


def test_what_one_window_asks_for_is_not_forgotten_because_of_another(
    loaded: MainWindow, opened: DetailWindow, patience: Callable[[Callable[[], bool]], None]
) -> None:
    from gui.processes.picture_client import PictureClient

    clients = [PictureClient(loaded.session.pictures, loaded) for _ in range(2)]
    answers: list[tuple[int, str, object]] = []
    for number, client in enumerate(clients):
        client.answered.connect(
            lambda channel, answer, number=number: answers.append((number, channel, answer))
        )
        client.request("value", abs, -number - 1)
    patience(lambda: len(answers) == 2)
    assert sorted(answers) == [(0, "value", 1), (1, "value", 2)]
    clients[0].request("value", abs, -7)
    clients[0].forget("value")
    clients[1].request("value", abs, -8)
    patience(lambda: len(answers) == 3)
    assert answers[2] == (1, "value", 8)


# ---- back and forward


def test_alt_and_an_arrow_go_back_and_forward_over_the_calls(qtbot: QtBot, loaded: MainWindow) -> None:
    first, second, third = look_at(qtbot, loaded, GELU, LINEAR, NORM)
    session = loaded.session
    assert not loaded.actions_registry["forward"].isEnabled()
    for expected in (second, first):
        qtbot.keyClick(loaded, Qt.Key.Key_Left, ALT)
        assert session.row == expected
    qtbot.keyClick(loaded, Qt.Key.Key_Right, ALT)
    assert session.row == second
    qtbot.wait(PASSED_BY)
    session.select(row_of(loaded, "Functional.linear.7.forward"))
    assert not loaded.actions_registry["forward"].isEnabled()  # the way that was left is forgotten
    qtbot.keyClick(loaded, Qt.Key.Key_Left, ALT)
    assert session.row == second
    assert third != second


def test_slots_of_one_call_and_calls_passed_by_are_one_place(qtbot: QtBot, loaded: MainWindow) -> None:
    (gelu,) = look_at(qtbot, loaded, GELU)
    qtbot.wait(PASSED_BY)
    at_input = row_of(loaded, LINEAR, "input.0")
    loaded.session.select(at_input)
    loaded.session.select(row_of(loaded, LINEAR))
    qtbot.wait(PASSED_BY)
    for at in range(40):  # a key held down
        loaded.session.select(at * 3)
    loaded.session.history.go(False)
    assert loaded.session.row == row_of(loaded, LINEAR)
    loaded.session.history.go(False)
    assert loaded.session.row == gelu


def test_a_call_that_the_filter_hides_is_shown_again(qtbot: QtBot, loaded: MainWindow) -> None:
    gelu, _ = look_at(qtbot, loaded, GELU, LINEAR)
    loaded.session.set_filter(text="linear")
    loaded.session.history.go(False)
    assert loaded.session.row == gelu
    assert loaded.session.mask[gelu]


def test_another_pair_has_a_history_of_its_own(
    qtbot: QtBot, loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    look_at(qtbot, loaded, GELU, LINEAR)
    assert loaded.actions_registry["back"].isEnabled()
    show(cell, golden="/data/another")
    assert not loaded.actions_registry["back"].isEnabled()


def test_it_shows_its_cell_as_it_is_judged_now(
    qtbot: QtBot, loaded: MainWindow, opened: DetailWindow, cell: CellResult
) -> None:
    look_at(qtbot, loaded, LINEAR)
    anew = replace(cell)
    loaded.session.show_anew(anew)
    assert opened.focus.cell is anew
    assert opened.windowTitle().startswith("gelu.3 output.0")


def test_a_window_and_the_history_reach_over_steps(
    qtbot: QtBot,
    window: MainWindow,
    demo_pair: tuple[Path, Path],
    patience: Callable[[Callable[[], bool]], None],
) -> None:
    session = window.session
    session.open_pair(str(demo_pair[0]), str(demo_pair[1]))
    patience(lambda: bool(session.result_path))
    assert session.info is not None
    assert session.cell is not None
    first, row = session.cell.key, session.row
    window.actions_registry["open_detail"].trigger()
    (made,) = window.details.windows
    title = made.windowTitle()
    other = next(key for key in session.info.cells if key != first)
    qtbot.wait(PASSED_BY)
    session.choose_cell(other)
    patience(lambda: session.cell.key == other and session.row >= 0)
    assert made.windowTitle() == title
    assert made.focus.cell.key == first
    window.actions_registry["back"].trigger()
    patience(lambda: session.cell.key == first)
    assert session.row == row
    assert window.actions_registry["forward"].isEnabled()
    patience(lambda: session.pictures.idle)
