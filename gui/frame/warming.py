"""What the window makes ready once it has been painted, without holding it up.

The modules of the pages take over a second to import: a thread does it, which the window hardly feels.
Then the compare page is made, a part in each turn of the event loop.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

_AFTER_THE_PAINT = 30
"""Milliseconds that the window is given to paint itself."""
_MODULES = (
    "gui.pages.workspace_parts", "gui.pages.workspace", "gui.pages.overflow", "gui.views.overflow.view",
    "gui.views.emulation.view", "gui.pages.curves", "gui.views.curves.view", "gui.views.headroom.view",
    "gui.views.training.view", "gui.views.trends.view", "gui.pages.precheck", "gui.views.precheck.view",
)  # fmt: skip
"""In the order in which they are likely to be wanted; the page is made once it has the first two."""
_ENOUGH = _MODULES[1]


class Warming(QObject):
    """Imports the modules, then takes *steps* one by one; everything once."""

    _imported = Signal(str)

    def __init__(self, steps: Iterator[None], parent: QObject) -> None:
        super().__init__(parent)
        self._steps = steps
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._import, name="imports", daemon=True)
        self._soon, self._turn = QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._thread.start)
        self._turn.timeout.connect(self._step)
        self._imported.connect(self._begin)

    def start(self) -> None:
        """Begin, unless that was done."""
        if not self._thread.ident:
            self._soon.start(_AFTER_THE_PAINT)

    def stop(self) -> None:
        """Make nothing more ready; waits for the module that is being imported."""
        self._stopped.set()
        self._soon.stop()
        self._turn.stop()
        if self._thread.is_alive():
            self._thread.join()

    def _import(self) -> None:
        """Import the modules, in the thread."""
        for name in _MODULES:
            if self._stopped.is_set():
                return
            importlib.import_module(name)
            self._imported.emit(name)

    def _begin(self, name: str) -> None:
        if name == _ENOUGH and not self._stopped.is_set():
            self._turn.start(0)

    def _step(self) -> None:
        try:
            next(self._steps)
        except StopIteration:
            self._turn.stop()
