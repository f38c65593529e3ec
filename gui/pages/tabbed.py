"""A page with tabs on top: each view under them is made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.context import Context
from gui.widgets.stack_tabs import PlainTabs
from gui.widgets.translated import Translated
from gui.widgets.work_view import WorkView

_GAP = 8

Tab = TypeVar("Tab", bound=Enum)
Maker = Callable[[], WorkView[Any]]


class TabbedPage(Translated, QWidget, Generic[Tab]):
    """Answers to the commands of the window for the tab on show."""

    changed = Signal()
    """Another tab is on show, or another thing goes on in it."""
    export_wanted = Signal()

    def __init__(self, context: Context, makers: Mapping[Tab, Maker], first: Tab | None = None) -> None:
        super().__init__()
        self._context, self._makers = context, makers
        self._order = list(makers)
        self._made: dict[Tab, WorkView[Any]] = {}
        self.tabs = PlainTabs()
        for _ in self._order:
            self.tabs.addTab("")
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)
        if first is not None:
            self.tabs.setCurrentIndex(self._order.index(first))
        self.tabs.currentChanged.connect(self._chosen)

    # ---- tabs

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stack.setCurrentWidget(self.view)

    @property
    def tab(self) -> Tab:
        """The tab on show."""
        return self._order[self.tabs.currentIndex()]

    @property
    def view(self) -> WorkView[Any]:
        """What is on show under the tabs."""
        return self.view_of(self.tab)

    def view_of(self, tab: Tab) -> WorkView[Any]:
        """Return what stands under *tab*, made the first time."""
        if tab not in self._made:
            self._made[tab] = self._makers[tab]()
            self._stack.addWidget(self._made[tab])
        return self._made[tab]

    def go_to(self, tab: Tab) -> None:
        """Show *tab*."""
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(self._order.index(tab))
        self._stack.setCurrentWidget(self.view_of(tab))
        self.changed.emit()

    def _chosen(self, at: int) -> None:
        self.choose(self._order[at])

    def choose(self, tab: Tab) -> None:
        """Go to *tab* because the user wants it there."""
        self.go_to(tab)

    # ---- commands

    @property
    def working(self) -> bool:
        """Whether something is being worked out for the tab on show."""
        return self.view.working

    def cancel(self) -> None:
        """Stop what is being worked out for the tab on show."""
        self.view.cancel()

    def arrange_anew(self) -> None:
        """Share the room of all tabs as the settings say, or as at first."""
        for view in self._made.values():
            view.arrange_anew()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        self.view.take_focus()

    def copied_text(self) -> str:
        """Return what the tab on show has to be copied."""
        return self.view.copied_text()

    # ---- words

    def name_tabs(self, titles: Mapping[Tab, str], helps: Mapping[Tab, str]) -> None:
        """Set the words of all tabs; the key that leads to each stands behind what it is for."""
        native = QKeySequence.SequenceFormat.NativeText
        for at, tab in enumerate(self._order):
            keys = self._context.actions[f"tab_{tab.value}"].shortcut().toString(native)
            self.tabs.setTabText(at, titles[tab])
            self.tabs.setTabToolTip(at, f"{helps[tab]}  {keys}")
        self.tabs.updateGeometry()
