"""How many NaN and Inf a picture has; each count leads to the next one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from core.messages import text
from core.metrics.pictures.reduction import Picture
from gui import numbers
from gui.looks.theme import Theme
from gui.widgets.translated import Translated

_SWATCH, _BESIDE, _AROUND = 9, 6, 12
"""Pixels of a swatch, between it and its words, and around both."""
KINDS = ("nan", "plus_inf", "minus_inf")
_WORDS = {"nan": "NaN", "plus_inf": "+Inf", "minus_inf": f"{numbers.MINUS}Inf"}
SHORTEST = 2
_COLOURS = {"nan": "nan", "plus_inf": "plus_infinity", "minus_inf": "minus_infinity"}


class SpecialCounts(Translated, QWidget):
    """A button for each kind of special value that occurs."""

    wanted = Signal(str, bool)
    """Which kind to go to, and whether forward."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._counts = dict.fromkeys(KINDS, 0)
        self._shortness = 0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.buttons = {kind: QToolButton() for kind in KINDS}
        for kind, button in self.buttons.items():
            button.setObjectName("small")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(_SWATCH, _SWATCH))
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setFixedHeight(18)
            button.clicked.connect(lambda _=False, kind=kind: self._go(kind))
            row.addWidget(button)
        theme.changed.connect(self.retranslate)
        self.show_counts(None)

    def show_counts(self, picture: Picture | None) -> None:
        """Show those of *picture*."""
        for kind in KINDS:
            self._counts[kind] = int(getattr(picture, kind)) if picture is not None else 0
        self.retranslate()

    def set_shortness(self, shortness: int) -> None:
        """Tell kinds and counts (0), leave the kinds to colours and tool tips (1), the counts too (2)."""
        if shortness != self._shortness:
            self._shortness = shortness
            self.retranslate()

    def _go(self, kind: str) -> None:
        back = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
        self.wanted.emit(kind, not back)

    def retranslate(self) -> None:
        for kind, button in self.buttons.items():
            count = self._counts[kind]
            button.setVisible(count > 0)
            words = f"{_WORDS[kind]} {numbers.grouped(count)}"
            shown = (words, numbers.grouped(count), "")[self._shortness]
            button.setText(shown)
            told = button.fontMetrics().horizontalAdvance(shown) + _BESIDE if shown else 0
            button.setFixedWidth(_SWATCH + told + _AROUND)
            button.setIcon(_swatch(self._theme.colour(_COLOURS[kind]), self.devicePixelRatioF()))
            button.setToolTip(f"{words}. {text('gui.heat.next_special', kind=_WORDS[kind])}")
            button.setAccessibleName(f"{words}: {text('gui.heat.next_special', kind=_WORDS[kind])}")
        self.setVisible(any(self._counts.values()))


def _swatch(colour: QColor, ratio: float) -> QPixmap:
    made = QPixmap(int(_SWATCH * ratio), int(_SWATCH * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(0, 0, _SWATCH, _SWATCH, 2, 2)
    painter.end()
    return made
