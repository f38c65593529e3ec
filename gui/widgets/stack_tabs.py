"""Tabs without a frame around what they choose."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from gui.widgets.card import Card


class PlainTabs(QTabBar):
    """As wide as their words; reached with the tab key only."""

    def __init__(self) -> None:
        super().__init__()
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class StackTabs(PlainTabs):
    """A tab for each of *views*, which stand in :attr:`stack`."""

    def __init__(self, *views: QWidget) -> None:
        super().__init__()
        self.setUsesScrollButtons(True)  # where a card is narrow, the last ones are scrolled to
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.stack = QStackedWidget()
        for view in views:
            self.addTab("")
            self.stack.addWidget(view)
        self.currentChanged.connect(self.stack.setCurrentIndex)

    def fill(self, card: Card) -> None:
        """Be the heading of *card*, and the views what is in it."""
        card.header.row.insertWidget(0, self, 1)
        card.header.hide_titles()
        card.header.row.setContentsMargins(2, 0, 8, 0)
        card.body.addWidget(self.stack)
