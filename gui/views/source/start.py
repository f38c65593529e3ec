"""Where there are no sources on show: which two folders, or files, are to be compared."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.source.state import SourceState
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.path_field import PathField
from gui.widgets.translated import Translated

_WIDE = 720
"""Pixels that the fields want at most."""


class SourceStart(Translated, Card):
    """Two fields and a button; what the evidence of the pre-check says stands in them already."""

    wanted = Signal(str, str)
    """Target and golden that are to be compared."""

    def __init__(self, context: Context, state: SourceState) -> None:
        super().__init__(heading=False)
        self._state = state
        self._title, self._words = QLabel(), wrapped_label("dim")
        self._title.setObjectName("title")
        self.target = PathField(context.theme, "gui.sources.target", "gui.sources.target.hint")
        self.golden = PathField(context.theme, "gui.sources.golden", "gui.sources.golden.hint")
        for field in (self.target, self.golden):
            field.folder = context.settings.last_folder
            field.changed.connect(self._allow)
            field.entered.connect(self._ask)
        self.compare = QPushButton()
        self.compare.setObjectName("primary")
        self.compare.clicked.connect(self._ask)
        inside = QWidget()
        inside.setMaximumWidth(_WIDE)
        rows = QVBoxLayout(inside)
        rows.setSpacing(10)
        for widget in (self._title, self._words, self.target, self.golden):
            rows.addWidget(widget)
        rows.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignRight)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(inside, 20)
        middle.addStretch(1)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(28, 18, 28, 18)
        column.addStretch(2)
        column.addLayout(middle)
        column.addStretch(3)
        self.body.addWidget(page_area(page))
        state.sides_changed.connect(self.load)
        self.load()
        self.retranslate()

    def load(self) -> None:
        """Show which sources there are."""
        for field, paths in ((self.target, self._state.target), (self.golden, self._state.golden)):
            field.field.setText(paths[0] if paths else "")
        self._allow()

    def _allow(self) -> None:
        self.compare.setEnabled(bool(self.target.path and self.golden.path))

    def _ask(self) -> None:
        if self.compare.isEnabled():
            self.wanted.emit(self.target.path, self.golden.path)

    def retranslate(self) -> None:
        self._title.setText(text("gui.sources.start"))
        self._words.setText(text("gui.sources.start.help"))
        self.compare.setText(text("gui.sources.compare"))
