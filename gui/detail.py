"""The card under the table: tabs for what is known of the selected row."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.messages import text
from gui.context import Context
from gui.views.arguments.view import ArgumentsView
from gui.views.emulation.tab import EmulatedCallView
from gui.views.stack.view import StackView
from gui.views.summary.view import SummaryView
from gui.views.tensors.view import TensorsView
from gui.widgets.card import Card
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated

_TITLES = ("gui.tab.summary", "gui.tab.tensors", "gui.tab.arguments", "gui.tab.stack", "gui.tab.emulation")
_SUMMARY = 0


class DetailCard(Translated, Card):
    """Tabs in the heading, the views under it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._settings = context.settings
        self.tensors, self.arguments, self.stack = (
            TensorsView(context), ArgumentsView(context), StackView(context)
        )  # fmt: skip
        self.emulation = EmulatedCallView(context)
        self.summary = SummaryView(context, wide=True)
        self.summary.setObjectName("plain")
        self.summary.header.hide()
        self.views: tuple[QWidget, ...] = (
            self.summary, self.tensors, self.arguments, self.stack, self.emulation
        )  # fmt: skip
        self.tabs = StackTabs(*self.views)
        self.tabs.fill(self)
        self.tabs.currentChanged.connect(self._remember)
        self.retranslate()
        self.tabs.setCurrentIndex(min(max(self._settings.detail_tab, 0), len(self.views) - 1))

    def _remember(self, tab: int) -> None:
        self._settings.detail_tab = tab

    def offer_summary(self, offered: bool) -> None:
        """Show the summary's tab, for when the summary has no dock of its own."""
        self.tabs.setTabVisible(_SUMMARY, offered)
        self.tabs.updateGeometry()
        if not offered and self.tabs.currentIndex() == _SUMMARY:
            self.tabs.setCurrentIndex(_SUMMARY + 1)

    def retranslate(self) -> None:
        for tab, code in enumerate(_TITLES):
            self.tabs.setTabText(tab, text(code))
        self.tabs.setAccessibleName(text("gui.dock.detail"))
