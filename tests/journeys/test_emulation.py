"""From two dumps to the one call that no arithmetic of the chip explains, all of it real."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.emulation import EmulationVerdict
from core.records.run import CellKey
from core.store.emulations import load_emulation
from core.store.notes import DIRECTORY_VARIABLE
from gui.application import make_window
from gui.main_window import MainWindow
from gui.models.emulation.columns import PLACE_OF
from gui.pages.bar import Page
from gui.pages.detail import Tab
from gui.processes.work_state import Stage
from gui.views.emulation.tab import EmulatedCallView

LEFT = Qt.MouseButton.LeftButton
DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
GELU = "Functional.gelu.1.forward"


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "notes"))
    made = make_window(qapp)
    made.resize(1680, 1050)
    made.start([str(DEMO / "target"), str(DEMO / "golden")])
    yield made
    made.close()
    made.deleteLater()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents()
        time.sleep(0.005)


def test_a_planted_fault_is_no_arithmetic(qtbot: QtBot, window: MainWindow) -> None:
    session, state = window.session, window.session.emulation
    until(lambda: session.cell is not None)

    # One call alone first, beside its stack and its tensors.
    session.show_call(CellKey("", 0, 0), -1, GELU)
    assert window.workspace is not None
    tabs = window.workspace.detail.tabs
    qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(Tab.EMULATION).center())
    tab = window.workspace.detail.view_of(EmulatedCallView)
    qtbot.mouseClick(tab.empty._button, LEFT)
    until(lambda: state.single.stage is Stage.READY)
    assert tab.panel.call is not None
    assert tab.panel.call.verdict is EmulationVerdict.OUTSIDE
    assert state.found is None

    # Then all of them.
    qtbot.mouseClick(window.page_bar.button(Page.EMULATION), LEFT)
    page = window.pages.emulation
    assert page is not None
    qtbot.mouseClick(page.start.setup.replay, LEFT)
    until(lambda: state.stage is not Stage.WORKING)
    assert state.stage is Stage.READY
    assert window.page_bar.button(Page.EMULATION).badge == "2"  # in either step
    operator = PLACE_OF["operator"]
    model = page.calls.model
    assert {model.index(row, operator).data() for row in range(2)} == {GELU}
    assert GELU in page.headline.sentence
    qtbot.mouseClick(page.headline.chips[EmulationVerdict.OUTSIDE], LEFT)
    assert model.rowCount() == 2

    # The second one is in another step: Enter goes there.
    qtbot.keyClick(page.calls.table, Qt.Key.Key_Down)
    qtbot.keyClick(page.calls.table, Qt.Key.Key_Return)
    until(lambda: session.cell is not None and session.cell.key == CellKey("", 1, 0) and session.row >= 0)
    assert window.pages.page is Page.COMPARE
    facts = session.facts
    assert facts is not None
    assert facts.operators[int(facts.operator[session.row])] == GELU
    assert tab.panel.isVisible()

    # What the window found it keeps with its own result, and shows when that is opened.
    assert load_emulation(session.result_path) is not None
    before = state.found
    session.open_pair(session.result_path, "")
    until(lambda: state.found is not None and state.found is not before)
    assert state.outside == 2
