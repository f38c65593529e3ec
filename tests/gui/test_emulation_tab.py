"""The tab of the emulation beside arguments and stack: one call, replayed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders import emulations
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.processes.work_state import Stage
from gui.views.emulation.tab import EmulatedCallView

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[[Callable[[], bool]], None]
_TAB = Tab.EMULATION


@pytest.fixture
def tab(loaded: MainWindow, qtbot: QtBot) -> EmulatedCallView:
    loaded.session.result_path = "/no/result.h5"
    loaded.session.emulation.single.work = emulations.one_call
    assert loaded.workspace is not None
    tabs = loaded.workspace.detail.tabs
    qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(_TAB).center())
    return loaded.workspace.detail.view_of(EmulatedCallView)


def select(window: MainWindow, name: str) -> None:
    window.session.show_call(emulations.CELL, -1, name)
    QApplication.processEvents()


def test_it_offers_to_replay_and_does_nothing_by_itself(
    qtbot: QtBot, tab: EmulatedCallView, loaded: MainWindow, patience: Patience
) -> None:
    select(loaded, "Functional.linear.0.forward")
    single = loaded.session.emulation.single
    assert tab.empty.sentence == "This call has not been replayed with the arithmetic of a chip."
    assert single.stage is Stage.NOTHING
    qtbot.mouseClick(tab.empty._button, LEFT)
    patience(lambda: single.stage is Stage.READY)
    assert tab.panel.isVisible()
    assert tab.panel.sentences[0].startswith(
        "Functional.linear.0.forward: output.0 is within the error bound"
    )
    assert "Chip 910B" in tab.panel.sentences[0]
    tab.panel.setFocus()
    loaded.actions_registry["copy"].trigger()
    select(loaded, "Functional.gelu.0.forward")
    assert tab.empty.isVisible()
    select(loaded, "Functional.linear.0.forward")
    assert tab.panel.isVisible()  # kept
    QGuiApplication.clipboard().setText(tab.copied_text())
    assert QGuiApplication.clipboard().text().startswith("Operator\t")


def test_a_known_call_is_replayed_under_another_profile(
    qtbot: QtBot, tab: EmulatedCallView, loaded: MainWindow, patience: Patience
) -> None:
    state, settings = loaded.session.emulation, loaded.context.settings
    settings.emulation_changed = {"float32_product": "float16"}
    state.show(emulations.replayed_mixed())
    select(loaded, "Functional.gelu.1.forward")
    again = tab.again
    assert again.isVisible()
    assert again.chosen == ("910B", {"float32_product": "float16"})  # as on the page
    assert "float16" in again.profile.toolTip()
    again.profile.setFocus()
    qtbot.keyClick(again.profile, Qt.Key.Key_Home)
    again.profile.activated.emit(again.profile.currentIndex())
    assert again.chosen == ("310P", {})
    qtbot.mouseClick(again.button, LEFT)
    patience(lambda: state.single.stage is Stage.READY)
    assert "Chip 310P" in tab.panel.sentences[0]
    assert settings.emulation_profile == "910B"  # the page's own choice
    assert state.found is not None
    assert "Chip 310P" not in state.found.title
    select(loaded, "Functional.gelu.5.forward")
    qtbot.mouseClick(tab.empty._button, LEFT)
    patience(lambda: state.single.stage is Stage.READY)
    assert "Chip 310P" in tab.panel.sentences[0]
    settings.emulation_profile, settings.emulation_changed = "/my/chip.toml", {}
    select(loaded, "Functional.gelu.1.forward")
    assert "Chip 310P" in tab.panel.sentences[0]  # what was found with it stays
    assert again.profile.currentText() == "chip"
    assert again.chosen == ("/my/chip.toml", {})


def test_what_is_known_outlives_a_replay_that_comes_to_nothing(
    qtbot: QtBot, tab: EmulatedCallView, loaded: MainWindow, patience: Patience
) -> None:
    single = loaded.session.emulation.single
    loaded.session.emulation.show(emulations.replayed_mixed())
    select(loaded, "Functional.gelu.1.forward")
    single.work = emulations.never_one
    with qtbot.waitSignal(single.progressed, timeout=60_000):
        qtbot.mouseClick(tab.again.button, LEFT)
    assert tab.note.isVisible()
    qtbot.mouseClick(tab.note.progress.cancel, LEFT)
    assert tab.panel.isVisible()
    single.work = emulations.no_call
    qtbot.mouseClick(tab.again.button, LEFT)
    patience(lambda: single.stage is Stage.FAILED)
    assert tab.note.isVisible()  # why it failed is not passed over
    select(loaded, "Functional.linear.0.forward")
    assert tab.panel.isVisible()
    select(loaded, "Functional.gelu.1.forward")
    assert tab.panel.isVisible()
    assert "does not give output.0 from its inputs" in tab.panel.sentences[0]


def test_it_shows_what_was_replayed_with_all_others(tab: EmulatedCallView, loaded: MainWindow) -> None:
    loaded.session.emulation.show(emulations.replayed_mixed())
    select(loaded, "Functional.gelu.1.forward")
    assert tab.panel.isVisible()
    assert "does not give output.0 from its inputs" in tab.panel.sentences[0]
    select(loaded, "Functional.gelu.5.forward")
    assert tab.empty.isVisible()


def test_it_can_be_stopped_and_can_fail(
    qtbot: QtBot, tab: EmulatedCallView, loaded: MainWindow, patience: Patience
) -> None:
    single = loaded.session.emulation.single
    single.work = emulations.never_one
    select(loaded, "Functional.linear.0.forward")
    with qtbot.waitSignal(single.progressed, timeout=60_000):
        qtbot.mouseClick(tab.empty._button, LEFT)
    assert tab.note.sentences == ("Replaying this call", "Functional.linear.0.forward")
    select(loaded, "Functional.gelu.0.forward")
    assert tab.empty.isVisible()  # the other call is not this one's matter
    select(loaded, "Functional.linear.0.forward")
    qtbot.mouseClick(tab.note.progress.cancel, LEFT)
    assert single.stage is Stage.STOPPED
    assert tab.note.sentences[0] == "The replay was stopped."
    single.work = emulations.no_call
    qtbot.mouseClick(tab.note.button, LEFT)
    patience(lambda: single.stage is Stage.FAILED)
    assert tab.note.sentences[0] == "The calls could not be replayed."
    assert "planted" in single.details
    single.work = emulations.one_call
    qtbot.mouseClick(tab.note.button, LEFT)
    patience(lambda: single.stage is Stage.READY)
    assert tab.panel.isVisible()


def test_without_a_result_there_is_nothing_to_press(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    tabs = loaded.workspace.detail.tabs
    qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(_TAB).center())
    view = loaded.workspace.detail.view_of(EmulatedCallView)
    assert view.empty.isVisible()
    assert not view.empty._button.isVisible()
    assert loaded.context.settings.detail_tab == "emulation"
