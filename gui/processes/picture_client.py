"""One view's share of the service that answers questions about tensors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Signal

from gui.processes.picture_service import PictureService

_numbers = count()


class PictureClient(QObject):
    """Has channels of its own, so that what one view asks for is not forgotten because of another."""

    answered = Signal(str, object)
    """Channel and what the function returned."""
    arrived = Signal(str, object)
    """Channel and what the function yielded on its way, where it is a generator."""
    rejected = Signal(str, object)
    """Channel and a :class:`core.errors.Problem`."""
    crashed = Signal(str, str)
    """Channel and a traceback."""

    def __init__(self, service: PictureService, parent: QObject) -> None:
        super().__init__(parent)
        self._service = service
        self._prefix = f"{next(_numbers)}:"
        service.answered.connect(self._take)
        service.arrived.connect(self._arrive)
        service.rejected.connect(self._reject)
        service.crashed.connect(self._crash)

    def request(self, channel: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for ``function(*arguments)``; whatever *channel* still waits for is forgotten."""
        self._service.request(self._prefix + channel, function, *arguments)

    def forget(self, channel: str) -> None:
        """Want no answer on *channel* any more."""
        self._service.forget(self._prefix + channel)

    def _take(self, channel: str, answer: object) -> None:
        if channel.startswith(self._prefix):
            self.answered.emit(channel.removeprefix(self._prefix), answer)

    def _arrive(self, channel: str, part: object) -> None:
        if channel.startswith(self._prefix):
            self.arrived.emit(channel.removeprefix(self._prefix), part)

    def _reject(self, channel: str, problem: object) -> None:
        if channel.startswith(self._prefix):
            self.rejected.emit(channel.removeprefix(self._prefix), problem)

    def _crash(self, channel: str, traceback: str) -> None:
        if channel.startswith(self._prefix):
            self.crashed.emit(channel.removeprefix(self._prefix), traceback)
