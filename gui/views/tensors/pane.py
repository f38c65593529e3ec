"""One of the panes: heading, picture, colours, counts of special values; or why there is no picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Theme
from gui.tensors.scales import Shades
from gui.views.tensors.colour_bar import ColourBar
from gui.views.tensors.plane_canvas import PlaneCanvas
from gui.views.tensors.special_counts import SpecialCounts
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_LEAST_WIDTH, _NARROW = 60, 270
_LOW = 104
"""Pixels of height below which the line of colours gives way to the picture."""


class Pane(Translated, QWidget):
    """Holds one canvas."""

    resized = Signal()
    way_out_wanted = Signal()
    """The button under the reason why there is no picture is pressed."""

    def __init__(self, theme: Theme, canvas: PlaneCanvas, with_bar: bool = True) -> None:
        """Hold *canvas*, *with_bar* over a line that says what its colours mean."""
        super().__init__()
        self._with_bar = with_bar
        self.canvas = canvas
        self.bar, self.specials = ColourBar(theme), SpecialCounts(theme)
        self._title, self._detail = QLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._title.setObjectName("strong")
        self._detail.setObjectName("dim")
        self.heading = QHBoxLayout()
        self.heading.setSpacing(6)
        self.heading.addWidget(self._title)
        self.heading.addWidget(self._detail, 1)
        self.heading.addWidget(self.specials)
        self._note = EmptyNote()
        self._note.pressed.connect(self.way_out_wanted)
        self._stack = QStackedWidget()
        self._stack.addWidget(canvas)
        self._stack.addWidget(self._note)
        self._stack.setMinimumSize(48, 40)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.setMinimumWidth(_LEAST_WIDTH)  # and no more for its heading: all panes are to be alike
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        layout.addLayout(self.heading)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.bar)
        self.bar.setVisible(with_bar)
        canvas.installEventFilter(self)
        self.retranslate()

    def set_title(self, title: str, detail: str = "", rich: str = "") -> None:
        """Set the heading; *rich* is the title in colours."""
        self._title.setText(rich or title)
        self._detail.setText(detail)
        self.canvas.setAccessibleName(f"{title} {detail}".strip())

    @property
    def title(self) -> str:
        """The heading."""
        return self.canvas.accessibleName()

    def show_note(self, sentence: str, button: str = "") -> None:
        """Say why there is no picture; *button* leads out of it."""
        self._note.set_texts(sentence, button)
        self._stack.setCurrentIndex(1)
        self.bar.show_shades(None, None)
        self.specials.show_counts(None)

    @property
    def note(self) -> str:
        """Why there is no picture; empty when there is one."""
        return self._note.sentence if self._stack.currentIndex() else ""

    def show_canvas(self) -> None:
        """Let the picture be seen."""
        self._stack.setCurrentIndex(0)

    def show_colours(self, shades: Shades, picture: Picture | None, special: bool) -> None:
        """Say what the colours mean, and (*special*) how many values have one of their own."""
        if self.note:
            return
        data = (picture.minimum, picture.maximum) if picture is not None and picture.finite else None
        kinds = None
        if shades.names and picture is not None:
            counted = np.bincount(shades.steps(picture.values).reshape(-1), minlength=1)
            kinds = frozenset(int(kind) for kind in np.flatnonzero(counted))
        self.bar.show_shades(shades, data, kinds)
        self.specials.show_counts(picture if special else None)

    def eventFilter(self, _watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.resized.emit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.specials.set_narrow(self.width() < _NARROW)
        self.bar.setVisible(self._with_bar and self.height() >= _LOW)

    def retranslate(self) -> None:
        # over the picture a tool tip would lie on what is looked at
        self._title.setToolTip(text("gui.heat.canvas.help"))
        self.canvas.setAccessibleDescription(text("gui.heat.canvas.help"))
