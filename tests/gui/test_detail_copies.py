"""Ctrl+C in the card of the call takes what its tab shows, wherever in the card the focus is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.pages.detail import Tab


@pytest.mark.parametrize("tab", list(Tab))
def test_the_tab_on_show_is_copied(qtbot: QtBot, loaded: MainWindow, tab: Tab) -> None:
    session, page = loaded.session, loaded.workspace
    assert session.facts is not None
    session.select(int(session.facts.calls.first_row[40]))
    name = session.facts.operators[int(session.facts.operator[session.row])]
    page.detail.offer_summary(True)
    page.detail.tabs.setCurrentIndex(tab)
    loaded.actions_registry["focus_detail"].trigger()
    assert page.detail.tabs.hasFocus()
    QGuiApplication.clipboard().setText("")
    qtbot.keyClick(page.detail.tabs, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    loaded.actions_registry["copy"].trigger()
    copied = QGuiApplication.clipboard().text()
    view = page.detail.view(tab)
    own = view.copied_text() if hasattr(view, "copied_text") else ""
    assert copied == (own or f"{name}\t{session.facts.slots[int(session.facts.slot[session.row])]}")
    assert copied != page.table.copied_text()
    assert copied
