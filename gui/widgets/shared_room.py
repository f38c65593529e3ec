"""Room that splitters share: as at first or as the settings say, and then as the user wants it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QSplitter, QWidget

GAP = 10
"""Pixels between parts."""
_LEAST_WIDTH = 400
"""Pixels below which nothing is laid out yet."""


def gap_splitter(orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """Return *parts* beside or under each other; none of them can be closed."""
    made = QSplitter(orientation)
    made.setChildrenCollapsible(False)
    made.setHandleWidth(GAP)
    for part in parts:
        made.addWidget(part)
    return made


class SharedRoom(QObject):
    """Calls *share* once *whole* has room, and *remember* whenever the user moves an edge."""

    def __init__(
        self,
        whole: QSplitter,
        share: Callable[[int, int], None],
        remember: Callable[[], None],
        *inner: QSplitter,
        least_height: int = 0,
    ) -> None:
        super().__init__(whole)
        self._whole, self._share, self._least_height = whole, share, least_height
        self._shared = False
        whole.installEventFilter(self)
        for splitter in (whole, *inner):
            splitter.splitterMoved.connect(remember)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._whole and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._share_once()
        return False

    def _share_once(self) -> None:
        width, height = self._whole.width(), self._whole.height()
        there = self._whole.isVisible() and width >= _LEAST_WIDTH and height >= self._least_height
        if there and not self._shared:
            self._shared = True
            self._share(width, height)

    def share_anew(self) -> None:
        """Share it as the settings say, or as at first, now or once there is some."""
        self._shared = False
        self._share_once()
