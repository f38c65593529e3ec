"""Commands that lead somewhere: to a page, a view, the next thing to look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from gui.context import Context
from gui.frame.top_bar import TopBar
from gui.pages.bar import CurvesTab, OverflowTab, Page, PrecheckTab
from gui.pages.stack import PageStack

if TYPE_CHECKING:
    from gui.pages.workspace import Workspace


class GoCommands(QObject):
    """Those of the comparison lead to its page from wherever they are given."""

    def __init__(self, context: Context, pages: PageStack, top: TopBar, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._session = context, context.session
        self._pages, self._top, self._window = pages, top, window
        session = context.session
        commands: tuple[tuple[str, Callable[[], object]], ...] = (
            ("find", self._find), ("clear_filter", self._clear_filter), ("pair", self._pair),
            ("next_suspect", partial(self._step, True)), ("previous_suspect", partial(self._step, False)),
            ("next_birth", partial(self._step_birth, True)),
            ("previous_birth", partial(self._step_birth, False)),
            ("next_outside", partial(session.emulation.turn, True)),
            ("previous_outside", partial(session.emulation.turn, False)),
            ("next_finding", partial(self._step_finding, True)),
            ("previous_finding", partial(self._step_finding, False)),
            ("next_fail", partial(self._step_fail, True)),
            ("previous_fail", partial(self._step_fail, False)),
            ("next", partial(session.step, True)), ("previous", partial(session.step, False)),
            ("back", partial(session.history.go, False)), ("forward", partial(session.history.go, True)),
            ("page_compare", pages.show_compare), ("page_overflow", pages.show_overflow),
            ("page_emulation", pages.show_emulation), ("page_curves", pages.show_curves),
            ("page_precheck", pages.show_precheck),
            *((f"tab_{tab.value}", partial(pages.show_precheck_tab, tab)) for tab in PrecheckTab),
            *((f"tab_{tab.value}", partial(pages.show_curves_tab, tab)) for tab in CurvesTab),
            *((f"tab_{tab.value}", partial(pages.show_tab, tab)) for tab in OverflowTab),
            ("focus_tree", partial(self._focus, lambda page: page.operators.tree)),
            ("focus_plot", partial(self._focus, lambda page: page.trajectory)),
            ("focus_table", partial(self._focus, lambda page: page.table.table)),
            ("focus_detail", partial(self._focus, lambda page: page.detail.tabs)),
            ("focus_diagnosis", self._focus_diagnosis), ("cells", self._toggle_cells),
        )  # fmt: skip
        for name, callback in commands:
            context.actions.connect_to(name, callback)

    def _compare(self) -> Workspace | None:
        self._pages.show_compare()
        return self._pages.workspace

    def _find(self) -> None:
        """Go to the field that searches the page on show, or the comparison."""
        if self._pages.page is Page.PRECHECK:
            self._pages.ensure_precheck().search_list()
            return
        self._pages.show_compare()
        self._top.search.setFocus()
        self._top.search.selectAll()

    def _clear_filter(self) -> None:
        self._session.set_filter(text="", categories=frozenset(), node=-1)

    def _pair(self) -> None:
        from gui.views.pairing.dialog import PairingDialog

        PairingDialog(self._context, self._window).open()

    def _step(self, forward: bool) -> None:
        """Go to the next suspect, or row that differs when nothing is held responsible."""
        suspects = self._session.suspects
        if suspects.open:
            suspects.step(forward)
        else:
            self._session.step(forward)

    def _step_finding(self, forward: bool) -> None:
        if self._pages.curves is not None:
            self._pages.curves.turn(forward)

    def _step_fail(self, forward: bool) -> None:
        if self._pages.precheck is not None:
            self._pages.precheck.turn(forward)

    def _step_birth(self, forward: bool) -> None:
        """Go to the next birth; from another tab, back to the one that was looked at."""
        if not self._pages.back_to_births():
            self._session.overflow.choice.turn(forward)

    def _focus(self, find: Callable[[Workspace], QWidget]) -> None:
        page = self._compare()
        if page is not None:
            page.reveal(find(page))
            find(page).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focus_diagnosis(self) -> None:
        page = self._compare()
        if page is not None:
            page.unfold(focus=True)

    def _toggle_cells(self) -> None:
        page = self._compare()
        if page is not None:
            page.toggle_cells()

    def toggle_problems(self) -> None:
        """Show or hide the list of problems."""
        if self._session.cell is not None:
            self._pages.show_compare()
            self._pages.ensure_workspace().toggle_problems()
