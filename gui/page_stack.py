"""The pages themselves, made when they are first wanted, and the way from one to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget

from gui.context import Context
from gui.pages import Page, PageBar
from gui.views.welcome.view import WelcomeView

if TYPE_CHECKING:
    from gui.views.overflow.page import OverflowPage
    from gui.workspace import Workspace


class PageStack(QStackedWidget):
    """Shows the welcome until something is open, then one page."""

    switched = Signal()
    export_wanted = Signal()

    def __init__(self, context: Context, bar: PageBar) -> None:
        super().__init__()
        self._context, self._bar = context, bar
        self.welcome = WelcomeView(context)
        self.workspace: Workspace | None = None
        self.overflow: OverflowPage | None = None
        self.addWidget(self.welcome)
        bar.chosen.connect(self.show_page)
        context.session.overflow.official_opened.connect(self.show_overflow)

    @property
    def page(self) -> Page | None:
        """The page on show; ``None`` while nothing is open."""
        shown = self.currentWidget()
        if shown is self.welcome:
            return None
        return Page.COMPARE if shown is self.workspace else Page.OVERFLOW

    def ensure_workspace(self) -> Workspace:
        """Return the compare page, made the first time."""
        if self.workspace is None:
            from gui.workspace import Workspace

            self.workspace = Workspace(self._context)
            self.workspace.table.export_wanted.connect(self.export_wanted)
            self.addWidget(self.workspace)
        return self.workspace

    def ensure_overflow(self) -> OverflowPage:
        """Return the overflow page, made the first time."""
        if self.overflow is None:
            from gui.views.overflow.page import OverflowPage

            self.overflow = OverflowPage(self._context)
            self.overflow.export_wanted.connect(self.export_wanted)
            self.overflow.compare_wanted.connect(self._show_in_comparison)
            self.addWidget(self.overflow)
        return self.overflow

    def show_page(self, page: Page) -> None:
        """Go to *page*, if there is something to show on it."""
        if page not in self._bar.available():
            return
        before = self.page
        compare = page is Page.COMPARE
        self.setCurrentWidget(self.ensure_workspace() if compare else self.ensure_overflow())
        self._bar.set_page(page)
        self.switched.emit()
        if self.overflow is not None and not compare and before is not page:
            self.overflow.take_focus()
        elif self.workspace is not None and compare and before is Page.OVERFLOW:
            self.workspace.table.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_compare(self) -> None:
        """Go to the comparison."""
        self.show_page(Page.COMPARE)

    def show_overflow(self) -> None:
        """Go to the births."""
        self.show_page(Page.OVERFLOW)

    def _show_in_comparison(self) -> None:
        """Select the call looked at among the births in the comparison, and go there."""
        choice = self._context.session.overflow.choice
        place, birth = choice.place, choice.birth
        if place is None or not choice.comparable:
            return
        here = birth is not None and (birth.cell, birth.row) == (place.cell, place.row)
        slot = birth.slot if birth is not None and here else ""
        row = place.row if choice.followed else -1  # the official analyser counts its own calls
        self._context.session.show_call(place.cell, row, choice.name_of(place), slot)
        self.show_compare()
