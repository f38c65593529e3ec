"""How much of a table may be copied at once."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Message
from gui.models.table.column_table import ColumnTable
from gui.session import Session

COPY_LIMIT = 10_000
"""Rows that go onto the clipboard at most; more are a job for an export."""
MARKDOWN_LIMIT = 1_000
"""Rows that go there as Markdown, which people read."""


def copied_rows(
    session: Session, model: ColumnTable, view_rows: Sequence[int], columns: Sequence[int] | None = None
) -> str:
    """Return rows as tab-separated text with headings; empty, and it says so, when they are too many."""
    return model.tab_separated(view_rows, columns) if _fit(session, view_rows, COPY_LIMIT) else ""


def copied_markdown(
    session: Session, model: ColumnTable, view_rows: Sequence[int], columns: Sequence[int] | None = None
) -> str:
    """Return rows as a table of Markdown; empty, and it says so, when they are too many."""
    return model.markdown(view_rows, columns) if _fit(session, view_rows, MARKDOWN_LIMIT) else ""


def _fit(session: Session, view_rows: Sequence[int], limit: int) -> bool:
    if len(view_rows) <= limit:
        return True
    session.noticed.emit(Message("gui.notice.too_many_rows", {"limit": limit}), "")
    return False
