"""The pre-check page: the checklist, the difference of the sources, and the data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.messages import text
from gui.context import Context
from gui.pages.bar import PrecheckTab
from gui.pages.tabbed import Maker, TabbedPage

if TYPE_CHECKING:
    from gui.views.dataset.view import DatasetView
    from gui.views.precheck.view import PrecheckView
    from gui.views.source.view import SourceView


class PrecheckPage(TabbedPage[PrecheckTab]):
    """Source and data set are looked at more closely, of what is evidence already or is chosen there."""

    def __init__(self, context: Context) -> None:
        self.source: SourceView | None = None
        self.dataset: DatasetView | None = None
        self._checklist: PrecheckView | None = None
        makers: dict[PrecheckTab, Maker] = {
            PrecheckTab.CHECKLIST: self._make_checklist, PrecheckTab.SOURCE: self._make_source,
            PrecheckTab.DATASET: self._make_dataset,
        }  # fmt: skip
        super().__init__(context, makers)
        self._state = context.session.precheck
        self._state.changed.connect(self._name)
        self.retranslate()

    @property
    def checklist(self) -> PrecheckView:
        """The first tab."""
        self.view_of(PrecheckTab.CHECKLIST)
        assert self._checklist is not None
        return self._checklist

    def _make_checklist(self) -> PrecheckView:
        from gui.views.precheck.view import PrecheckView

        made = self._checklist = PrecheckView(self._context)
        made.export_wanted.connect(self.export_wanted)
        return made

    def _make_source(self) -> SourceView:
        from gui.views.source.view import SourceView

        made = self.source = SourceView(self._context)
        made.state.changed.connect(self.changed)
        return made

    def _make_dataset(self) -> DatasetView:
        from gui.views.dataset.view import DatasetView

        made = self.dataset = DatasetView(self._context)
        for state in (made.state, *made.state.lists.values()):
            state.changed.connect(self.changed)
        return made

    # ---- commands

    @property
    def on_checklist(self) -> bool:
        """Whether the checklist is on show."""
        return self.tab is PrecheckTab.CHECKLIST

    def search_list(self) -> None:
        """Go to the field that searches the checklist."""
        self.go_to(PrecheckTab.CHECKLIST)
        self.checklist.search_list()

    def turn(self, forward: bool) -> None:
        """Look at the next fail of the checklist, or the one before."""
        self.go_to(PrecheckTab.CHECKLIST)
        self._state.choice.turn(forward)

    def ask_for_evidence(self, golden: bool) -> None:
        """Ask for files that one side is to bring."""
        self.go_to(PrecheckTab.CHECKLIST)
        (self.checklist.golden if golden else self.checklist.target).ask_for_files()

    # ---- words

    def _name(self) -> None:
        """Name the tabs, and how many checks fail."""
        titles = {tab: text(f"gui.precheck.tab.{tab.value}") for tab in PrecheckTab}
        if self._state.failures:
            titles[PrecheckTab.CHECKLIST] += f"  {self._state.failures}"
        self.name_tabs(titles, {tab: text(f"gui.precheck.tab.{tab.value}.help") for tab in PrecheckTab})

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.precheck"))
        self.tabs.setAccessibleName(text("gui.precheck.tabs"))
        self._name()
