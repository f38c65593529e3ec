"""Which round is on show, and which one it is compared with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from core.messages import text
from gui.comparison.rounds import RoundsState
from gui.names import shown
from gui.paths import told_apart
from gui.widgets.elided_combo import ElidedCombo
from gui.widgets.translated import Translated

_LEAST, _MOST = 72, 320
"""Pixels of a box."""


class RoundChoice(Translated, QWidget):
    """Two boxes on a line; hidden while there are no rounds."""

    def __init__(self, state: RoundsState) -> None:
        super().__init__()
        self._state = state
        self.rounds, self.base = ElidedCombo(), ElidedCombo()
        self._against = QLabel()
        self._against.setObjectName("dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 0)
        row.setSpacing(8)
        for combo in (self.rounds, self.base):
            combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            combo.setMinimumWidth(_LEAST)
            combo.setMaximumWidth(_MOST)
        row.addWidget(self.rounds, 1)
        row.addWidget(self._against)
        row.addWidget(self.base, 1)
        self.rounds.activated.connect(state.show_round)
        self.base.activated.connect(self._choose_base)
        state.changed.connect(self._load)
        self.retranslate()

    def _choose_base(self, place: int) -> None:
        self._state.compare_with(int(self.base.itemData(place)))

    def _load(self) -> None:
        """Offer all rounds by number and name, and those that the one on show may be compared with."""
        rounds, at = self._state.rounds, self._state.at
        self.rounds.clear()
        self.base.clear()
        names = told_apart([one.target for one in rounds])
        for number, one in enumerate(rounds):
            words = text("gui.rounds.round", number=number + 1, name=shown(names[number]))
            for combo in (self.rounds, self.base):
                if combo is self.rounds or number != at:
                    combo.addItem(words, number)
                    combo.setItemData(combo.count() - 1, one.target, Qt.ItemDataRole.ToolTipRole)
        self.rounds.setCurrentIndex(at)
        self.rounds.setToolTip(rounds[at].target if at >= 0 else "")
        self.base.setCurrentIndex(self.base.findData(self._state.base))
        self.setVisible(len(rounds) > 0)
        for widget in (self.base, self._against):
            widget.setVisible(at >= 0 and len(rounds) > 1)

    def retranslate(self) -> None:
        for combo, code in ((self.rounds, "gui.rounds.list"), (self.base, "gui.rounds.base")):
            combo.setAccessibleName(text(code))
            combo.setPlaceholderText(text("gui.rounds.none"))
        self._against.setText(text("gui.rounds.against"))
        self._load()
