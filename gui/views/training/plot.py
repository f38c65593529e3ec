"""The card with the loss scale over the steps."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolButton, QToolTip

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.training.plot import ScalePlot, scale_plot
from gui.models.training.steps import written_scale
from gui.training.state import TrainingState
from gui.views.training.canvas import ScaleCanvas
from gui.widgets.card import Card
from gui.widgets.translated import Translated


class PlotCard(Translated, Card):
    """Plot, what is known of the step looked at, and a button to see all steps."""

    def __init__(self, context: Context, state: TrainingState) -> None:
        super().__init__()
        self._theme, self._state = context.theme, state
        self.canvas = ScaleCanvas(context.theme)
        self._fit = QToolButton()
        self._fit.setAutoRaise(True)
        self.header.add(self._fit)
        self.body.addWidget(self.canvas, 1)
        self.body.setContentsMargins(6, 2, 6, 4)
        self._fit.clicked.connect(self.canvas.fit)
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(state.choose_step)
        self.canvas.stepped.connect(self._step)
        state.opened.connect(self._open)
        state.changed.connect(self._load)
        state.step_changed.connect(self._mark)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self._open()

    @property
    def plot(self) -> ScalePlot | None:
        """What is drawn."""
        return self.canvas.scene.plot

    def _open(self) -> None:
        self._load(keep=False)

    def _load(self, keep: bool = True) -> None:
        history = self._state.history
        if history is None:
            self.canvas.show_plot(None, None, None, keep=False)
            return
        start = history.first_good if history.at_start else None
        self.canvas.show_plot(scale_plot(history), start, history.collapse_step, keep)
        self._mark()

    def _mark(self) -> None:
        self.canvas.mark(self._state.step)
        self._heading()

    def _step(self, forward: bool) -> None:
        plot = self.plot
        step = plot.neighbour(self._state.step, forward) if plot is not None else None
        if step is not None:
            self._state.choose_step(step)

    def _point(self, step: int | None) -> None:
        if step is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(QCursor.pos() + QPoint(12, 8), self.told(step), self.canvas)

    def told(self, step: int) -> str:
        """Return what is known of *step*."""
        plot, history = self.plot, self._state.history
        if plot is None or history is None:
            return ""
        count, scale = plot.count_at(step), plot.scale_at(step)
        lines = [text("gui.training.step", step=numbers.grouped(step))]
        if scale == scale:
            lines.append(text("gui.training.scale_is", scale=written_scale(scale)))
        if count == 1:
            lines.append(text("gui.training.overflowed"))
        elif count:
            lines.append(text("gui.training.overflowed_of", count=count, interval=history.interval))
        return "  ·  ".join(lines)

    def _heading(self) -> None:
        step = self._state.step
        subtitle = text("gui.training.plot.subtitle") if step is None else self.told(step)
        self.set_title(text("gui.training.plot"), subtitle)
        self.canvas.setAccessibleDescription("" if step is None else subtitle)

    def _restyle(self) -> None:
        self._fit.setIcon(icon("fit", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._fit.setToolTip(text("gui.training.fit"))
        self._fit.setAccessibleName(text("gui.training.fit"))
        self.canvas.setAccessibleName(text("gui.training.plot"))
        self.canvas.update()
        self._heading()
