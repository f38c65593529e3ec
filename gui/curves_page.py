"""The curves page: losses on each other, and trends of all layers, each a tab made when it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.pages import CurvesTab
from gui.widgets.stack_tabs import PlainTabs
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from gui.trends import TrendsState
    from gui.views.curves.view import CurvesView
    from gui.views.trends.view import TrendsView

_GAP = 8


class CurvesPage(Translated, QWidget):
    """Tabs on top, the chosen view under them."""

    export_wanted = Signal()
    changed = Signal()
    """Another tab is on show, or another thing goes on in it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._actions = context, context.actions
        self._state = context.session.curves
        self.curves: CurvesView | None = None
        self.trends: TrendsView | None = None
        self.tabs = PlainTabs()
        for _ in CurvesTab:
            self.tabs.addTab("")
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)
        self._state.changed.connect(self.changed)
        self.retranslate()
        self.tabs.currentChanged.connect(self._choose)

    # ---- tabs

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stack.setCurrentWidget(self.view)

    @property
    def tab(self) -> CurvesTab:
        """The tab on show."""
        return list(CurvesTab)[self.tabs.currentIndex()]

    @property
    def view(self) -> CurvesView | TrendsView:
        """What is on show under the tabs."""
        if self.tab is CurvesTab.CURVES:
            return self.curves or self._make_curves()
        return self.trends or self._make_trends()

    def go_to(self, tab: CurvesTab) -> None:
        """Show *tab*."""
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(list(CurvesTab).index(tab))
        self._choose(self.tabs.currentIndex())

    def _choose(self, _index: int) -> None:
        self._stack.setCurrentWidget(self.view)
        self.changed.emit()

    def _make_curves(self) -> CurvesView:
        from gui.views.curves.view import CurvesView

        made = self.curves = CurvesView(self._context)
        made.export_wanted.connect(self.export_wanted)
        self._stack.addWidget(made)
        return made

    def _make_trends(self) -> TrendsView:
        from gui.views.trends.view import TrendsView

        made = self.trends = TrendsView(self._context)
        made.state.changed.connect(self.changed)
        made.state.exports.changed.connect(self.changed)
        self._stack.addWidget(made)
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

    @property
    def working(self) -> bool:
        """Whether something is being read or judged."""
        return self.view.working

    def cancel(self) -> None:
        """Stop reading and judging, and what is being written."""
        trends = self._trends
        (self._state if trends is None else trends).exports.cancel()
        self._state.cancel() if trends is None else trends.cancel()

    def export(self, path: str) -> None:
        """Write the picture or the numbers, by the ending of *path*."""
        self.view.export(path)

    def arrange_anew(self) -> None:
        """Share the room of both tabs as the settings say, or as at first."""
        for view in (self.curves, self.trends):
            if view is not None:
                view.arrange_anew()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        self.view.take_focus()

    def copied_text(self) -> str:
        """Return what the tab on show has to be copied."""
        return self.view.copied_text()

    # ---- words

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.curves"))
        self.tabs.setAccessibleName(text("gui.curves.tabs"))
        for at, tab in enumerate(CurvesTab):
            self.tabs.setTabText(at, text(f"gui.curves.tab.{tab.value}"))
            keys = self._actions[f"tab_{tab.value}"].shortcut()
            native = keys.toString(QKeySequence.SequenceFormat.NativeText)
            self.tabs.setTabToolTip(at, f"{text(f'gui.curves.tab.{tab.value}.help')}  {native}")
        self.tabs.updateGeometry()
