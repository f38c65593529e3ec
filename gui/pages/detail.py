"""The card under the table: tabs for what is known of a call."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TypeVar

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.messages import text
from core.records.diagnosis import Kind
from gui.comparison.focus import Focus
from gui.context import Context
from gui.tensors.shown_pair import ShownPair
from gui.views.arguments.view import ArgumentsView
from gui.views.distributions.view import DistributionsView
from gui.views.elements.view import ElementsView
from gui.views.emulation.tab import EmulatedCallView
from gui.views.flow.view import FlowView
from gui.views.multiples.view import MultiplesView
from gui.views.stack.view import StackView
from gui.views.summary.view import SummaryView
from gui.views.tensors.view import TensorsView
from gui.widgets.card import Card
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated

View = TypeVar("View", bound=QWidget)


class Tab(IntEnum):
    """From left to right."""

    SUMMARY = 0
    TENSORS = 1
    DISTRIBUTIONS = 2
    ELEMENTS = 3
    CELLS = 4
    ARGUMENTS = 5
    STACK = 6
    EMULATION = 7
    FLOW = 8


def _plain_summary(context: Context, focus: Focus) -> SummaryView:
    """Return a summary that is no card of its own."""
    made = SummaryView(context, focus, wide=True)
    made.setObjectName("plain")
    made.header.hide()
    return made


_OF_THE_CALL: dict[Tab, Callable[[Context, Focus], QWidget]] = {
    Tab.SUMMARY: _plain_summary, Tab.ARGUMENTS: ArgumentsView, Tab.STACK: StackView,
    Tab.EMULATION: EmulatedCallView, Tab.FLOW: FlowView,
}  # fmt: skip
_OF_THE_PAIR: dict[Tab, Callable[[Context, ShownPair], QWidget]] = {
    Tab.TENSORS: TensorsView, Tab.DISTRIBUTIONS: DistributionsView,
    Tab.ELEMENTS: ElementsView, Tab.CELLS: MultiplesView,
}  # fmt: skip
_TABS: dict[object, Tab] = {
    kind: tab for tab, kind in {**_OF_THE_CALL, **_OF_THE_PAIR, Tab.SUMMARY: SummaryView}.items()
}


class DetailCard(Translated, Card):
    """Tabs in the heading; the views of the call in *focus* under it are made when they are first wanted.

    Parameters
    ----------
    remembered
        Whether the tab that is chosen is the one to begin with next time.
    """

    def __init__(self, context: Context, focus: Focus, remembered: bool = True) -> None:
        super().__init__()
        self._context, self._focus, self._remembered = context, focus, remembered
        self._pair = ShownPair(context, focus, self)
        self._made: dict[Tab, QWidget] = {}
        self._places = {tab: QWidget() for tab in Tab}
        self.tabs = StackTabs(*self._places.values())
        self.tabs.fill(self)
        self.retranslate()
        self.tabs.setCurrentIndex(self._remembered_tab)
        self.tabs.currentChanged.connect(self._choose)
        self._chosen = self._placing = False
        """Whether the user chose a tab since the pair was opened; whether one is chosen for him."""
        context.session.opened.connect(self._offer_cells)
        self._offer_cells()
        if remembered:
            context.session.opened.connect(self._begin_anew)
            context.session.suspects.changed.connect(self._suggest)
            focus.row_changed.connect(self._suggest)

    def view(self, tab: Tab) -> QWidget:
        """Return what stands under *tab*, made the first time."""
        if tab not in self._made:
            made = self._made[tab] = self._make(tab)
            if isinstance(made, TensorsView):
                made.arguments_wanted.connect(self._show_arguments)
            inside = QVBoxLayout(self._places[tab])
            inside.setContentsMargins(0, 0, 0, 0)
            inside.addWidget(made)
            made.show()  # now, not in the next turn of the event loop: it fills itself when it is shown
        return self._made[tab]

    def _make(self, tab: Tab) -> QWidget:
        if tab in _OF_THE_PAIR:
            return _OF_THE_PAIR[tab](self._context, self._pair)
        return _OF_THE_CALL[tab](self._context, self._focus)

    def view_of(self, kind: type[View]) -> View:
        """Return the view of one *kind*, made the first time."""
        found = self.view(_TABS[kind])
        assert isinstance(found, kind)
        return found

    def copied_text(self) -> str:
        """Return what the view on show has to be copied; the call and its slot where it has nothing."""
        view, selected = self.view(Tab(self.tabs.currentIndex())), self._focus.selected
        copied = str(view.copied_text()) if hasattr(view, "copied_text") else ""
        if copied or selected is None:
            return copied
        _, facts, row = selected
        return f"{facts.operators[int(facts.operator[row])]}\t{facts.slots[int(facts.slot[row])]}"

    def prepare(self) -> None:
        """Make the view of the tab on show."""
        self.view(Tab(self.tabs.currentIndex()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.prepare()

    def _choose(self, index: int) -> None:
        self.view(Tab(index))
        if self._remembered and not self._placing:
            self._chosen = True
            self._context.settings.detail_tab = Tab(index).name.lower()

    @property
    def _remembered_tab(self) -> Tab:
        name = self._context.settings.detail_tab.upper()
        return Tab[name] if name in Tab.__members__ else Tab.TENSORS

    def _show_arguments(self) -> None:
        self.tabs.setCurrentIndex(Tab.ARGUMENTS)
        self.tabs.setFocus()

    def _begin_anew(self) -> None:
        self._chosen = False

    def _suggest(self) -> None:
        """Show the arguments of a suspect that was called with others, until the user chooses a tab."""
        if self._chosen:
            return
        suspects = self._context.session.suspects
        current = suspects.current
        of_arguments = current is not None and current.kind is Kind.ARGUMENT and suspects.is_selected(current)
        wanted = Tab.ARGUMENTS if of_arguments else self._remembered_tab
        if self.tabs.currentIndex() != wanted and self.tabs.isTabVisible(wanted):
            self._placing = True
            self.tabs.setCurrentIndex(wanted)
            self._placing = False

    def offer_summary(self, offered: bool) -> None:
        """Show the summary's tab, for when the summary has no dock of its own."""
        self.tabs.setTabVisible(Tab.SUMMARY, offered)
        self.tabs.updateGeometry()
        if not offered and self.tabs.currentIndex() == Tab.SUMMARY:
            self.tabs.setCurrentIndex(Tab.TENSORS)

    def _offer_cells(self) -> None:
        """Offer steps and ranks beside each other where there are several."""
        info = self._context.session.info
        several = info is not None and len(info.cells) > 1
        self.tabs.setTabVisible(Tab.CELLS, several)
        if not several and self.tabs.currentIndex() == Tab.CELLS:
            self._placing = True
            self.tabs.setCurrentIndex(Tab.TENSORS)
            self._placing = False

    def retranslate(self) -> None:
        titles = (
            text("gui.tab.summary"), text("gui.tab.tensors"),
            text("gui.tab.distributions"), text("gui.tab.elements"), text("gui.tab.cells"),
            text("gui.tab.arguments"), text("gui.tab.stack"), text("gui.tab.emulation"), text("gui.tab.flow"),
        )  # fmt: skip
        for tab, title in zip(Tab, titles):
            self.tabs.setTabText(tab, title)
        self.tabs.setAccessibleName(text("gui.dock.detail"))
