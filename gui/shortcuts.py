"""The list of shortcuts, made from the registry of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget

from core.messages import text
from gui.actions import Actions
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.translated import Translated


class ShortcutList(Translated, QDialog):
    """A small window beside the work, not in its way."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = actions
        self._title = QLabel()
        self._title.setObjectName("title")
        self._panel = FactsPanel()
        self._filters = QLabel()
        self._filters.setObjectName("dim")
        self._filters.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 18)
        layout.setSpacing(12)
        layout.addWidget(self._title)
        layout.addWidget(self._panel)
        layout.addWidget(self._filters)
        self.setMinimumWidth(420)
        self.retranslate()

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.action.shortcuts"))
        self._title.setText(text("gui.action.shortcuts"))
        self._panel.set_facts([(words, keys) for keys, words in self._actions.shortcuts()])
        self._filters.setText(text("gui.filter.help"))
