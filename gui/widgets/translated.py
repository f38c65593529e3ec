"""Widgets that render their texts anew when the language changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    _Base = QWidget
else:
    _Base = object


class Translated(_Base):
    """Mix-in before a QWidget: :meth:`retranslate` is called on every change of language."""

    def retranslate(self) -> None:
        """Set all texts in the language in force."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
