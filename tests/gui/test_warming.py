"""What is made ready after the first paint: a part a turn, all of it at once when it is wanted before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.application import make_window
from gui.frame.warming import Warming
from gui.main_window import MainWindow


@pytest.fixture
def fresh(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """Return a window that was never shown."""
    made = make_window(qapp)
    yield made
    made.close()
    made.deleteLater()


def test_steps_are_taken_one_a_turn(qtbot: QtBot) -> None:
    owner, taken = QObject(), []

    def steps() -> Iterator[None]:
        for number in range(5):
            taken.append(number)
            yield

    warming = Warming(steps(), owner)
    warming.start()
    qtbot.waitUntil(lambda: len(taken) == 5)
    warming.start()  # once is enough
    warming.stop()


def test_stopping_ends_it(qtbot: QtBot) -> None:
    owner, taken = QObject(), []

    def steps() -> Iterator[None]:
        while True:
            taken.append(1)
            yield

    warming = Warming(steps(), owner)
    warming.start()
    qtbot.waitUntil(lambda: len(taken) > 3)
    warming.stop()
    before = len(taken)
    qtbot.wait(50)
    assert len(taken) == before


def test_the_compare_page_is_there_before_anything_is_opened(
    fresh: MainWindow, patience: Callable[..., None]
) -> None:
    assert fresh.workspace is None
    fresh.start([])
    patience(lambda: fresh.workspace is not None)
    assert fresh.welcome.isVisible()
    windows = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    assert windows == [fresh]


@pytest.mark.parametrize("taken", [0, 1, 5])
def test_what_is_half_made_is_finished_when_it_is_wanted(fresh: MainWindow, taken: int) -> None:
    steps = fresh.pages.steps()
    for _ in range(taken):
        next(steps)
    assert fresh.workspace is None
    made = fresh.pages.ensure_workspace()
    assert fresh.pages.ensure_workspace() is made is fresh.workspace
