"""A box of choices that ends in dots what it has no room for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

_AROUND = 6
"""Pixels that the style keeps beside the words."""


class ElidedCombo(QComboBox):
    """Cuts the words in their middle: names of runs differ at either end."""

    @property
    def words(self) -> str:
        """What is chosen, as far as there is room for it."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        words = option.currentText or self.placeholderText()
        room = field.width() - _AROUND
        return self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.words
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
