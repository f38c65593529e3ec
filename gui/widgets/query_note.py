"""What a search field says of a term it cannot understand, in whole sentences under it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

_MOST, _EDGE, _GAP = 620, 4, 3
"""Pixels of width, and of what is left free at the window's edge and under the field."""


class QueryNote(QLabel):
    """Lies over the window that *field* is in, and never takes the focus or the mouse."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field.window())
        self._field = field
        self.setObjectName("queryNote")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(10, 7, 10, 7)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def tell(self, sentences: list[str]) -> None:
        """Show *sentences*, each on lines of its own; hide where there are none."""
        self.setText("\n".join(sentences))
        if not sentences or not self._field.isVisible():
            self.hide()
            return
        window = self._field.window()
        if self.parentWidget() is not window:  # the field's card floats, or is docked again
            self.setParent(window)
        width = min(max(self._field.width(), _MOST), window.width() - 2 * _EDGE)
        height = self.heightForWidth(width)
        corner = self._field.mapTo(window, QPoint(0, self._field.height() + _GAP))
        left = max(min(corner.x(), window.width() - width - _EDGE), _EDGE)
        top = corner.y()
        if top + height > window.height() - _EDGE:
            top = max(self._field.mapTo(window, QPoint(0, 0)).y() - height - _GAP, _EDGE)
        self.setGeometry(left, top, width, height)
        self.show()
        self.raise_()
