"""What the difference looks like, in a sentence: the pattern that explains most of it, and the others."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton

from core.messages import render, text
from core.metrics.patterns.pattern import Pattern
from gui import numbers
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.pressable import Pressable
from gui.widgets.translated import Translated


class Search(Enum):
    """How far the search for patterns is."""

    NONE = "none"
    """There is no pair to search."""
    RUNNING = "running"
    DONE = "done"


class PatternStrip(Translated, Pressable):
    """Press it to go to what the pattern speaks of."""

    chosen = Signal(object)
    """The :class:`Pattern` to go to."""
    shown = Signal()
    """Another pattern is told."""

    def __init__(self) -> None:
        super().__init__("panel")
        self._search = Search.NONE
        self._patterns: tuple[Pattern, ...] = ()
        self._at = 0
        self._word, self._sentence = QLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._word.setObjectName("strong")
        self.more = QToolButton()
        self.more.setObjectName("elsewhere")
        self.more.clicked.connect(self._offer)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 6, 3)
        row.setSpacing(8)
        row.addWidget(self._word)
        row.addWidget(self._sentence, 1)
        row.addWidget(self.more)
        self.setFixedHeight(28)
        self.pressed.connect(self._go)
        self.retranslate()

    def show_search(self, search: Search, patterns: tuple[Pattern, ...] = ()) -> None:
        """Say how far the search is, and what was found."""
        self._search, self._patterns, self._at = search, patterns, 0
        self.retranslate()
        self.shown.emit()

    @property
    def current(self) -> Pattern | None:
        """The pattern that is told."""
        return self._patterns[self._at] if self._patterns else None

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._sentence.text()

    @property
    def searching(self) -> bool:
        """Whether patterns are looked for."""
        return self._search is Search.RUNNING

    def menu(self) -> QMenu:
        """Return all patterns, to choose from."""
        made = QMenu(self)
        for at, pattern in enumerate(self._patterns):
            action = made.addAction(render(pattern.message))
            action.setCheckable(True)
            action.setChecked(at == self._at)
            action.triggered.connect(lambda _=False, at=at: self._choose(at))
        return made

    def _offer(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _choose(self, at: int) -> None:
        self._at = at
        self.retranslate()
        self.shown.emit()
        self._go()

    def _go(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)

    def retranslate(self) -> None:
        pattern = self.current
        self._word.setText(text("gui.heat.pattern"))
        self._word.setVisible(pattern is not None)
        if pattern is not None:
            words = render(pattern.message)
        elif self._search is Search.RUNNING:
            words = text("gui.heat.pattern.searching")
        else:
            words = text("gui.heat.pattern.none") if self._search is Search.DONE else ""
        self._sentence.setText(words)
        name = "" if pattern is not None else "dim"
        if self._sentence.objectName() != name:
            self._sentence.setObjectName(name)
            self._sentence.style().unpolish(self._sentence)
            self._sentence.style().polish(self._sentence)
        others = len(self._patterns) - 1
        self.more.setVisible(others > 0)
        self.more.setText(f"+{numbers.grouped(max(others, 0))}")
        self.more.setToolTip(text("gui.heat.pattern.more"))
        self.more.setAccessibleName(text("gui.heat.pattern.more"))
        self.setAccessibleName(f"{text('gui.heat.pattern')} {words}")
        self.setToolTip(text("gui.heat.pattern.help") if pattern is not None else "")
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if pattern is not None else Qt.CursorShape.ArrowCursor
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if pattern is not None else Qt.FocusPolicy.NoFocus)
