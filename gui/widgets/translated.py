"""Widgets that render their texts anew when the language changes."""

from __future__ import annotations

import sys
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
            try:
                self.retranslate()
            except Exception:  # noqa: BLE001 - whatever it is, it is told
                # through Qt's sendEvent it would end the process; the widgets after this one get their words
                sys.excepthook(*sys.exc_info())
        super().changeEvent(event)
