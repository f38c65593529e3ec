"""The pages themselves, made when they are first wanted, and the way from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.context import Context
from gui.pages.bar import CurvesTab, OverflowTab, Page, PageBar, PrecheckTab
from gui.precheck.sides import Side, sorted_by_side
from gui.views.welcome.view import WelcomeView

if TYPE_CHECKING:
    from gui.pages.curves import CurvesPage
    from gui.pages.overflow import OverflowPage
    from gui.pages.precheck import PrecheckPage
    from gui.pages.workspace import Workspace
    from gui.views.emulation.view import EmulationView


class PageStack(QStackedWidget):
    """Shows the welcome until something is open, then one page."""

    switched = Signal()
    """Another page or tab is on show, or another thing goes on in it."""
    export_wanted = Signal()

    def __init__(self, context: Context, bar: PageBar) -> None:
        super().__init__()
        self._context, self._bar = context, bar
        self.welcome = WelcomeView(context)
        self.workspace: Workspace | None = None
        self._nursery = QWidget(self)
        self._nursery.hide()
        self._making = self._make_workspace()
        self.overflow: OverflowPage | None = None
        self.emulation: EmulationView | None = None
        self.curves: CurvesPage | None = None
        self.precheck: PrecheckPage | None = None
        self.addWidget(self.welcome)
        bar.chosen.connect(self.show_page)
        context.session.overflow.official_opened.connect(self._show_births)
        context.session.arrivals.logs_found.connect(self._open_logs)
        context.session.arrivals.monitors_found.connect(self._open_monitors)
        context.session.arrivals.evidence_found.connect(self._bring_evidence)

    @property
    def page(self) -> Page | None:
        """The page on show; ``None`` while nothing is open."""
        shown = self.currentWidget()
        if shown is self.welcome:
            return None
        if shown is self.emulation:
            return Page.EMULATION
        if shown is self.curves:
            return Page.CURVES
        if shown is self.precheck:
            return Page.PRECHECK
        return Page.COMPARE if shown is self.workspace else Page.OVERFLOW

    @property
    def working_page(self) -> OverflowPage | EmulationView | CurvesPage | PrecheckPage | None:
        """The page on show, if it works out something of its own."""
        shown = self.currentWidget()
        pages = (self.precheck, self.overflow, self.emulation, self.curves)
        return next((page for page in pages if page is shown), None)

    def ensure_workspace(self) -> Workspace:
        """Return the compare page, made or finished the first time."""
        for _ in self._making:
            pass
        assert self.workspace is not None
        return self.workspace

    def steps(self) -> Iterator[None]:
        """Make the compare page: a part a step."""
        return self._making

    def _make_workspace(self) -> Iterator[None]:
        from gui.pages.workspace import Workspace
        from gui.pages.workspace_parts import make_parts

        parts = yield from make_parts(self._context, self._nursery)
        self.workspace = Workspace(self._context, parts)
        self.workspace.table.export_wanted.connect(self.export_wanted)
        self.workspace.diagnosis.precheck_wanted.connect(self.show_precheck)
        self.addWidget(self.workspace)

    def ensure_overflow(self) -> OverflowPage:
        """Return the overflow page, made the first time."""
        if self.overflow is None:
            from gui.pages.overflow import OverflowPage

            self.overflow = OverflowPage(self._context)
            self.overflow.export_wanted.connect(self.export_wanted)
            self.overflow.birth_wanted.connect(self._show_in_comparison)
            self.overflow.compare_wanted.connect(self.show_compare)
            self.overflow.changed.connect(self.switched)
            self.addWidget(self.overflow)
        return self.overflow

    def ensure_emulation(self) -> EmulationView:
        """Return the emulation page, made the first time."""
        if self.emulation is None:
            from gui.views.emulation.view import EmulationView

            self.emulation = EmulationView(self._context)
            self.emulation.export_wanted.connect(self.export_wanted)
            self.emulation.compare_wanted.connect(self.show_compare)
            self.emulation.state.changed.connect(self.switched)
            self.addWidget(self.emulation)
        return self.emulation

    def ensure_curves(self) -> CurvesPage:
        """Return the curves page, made the first time."""
        if self.curves is None:
            from gui.pages.curves import CurvesPage

            self.curves = CurvesPage(self._context)
            self.curves.export_wanted.connect(self.export_wanted)
            self.curves.changed.connect(self.switched)
            self.addWidget(self.curves)
        return self.curves

    def ensure_precheck(self) -> PrecheckPage:
        """Return the pre-check page, made the first time."""
        if self.precheck is None:
            from gui.pages.precheck import PrecheckPage

            self.precheck = PrecheckPage(self._context)
            self.precheck.export_wanted.connect(self.export_wanted)
            self.precheck.changed.connect(self.switched)
            self.addWidget(self.precheck)
        return self.precheck

    def _ensure(self, page: Page) -> Workspace | OverflowPage | EmulationView | CurvesPage | PrecheckPage:
        if page is Page.PRECHECK:
            return self.ensure_precheck()
        if page is Page.COMPARE:
            return self.ensure_workspace()
        if page is Page.CURVES:
            return self.ensure_curves()
        return self.ensure_overflow() if page is Page.OVERFLOW else self.ensure_emulation()

    def show_page(self, page: Page) -> None:
        """Go to *page*, if there is something to show on it."""
        if page not in self._bar.available():
            return
        before = self.page
        shown = self._ensure(page)
        self.setCurrentWidget(shown)
        self._bar.set_page(page)
        self.switched.emit()
        if before is page:
            return
        if self.working_page is not None:
            self.working_page.take_focus()
        elif before is not None and self.workspace is not None:
            self.workspace.table.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_compare(self) -> None:
        """Go to the comparison."""
        self.show_page(Page.COMPARE)

    def show_overflow(self) -> None:
        """Go to the overflow page, on the tab it was left at."""
        self.show_page(Page.OVERFLOW)

    def show_curves(self) -> None:
        """Go to the curves page."""
        self.show_page(Page.CURVES)

    def show_precheck(self) -> None:
        """Go to the pre-check page, also where nothing is open."""
        self._context.session.precheck.want()
        self.show_page(Page.PRECHECK)

    def show_precheck_tab(self, tab: PrecheckTab) -> None:
        """Go to the pre-check page and choose *tab*."""
        self._context.session.precheck.want()
        self.ensure_precheck().go_to(tab)
        self.show_precheck()
        self.ensure_precheck().take_focus()

    def show_curves_tab(self, tab: CurvesTab) -> None:
        """Go to the curves page and choose *tab*."""
        if Page.CURVES in self._bar.available():
            self.ensure_curves().go_to(tab)
            self.show_curves()
            self.ensure_curves().take_focus()

    def show_emulation(self) -> None:
        """Go to the emulation page."""
        self.show_page(Page.EMULATION)

    @property
    def tab(self) -> OverflowTab | None:
        """The tab of the overflow page; ``None`` while another page is on show."""
        on_show = self.overflow is not None and self.page is Page.OVERFLOW
        return self.overflow.tab if self.overflow is not None and on_show else None

    def show_tab(self, tab: OverflowTab) -> None:
        """Go to the overflow page and choose *tab*."""
        if Page.OVERFLOW in self._bar.available():
            self.ensure_overflow().choose(tab)
            self.show_overflow()
            self.ensure_overflow().take_focus()

    def back_to_births(self) -> bool:
        """Leave another tab of the overflow page for the births; False if they are on show."""
        if self.overflow is None or self.tab is OverflowTab.BIRTHS:
            return False
        self._show_births()
        self.overflow.take_focus()
        return True

    def _show_births(self) -> None:
        self.ensure_overflow().go_to(OverflowTab.BIRTHS)
        self.show_overflow()

    def _open_logs(self, paths: list[str]) -> None:
        """Show logs where one is looked at: beside the curves on show, or in place of one for overflow."""
        curves = self._context.session.curves
        if len(paths) == 1 and self.tab is OverflowTab.TRAINING:
            self.ensure_overflow().open_log(paths[0])
            return
        if self.page is Page.CURVES:
            curves.add(paths)
        else:
            curves.open(paths, self._context.session.arrivals.told)
        self.show_curves_tab(CurvesTab.CURVES)

    def _open_monitors(self, paths: list[str]) -> None:
        self.ensure_curves().open_monitors(paths, self._context.session.arrivals.told)
        self.show_curves()

    def _bring_evidence(self, paths: list[str]) -> None:
        """Take evidence for the side that its name or its drop tells, and show the checklist."""
        arrivals = self._context.session.arrivals
        whose = sorted_by_side(paths, arrivals.told, arrivals.side or Side.TARGET)
        for side, brought in whose.items():
            if brought:
                self._context.session.precheck.add(side, brought)
        self.show_precheck_tab(PrecheckTab.CHECKLIST)

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
