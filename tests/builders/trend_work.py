"""Work for the trends view to do in tests; importable by name."""

from __future__ import annotations

from builders.window_work import endless

from core.messages import Message
from core.progress import Progress, Work
from gui.trends.work import Reading


def endless_trends(target: str, golden: str, shift: int, folder: str) -> Work[Reading]:
    yield from endless()
    raise AssertionError


def broken_trends(target: str, golden: str, shift: int, folder: str) -> Work[Reading]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")
