"""The page behind F1, and the dialogs that stand beside the work: cards on the ground, of a fitting size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QScrollArea
from pytestqt.qtbot import QtBot

from core.records.ignoring import IgnoreKind, IgnoreRule
from gui.frame.shortcuts import ShortcutList
from gui.main_window import MainWindow
from gui.views.remarks.ignore import IgnoreDialog
from gui.views.remarks.ignored import IgnoredDialog
from gui.widgets.card import Card


def page_of(window: MainWindow) -> ShortcutList:
    window.actions_registry["shortcuts"].trigger()
    QApplication.processEvents()
    (page,) = window.findChildren(ShortcutList)
    return page


def test_all_is_read_without_scrolling_in_a_large_window(loaded: MainWindow) -> None:
    page = page_of(loaded)
    (area,) = page.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() == 0
    assert page.width() <= loaded.width()
    page.close()


@pytest.mark.parametrize("size", [(860, 560), (860, 860), (1280, 800)])
def test_it_fits_into_the_window(loaded: MainWindow, size: tuple[int, int]) -> None:
    loaded.resize(*size)
    page = page_of(loaded)
    assert page.width() <= loaded.width()
    assert page.height() <= loaded.height()
    (area,) = page.findChildren(QScrollArea)
    inside = area.widget()
    assert inside is not None
    assert inside.minimumSizeHint().width() <= area.viewport().width()
    page.close()


def test_the_keys_of_the_plot_and_of_the_tree_stand_there(loaded: MainWindow) -> None:
    page = page_of(loaded)
    found = dict(page.sections)
    assert {menu for menu, _ in loaded.actions_registry.shortcuts()} < set(found)
    assert {"J", "Shift+J", "+ / −", "0", "Home / End", "Left / Right"} <= {
        key for _, key in found["In the error trajectory"]
    }
    assert len(found["In the operator tree"]) == 5
    page.close()


def test_dialogs_beside_the_work_are_cards(loaded: MainWindow) -> None:
    for name in ("note", "ignore", "ignored"):
        loaded.actions_registry[name].trigger()
    dialogs: list[QDialog] = [*loaded.remarks.dialogs, page_of(loaded)]
    assert len(dialogs) == 4
    for dialog in dialogs:
        assert dialog.objectName() == "ground"
        assert len(dialog.findChildren(Card)) == 1
        dialog.close()


def test_a_long_module_is_cut_with_dots_and_told_whole(loaded: MainWindow) -> None:
    loaded.actions_registry["ignore"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    assert isinstance(dialog, IgnoreDialog)
    whole = dialog.module.currentText()
    assert whole in dialog.module.toolTip()
    dialog.resize(430, dialog.height())
    QApplication.processEvents()
    assert "…" in dialog.module.words
    dialog.resize(1400, dialog.height())
    QApplication.processEvents()
    assert dialog.module.words == whole


def test_one_decision_can_be_taken_back_at_once(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.session.suspects.ignore(IgnoreRule(IgnoreKind.TYPE, "gelu", "on purpose"))
    assert not loaded.actions_registry["ignore"].text().endswith("…")  # it acts at once on what is ignored
    loaded.actions_registry["ignored"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    assert isinstance(dialog, IgnoredDialog)
    assert dialog.stop.isEnabled()
    assert "step and rank" in dialog.table.horizontalHeaderItem(2).text()
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert not loaded.session.suspects.notes.ignored
    assert not dialog.stop.isEnabled()
