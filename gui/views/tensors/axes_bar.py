"""How the tensor is laid out: a button for the axes, and a slider for each that is not on show."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QToolButton, QWidget

from core.messages import text
from core.metrics.pictures.plane import Plane, Shape
from gui.views.tensors.axes_panel import AxesPanel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_GAP = 10
"""Pixels between the axes."""


class AxisSlider(QWidget):
    """An axis and the index at which it is fixed; the wheel over it steps."""

    moved = Signal(int)

    def __init__(self, axis: int) -> None:
        super().__init__()
        self._axis = axis
        self._label, self.slider, self.box = QLabel(), QSlider(Qt.Orientation.Horizontal), QSpinBox()
        self._label.setObjectName("dim")
        self.slider.setFixedWidth(72)
        self.setFixedHeight(26)
        self.box.setFixedHeight(24)
        self.box.setMinimumWidth(46)
        self.box.setKeyboardTracking(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        for widget in (self._label, self.slider, self.box):
            row.addWidget(widget)
            widget.installEventFilter(self)
        self.slider.valueChanged.connect(self._take)
        self.box.valueChanged.connect(self._take)

    def show_index(self, index: int, size: int) -> None:
        """Stand at *index* of *size*."""
        for widget in (self.slider, self.box):
            with QSignalBlocker(widget):
                widget.setRange(0, max(size - 1, 0))
                widget.setValue(index)
        words = text("gui.heat.axis", axis=self._axis, size=size)
        self._label.setText(words)
        tip = text("gui.tensors.axis_range", axis=self._axis, last=max(size - 1, 0))
        self.setToolTip(tip)
        for widget in (self.slider, self.box):
            widget.setToolTip(tip)
            widget.setAccessibleName(words)

    def _take(self, index: int) -> None:
        for widget in (self.slider, self.box):
            with QSignalBlocker(widget):
                widget.setValue(index)
        self.moved.emit(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        step = 1 if event.angleDelta().y() > 0 else -1
        self.box.setValue(self.box.value() + step)
        event.accept()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            self.wheelEvent(event)
            return True
        return False


class AxesBar(Translated, QWidget):
    """Says and changes which plane is on show."""

    laid_out = Signal(object)
    """A :class:`Plane` of other axes."""
    slid = Signal(object)
    """The same axes at another place."""
    reset = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shape: Shape = ()
        self._plane = Plane()
        self._own = False
        self.button = QToolButton()
        self.button.setObjectName("toggle")
        self.button.setFixedHeight(26)
        self.panel = AxesPanel(self.button)
        self.panel.chosen.connect(self.laid_out)
        self.panel.reset.connect(self.reset)
        self._flow = FlowLayout(_GAP)
        self.setLayout(self._flow)
        self._flow.addWidget(self.button)
        self.sliders: list[AxisSlider] = []
        self.retranslate()

    def show_plane(self, shape: Shape, plane: Plane, own: bool) -> None:
        """Show how a tensor of *shape* is laid out; *own*: by the user's choice."""
        self._shape, self._plane, self._own = shape, plane, own
        for axis in range(len(self.sliders), len(shape)):
            made = AxisSlider(axis)
            made.moved.connect(lambda index, axis=axis: self._slide(axis, index))
            self._flow.addWidget(made)
            self.sliders.append(made)
        for axis, slider in enumerate(self.sliders):
            free = axis in plane.free and shape[axis] > 1
            slider.setVisible(free)
            if free:
                slider.show_index(plane.fixed[axis], shape[axis])
        self.button.setVisible(bool(shape) and self._choosable(shape))
        self.button.setText(self._words())
        self.panel.show_plane(shape, plane, own)
        self.updateGeometry()

    def wanted_width(self) -> int:
        """Return the width at which all stands in one line."""
        shown = [widget for widget in (self.button, *self.sliders) if not widget.isHidden()]
        return sum(widget.sizeHint().width() + _GAP for widget in shown)

    def _choosable(self, shape: Shape) -> bool:
        return len(shape) > 1 or (len(shape) == 1 and shape[0] > 1)

    def _words(self) -> str:
        shape, plane = self._shape, self._plane
        if len(shape) == 1:
            curve = plane.size(shape)[0] <= 1
            return text("gui.heat.curve") if curve else text("gui.heat.folded_at", width=plane.fold(shape))
        rows, columns = (" · ".join(map(str, axes)) or "–" for axes in (plane.rows, plane.columns))
        return text("gui.heat.axes", rows=rows, columns=columns)

    def _slide(self, axis: int, index: int) -> None:
        fixed = list(self._plane.fixed)
        fixed[axis] = index
        self.slid.emit(self._plane.at(tuple(fixed)))

    def retranslate(self) -> None:
        self.button.setToolTip(text("gui.heat.layout.help"))
        self.show_plane(self._shape, self._plane, self._own)
