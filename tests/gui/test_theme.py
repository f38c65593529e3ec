"""Going from light to dark: each widget is dressed once, and stands where it stood."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.looks.theme import DARK, LIGHT
from gui.main_window import MainWindow


class Counting(QLabel):
    """Counts how often it is told that its style is another one."""

    told = 0

    def changeEvent(self, event: QEvent) -> None:
        self.told += event.type() == QEvent.Type.StyleChange
        super().changeEvent(event)


def placed(window: QWidget) -> dict[QWidget, QRect]:
    """Return where all that can be seen of *window* stands."""
    QApplication.processEvents()
    return {part: part.geometry() for part in window.findChildren(QWidget) if part.isVisible()}


def test_a_widget_is_dressed_as_often_however_deep_it_lies(window: MainWindow) -> None:
    leaves = []
    for depth in (0, 20):
        box = inner = QWidget(window)
        for _ in range(depth):
            column = QVBoxLayout(inner)
            inner = QWidget()
            column.addWidget(inner)
        leaf = Counting("words", inner)
        box.show()
        leaves.append(leaf)
    QApplication.processEvents()
    shallow, deep = leaves
    for mode in ("dark", "light"):
        shallow.told = deep.told = 0
        window.actions_registry[f"theme_{mode}"].trigger()
        assert 1 <= deep.told == shallow.told <= 3


@pytest.mark.parametrize("command", ["page_compare", "page_overflow", "page_curves"])
def test_all_stands_where_it_stood_after_dark_and_light(
    loaded: MainWindow, command: str, patience: Callable[..., None]
) -> None:
    loaded.actions_registry[command].trigger()
    patience(lambda: loaded.session.tasks.idle)  # what works shows how far it is, and moves
    loaded.actions_registry["theme_dark"].trigger()
    QApplication.processEvents()
    loaded.actions_registry["theme_light"].trigger()
    before = placed(loaded)
    assert len(before) > 20
    loaded.actions_registry["theme_dark"].trigger()
    in_dark = placed(loaded)
    assert {part: in_dark.get(part) for part in before} == before
    loaded.actions_registry["theme_light"].trigger()
    assert placed(loaded) == before


def test_what_is_shown_later_has_the_colours_in_force(loaded: MainWindow) -> None:
    made_in_light = QLabel("words", loaded)
    made_in_light.setObjectName("dim")
    menu = QMenu(loaded)
    for mode, colours in (("dark", DARK), ("light", LIGHT), ("dark", DARK)):
        loaded.actions_registry[f"theme_{mode}"].trigger()
        made_now = QLabel("words", loaded)
        made_now.setObjectName("dim")
        for label in (made_in_light, made_now):
            label.ensurePolished()
            assert label.palette().color(QPalette.ColorRole.WindowText).name() == colours.dim
        menu.ensurePolished()
        assert menu.grab().toImage().pixelColor(menu.width() // 2, 2).name() == colours.card
        made_now.deleteLater()


def test_the_scheme_in_force_again_is_no_change(qtbot: QtBot, window: MainWindow) -> None:
    theme = window.context.theme
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_mode("light")
    with qtbot.waitSignal(theme.changed):
        theme.set_mode("dark")
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_mode("dark")
    theme.set_mode("light")
