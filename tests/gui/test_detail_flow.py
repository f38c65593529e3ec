"""Following values from call to call beside the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.progress import Progress, Work
from gui.comparison.flow import FlowState
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.pages.detail import Tab
from gui.processes.work_state import Stage
from gui.views.flow.column import FlowColumn
from gui.views.flow.view import FlowView

Patience = Callable[[Callable[[], bool]], None]
TAB = Tab.FLOW
GELU = "Functional.gelu.1.forward"


def select(window: MainWindow, operator: str, slot: str = "output.0") -> int:
    facts = window.session.facts
    assert facts is not None
    mine = facts.operator == facts.operators.texts.index(operator)
    row = int(np.flatnonzero(mine & (facts.slot == facts.slots.texts.index(slot)))[0])
    window.session.select(row)
    return row


def titles(column: FlowColumn) -> list[str]:
    return [station.title for station in column.model.stations]


def click(qtbot: QtBot, column: FlowColumn, at: int) -> None:
    place = column.list.visualRect(column.model.index(at, 0)).center()
    qtbot.mouseClick(column.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.fixture
def view(window: MainWindow, demo_pair: tuple[Path, Path], patience: Patience) -> FlowView:
    window.session.open_pair(str(demo_pair[0]), str(demo_pair[1]))
    patience(lambda: bool(window.session.result_path))
    assert window.workspace is not None
    window.workspace.detail.tabs.setCurrentIndex(TAB)
    select(window, GELU)
    cell = window.session.cell
    assert cell is not None
    patience(lambda: window.session.flows.of(cell.key).stage is Stage.READY)
    return window.workspace.detail.view_of(FlowView)


def test_a_call_stands_between_who_made_its_inputs_and_who_takes_its_outputs(view: FlowView) -> None:
    assert titles(view.sources) == ["linear.6", "up Linear.0"]
    assert titles(view.call) == ["gelu.1", "input.0", "output.0"]
    assert titles(view.takers) == ["linear.7", "down Linear.0"]
    maker, passer = view.sources.model.stations
    assert not maker.dim
    assert passer.dim
    assert "only passes it on" in passer.detail
    assert "output.0 → input.0" in maker.detail
    assert "same statistics" in maker.detail
    call = view.call.model.stations[0]
    assert call.category is Category.INTRODUCED
    assert call.grown
    assert "grows" in call.figures
    assert "error 3.6e" in view.takers.model.stations[0].figures


def test_a_click_follows_and_the_way_back_is_remembered(
    qtbot: QtBot, view: FlowView, window: MainWindow
) -> None:
    before = window.session.row
    qtbot.wait(200)
    click(qtbot, view.takers, 0)
    assert titles(view.call)[0] == "linear.7"
    assert "gelu.1" in titles(view.sources)
    qtbot.wait(200)
    window.actions_registry["back"].trigger()
    assert window.session.row == before
    assert titles(view.call)[0] == "gelu.1"


def test_the_keys_move_and_follow(qtbot: QtBot, view: FlowView) -> None:
    lists = [column.list for column in view.columns]
    lists[1].setFocus()
    assert lists[1].currentIndex().row() == 0
    qtbot.keyClick(lists[1], Qt.Key.Key_Down)
    assert lists[1].currentIndex().row() == 1
    qtbot.keyClick(lists[1], Qt.Key.Key_Left)
    assert lists[0].hasFocus()
    qtbot.keyClick(lists[0], Qt.Key.Key_Left)
    assert lists[0].hasFocus()
    qtbot.keyClick(lists[0], Qt.Key.Key_Return)
    assert titles(view.call)[0] == "linear.6"
    assert lists[0].hasFocus()
    assert lists[0].currentIndex().row() == 0


def test_what_no_call_gives_and_no_call_takes_is_said_in_words(view: FlowView, window: MainWindow) -> None:
    select(window, "Functional.embedding.0.forward")
    assert titles(view.sources)[0] == "input.0 comes from outside"
    assert all(station.row < 0 for station in view.sources.model.stations)
    select(window, "Module.blocks.0.feed_forward.FeedForward.forward.0")
    inside = view.sources.model.stations[-1]
    assert "made inside" in inside.detail


def test_the_golden_has_its_own_flow(qtbot: QtBot, view: FlowView) -> None:
    qtbot.mouseClick(view.side_buttons[1], Qt.MouseButton.LeftButton)
    assert titles(view.call)[0] == "gelu.1"
    assert view.side_buttons[1].isChecked()
    assert view.copied_text().startswith("linear.6\t")


def test_it_speaks_chinese(view: FlowView, window: MainWindow) -> None:
    window.actions_registry["language_zh_CN"].trigger()
    assert "仅传递" in view.sources.model.stations[1].detail
    window.actions_registry["language_en"].trigger()
    assert "only passes it on" in view.sources.model.stations[1].detail


# ---- work


def endless(*_: object) -> Work[None]:
    import time

    while True:
        time.sleep(0.05)
        yield Progress(0, 0)


def broken(*_: object) -> Work[None]:
    yield Progress(0, 0)
    raise RuntimeError("planted")


def state_of(window: MainWindow) -> FlowState:
    assert window.session.cell is not None
    return window.session.flows.of(window.session.cell.key)


def test_the_work_can_be_stopped_and_taken_up_again(
    qtbot: QtBot, loaded: MainWindow, patience: Patience
) -> None:
    assert loaded.workspace is not None
    state, view = state_of(loaded), loaded.workspace.detail.view_of(FlowView)
    real, state.work = state.work, endless
    loaded.workspace.detail.tabs.setCurrentIndex(TAB)
    assert state.stage is Stage.WORKING
    qtbot.mouseClick(view.note.progress.cancel, Qt.MouseButton.LeftButton)
    assert state.stage is Stage.STOPPED
    assert view.note.sentences[0] == "The data flow was not worked out"
    state.work = real
    qtbot.mouseClick(view.note.button, Qt.MouseButton.LeftButton)
    patience(lambda: state.stage is Stage.READY)
    assert view.call.model.stations


def test_what_breaks_is_told(loaded: MainWindow, patience: Patience) -> None:
    assert loaded.workspace is not None
    state, view = state_of(loaded), loaded.workspace.detail.view_of(FlowView)
    state.work = broken
    loaded.workspace.detail.tabs.setCurrentIndex(TAB)
    patience(lambda: state.stage is Stage.FAILED)
    assert view.note.sentences[0] == "The data flow could not be worked out"
    assert view.note.copy_details.isVisibleTo(view)


def test_a_call_that_one_side_lacks_has_no_flow_there(loaded: MainWindow, patience: Patience) -> None:
    assert loaded.workspace is not None
    assert loaded.session.cell is not None
    state, view = state_of(loaded), loaded.workspace.detail.view_of(FlowView)
    loaded.workspace.detail.tabs.setCurrentIndex(TAB)
    patience(lambda: state.stage is Stage.READY)
    loaded.session.select(int(np.flatnonzero(loaded.session.cell.rows.target_operator < 0)[0]))
    assert titles(view.call) == ["This side has no such call."]
    assert not titles(view.takers)


def test_the_backward_pass_is_told_from_the_forward_one(view: FlowView, window: MainWindow) -> None:
    select(window, "Functional.linear.7.backward")
    assert titles(view.call)[0] == "linear.7 backward"
    assert titles(view.sources)[0] == "layer_norm.4 backward"


def test_of_one_run_alone_the_values_are_followed_without_verdicts(
    window: MainWindow, demo_pair: tuple[Path, Path], patience: Patience
) -> None:
    window.session.open_paths([str(demo_pair[0])])
    patience(lambda: bool(window.session.result_path))
    assert window.workspace is not None
    view = window.workspace.detail.view_of(FlowView)
    window.workspace.detail.tabs.setCurrentIndex(TAB)
    select(window, GELU)
    patience(lambda: state_of(window).stage is Stage.READY)
    assert titles(view.takers) == ["linear.7", "down Linear.0"]
    assert {station.category for station in view.call.model.stations} == {None}
    assert not view.side_buttons[0].isVisible()
    # another pair is followed anew, though the tab stays on show
    window.session.open_pair(str(demo_pair[1]), str(demo_pair[0]))
    patience(lambda: bool(window.session.golden_path) and not window.session.busy)
    patience(lambda: state_of(window).stage is Stage.READY)
    select(window, GELU)
    assert view.call.model.stations[0].category is Category.INTRODUCED
