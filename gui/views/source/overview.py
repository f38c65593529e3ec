"""Where in a file the differences are: a strip beside it that leads there."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.messages import text
from core.precheck.source.records import Change
from gui.looks.theme import Theme
from gui.models.source.rows import ShownRows
from gui.views.source.panes import ROW
from gui.widgets.translated import Translated

_WIDTH, _LEAST = 16, 3
"""Pixels of the strip, and of a mark at least."""


class Overview(Translated, QWidget):
    """All rows on show, in the height there is; by keys, Alt+Up and Alt+Down lead to the same places."""

    chosen = Signal(int)
    """The row on show that was pointed at."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: ShownRows | None = None
        self._seen = (0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 80)

    def show_rows(self, rows: ShownRows | None, seen: tuple[int, int]) -> None:
        """Show other rows, or that others are to be seen."""
        if rows is not self._rows or seen != self._seen:
            self._rows, self._seen = rows, seen
            self.update()

    @property
    def _scale(self) -> float:
        """Pixels of a row; where all rows are to be seen, each is marked beside itself."""
        count = len(self._rows) if self._rows is not None else 0
        return min(self.height() / max(count, 1), ROW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("second"))
        rows = self._rows
        if rows is None or not len(rows):
            return
        scale = self._scale
        window = QColor(self._theme.colour("dim"))
        window.setAlpha(60)
        top, end = self._seen
        painter.fillRect(QRectF(0, top * scale, self.width(), max((end - top) * scale, 8)), window)
        places = np.flatnonzero(rows.marks)
        change = rows.difference.change[rows.first[places]]
        for numeric, colour in ((False, "not_compared"), (True, "introduces")):
            wanted = places[(change == Change.NUMERIC) == numeric]
            for pixel in np.unique((wanted * scale).astype(np.int64)).tolist():
                painter.fillRect(
                    QRectF(3, pixel, self.width() - 6, max(scale, _LEAST)), self._theme.colour(colour)
                )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._rows is not None and len(self._rows):
            at = int(event.position().y() / self._scale)
            self.chosen.emit(min(max(at, 0), len(self._rows) - 1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.sources.overview"))
        self.setToolTip(text("gui.sources.overview.help"))
