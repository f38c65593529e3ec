"""The page of shortcuts: the commands by menu, from their registry, and the keys of single views."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.messages import text
from gui.frame.actions import Actions
from gui.widgets.card_dialog import card_of
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_COLUMN, _MOST_COLUMNS = 420, 3
"""Pixels that a column of menus takes, and how many there are where the window is wide."""
_SHARE = 0.94
"""Of the window's width and height, what the page takes at most."""
_AROUND = 24
"""Pixels of ground and frame around the page, both ways."""
_TITLE = 2
"""Lines that a title takes, with the room around it."""
_OF_PLOT = (
    ("Left / Right", "step"), ("Home / End", "ends"), ("J", "jump"), ("Shift+J", "next_jump"),
    ("+ / −", "zoom"), ("0", "fit"),
)  # fmt: skip
_OF_PICTURES = (
    ("Left / Right / Up / Down", "element"), ("Home", "worst"), ("+ / −", "zoom"), ("0", "fit"),
    ("Shift+drag", "rectangle"), ("Esc", "free"),
)  # fmt: skip
_OF_TREE = (
    ("Right / +", "open"), ("Left / −", "close"), ("Home / End", "ends"), ("Enter", "only"),
    ("A–Z", "search"),
)  # fmt: skip


def _of_views() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the keys that plot, tree and pictures take themselves while they have the focus."""
    pictures = [(text(f"gui.shortcuts.tensors.{what}"), key) for key, what in _OF_PICTURES]
    return [
        (text("gui.shortcuts.plot"), [(text(f"gui.shortcuts.plot.{what}"), key) for key, what in _OF_PLOT]),
        (text("gui.shortcuts.tree"), [(text(f"gui.shortcuts.tree.{what}"), key) for key, what in _OF_TREE]),
        (text("gui.shortcuts.tensors"), pictures),
    ]


class ShortcutList(Translated, QDialog):
    """A window beside the work, not in its way."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = actions
        self._sections: list[tuple[QLabel, FactsPanel]] = []
        self._filter_title, self._filters = QLabel(), QLabel()
        self._filter_title.setObjectName("strong")
        self._filters.setObjectName("dim")
        self._filters.setWordWrap(True)
        room = parent.window().size()
        width = int(room.width() * _SHARE)
        self._page = self._lay_out(max(min(width // _COLUMN, _MOST_COLUMNS), 1))
        card_of(self).addWidget(page_area(self._page))
        self.retranslate()
        self._room = QSize(min(width, _COLUMN * _MOST_COLUMNS), int(room.height() * _SHARE))

    def showEvent(self, event: QShowEvent) -> None:
        """Be as tall as what is to be read, if the window is."""
        super().showEvent(event)
        wanted = self._page.heightForWidth(self._room.width() - _AROUND) + _AROUND
        self.resize(self._room.width(), min(wanted, self._room.height()))

    def _lay_out(self, count: int) -> QWidget:
        """Put the sections into *count* columns, each where there is most room, the longest first."""
        sizes = [len(listed) + _TITLE for _, listed in self._listed()]
        columns, filled = [QVBoxLayout() for _ in range(count)], [0] * count
        self._sections = [(QLabel(), FactsPanel()) for _ in sizes]
        for at in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
            emptiest = filled.index(min(filled))
            filled[emptiest] += sizes[at]
            title, panel = self._sections[at]
            title.setObjectName("strong")
            columns[emptiest].addWidget(title)
            columns[emptiest].addWidget(panel)
        emptiest = filled.index(min(filled))
        columns[emptiest].addWidget(self._filter_title)
        columns[emptiest].addWidget(self._filters)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(18, 16, 18, 16)
        row.setSpacing(20)
        for column in columns:
            column.setSpacing(7)
            column.addStretch(1)
            row.addLayout(column, 1)
        return page

    def _listed(self) -> list[tuple[str, list[tuple[str, str]]]]:
        return [*self._actions.shortcuts(), *_of_views()]

    @property
    def sections(self) -> list[tuple[str, list[list[str]]]]:
        """The titles, and the lines under each."""
        return [(title.text(), panel.texts()) for title, panel in self._sections]

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.action.shortcuts"))
        for (title, panel), (menu, listed) in zip(self._sections, self._listed()):
            title.setText(menu)
            panel.set_facts([*listed])
        self._filter_title.setText(text("gui.shortcuts.filter"))
        self._filters.setText(text("gui.filter.help"))
