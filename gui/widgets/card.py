"""Cards: a rounded frame with a heading, what every part of the window sits in."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.widgets.elided_label import ElidedLabel

_HEADER = 34
"""Height of a heading in pixels."""


class Card(QFrame):
    """A frame with an optional heading line and a body."""

    def __init__(self, parent: QWidget | None = None, heading: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self.header = CardHeader(self)
        self.header.setVisible(heading)
        layout.addWidget(self.header)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        layout.addLayout(self.body, 1)

    def set_title(self, title: str, subtitle: str = "") -> None:
        """Set the heading; it also names the card to assistive software."""
        self.header.set_title(title, subtitle)
        self.setAccessibleName(title)


class CardHeader(QFrame):
    """The heading line: title, dim subtitle, and room for buttons at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cardHeader")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEADER)
        # a dock asks its title bar for its hint and takes no notice of a fixed height
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 0, 8, 0)
        self.row.setSpacing(8)
        self._title = QLabel()
        self._title.setObjectName("cardTitle")
        self._subtitle = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._subtitle.setObjectName("cardSubtitle")
        self.row.addWidget(self._title)
        self.row.addWidget(self._subtitle, 1)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HEADER)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), _HEADER)

    def set_title(self, title: str, subtitle: str = "") -> None:
        """Set both texts."""
        self._title.setText(title)
        self._subtitle.setText(subtitle)

    def set_alarm(self, alarm: bool) -> None:
        """Draw the dim text as an alarm, or as usual."""
        wanted = "error" if alarm else "cardSubtitle"
        if self._subtitle.objectName() != wanted:
            self._subtitle.setObjectName(wanted)
            self._subtitle.style().unpolish(self._subtitle)
            self._subtitle.style().polish(self._subtitle)

    def hide_titles(self) -> None:
        """Leave the whole line to other widgets, such as tabs."""
        self._title.hide()
        self._subtitle.hide()

    @property
    def subtitle(self) -> str:
        """The dim text."""
        return self._subtitle.text()

    def add(self, widget: QWidget) -> None:
        """Put *widget* at the right end."""
        self.row.addWidget(widget)
