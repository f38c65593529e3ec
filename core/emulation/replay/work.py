"""Replay of many calls, as work with progress."""

from __future__ import annotations

from collections.abc import Sequence

from core.emulation.replay.replaying import MEMORY_LIMIT, replay_call
from core.emulation.terms.outcome import Replay
from core.messages import Message
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.names import forward_name


def replay_all(
    dump: Dump, rows: Sequence[int] | None = None, *, memory_limit: int = MEMORY_LIMIT
) -> Work[list[Replay]]:
    """Replay the operator calls *rows* of a dump, all of them by default, in that order.

    Yields progress before each call; closing the generator cancels.
    """
    chosen = list(range(len(dump.operators))) if rows is None else list(rows)
    by_name = {dump.operator_name(row): row for row in reversed(range(len(dump.operators)))}
    found = []
    for done, row in enumerate(chosen):
        yield Progress(done, len(chosen), Message("progress.replay"))
        forward = by_name.get(forward_name(dump.operator_name(row)) or "")
        found.append(replay_call(dump, row, forward=forward, memory_limit=memory_limit))
    return found
