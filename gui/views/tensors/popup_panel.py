"""A small panel that a button opens under itself, and that goes when one clicks elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QToolButton


class PopupPanel(QFrame):
    """Opened by *button*."""

    def __init__(self, button: QToolButton) -> None:
        super().__init__(button, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # around its corners
        self._button = button
        button.clicked.connect(self.open)

    def prepare(self) -> None:
        """Show the state of things; called before it opens."""

    def open(self) -> None:
        """Stand under the button, or above it where there is no room."""
        self.prepare()
        self.adjustSize()
        button = self._button
        size, screen = self.sizeHint(), button.screen().availableGeometry()
        below = button.mapToGlobal(QPoint(0, button.height() + 4))
        left = min(below.x(), screen.right() - size.width() - 8)
        top = below.y()
        if top + size.height() > screen.bottom():
            top = max(button.mapToGlobal(QPoint(0, -4)).y() - size.height(), screen.top())
        self.move(max(left, screen.left()), top)
        self.show()
        self.setFocus()
