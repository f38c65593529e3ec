"""Which commands can be given now, by what is open and which page is on show."""

from __future__ import annotations

from collections.abc import Collection

from gui.actions import Actions
from gui.overflow import Stage
from gui.pages import Page
from gui.session import Session

_OF_COMPARISON = (
    "find", "clear_filter", "reset_layout", "focus_tree", "focus_plot", "focus_table", "focus_detail",
    "focus_diagnosis",
)  # fmt: skip
"""Lead to the comparison from wherever they are given."""


def enable_actions(
    actions: Actions, session: Session, page: Page | None, available: Collection[Page]
) -> None:
    """Enable in *actions* what makes sense while *page* is on show."""
    overflow, on_births, loaded = session.overflow, page is Page.OVERFLOW, session.cell is not None
    looking = on_births and overflow.stage is Stage.WORKING
    running = session.busy or session.exporting or overflow.exporting or looking
    answered = overflow.report is not None and not overflow.exporting
    wanted = {
        "swap": bool(session.target_path and session.golden_path) and not session.busy,
        "rerun": bool(session.opening[0]) and not session.busy,
        "cancel": running,
        "pair": loaded and bool(session.golden_path) and not session.busy,
        "export": answered if on_births else loaded and not session.exporting,
        "copy": loaded or on_births,
        **{f"page_{candidate.value}": candidate in available for candidate in Page},
        **dict.fromkeys(("next_birth", "previous_birth"), on_births and overflow.births > 0),
        **dict.fromkeys(
            ("next_suspect", "previous_suspect", "next", "previous"), loaded and not on_births
        ),
        **dict.fromkeys(_OF_COMPARISON, loaded),
    }  # fmt: skip
    for name, enabled in wanted.items():
        actions[name].setEnabled(enabled)
