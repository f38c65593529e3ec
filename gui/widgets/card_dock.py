"""A dock that looks like a card: the card's heading is what it is dragged by."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget

from gui.widgets.card import Card


class CardDock(QDockWidget):
    """Holds one card; *name* identifies it in a saved layout."""

    def __init__(self, name: str, card: Card) -> None:
        super().__init__()
        self.setObjectName(name)
        self.card = card
        card.setObjectName("dockBody")
        card.header.setObjectName("dockHeader")
        layout = card.layout()
        if layout is not None:
            layout.removeWidget(card.header)
            layout.setContentsMargins(1, 0, 1, 1)
        self.setTitleBarWidget(card.header)
        card.header.show()
        self.setWidget(card)

    def set_title(self, title: str) -> None:
        """Set the words that menus use for it."""
        self.setWindowTitle(title)
        self.toggleViewAction().setText(title)
