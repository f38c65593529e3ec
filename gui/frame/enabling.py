"""Which commands can be given now, by what is open and which page is on show."""

from __future__ import annotations

from collections.abc import Collection

from gui.frame.actions import Actions
from gui.pages.bar import CurvesTab, OverflowTab, Page, PrecheckTab
from gui.pages.stack import PageStack
from gui.processes.work_state import Stage
from gui.session import Session

_OF_COMPARISON = (
    "find", "clear_filter", "reset_layout", "focus_tree", "focus_plot", "focus_table", "focus_detail",
    "focus_diagnosis",
)  # fmt: skip
"""Lead to the comparison from wherever they are given."""
_OF_TREE = (
    "find_in_tree", "next_match", "previous_match", "tree_deeper", "tree_shallower", "tree_unfold",
    "tree_fold",
)  # fmt: skip


def _exportable(session: Session, pages: PageStack) -> bool:
    """Whether the page on show has something to be written, and is not writing it already."""
    overflow, emulation = session.overflow, session.emulation
    if pages.page is Page.PRECHECK:
        return session.precheck.report is not None and not session.precheck.exports.running
    if pages.page is Page.CURVES:
        return pages.curves is not None and pages.curves.readable and not pages.curves.exporting
    if pages.page is Page.OVERFLOW:
        births = pages.tab is OverflowTab.BIRTHS
        return births and overflow.report is not None and not overflow.exports.running
    if pages.page is Page.EMULATION:
        answered = emulation.stage is Stage.READY and emulation.found is not None
        return answered and not emulation.exports.running
    return session.cell is not None and not session.exports.running


def enable_actions(actions: Actions, session: Session, pages: PageStack, available: Collection[Page]) -> None:
    """Enable in *actions* what makes sense for the page and the tab on show."""
    overflow, emulation, loaded = session.overflow, session.emulation, session.cell is not None
    on_overflow, on_emulation = pages.page is Page.OVERFLOW, pages.page is Page.EMULATION
    curves = pages.curves if pages.page is Page.CURVES else None
    on_curves = curves is not None
    shown = pages.overflow if on_overflow else None
    working = pages.working_page is not None and pages.working_page.working
    exports = (
        session.exports, overflow.exports, emulation.exports, session.curves.exports,
        session.precheck.exports,
    )  # fmt: skip
    on_precheck, precheck = pages.page is Page.PRECHECK, session.precheck
    running = session.busy or working or any(export.running for export in exports)
    wanted = {
        "swap": curves.readable if curves is not None else (
            bool(session.target_path and session.golden_path) and not session.busy
        ),
        "rerun": curves.paths is not None if curves is not None else (
            bool(session.opening[0] or (shown is not None and shown.log)) and not session.busy
        ) or (on_precheck and precheck.report is not None),
        "cancel": running,
        "pair": loaded and bool(session.golden_path) and not session.busy,
        "export": _exportable(session, pages),
        "note": loaded and session.row >= 0,
        "ignore": loaded and session.row >= 0 and bool(session.golden_path),
        "ignored": loaded,
        "locate": loaded and bool(session.dumps.lost),
        "next_round": loaded and bool(session.golden_path) and not session.busy,
        "copy": loaded or on_overflow or on_curves or on_precheck,
        **{f"page_{candidate.value}": candidate in available for candidate in Page},
        "page_precheck": True,
        **dict.fromkeys(("next_fail", "previous_fail"), on_precheck and precheck.failures > 0),
        "save_table": not precheck.is_empty and not precheck.exports.running,
        **{f"tab_{tab.value}": Page.PRECHECK in available for tab in PrecheckTab},
        **{f"tab_{tab.value}": Page.OVERFLOW in available for tab in OverflowTab},
        **{f"tab_{tab.value}": Page.CURVES in available for tab in CurvesTab},
        **dict.fromkeys(("next_birth", "previous_birth"), on_overflow and overflow.births > 0),
        **dict.fromkeys(("next_outside", "previous_outside"), on_emulation and emulation.outside > 0),
        **dict.fromkeys(
            ("next_suspect", "previous_suspect", "next", "previous"),
            loaded and pages.page is Page.COMPARE,
        ),
        "back": session.history.can_go_back and pages.page is Page.COMPARE,
        "forward": session.history.can_go_forward and pages.page is Page.COMPARE,
        "open_detail": session.focus.selected is not None and pages.page is Page.COMPARE,
        "copy_markdown": (loaded and pages.page is Page.COMPARE) or on_precheck,
        "switch_rows": loaded and pages.page is Page.COMPARE,
        **dict.fromkeys(("next_finding", "previous_finding"), curves is not None and curves.findings > 0),
        **dict.fromkeys(_OF_TREE, loaded and pages.page is Page.COMPARE),
        "only_problems": loaded and pages.page is Page.COMPARE and not session.is_exploring(),
        **dict.fromkeys(_OF_COMPARISON, loaded),
        "find": loaded or on_precheck,
        "cells": session.info is not None and len(session.info.cells) > 1 and not session.is_exploring(),
        "reset_layout": loaded or on_curves or on_precheck,
    }  # fmt: skip
    for name, enabled in wanted.items():
        actions[name].setEnabled(enabled)
