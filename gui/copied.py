"""What is copied: the text of the view that has the focus."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.widgets.card_dock import CardDock


def copied_from(widget: QWidget | None, fallback: QWidget | None = None) -> str:
    """Return what the nearest view around *widget* has to copy, else what *fallback* has.

    The heading of a card in a dock belongs to the card, though it hangs on the dock.
    """
    while widget is not None and not hasattr(widget, "copied_text"):
        inside = widget.card if isinstance(widget, CardDock) else widget
        widget = inside if hasattr(inside, "copied_text") else widget.parentWidget()
    source = widget or fallback
    return str(source.copied_text()) if source is not None and hasattr(source, "copied_text") else ""
