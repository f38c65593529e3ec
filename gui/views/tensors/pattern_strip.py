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

HEIGHT, _BEFORE, _BEHIND = 26, 10, 6
"""Pixels: as high as the tool bar, in which it may stand; and beside its words."""
_ENTRY = 640
"""Pixels of a pattern in the menu; the tool tip has all of it."""


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
        self._none_words = ""
        self._chip = False
        self._room = 0
        self._word, self._sentence = QLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._word.setObjectName("strong")
        self.more = QToolButton()
        self.more.setObjectName("elsewhere")
        self.more.clicked.connect(self._offer)
        row = QHBoxLayout(self)
        row.setContentsMargins(_BEFORE, 3, _BEHIND, 3)
        row.setSpacing(8)
        row.addWidget(self._word)
        row.addWidget(self._sentence, 1)
        row.addWidget(self.more)
        self.setFixedHeight(HEIGHT)
        self.pressed.connect(self._press)
        self.retranslate()

    def show_search(self, search: Search, patterns: tuple[Pattern, ...] = (), none_words: str = "") -> None:
        """Say how far the search is, and what was found; *none_words* where that is nothing."""
        self._search, self._patterns, self._at, self._none_words = search, patterns, 0, none_words
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
    def has_words(self) -> bool:
        """Whether it has anything to say, in the room that it has."""
        if self._chip:
            return self.current is not None and self._room >= self.chip_width()
        return bool(self.sentence)

    @property
    def chip(self) -> bool:
        """Whether it is no more than a word that opens what it has to say."""
        return self._chip

    def chip_width(self) -> int:
        """Return the pixels of the word alone."""
        self._word.ensurePolished()
        word = self._word.fontMetrics().horizontalAdvance(text("gui.heat.pattern"))
        return _BEFORE + word + _BEHIND + 4

    def set_width(self, room: int, least: int) -> None:
        """Fit into *room* pixels: as a sentence, or from less than *least* on as a word."""
        self._room, self._chip = room, room < least
        self._sentence.setVisible(not self._chip)
        self.setMaximumWidth(self.chip_width() if self._chip else room)
        self.retranslate()

    @property
    def searching(self) -> bool:
        """Whether patterns are looked for."""
        return self._search is Search.RUNNING

    def menu(self) -> QMenu:
        """Return all patterns, to choose from."""
        made = QMenu(self)
        made.setToolTipsVisible(True)
        for at, pattern in enumerate(self._patterns):
            words = render(pattern.message)
            cut = made.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, _ENTRY)
            action = made.addAction(cut.replace("&", "&&"))
            action.setToolTip(words)
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

    def _press(self) -> None:
        if self._chip:
            self.menu().popup(self.mapToGlobal(self.rect().bottomLeft()))
        else:
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
            words = self._none_words
        self._sentence.setText(words)
        name = "" if pattern is not None else "dim"
        if self._sentence.objectName() != name:
            self._sentence.setObjectName(name)
            self._sentence.style().unpolish(self._sentence)
            self._sentence.style().polish(self._sentence)
        others = len(self._patterns) - 1
        self.more.setVisible(others > 0 and not self._chip)
        self.more.setText(f"+{numbers.grouped(max(others, 0))}")
        self.more.setToolTip(text("gui.heat.pattern.more"))
        self.more.setAccessibleName(text("gui.heat.pattern.more"))
        self.setAccessibleName(f"{text('gui.heat.pattern')} {words}")
        tips = [words if self._chip else "", text("gui.heat.pattern.help")] if pattern is not None else []
        self.setToolTip("\n".join(filter(None, tips)))
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if pattern is not None else Qt.CursorShape.ArrowCursor
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if pattern is not None else Qt.FocusPolicy.NoFocus)
