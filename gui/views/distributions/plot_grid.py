"""Plots beside and under each other, as many in a line as there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from core.messages import text
from gui.widgets.page_area import PageArea

_LEAST_WIDTH, _LEAST_HEIGHT = 260, 122
"""Pixels of a plot at least, as long as all of them fit."""
_LOWEST, _LOW = 96, 200
"""Between which its height is where they do not, and the rest is scrolled to."""
_SHAPE = 1.5
"""Width by height that a plot has at best."""
_NARROW = 640
"""Pixels of width below which one plot is shown at a time, where there is no room for two lines of them."""
_GAP = 8


class _PlotsArea(PageArea):
    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.distributions.area"))


class PlotGrid(QWidget):
    """Lays out anew when its size changes or another plot is wanted."""

    resized = Signal()

    def __init__(self, panes: Sequence[QWidget]) -> None:
        super().__init__()
        self._panes = list(panes)
        self._shown = list(panes)
        self._page = QWidget()
        self._grid = QGridLayout(self._page)
        self._grid.setContentsMargins(12, 4, 12, 8)
        self._grid.setHorizontalSpacing(_GAP + 6)
        self._grid.setVerticalSpacing(_GAP)
        self.area: QScrollArea = _PlotsArea(self._page)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self._laid = (0, 0, 0)
        whole = QGridLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.area)
        self.area.viewport().installEventFilter(self)

    @property
    def one(self) -> bool:
        """Whether there is room for one plot only."""
        view = self.area.viewport().size()
        return view.width() < _NARROW and view.height() < 2 * (_LEAST_HEIGHT + _GAP)

    def show_panes(self, shown: Sequence[QWidget]) -> None:
        """Show these of the plots."""
        self._shown = [pane for pane in self._panes if pane in shown]
        self._laid = (0, 0, 0)
        self._lay()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.area.viewport() and event.type() == QEvent.Type.Resize:
            self._lay()
            self.resized.emit()
        return False

    def _columns(self, width: int, height: int) -> int:
        """Return in how many columns the plots have the best shape; as many as fit where none has."""
        count = max(len(self._shown), 1)
        most = min(max(width // _LEAST_WIDTH, 1), count)

        def misshapen(columns: int) -> float:
            tall = height / -(-count // columns)
            return math.inf if tall < _LEAST_HEIGHT + _GAP else abs(math.log(width / columns / tall / _SHAPE))

        best = min(range(1, most + 1), key=lambda columns: (misshapen(columns), -columns))
        return best if math.isfinite(misshapen(best)) else most

    def _lay(self) -> None:
        view, count = self.area.viewport().size(), len(self._shown)
        columns = self._columns(view.width(), view.height())
        rows = -(-count // columns)
        columns = -(-count // max(rows, 1)) or 1  # as many in each line as can be
        fits = view.height() >= rows * (_LEAST_HEIGHT + _GAP)
        laid = columns, rows, 0 if fits else min(max(view.height() - 2 * _GAP, _LOWEST), _LOW)
        if laid == self._laid:
            return
        self._laid = laid
        for pane in self._panes:
            self._grid.removeWidget(pane)
            pane.setVisible(pane in self._shown)
        for at in range(max(len(self._panes), 1)):
            self._grid.setColumnStretch(at, 1 if at < columns else 0)
            self._grid.setRowStretch(at, 1 if at < rows else 0)
        for at, pane in enumerate(self._shown):
            row, column = divmod(at, columns)
            pane.setMinimumHeight(laid[2] or _LEAST_HEIGHT)
            self._grid.addWidget(pane, row, column)
