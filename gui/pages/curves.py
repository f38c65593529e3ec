"""The curves page: losses on each other, and trends of all layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.messages import text
from gui.context import Context
from gui.pages.bar import CurvesTab
from gui.pages.tabbed import Maker, TabbedPage

if TYPE_CHECKING:
    from gui.trends.state import TrendsState
    from gui.views.curves.view import CurvesView
    from gui.views.trends.view import TrendsView


class CurvesPage(TabbedPage[CurvesTab]):
    """Each tab has logs or monitors of its own."""

    def __init__(self, context: Context) -> None:
        self.curves: CurvesView | None = None
        self.trends: TrendsView | None = None
        makers: dict[CurvesTab, Maker] = {
            CurvesTab.CURVES: self._make_curves,
            CurvesTab.TRENDS: self._make_trends,
        }
        super().__init__(context, makers)
        self._state = context.session.curves
        self._state.changed.connect(self.changed)
        self.retranslate()

    def _make_curves(self) -> CurvesView:
        from gui.views.curves.view import CurvesView

        made = self.curves = CurvesView(self._context)
        made.export_wanted.connect(self.export_wanted)
        return made

    def _make_trends(self) -> TrendsView:
        from gui.views.trends.view import TrendsView

        made = self.trends = TrendsView(self._context)
        made.state.changed.connect(self.changed)
        made.state.exports.changed.connect(self.changed)
        return made

    def open_monitors(self, paths: list[str], told: bool = False) -> None:
        """Show the output of one monitor, or two compared, in roles that their names or their order tell."""
        self.go_to(CurvesTab.TRENDS)
        assert self.trends is not None
        if told and len(paths) == 2:
            self.trends.state.open(paths[0], paths[1])
        else:
            self.trends.open_paths(paths)

    # ---- commands; each is for the tab on show

    @property
    def _trends(self) -> TrendsState | None:
        """The state of the trends while they are on show."""
        on_show = self.trends is not None and self.tab is CurvesTab.TRENDS
        return self.trends.state if self.trends is not None and on_show else None

    @property
    def readable(self) -> bool:
        """Whether there is something to be seen and written."""
        trends = self._trends
        return self._state.readable if trends is None else trends.reading is not None

    @property
    def exporting(self) -> bool:
        """Whether a file is being written."""
        trends = self._trends
        return self._state.exports.running if trends is None else trends.exports.running

    @property
    def paths(self) -> tuple[str, str] | None:
        """Target and golden, one of them empty where there is only one; ``None`` while nothing is open."""
        trends = self._trends
        if trends is None:
            return self._state.judged_paths
        return (trends.target, trends.golden) if trends.target else None

    @property
    def findings(self) -> int:
        """How many findings there are to go through."""
        trends = self._trends
        if trends is None:
            return len(self._state.findings)
        return len(trends.findings)

    def turn(self, forward: bool) -> None:
        """Look at the next finding, or the one before."""
        trends = self._trends
        self._state.turn(forward) if trends is None else trends.turn_finding(forward)

    def swap(self) -> None:
        """Exchange target and golden."""
        trends = self._trends
        (self._state if trends is None else trends).swap()

    def again(self) -> None:
        """Read everything again."""
        trends = self._trends
        (self._state if trends is None else trends).again()

    def cancel(self) -> None:
        """Stop reading and judging, and what is being written."""
        trends = self._trends
        (self._state if trends is None else trends).exports.cancel()
        self._state.cancel() if trends is None else trends.cancel()

    def export(self, path: str) -> None:
        """Write the picture or the numbers, by the ending of *path*."""
        view = self.trends if self.tab is CurvesTab.TRENDS else self.curves
        if view is not None:
            view.export(path)

    # ---- words

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.curves"))
        self.tabs.setAccessibleName(text("gui.curves.tabs"))
        self.name_tabs(
            {tab: text(f"gui.curves.tab.{tab.value}") for tab in CurvesTab},
            {tab: text(f"gui.curves.tab.{tab.value}.help") for tab in CurvesTab},
        )
