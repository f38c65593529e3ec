"""What a check finds; the engine makes the row of the checklist of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.messages import Message
from core.records.precheck import Item, Outcome


@dataclass(frozen=True)
class Finding:
    """Result, sentence and what was compared."""

    result: Outcome
    message: Message
    items: Sequence[Item] = ()
    remarks: tuple[Message, ...] = ()
    target_files: tuple[str, ...] = ()
    """Evidence that was looked at; those of the items' places need not be named."""
    golden_files: tuple[str, ...] = ()


def not_done(message: Message) -> Finding:
    """Return that there was nothing to go by; *message* says what is missing."""
    return Finding(Outcome.NOT_DONE, message)
