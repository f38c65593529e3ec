"""How the tensor is laid out: a button for the axes, and a slider for each that is not on show."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QToolButton, QWidget

from core.messages import text
from core.metrics.pictures.plane import Plane, Shape
from gui.views.tensors.axes_panel import AxesPanel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_GAP, _INSIDE, _SLIDER = 10, 5, 64
"""Pixels between the axes, between the parts of one, and of a slider."""


_LINE = 26
"""Pixels of a line."""


class Brevity(IntEnum):
    """How much is left out where it is narrow."""

    NOTHING = 0
    SIZES = 1
    """The axes do not say how long they are."""
    SLIDERS = 2
    """Each axis has a box alone."""
    AXES = 3
    """The button does not name rows and columns either."""


class AxisSlider(QWidget):
    """An axis and the index at which it is fixed; the wheel over it steps."""

    moved = Signal(int)

    def __init__(self, axis: int) -> None:
        super().__init__()
        self._axis = axis
        self._label, self.slider, self.box = QLabel(), QSlider(Qt.Orientation.Horizontal), QSpinBox()
        self._label.setObjectName("dim")
        self.slider.setFixedWidth(_SLIDER)
        self.setFixedHeight(26)
        self.box.setFixedHeight(24)
        self.box.setMinimumWidth(46)
        self.box.setKeyboardTracking(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_INSIDE)
        for widget in (self._label, self.slider, self.box):
            row.addWidget(widget)
            widget.installEventFilter(self)
        self.slider.valueChanged.connect(self._take)
        self.box.valueChanged.connect(self._take)

    def show_brief(self, brevity: Brevity) -> None:
        """Leave out the slider where it is narrow; the box beside it does the same."""
        self.slider.setVisible(brevity < Brevity.SLIDERS)
        self._label.setText(self._words(brevity))

    def wanted_width(self, brevity: Brevity) -> int:
        """Return the pixels that it takes."""
        label = self._label.fontMetrics().horizontalAdvance(self._words(brevity)) + 2
        slider = _SLIDER + _INSIDE if brevity < Brevity.SLIDERS else 0
        return label + _INSIDE + slider + max(self.box.sizeHint().width(), self.box.minimumWidth())

    def _words(self, brevity: Brevity) -> str:
        if brevity >= Brevity.SIZES:
            return text("gui.heat.dims", axes=self._axis)
        return text("gui.heat.axis", axis=self._axis, size=self.box.maximum() + 1)

    def show_index(self, index: int, size: int) -> None:
        """Stand at *index* of *size*."""
        for widget in (self.slider, self.box):
            with QSignalBlocker(widget):
                widget.setRange(0, max(size - 1, 0))
                widget.setValue(index)
        words = text("gui.heat.axis", axis=self._axis, size=size)
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
        self._brevity = Brevity.NOTHING
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
            self.setTabOrder(self.last, made.slider)
            self.setTabOrder(made.slider, made.box)
            self.sliders.append(made)
        for axis, slider in enumerate(self.sliders):
            free = axis in plane.free and shape[axis] > 1
            slider.setVisible(free)
            if free:
                slider.show_index(plane.fixed[axis], shape[axis])
        self.button.setVisible(bool(shape) and self._choosable(shape))
        self.button.setToolTip(self._tip())
        self.panel.show_plane(shape, plane, own)
        self.updateGeometry()

    @property
    def last(self) -> QWidget:
        """What the keyboard reaches last."""
        return self.sliders[-1].box if self.sliders else self.button

    def wanted_width(self, brevity: Brevity = Brevity.NOTHING) -> int:
        """Return the width at which all stands in one line."""
        shown = [slider for slider in self.sliders if not slider.isHidden()]
        width = sum(slider.wanted_width(brevity) + _GAP for slider in shown)
        if self.button.isHidden():
            return max(width - _GAP, 0)
        self.button.setText(self._button_words(brevity))
        width += self.button.sizeHint().width()
        self.button.setText(self._button_words(self._brevity))
        return width

    def set_room(self, width: int, brevity: Brevity) -> None:
        """Stand in *width* pixels, on as many lines as that takes."""
        self._brevity = brevity
        for slider in self.sliders:
            slider.show_brief(brevity)
        self.button.setText(self._button_words(brevity))
        self._flow.invalidate()
        self.setFixedSize(width, max(self._flow.heightForWidth(width), _LINE))

    def _button_words(self, brevity: Brevity) -> str:
        return text("gui.heat.layout") if brevity is Brevity.AXES else self._words()

    def _choosable(self, shape: Shape) -> bool:
        return len(shape) > 1 or (len(shape) == 1 and shape[0] > 1)

    def _words(self) -> str:
        shape, plane = self._shape, self._plane
        if len(shape) == 1:
            curve = plane.size(shape)[0] <= 1
            return text("gui.heat.curve") if curve else text("gui.heat.folded_at", width=plane.fold(shape))
        rows, columns = (
            text("gui.heat.dims", axes=" × ".join(map(str, axes))) if axes else "–"
            for axes in (plane.rows, plane.columns)
        )
        return text("gui.heat.axes", rows=rows, columns=columns)

    def _tip(self) -> str:
        """Return the sizes of all axes, and what the button does."""
        sizes = [text("gui.heat.axis", axis=axis, size=size) for axis, size in enumerate(self._shape)]
        return "\n".join(filter(None, (", ".join(sizes), text("gui.heat.layout.help"))))

    def _slide(self, axis: int, index: int) -> None:
        fixed = list(self._plane.fixed)
        fixed[axis] = index
        self.slid.emit(self._plane.at(tuple(fixed)))

    def retranslate(self) -> None:
        self.show_plane(self._shape, self._plane, self._own)
