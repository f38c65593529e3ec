"""A dialog as the window is made: a card on the ground."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QVBoxLayout

from gui.widgets.card import Card

_AROUND = 10
"""Pixels of ground around the card."""


def card_of(dialog: QDialog) -> QVBoxLayout:
    """Fill *dialog* with a card without a heading; return the layout inside it."""
    dialog.setObjectName("ground")
    card = Card(heading=False)
    around = QVBoxLayout(dialog)
    around.setContentsMargins(_AROUND, _AROUND, _AROUND, _AROUND)
    around.addWidget(card)
    return card.body
