"""The plot's widget: a box that is zoomed along the run, and the axes beside it."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QFrame

from gui.looks.theme import Colours
from gui.views.trajectory.axis import CallAxis, DecadeAxis

LEAST_PLOT = 80
"""Pixels of height below which nothing can be told apart."""
_TALL = 190
"""Pixels of the card from which the errors are named and the calls numbered."""
_AXIS, _CALLS, _SMALL = 62, 15, 11
"""Pixels of the axes, and of small letters."""


class Plot(pg.GraphicsView):
    """Holds :attr:`box`; not pyqtgraph's PlotWidget, which brings menus of its own that are not ours."""

    def __init__(self, axis: DecadeAxis) -> None:
        super().__init__(background=None)
        self._axis, self._calls = axis, CallAxis()
        self._tall, self._error = False, ""
        self._look: dict[str, str] = {}
        self.box = pg.ViewBox(enableMenu=False)
        self.box.setMouseEnabled(x=True, y=False)
        axis.linkToView(self.box)
        self._calls.linkToView(self.box)
        layout = pg.GraphicsLayout()
        layout.setContentsMargins(4, 6, 12, 4)
        layout.setSpacing(0)
        layout.addItem(axis, 0, 0)
        layout.addItem(self.box, 0, 1)
        layout.addItem(self._calls, 1, 1)
        self.setCentralItem(layout)
        self.setMinimumHeight(LEAST_PLOT)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def name_errors(self, words: str) -> None:
        """Say in quiet *words* what the heights are."""
        self._error = words
        self._name_axes()

    def make_room(self, height: int) -> None:
        """Name and number only where a card of *height* pixels has room for it."""
        if self._tall != (height >= _TALL):
            self._tall = not self._tall
            self._name_axes()

    def _name_axes(self) -> None:
        self._calls.setVisible(self._tall)
        self._calls.setHeight(_CALLS if self._tall else 0)
        self._axis.setLabel(self._error, **self._look)
        self._axis.showLabel(self._tall)
        self._axis.setWidth(_AXIS + (_SMALL if self._tall else 0))

    def restyle(self, colours: Colours, font: QFont) -> None:
        """Draw in the colours of another scheme."""
        self.setBackground(colours.card)
        small = QFont(font)
        small.setPixelSize(_SMALL)
        for axis, used, offset in ((self._axis, font, 6), (self._calls, small, 2)):
            axis.setPen(QColor(0, 0, 0, 0))
            axis.setTextPen(QColor(colours.dim))
            axis.setStyle(tickLength=0, tickTextOffset=offset, autoExpandTextSpace=False, tickAlpha=0)
            axis.setTickFont(used)
        self._look = {"color": colours.dim, "font-size": f"{_SMALL}px"}
        self._name_axes()
