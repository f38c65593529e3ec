"""The overflow page: births, headroom and the training, each a tab that is made when it is first wanted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.pages import OverflowTab
from gui.widgets.stack_tabs import PlainTabs
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from gui.views.headroom.view import HeadroomView
    from gui.views.overflow.view import OverflowView
    from gui.views.training.view import TrainingView

_GAP = 8


class OverflowPage(Translated, QWidget):
    """Tabs on top, the chosen view under them."""

    birth_wanted = Signal()
    """The call looked at among the births is to be found and shown in the comparison."""
    compare_wanted = Signal()
    """What is looked at is selected in the comparison, which is to be shown."""
    export_wanted = Signal()
    changed = Signal()
    """Another tab is on show, or another thing goes on in it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._actions = context, context.actions
        self.births: OverflowView | None = None
        self.headroom: HeadroomView | None = None
        self.training: TrainingView | None = None
        self.tabs = PlainTabs()
        for _ in OverflowTab:
            self.tabs.addTab("")
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)
        context.session.overflow.changed.connect(self._name)
        self.retranslate()
        self.tabs.setCurrentIndex(list(OverflowTab).index(OverflowTab(context.settings.overflow_tab)))
        self.tabs.currentChanged.connect(self._choose)

    # ---- tabs

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stack.setCurrentWidget(self.view)

    @property
    def tab(self) -> OverflowTab:
        """The tab on show."""
        return list(OverflowTab)[self.tabs.currentIndex()]

    @property
    def view(self) -> OverflowView | HeadroomView | TrainingView:
        """What is on show under the tabs."""
        return self._view_of(self.tab)

    def choose(self, tab: OverflowTab) -> None:
        """Go to *tab* because the user wants it there, now and the next time."""
        self._context.settings.overflow_tab = tab.value
        self.go_to(tab)

    def go_to(self, tab: OverflowTab) -> None:
        """Show *tab* because of what is to be seen there; the user's choice stays as it was."""
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(list(OverflowTab).index(tab))
        self._stack.setCurrentWidget(self._view_of(tab))
        self.changed.emit()

    def _choose(self, _index: int) -> None:
        self.choose(self.tab)

    def _view_of(self, tab: OverflowTab) -> OverflowView | HeadroomView | TrainingView:
        if tab is OverflowTab.BIRTHS:
            return self.births or self._make_births()
        if tab is OverflowTab.HEADROOM:
            return self.headroom or self._make_headroom()
        return self.training or self._make_training()

    def _make_births(self) -> OverflowView:
        from gui.views.overflow.view import OverflowView

        made = self.births = OverflowView(self._context)
        made.export_wanted.connect(self.export_wanted)
        made.compare_wanted.connect(self.birth_wanted)
        self._stack.addWidget(made)
        return made

    def _make_headroom(self) -> HeadroomView:
        from gui.views.headroom.view import HeadroomView

        made = self.headroom = HeadroomView(self._context)
        made.compare_wanted.connect(self.compare_wanted)
        made.state.changed.connect(self.changed)
        self._stack.addWidget(made)
        return made

    def _make_training(self) -> TrainingView:
        from gui.views.training.view import TrainingView

        made = self.training = TrainingView(self._context)
        made.log_opened.connect(partial(self.go_to, OverflowTab.TRAINING))
        made.state.changed.connect(self.changed)
        self._stack.addWidget(made)
        return made

    # ---- commands

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

    @property
    def working(self) -> bool:
        """Whether something is being worked out for the tab on show."""
        return self.view.working

    def cancel(self) -> None:
        """Stop what is being worked out for the tab on show."""
        self.view.cancel()

    def arrange_anew(self) -> None:
        """Share the room of all tabs as the settings say, or as at first."""
        for view in (self.births, self.headroom, self.training):
            if view is not None:
                view.arrange_anew()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        self.view.take_focus()

    def copied_text(self) -> str:
        """Return what the tab on show has to be copied."""
        return self.view.copied_text()

    # ---- words

    def _name(self) -> None:
        """Name the tabs, how many births there are, and the keys that lead to them."""
        overflow = self._context.session.overflow
        for at, tab in enumerate(OverflowTab):
            name = text(f"gui.overflow.tab.{tab.value}")
            counted = tab is OverflowTab.BIRTHS and overflow.births > 0
            count = numbers.grouped(overflow.births)
            self.tabs.setTabText(at, f"{name}  {count}" if counted else name)
            keys = (
                self._actions[f"tab_{tab.value}"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            )
            self.tabs.setTabToolTip(at, f"{text(f'gui.overflow.tab.{tab.value}.help')}  {keys}")
        self.tabs.updateGeometry()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.overflow"))
        self.tabs.setAccessibleName(text("gui.overflow.tabs"))
        self._name()
