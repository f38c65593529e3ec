"""The command palette: everything the window can do, found by a few letters and given by Enter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders.results import gpt_result
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from core.messages import set_language
from gui.frame.actions import COMMANDS
from gui.frame.command_palette import CommandPalette
from gui.main_window import MainWindow
from gui.models.command_list import Entry, rank
from gui.pages.bar import Page

_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def loaded(window: MainWindow, show: Callable[..., None]) -> MainWindow:
    show(gpt_result(2, 1))
    return window


def opened(window: MainWindow, qtbot: QtBot, typed: str = "") -> CommandPalette:
    """Open the palette by its key, and type into it."""
    qtbot.keyClick(window, Qt.Key.Key_P, _CONTROL_SHIFT)
    palette = window.palette_view
    qtbot.waitUntil(palette.isVisible)
    qtbot.keyClicks(palette.field, typed)
    return palette


def offered(palette: CommandPalette) -> list[str]:
    return [entry.words for entry in palette.model.entries]


def test_all_commands_are_offered_by_their_words(loaded: MainWindow, qtbot: QtBot) -> None:
    palette = opened(loaded, qtbot)
    words = offered(palette)
    for command in COMMANDS:
        if command.id not in ("palette", "recent"):
            assert loaded.actions_registry[command.id].text() in words
    assert any(word.startswith("Panel: ") for word in words)


def test_enter_gives_the_best_command_and_the_focus_goes_back(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    table = loaded.workspace.table.table
    table.setFocus()
    palette = opened(loaded, qtbot, "dark")
    assert offered(palette)[0] == "Dark"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert loaded.context.theme.colours.ground == "#16181d"
    assert loaded.focusWidget() is table


def test_arrows_go_through_what_can_be_given(loaded: MainWindow, qtbot: QtBot) -> None:
    palette = opened(loaded, qtbot, "page")
    able = [at for at, entry in enumerate(palette.model.entries) if entry.action.isEnabled()]
    assert palette.list.currentIndex().row() == able[0]
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == able[-1]
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == able[1 % len(able)]


def test_a_command_that_cannot_be_given_does_nothing(window: MainWindow, qtbot: QtBot) -> None:
    palette = opened(window, qtbot, "next suspect")
    assert offered(palette)[0] == "Next suspect"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_a_click_gives_a_command(loaded: MainWindow, qtbot: QtBot) -> None:
    palette = opened(loaded, qtbot, "overflow page")
    where = palette.list.visualRect(palette.model.index(0)).center() + QPoint(1, 1)
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert loaded.pages.page is Page.OVERFLOW


def test_commands_are_found_in_either_language(loaded: MainWindow, qtbot: QtBot) -> None:
    palette = opened(loaded, qtbot)
    palette.field.insert("深色")  # simulated keys are Latin only
    assert offered(palette) == ["Dark"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    loaded.actions_registry["language_zh_CN"].trigger()
    try:
        palette = opened(loaded, qtbot, "dark")
        assert palette.model.entries[0].action is loaded.actions_registry["theme_dark"]
    finally:
        set_language("en")


def test_what_nothing_fits_is_said(loaded: MainWindow, qtbot: QtBot) -> None:
    palette = opened(loaded, qtbot, "qqqq")
    assert not palette.model.rowCount()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("next", 0),
        ("sus", 1),
        ("suspect next", 1),
        ("uspec", 2),
        ("ns", 3),
        ("go", 1),
        ("zzz", None),
        ("", 0),
    ],
)
def test_ranking(qtbot: QtBot, typed: str, wanted: int | None) -> None:
    assert rank(typed, Entry(QAction(), "Next suspect", "Go")) == wanted


def test_a_pair_that_opens_under_an_open_palette_renews_what_it_offers(
    loaded: MainWindow, qtbot: QtBot, show: Callable[..., None]
) -> None:
    palette = opened(loaded, qtbot)
    show(gpt_result(1, 0))
    assert palette.isVisible()
    qtbot.keyClicks(palette.field, "recent")
    assert all(entry.action.text() for entry in palette.model.entries)
    loaded.grab()
