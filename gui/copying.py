"""How much of a table may be copied at once."""

from __future__ import annotations

from core.messages import Message
from gui.session import Session

COPY_LIMIT = 50_000
"""Rows that go onto the clipboard at most; more are a job for an export."""


def may_be_copied(session: Session, count: int) -> bool:
    """Whether *count* rows may be copied; says so when they are too many."""
    if count > COPY_LIMIT:
        session.noticed.emit(Message("gui.notice.too_many_rows", {"limit": COPY_LIMIT}), "")
    return count <= COPY_LIMIT
