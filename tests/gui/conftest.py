"""A window with nothing open, and one with a made-up comparison in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from builders.results import gpt_result, result_info
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.diagnosis import Diagnosis
from core.records.result import CellResult
from core.store.notes import DIRECTORY_VARIABLE, load_notes
from gui.application import make_window
from gui.comparison.preparation import Opened
from gui.main_window import MainWindow
from gui.models.pair.facts import Facts, build_facts

if TYPE_CHECKING:
    from pathlib import Path

    from gui.pages.detail import DetailCard
    from gui.views.tensors.view import TensorsView


@pytest.fixture(scope="session")
def cell() -> CellResult:
    return gpt_result()


@pytest.fixture(scope="session")
def facts(cell: CellResult) -> Facts:
    return build_facts(cell)


@pytest.fixture(autouse=True)
def no_notes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep decisions about pairs out of the user's own folder."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path_factory.mktemp("notes")))


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    made = make_window(qapp)
    made.context.theme.set_mode("light")
    made.resize(1680, 1050)
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def show(window: MainWindow) -> Callable[..., None]:
    """Return a function that puts a finished comparison into the window, as a worker would."""

    def put(
        cell: CellResult, golden: str | None = None, path: str = "", diagnosis: Diagnosis | None = None
    ) -> None:
        info = result_info(cell)
        if golden is not None:
            info = replace(info, golden_path=golden)
        window.session._wanted = (info.target_path, info.golden_path)
        notes = load_notes(info.target_path, info.golden_path)
        window.session.show_opened(Opened(info, path, cell, build_facts(cell), 0.2, diagnosis, notes))
        QApplication.processEvents()  # the plot follows in the next turn

    return put


@pytest.fixture
def loaded(window: MainWindow, show: Callable[..., None], cell: CellResult) -> MainWindow:
    show(cell)
    return window


@pytest.fixture
def patience() -> Callable[[Callable[[], bool]], None]:
    """Return a function that runs the event loop until a condition holds."""

    def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            QApplication.processEvents()
            time.sleep(0.005)

    return until


@pytest.fixture
def open_detail(qtbot: QtBot, window: MainWindow) -> Callable[[Path], DetailCard]:
    """Return a function that opens a result file and returns the card of its calls."""

    def opened(result: Path) -> DetailCard:
        with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
            window.session.open_paths([str(result)])
        assert window.workspace is not None
        return window.workspace.detail

    return opened


@pytest.fixture(scope="session")
def tensor_cell(tmp_path_factory: pytest.TempPathFactory) -> CellResult:
    """Return the comparison of two dumps with tensors of every kind."""
    from builders.tensor_pairs import compared

    return compared(tmp_path_factory.mktemp("tensors"))


@pytest.fixture
def show_tensors(window: MainWindow, show: Callable[..., None]) -> Callable[[CellResult], TensorsView]:
    """Return a function that puts a comparison into the window and returns the view of its tensors."""
    from gui.pages.detail import Tab
    from gui.views.tensors.view import TensorsView

    def put(cell: CellResult) -> TensorsView:
        show(cell)
        assert window.workspace is not None
        window.workspace.detail.tabs.setCurrentIndex(Tab.TENSORS)
        return window.workspace.detail.view_of(TensorsView)

    return put


@pytest.fixture
def tensors_view(show_tensors: Callable[[CellResult], TensorsView], tensor_cell: CellResult) -> TensorsView:
    """Return the view of the tensors of :func:`tensor_cell`."""
    return show_tensors(tensor_cell)


@pytest.fixture
def choose(
    window: MainWindow, tensors_view: TensorsView, patience: Callable[[Callable[[], bool]], None]
) -> Callable[[str], None]:
    """Return a function that selects the call of that name and waits for its tensors."""

    def to(name: str) -> None:
        facts = window.session.facts
        assert facts is not None
        names = [facts.operators[int(operator)] for operator in facts.operator]
        window.session.select(names.index(f"Functional.{name}.0.forward"))
        patience(lambda: window.session.pictures.idle)
        QApplication.processEvents()

    return to
