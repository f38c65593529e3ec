"""The plot's widget: a box that is zoomed along the run, and the log axis beside it."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QFrame

from gui.looks.theme import Colours
from gui.views.trajectory.axis import DecadeAxis

LEAST_PLOT = 80
"""Pixels of height below which nothing can be told apart."""


class Plot(pg.GraphicsView):
    """Holds :attr:`box`; not pyqtgraph's PlotWidget, which brings menus of its own that are not ours."""

    def __init__(self, axis: DecadeAxis) -> None:
        super().__init__(background=None)
        self._axis = axis
        self.box = pg.ViewBox(enableMenu=False)
        self.box.setMouseEnabled(x=True, y=False)
        axis.linkToView(self.box)
        layout = pg.GraphicsLayout()
        layout.setContentsMargins(4, 6, 12, 4)
        layout.setSpacing(0)
        layout.addItem(axis, 0, 0)
        layout.addItem(self.box, 0, 1)
        self.setCentralItem(layout)
        self.setMinimumHeight(LEAST_PLOT)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def restyle(self, colours: Colours, font: QFont) -> None:
        """Draw in the colours of another scheme."""
        self.setBackground(colours.card)
        self._axis.setPen(QColor(0, 0, 0, 0))
        self._axis.setTextPen(QColor(colours.dim))
        self._axis.setStyle(tickLength=0, tickTextOffset=6, autoExpandTextSpace=False, tickAlpha=0)
        self._axis.setTickFont(font)
        self._axis.setWidth(62)
