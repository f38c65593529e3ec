"""Which plane of a tensor with more than two dimensions is shown: an index for each leading axis."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QWidget

from core.messages import text
from gui.widgets.translated import Translated


class SliceChooser(Translated, QWidget):
    """A box for each leading index; the headings over the pictures spell the whole slice."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._label = QLabel()
        self._label.setObjectName("dim")
        self._row.addWidget(self._label)
        self._boxes: list[QSpinBox] = []
        self._shape: tuple[int, ...] = ()
        self.retranslate()
        self.hide()

    def show_slice(self, shape: tuple[int, ...], fixed: tuple[int, ...]) -> None:
        """Offer the leading axes of *shape*, at *fixed*."""
        self._shape = shape
        leading = max(len(shape) - 2, 0)
        self.setVisible(any(size > 1 for size in shape[:leading]))
        while len(self._boxes) < leading:
            box = QSpinBox()
            box.setFixedHeight(24)
            box.setKeyboardTracking(False)
            box.setMinimumWidth(44)
            box.valueChanged.connect(self.changed)
            self._row.addWidget(box)
            self._boxes.append(box)
        for axis, box in enumerate(self._boxes):
            box.setVisible(axis < leading)
            if axis < leading:
                with QSignalBlocker(box):
                    box.setRange(0, max(shape[axis] - 1, 0))
                    box.setValue(fixed[axis] if axis < len(fixed) else 0)
                box.setAccessibleName(text("gui.tensors.axis", axis=axis))
                box.setToolTip(text("gui.tensors.axis_range", axis=axis, last=max(shape[axis] - 1, 0)))

    def fixed(self) -> tuple[int, ...]:
        """Return the chosen index of every axis; 0 for those that are shown."""
        leading = max(len(self._shape) - 2, 0)
        return (*(box.value() for box in self._boxes[:leading]), *(0,) * (len(self._shape) - leading))

    def retranslate(self) -> None:
        self._label.setText(text("gui.tensors.slice"))
