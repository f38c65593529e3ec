"""Logs that are being written to: looked at every other second, in the process that answers questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.records.curves import RunKind
from gui.curves import work as curves_work
from gui.curves.runs import ShownRun

if TYPE_CHECKING:
    from gui.processes.picture_service import PictureService

_CHANNEL = "sizes"
_PERIOD = 2000
"""Milliseconds between two looks."""
_LOOKS = 15
"""For so many looks a log that grew counts as growing."""


class Watch(QObject):
    """Tells which logs have grown; idle unless it is on."""

    grown = Signal(list)
    """Numbers of runs, all that grew since the look before."""
    calmed = Signal()
    """One grows no more."""

    def __init__(self, parent: QObject, service: PictureService, runs: Callable[[], list[ShownRun]]) -> None:
        super().__init__(parent)
        self._service, self._runs = service, runs
        self._asked: list[ShownRun] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_PERIOD)
        self._timer.timeout.connect(self.look)
        service.answered.connect(self._take)

    def set_on(self, on: bool) -> None:
        """Look from now on, or no more."""
        if on and not self._timer.isActive():
            self._timer.start()
        elif not on:
            self._timer.stop()
            self._service.forget(_CHANNEL)

    def look(self) -> None:
        """Ask for the sizes of all logs that have been read."""
        self._asked = [run for run in self._runs() if _may_grow(run)]
        if self._asked:
            paths = [run.path for run in self._asked]
            self._service.request(_CHANNEL, curves_work.sizes_of, paths)

    def _take(self, channel: str, sizes: list[tuple[int, int]]) -> None:
        if channel != _CHANNEL or len(sizes) != len(self._asked):
            return
        calmed, grown = False, []
        for run, size in zip(self._asked, sizes):
            if size[0] < 0:  # gone; should it come back it is read again
                calmed = calmed or run.live
                run.size, run.grown = size, 0
            elif size != run.size:
                run.size, run.grown = size, _LOOKS
                grown.append(run.number)
            elif run.grown:
                run.grown -= 1
                calmed = calmed or not run.grown
        if grown:
            self.grown.emit(grown)
        if calmed:
            self.calmed.emit()


def _may_grow(run: ShownRun) -> bool:
    return run.run is not None and run.run.kind is RunKind.LOG
