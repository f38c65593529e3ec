"""What the pre-check says before any operator: quiet lines at the foot of the diagnosis, and a way there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from core.diagnosis.quoting import quotes_of
from core.messages import render, text
from gui.context import Context
from gui.widgets.labels import breakable, unbroken, wrapped_label
from gui.widgets.pressable import Pressable
from gui.widgets.translated import Translated

_LONGEST = 160
"""Signs of the sentence on show; the tool tip has all of it."""


def shortened(sentence: str, longest: int) -> str:
    """Return *sentence*, or its beginning and an ellipsis."""
    return sentence if len(sentence) <= longest else f"{sentence[: longest - 1]}…"


class Quotes(Translated, Pressable):
    """The most likely cause by the pre-check; hidden while nothing fails there.

    It stands at the foot, so that nothing moves when the pre-check is ready after the comparison.
    """

    def __init__(self, context: Context) -> None:
        super().__init__("quote")
        self._precheck = context.session.precheck
        self._title, self._first, self._more = (wrapped_label(role) for role in ("strong", "", "dim"))
        policy = self.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)  # never lower than its words
        self.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 9)
        column.setSpacing(3)
        for label in (self._title, self._first, self._more):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(label)
        self._precheck.changed.connect(self.retranslate)
        self.retranslate()

    @property
    def words(self) -> list[str]:
        """The lines on show."""
        labels = (self._title, self._first, self._more)
        return [unbroken(label.text()) for label in labels if not label.isHidden()]

    def retranslate(self) -> None:
        report = self._precheck.report
        quotes = [render(quoted) for quoted in quotes_of(report)] if report is not None else []
        self.setVisible(bool(quotes))
        if not quotes:
            return
        self._title.setText(text("gui.diagnosis.precheck", count=len(quotes)))
        self._first.setText(breakable(shortened(quotes[0], _LONGEST)))
        self._more.setText(text("gui.diagnosis.precheck.more", count=len(quotes) - 1))
        self._more.setVisible(len(quotes) > 1)
        self.setAccessibleName("\n".join(self.words))
        listed = "\n".join(f"• {quoted}" for quoted in quotes)
        self.setToolTip(f"{text('gui.diagnosis.precheck.help')}\n{listed}")
