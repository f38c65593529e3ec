"""One message above the work, never in its way: what happened, details on request, and a way to close it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
)

from core.errors import Problem
from core.messages import Message, render, text
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.widgets.translated import Translated


class NoticeBar(Translated, QFrame):
    """Hidden while there is nothing to say."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._theme = theme
        self._said: Message | Problem | None = None
        self._good = False
        self._mark = QLabel()
        self._mark.setFixedWidth(18)
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._more = QToolButton()
        self._more.setCheckable(True)
        self._copy = QToolButton()
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFont(theme.fixed_font())
        self._details.setMaximumHeight(170)
        self._details.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget in (self._mark, self._label, self._more, self._copy, self._close):
            row.addWidget(widget, 1 if widget is self._label else 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.addLayout(row)
        layout.addWidget(self._details)
        self._more.toggled.connect(self._details.setVisible)
        self._copy.clicked.connect(self._copy_details)
        self._close.clicked.connect(self.dismiss)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self.hide()

    def say(self, said: Message | Problem, details: str = "", good: bool = False) -> None:
        """Show *said*; *details* such as a traceback stay folded; *good* news look less alarming."""
        self._said, self._good = said, good
        self.setProperty("good", good)
        self.style().unpolish(self)
        self.style().polish(self)
        self._restyle()
        self._details.setPlainText(details)
        self._more.setChecked(False)
        self._more.setVisible(bool(details))
        self._copy.setVisible(bool(details))
        self.retranslate()
        self.show()

    def dismiss(self) -> None:
        """Close the notice."""
        self._said = None
        self.hide()

    @property
    def sentence(self) -> str:
        """What it says now."""
        return self._label.text() if self._said is not None else ""

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._label.text()}\n{self._details.toPlainText()}")

    def _restyle(self) -> None:
        colours = self._theme.colours
        name, colour = ("check", colours.equal) if self._good else ("warning", colours.inherited)
        self._mark.setPixmap(icon(name, colour).pixmap(16, 16))
        self._close.setIcon(icon("close", colours.dim))
        self._copy.setIcon(icon("copy", colours.dim))

    def retranslate(self) -> None:
        self._more.setText(text("gui.notice.details"))
        self._copy.setToolTip(text("gui.notice.copy"))
        self._copy.setAccessibleName(text("gui.notice.copy"))
        self._close.setToolTip(text("gui.close"))
        self._close.setAccessibleName(text("gui.close"))
        if isinstance(self._said, Problem):
            self._label.setText(self._said.sentence())
        elif self._said is not None:
            self._label.setText(render(self._said))
