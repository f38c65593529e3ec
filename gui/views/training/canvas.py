"""The loss scale over the steps as a widget: zoom and pan along the steps, point, choose."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent

from core.messages import text
from gui.looks.theme import Theme
from gui.models.training.plot import ScalePlot
from gui.views.training.painter import (
    LANE,
    ScaleScene,
    labels_width,
    paint_cursor,
    paint_grid,
    paint_line,
    paint_overflows,
    paint_stretches,
)
from gui.widgets.axis_canvas import AxisCanvas

_RIGHT, _BOTTOM = 26, 26
_REACH = 7
"""How near, in pixels, the pointer must be to mean an overflowed step."""
_AROUND = 200
"""Steps that are seen around one that is gone to from afar."""


class ScaleCanvas(AxisCanvas):
    """Draws a :class:`ScalePlot`; tells which step is pointed at or chosen."""

    pointed = Signal(object)
    """A step or ``None``."""
    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.scene = ScaleScene(self.axis)
        self.step: int | None = None
        self.setMinimumSize(220, 96)
        theme.changed.connect(self.update)

    # ---- content

    def show_plot(self, plot: ScalePlot | None, start: int | None, collapse: int | None, keep: bool) -> None:
        """Draw a plot; *keep* says that it is of the same log, and what is in sight stays."""
        self.scene.plot, self.scene.start, self.scene.collapse = plot, start, collapse
        if not keep:
            self.axis.set_calls(plot.last - plot.first + 1 if plot is not None else 1)
        self._measure()

    def mark(self, step: int | None) -> None:
        """Put the cursor on *step* and bring it into sight."""
        self.step = step
        if step is not None and self.scene.plot is not None:
            self.axis.bring(step - self.scene.plot.first)
        self.update()

    def go_to(self, step: int) -> None:
        """See *step* in the middle, near enough to tell steps apart."""
        if self.scene.plot is not None:
            at, span = step - self.scene.plot.first + 0.5, min(self.axis.span, float(_AROUND))
            self.axis.show(at - span / 2, span)
            self.update()

    def _measure(self) -> None:
        plot, left = self.scene.plot, 30
        if plot is not None:
            left = labels_width(self.font(), plot) + 18
        self.scene.box = self._box_within(left, LANE + 2, _RIGHT, _BOTTOM)
        self.update()

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene, colours = self.scene, self._theme.colours
        if scene.plot is None:
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        paint_grid(painter, scene, colours)
        names = text("gui.training.start"), text("gui.training.collapse")
        paint_stretches(painter, scene, colours, names)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(scene.box.adjusted(-4, -LANE - 2, 4, 4))
        paint_overflows(painter, scene, colours)
        paint_line(painter, scene, colours)
        if self.step is not None:
            paint_cursor(painter, scene, self.step, colours)
        painter.setClipping(False)
        if not len(scene.plot.steps):
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(scene.box, Qt.AlignmentFlag.AlignCenter, text("gui.training.no_scale"))
        self._paint_focus(painter)
        painter.end()

    # ---- pointer

    def step_at(self, where: QPointF) -> int | None:
        """Return the step at a point of the widget, an overflowed one first; ``None`` beside the plot."""
        plot, box = self.scene.plot, self.scene.box
        if plot is None or not box.adjusted(-_REACH, -LANE - 2, _REACH, 0).contains(where):
            return None
        step = self.scene.step(where.x())
        near = plot.nearest(step, _REACH * self.axis.span / self.axis.pixels)
        return near if near is not None else min(max(round(step), plot.first), plot.last)

    def _point(self, where: QPointF | None) -> bool:
        step = self.step_at(where) if where is not None else None
        self.pointed.emit(step)
        return step is not None

    def _choose(self, where: QPointF) -> None:
        step = self.step_at(where)
        if step is not None:
            self.chosen.emit(step)

    # ---- keys

    def _marked_column(self) -> int | None:
        plot = self.scene.plot
        return self.step - plot.first if plot is not None and self.step is not None else None
