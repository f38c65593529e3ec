"""The overflow page: births, headroom and the training."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.pages.bar import OverflowTab
from gui.pages.tabbed import Maker, TabbedPage

if TYPE_CHECKING:
    from gui.views.headroom.view import HeadroomView
    from gui.views.overflow.view import OverflowView
    from gui.views.training.view import TrainingView


class OverflowPage(TabbedPage[OverflowTab]):
    """Births are those of what is open; the training has a log of its own."""

    birth_wanted = Signal()
    """The call looked at among the births is to be found and shown in the comparison."""
    compare_wanted = Signal()
    """What is looked at is selected in the comparison, which is to be shown."""

    def __init__(self, context: Context) -> None:
        self.births: OverflowView | None = None
        self.headroom: HeadroomView | None = None
        self.training: TrainingView | None = None
        makers: dict[OverflowTab, Maker] = {
            OverflowTab.BIRTHS: self._make_births, OverflowTab.HEADROOM: self._make_headroom,
            OverflowTab.TRAINING: self._make_training,
        }  # fmt: skip
        super().__init__(context, makers, OverflowTab(context.settings.overflow_tab))
        context.session.overflow.changed.connect(self._name)
        self.retranslate()

    def choose(self, tab: OverflowTab) -> None:
        """Go to *tab* because the user wants it there, now and the next time."""
        self._context.settings.overflow_tab = tab.value
        super().choose(tab)

    def _make_births(self) -> OverflowView:
        from gui.views.overflow.view import OverflowView

        made = self.births = OverflowView(self._context)
        made.export_wanted.connect(self.export_wanted)
        made.compare_wanted.connect(self.birth_wanted)
        return made

    def _make_headroom(self) -> HeadroomView:
        from gui.views.headroom.view import HeadroomView

        made = self.headroom = HeadroomView(self._context)
        made.compare_wanted.connect(self.compare_wanted)
        made.state.changed.connect(self.changed)
        return made

    def _make_training(self) -> TrainingView:
        from gui.views.training.view import TrainingView

        made = self.training = TrainingView(self._context)
        made.log_opened.connect(partial(self.go_to, OverflowTab.TRAINING))
        made.state.changed.connect(self.changed)
        return made

    # ---- the log

    def open_log(self, path: str) -> None:
        """Show the training log at *path*."""
        self.go_to(OverflowTab.TRAINING)
        assert self.training is not None
        self.training.open_log(path)

    @property
    def log(self) -> str:
        """The log on show; empty on the other tabs and where none is."""
        shown = self.training is not None and self.tab is OverflowTab.TRAINING
        return self.training.state.path if self.training is not None and shown else ""

    def read_log_again(self) -> None:
        """Read the log on show again."""
        if self.training is not None:
            self.training.state.again()

    # ---- words

    def _name(self) -> None:
        """Name the tabs, and how many births there are."""
        births = self._context.session.overflow.births
        titles = {tab: text(f"gui.overflow.tab.{tab.value}") for tab in OverflowTab}
        if births:
            titles[OverflowTab.BIRTHS] += f"  {numbers.grouped(births)}"
        self.name_tabs(titles, {tab: text(f"gui.overflow.tab.{tab.value}.help") for tab in OverflowTab})

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.overflow"))
        self.tabs.setAccessibleName(text("gui.overflow.tabs"))
        self._name()
