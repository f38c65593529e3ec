"""What stands there before anything is replayed: what the page is for, and what to choose."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.views.emulation.setup import SetupPanel
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_WIDEST = 900


class StartCard(Translated, Card):
    """The question, the choices, the button."""

    back_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._title, self._words, self.honest = QLabel(), wrapped_label("lead"), wrapped_label("dim")
        self._title.setObjectName("hero")
        self._title.setWordWrap(True)
        self.setup = SetupPanel(context)
        self.back = QToolButton()
        self.back.setObjectName("elsewhere")
        self.back.hide()
        self._rule = QFrame()
        self._rule.setObjectName("rule")
        inside = QWidget()
        inside.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        for widget in (self._title, self._words, self._rule, self.setup, self.honest):
            column.addWidget(widget)
        column.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        page = QWidget()
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(inside, 20)
        row.addStretch(1)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(28, 20, 28, 20)
        outer.addStretch(2)
        outer.addLayout(row)
        outer.addStretch(3)
        self.body.addWidget(page_area(page))
        self.back.clicked.connect(self.back_wanted)
        self.retranslate()

    def offer_back(self, offered: bool) -> None:
        """Offer the way back to what was found before."""
        self.back.setVisible(offered)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.emulation"))
        self._title.setText(text("gui.emulation.question"))
        self._words.setText(text("gui.emulation.question.help"))
        self.honest.setText(text("emulation.honest"))
        self.back.setText(text("gui.emulation.back"))
