"""The line over the tree in which a node is searched for, and the way from match to match."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.query_field import QueryField
from gui.widgets.translated import Translated

_TYPING_PAUSE = 150
"""Milliseconds without a key before the tree is searched."""


class SearchLine(Translated, QWidget):
    """A field, and under it which of how many, and two buttons, while something is searched for."""

    changed = Signal()
    """Another text is searched for."""
    turned = Signal(bool)
    """Go to the next match, or to the one before."""
    left = Signal()
    """Escape is pressed in the empty field."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme = context.theme
        session = context.session
        self.field = QueryField(context.theme, lambda: session.facts)
        self.field.setProperty("compact", True)
        self.field.setFixedHeight(26)
        self.field.setMinimumWidth(70)
        self._sign = self.field.addAction(
            icon("search", context.theme.colours.dim), QLineEdit.ActionPosition.LeadingPosition
        )
        self._place = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._place.setObjectName("small")
        self.before, self.after = QToolButton(), QToolButton()
        self._found = QWidget()
        rows, self._first, found = QVBoxLayout(self), QHBoxLayout(), QHBoxLayout(self._found)
        rows.setContentsMargins(6, 0, 6, 4)
        rows.setSpacing(0)
        rows.addLayout(self._first)
        rows.addWidget(self._found)
        self._first.setSpacing(2)
        self._first.addWidget(self.field, 1)
        found.setContentsMargins(10, 0, 2, 0)
        found.setSpacing(2)
        found.addWidget(self._place, 1)
        for button, sign in ((self.before, "‹"), (self.after, "›")):
            button.setObjectName("turn")
            button.setText(sign)
            button.setFixedSize(22, 22)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            found.addWidget(button)
        self._at, self._count = -1, 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_PAUSE)
        self._timer.timeout.connect(self.changed)
        self.field.textChanged.connect(self._typed)
        self.before.clicked.connect(lambda: self.turn(False))
        self.after.clicked.connect(lambda: self.turn(True))
        context.theme.changed.connect(self._restyle)
        self.set_place(-1, 0)
        self.retranslate()

    def _typed(self) -> None:
        self._timer.start(_TYPING_PAUSE if self.field.text() else 0)

    def add(self, widget: QWidget) -> None:
        """Put *widget* at the right of the field."""
        self._first.addWidget(widget)

    def turn(self, forward: bool) -> None:
        """Go to the next match of what is in the field now, or to the one before."""
        if self._timer.isActive():
            self._timer.stop()
            self.changed.emit()
        self.turned.emit(forward)

    def set_place(self, at: int, count: int) -> None:
        """Show that match *at* (from 0; -1: none of them) of *count* is looked at."""
        self._at, self._count = at, count
        self._found.setVisible(bool(self.field.text().strip()))
        for button in (self.before, self.after):
            button.setEnabled(count > 0)
        shown = numbers.grouped(count)
        if self.field.errors:
            self._place.setText(self.field.errors[0])
        elif at >= 0:
            self._place.setText(text("gui.tree.match", at=numbers.grouped(at + 1), all=shown))
        else:
            self._place.setText(text("gui.tree.matches", count=count, shown=shown))

    @property
    def words(self) -> str:
        """Which of how many matches, as it is written."""
        return self._place.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, with Shift back; Escape empties the field, or leaves it."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.turn(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        elif event.key() == Qt.Key.Key_Escape:
            if self.field.text():
                self.field.clear()
            else:
                self.left.emit()
        else:
            super().keyPressEvent(event)

    def _restyle(self) -> None:
        self._sign.setIcon(icon("search", self._theme.colours.dim))

    def retranslate(self) -> None:
        self.field.setPlaceholderText(text("gui.tree.search"))
        self.field.setAccessibleName(text("gui.tree.search.name"))
        self.field.explain()
        for button, words in (
            (self.before, text("gui.action.previous_match")),
            (self.after, text("gui.action.next_match")),
        ):
            button.setToolTip(words)
            button.setAccessibleName(words)
        self.set_place(self._at, self._count)
