"""One of the panes: heading, picture, colours, counts of special values; or why there is no picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Theme
from gui.tensors.scales import Shades
from gui.tensors.ticks import AxisNames
from gui.views.tensors.axis_ticks import AxisTicks
from gui.views.tensors.colour_bar import ColourBar
from gui.views.tensors.plane_canvas import PlaneCanvas
from gui.views.tensors.special_counts import SHORTEST, SpecialCounts
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_LEAST_WIDTH, _LEAST_HEIGHT, _GAP, _HEADING = 60, 82, 6, 18
_LOW = 104
"""Pixels of height below which the line of colours gives way to the picture."""
_AXES_FROM, _BESIDE_FROM, _TALL_FROM = 150, 220, 230
"""Pixels of height from which on there are numbers at the axes; of width, beside the picture too; of
height from which on values are written under the colours."""


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
        self.heading.setSpacing(_GAP)
        self.heading.addStrut(_HEADING)  # counts come and go, and the picture is not to move
        self.heading.addWidget(self._title)
        self.heading.addWidget(self._detail, 1)
        self.heading.addWidget(self.specials)
        self._note = EmptyNote()
        self._note.pressed.connect(self.way_out_wanted)
        self._stack = QStackedWidget()
        self._stack.addWidget(canvas)
        self._stack.addWidget(self._note)
        self._stack.setMinimumSize(48, 40)
        self.down, self.across = AxisTicks(theme, canvas, down=True), AxisTicks(theme, canvas, down=False)
        self._instead = self._said = ""
        """What is said instead of a range, and behind the title."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.setMinimumWidth(_LEAST_WIDTH)  # and no more for its heading: all panes are to be alike
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        layout.addLayout(self.heading)
        grid = QGridLayout()
        grid.setSpacing(0)
        grid.addWidget(self.down, 0, 0)
        grid.addWidget(self._stack, 0, 1)
        grid.addWidget(self.across, 1, 0, 1, 2)
        layout.addLayout(grid, 1)
        layout.addWidget(self.bar)
        self._place()
        canvas.installEventFilter(self)
        self.retranslate()

    def minimumSizeHint(self) -> QSize:
        """Ask for the picture and its colours, whatever there is room for now."""
        return QSize(_LEAST_WIDTH, _LEAST_HEIGHT)

    def set_title(self, title: str, detail: str = "", rich: str = "") -> None:
        """Set the heading; *rich* is the title in colours."""
        self._title.setText(rich or title)
        self._said = detail
        self.canvas.setAccessibleName(f"{title} {detail}".strip())
        self._place_heading()

    def set_axes(self, names: AxisNames) -> None:
        """Say which axes of the tensor go down and across."""
        self.canvas.indices_a_row = names.indices_a_row
        self.across.set_names(names.down, names.across)
        self.down.update()

    @property
    def title(self) -> str:
        """The heading."""
        return self.canvas.accessibleName()

    def show_note(self, sentence: str, button: str = "") -> None:
        """Say why there is no picture; *button* leads out of it."""
        self._note.set_texts(sentence, button)
        self._stack.setCurrentIndex(1)
        self.show_no_colours()

    def show_no_colours(self) -> None:
        """Say nothing of what is not on show."""
        self._instead = ""
        self.bar.show_shades(None, None)
        self.specials.show_counts(None)
        self.across.set_names("", "")
        self.down.update()
        self._place_heading()

    @property
    def note(self) -> str:
        """Why there is no picture; empty when there is one."""
        return self._note.sentence if self._stack.currentIndex() else ""

    def show_canvas(self) -> None:
        """Let the picture be seen."""
        self._stack.setCurrentIndex(0)

    def show_colours(self, shades: Shades, picture: Picture | None, special: bool, instead: str) -> None:
        """Say what the colours mean, and (*special*) how many values have one of their own.

        *instead* is said of values that have no range.
        """
        if self.note:
            return
        data = (picture.minimum, picture.maximum) if picture is not None and picture.finite else None
        kinds = None
        if shades.names and picture is not None:
            counted = np.bincount(shades.steps(picture.values).reshape(-1), minlength=1)
            kinds = frozenset(int(kind) for kind in np.flatnonzero(counted))
        self._instead = instead
        self.bar.show_shades(shades, data, kinds, instead)
        self.specials.show_counts(picture if special else None)
        self.down.update()
        self._place_heading()

    def eventFilter(self, _watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.resized.emit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Let the picture have the room where it is low or narrow."""
        self.bar.setVisible(self._with_bar and self.height() >= _LOW)
        self.bar.set_tall(self.height() >= _TALL_FROM)
        coloured = self._with_bar  # else the numbers are all that tells how large values are
        axes = self.height() >= (_AXES_FROM if coloured else _LOW)
        self.across.setVisible(axes)
        self.down.setVisible((axes or not coloured) and self.width() >= (_BESIDE_FROM if coloured else 0))
        self._place_heading()

    def _place_heading(self) -> None:
        """Let the counts be short where the title has no room."""
        there = self._said, "" if not self.bar.isHidden() else self._instead
        detail = " · ".join(filter(None, there))
        self._detail.setText(detail)
        title = self._title.sizeHint().width() + self._detail.fontMetrics().horizontalAdvance(detail)
        for shortness in range(SHORTEST + 1):
            self.specials.set_shortness(shortness)
            if title + self.specials.sizeHint().width() + 2 * _GAP <= self.width():
                break

    def retranslate(self) -> None:
        # over the picture a tool tip would lie on what is looked at
        self._title.setToolTip(text("gui.heat.canvas.help"))
        self.canvas.setAccessibleDescription(text("gui.heat.canvas.help"))
