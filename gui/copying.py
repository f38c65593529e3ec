"""How much of a table may be copied at once."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Message
from gui.models.column_table import ColumnTable
from gui.session import Session

COPY_LIMIT = 50_000
"""Rows that go onto the clipboard at most; more are a job for an export."""


def copied_rows(
    session: Session, model: ColumnTable, view_rows: Sequence[int], columns: Sequence[int] | None = None
) -> str:
    """Return rows as tab-separated text with headings; empty, and it says so, when they are too many."""
    if len(view_rows) > COPY_LIMIT:
        session.noticed.emit(Message("gui.notice.too_many_rows", {"limit": COPY_LIMIT}), "")
        return ""
    return model.tab_separated(view_rows, columns)
