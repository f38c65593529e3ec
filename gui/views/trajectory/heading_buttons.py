"""The buttons in the heading of the plot."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton

from core.messages import text
from gui.looks.icons import icon
from gui.looks.theme import Colours
from gui.widgets.card import CardHeader

_WIDE = 860
"""Pixels of the card from which the button for other cells has its words beside it."""


class HeadingButtons:
    """Puts them into *header*."""

    def __init__(self, header: CardHeader) -> None:
        self.inputs, self.jump, self.compare = QToolButton(), QToolButton(), QToolButton()
        self.legend, self.fit = QToolButton(), QToolButton()
        self.inputs.setCheckable(True)
        self.menu = QMenu(self.compare)
        self.compare.setMenu(self.menu)
        self.compare.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._named = (
            (self.inputs, "inputs", "inputs"), (self.jump, "jump", "jump"),
            (self.compare, "compare", "overlay"), (self.legend, "legend", "legend"), (self.fit, "fit", "fit"),
        )  # fmt: skip
        """Button, end of the code of its words, icon."""
        for button in self.all:
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            header.add(button)

    @property
    def all(self) -> list[QToolButton]:
        """All buttons, from left to right."""
        return [button for button, _, _ in self._named]

    def make_room(self, width: int) -> None:
        """Leave words out where a card of *width* pixels needs the room."""
        style = Qt.ToolButtonStyle
        shown_as = style.ToolButtonTextBesideIcon if width >= _WIDE else style.ToolButtonIconOnly
        self.compare.setToolButtonStyle(shown_as)

    def restyle(self, colours: Colours) -> None:
        """Draw them in the colours of another scheme."""
        for button, _, name in self._named:
            button.setIcon(icon(name, colours.dim))

    def retranslate(self) -> None:
        """Name them in the language in force."""
        for button, code, _ in self._named:
            button.setAccessibleName(text(f"gui.trajectory.{code}"))
            button.setToolTip(text(f"gui.trajectory.{code}.help"))
        self.compare.setText(text("gui.trajectory.compare.short"))
