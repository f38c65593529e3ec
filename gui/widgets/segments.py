"""A few choices side by side, of which one holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget


class Segments(QWidget):
    """Joined buttons; Tab leads to the one that holds, the arrow keys to the others."""

    chosen = Signal(str)
    """The word of the choice that the user made."""

    def __init__(self, words: Sequence[str]) -> None:
        """*words* name the choices in the program, not on the screen."""
        super().__init__()
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for place, word in enumerate(words):
            button = QToolButton()
            button.setObjectName("segment")
            side = "left" if not place else "right" if place == len(words) - 1 else "middle"
            button.setProperty("side", side)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._group.addButton(button, place)
            self.buttons[word] = button
            row.addWidget(button)
        self._group.idClicked.connect(self._tell)
        self.choose(words[0])

    @property
    def word(self) -> str:
        """What holds."""
        return list(self.buttons)[self._group.checkedId()]

    def choose(self, word: str) -> None:
        """Let *word* hold, without telling; one that is none of the choices changes nothing."""
        if word in self.buttons:
            self.buttons[word].setChecked(True)

    def say(self, name: str, texts: Sequence[str], tips: Sequence[str] = ()) -> None:
        """Set what is read: of all of them, of each, and on each as a tip."""
        self.setAccessibleName(name)
        for place, (button, words) in enumerate(zip(self.buttons.values(), texts)):
            button.setText(words)
            tip = tips[place] if place < len(tips) else ""
            button.setToolTip(tip)
            button.setAccessibleName(f"{name}: {words}")

    def _tell(self, place: int) -> None:
        self.chosen.emit(list(self.buttons)[place])
