"""Ctrl-C in the terminal ends the window as its own close button does.

Qt's loop runs no Python while nothing happens, so a handler alone would wait for the next mouse move.
Python therefore writes a byte into a socket when the signal arrives, and Qt watches that socket: no timer
that wakes an idle machine.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier


class Interruption(QObject):
    """Calls back, in the thread of Qt, when this process is interrupted or asked to end."""

    def __init__(self, callback: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._callback = callback
        self._previous: dict[signal.Signals, object] = {}
        self._previous_fd = -1
        self._inner, self._outer = socket.socketpair()
        for end in (self._inner, self._outer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._outer.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)

    def install(self) -> None:
        """Watch from now on; only the main thread may."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._previous_fd = signal.set_wakeup_fd(self._inner.fileno(), warn_on_full_buffer=False)
        for kind in (signal.SIGINT, signal.SIGTERM):
            self._previous[kind] = signal.signal(kind, self._handle)

    def remove(self) -> None:
        """Put everything back."""
        self._notifier.setEnabled(False)
        if self._previous:
            signal.set_wakeup_fd(self._previous_fd)
        for kind, handler in self._previous.items():
            signal.signal(kind, handler)  # type: ignore[arg-type]
        self._previous.clear()
        self._inner.close()
        self._outer.close()

    def _drain(self, *_: object) -> None:
        """Empty the socket; that Python runs at all is what calls the handler."""
        try:
            while self._outer.recv(64):
                pass
        except BlockingIOError:
            return

    def _handle(self, _kind: int, _frame: FrameType | None) -> None:
        self._callback()
