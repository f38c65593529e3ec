"""The page of shortcuts, made from the registry of actions: a column of menus, and the long one beside it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.messages import text
from gui.frame.actions import Actions
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_WIDTH, _TALLEST = 900, 0.9
"""Pixels at first, and the share of the window's height that it takes at most."""


class ShortcutList(Translated, QDialog):
    """A window beside the work, not in its way."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions, self._room = actions, parent.window().height()
        page = QWidget()
        columns = QHBoxLayout()
        columns.setSpacing(22)
        left, right = QVBoxLayout(), QVBoxLayout()
        columns.addLayout(left, 1)
        columns.addLayout(right, 1)
        self._menus: list[tuple[QLabel, FactsPanel]] = []
        menus = actions.shortcuts()
        longest = max(len(listed) for _, listed in menus)
        for _, listed in menus:
            title, panel = QLabel(), FactsPanel()
            title.setObjectName("strong")
            self._menus.append((title, panel))
            column = right if len(listed) == longest else left
            column.setSpacing(8)
            column.addWidget(title)
            column.addWidget(panel)
        self._filters = QLabel()
        self._filters.setObjectName("dim")
        self._filters.setWordWrap(True)
        left.addSpacing(6)
        left.addWidget(self._filters)
        left.addStretch(1)
        right.addStretch(1)
        inside = QVBoxLayout(page)
        inside.setContentsMargins(20, 18, 20, 20)
        inside.addLayout(columns)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(page_area(page))
        self._page = page
        self.retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.resize(QSize(_WIDTH, min(self._page.sizeHint().height() + 8, int(self._room * _TALLEST))))

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.action.shortcuts"))
        for (title, panel), (menu, listed) in zip(self._menus, self._actions.shortcuts()):
            title.setText(menu)
            panel.set_facts([*listed])
        self._filters.setText(text("gui.filter.help"))
