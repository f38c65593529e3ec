"""Which of how many, with buttons to the one before and the one after."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from core.messages import text
from gui.widgets.translated import Translated


class TurnButtons(Translated, QWidget):
    """``1 of 3 ‹ ›``; the buttons are there only when there is more than one."""

    turned = Signal(bool)
    """Forward or not."""

    def __init__(
        self, codes: tuple[str, str] = ("gui.action.previous_suspect", "gui.action.next_suspect")
    ) -> None:
        """*codes* are the catalogue codes of what the buttons lead to."""
        super().__init__()
        self._codes = codes
        self._at, self._count = 0, 0
        self._label = QLabel()
        self._label.setObjectName("dim")
        self.before, self.after = QToolButton(), QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._label)
        row.addSpacing(4)
        for button, sign in ((self.before, "‹"), (self.after, "›")):
            button.setObjectName("turn")
            button.setText(sign)
            button.setFixedSize(24, 24)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self.before.clicked.connect(self._go_back)
        self.after.clicked.connect(self._go_on)
        self.retranslate()

    def set_place(self, at: int, count: int) -> None:
        """Show that *at* (from 0) of *count* is looked at; 0 hides all."""
        self._at, self._count = at, count
        self.setVisible(count > 0)
        for button in (self.before, self.after):
            button.setVisible(count > 1)
        self.retranslate()

    @property
    def words(self) -> str:
        """What the label says."""
        return self._label.text()

    def _go_back(self) -> None:
        self.turned.emit(False)

    def _go_on(self) -> None:
        self.turned.emit(True)

    def retranslate(self) -> None:
        self._label.setText(text("gui.diagnosis.place", at=self._at + 1, all=self._count))
        for button, code in zip((self.before, self.after), self._codes):
            words = text(code)
            button.setToolTip(words)
            button.setAccessibleName(words)
