"""The row of verdict chips: how many rows of each, and a click shows only those."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.widgets.card import Card
from gui.widgets.chips import CategoryChip
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated
from gui.widgets.verdict_icon import category_icon

_WIDE = 1150
"""Pixels from which there is room for a sentence beside all chips."""


class VerdictsView(Translated, Card):
    """A card of one line."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._session, self._theme, self._actions = context.session, context.theme, context.actions
        row = QHBoxLayout()
        row.setContentsMargins(10, 7, 14, 7)
        row.setSpacing(8)
        self.chips = {category: CategoryChip(category, context.theme) for category in reversed(Category)}
        for chip in self.chips.values():
            chip.clicked.connect(self._choose)
            row.addWidget(chip)
        self.clear_button = QToolButton()
        self.clear_button.setObjectName("link")
        self.clear_button.clicked.connect(self._clear)
        row.addWidget(self.clear_button)
        self.elsewhere = QToolButton()
        self.elsewhere.setObjectName("elsewhere")
        self.elsewhere.setIconSize(QSize(14, 14))
        self.elsewhere.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.elsewhere.clicked.connect(self._go_elsewhere)
        self.elsewhere.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.elsewhere.setMinimumWidth(104)
        row.addWidget(self.elsewhere, 1)
        self.map_button = QToolButton()
        self.map_button.setIconSize(QSize(16, 16))
        self.map_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.map_button.clicked.connect(context.actions["cells"].trigger)
        context.actions["cells"].changed.connect(self._offer_map)
        row.addWidget(self.map_button)
        self._summary = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._summary.setObjectName("dim")
        self._summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # chips go first
        row.addWidget(self._summary, 1)
        self.body.addLayout(row)
        self.setFixedHeight(44)
        self._session.cell_changed.connect(self._load)
        self._session.cells.changed.connect(self._load)
        context.theme.changed.connect(self._show_elsewhere)
        self._session.filter_changed.connect(self._load)
        context.theme.changed.connect(self.update)
        self.retranslate()

    def _choose(self) -> None:
        chosen = frozenset(category for category, chip in self.chips.items() if chip.isChecked())
        self._session.set_filter(categories=chosen)

    def _load(self) -> None:
        session = self._session
        counts = session.category_counts()
        self._show_filtered(session.filter.active and session.facts is not None)
        self._show_elsewhere()
        exploring = session.is_exploring()
        whole = np.zeros(len(Category), np.int64) if session.facts is None else session.facts.counts
        anything = any(int(whole[category]) for category in Category if category.differs)
        for category, chip in self.chips.items():
            chip.set_count(int(counts[category]), int(whole[category]))
            chip.setChecked(category in session.filter.categories)
            clean = (
                category is Category.DIFFERS and not anything
            )  # "0 differ" is the good news, so it is said
            chip.setVisible(not exploring and (int(whole[category]) > 0 or chip.isChecked() or clean))
        total = numbers.grouped(len(session.facts) if session.facts is not None else 0)
        side = Qt.AlignmentFlag.AlignLeft if exploring else Qt.AlignmentFlag.AlignRight
        self._summary.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        if exploring:
            self._summary.setText(text("gui.verdicts.single", slots=total))
        else:
            share = numbers.percent(session.compared_share())
            self._summary.setText(text("gui.verdicts.summary", slots=total, share=share))

    def _show_filtered(self, filtered: bool) -> None:
        """Make it plain that not all is on show."""
        if bool(self.property("filtered")) != filtered:
            self.setProperty("filtered", filtered)
            self.style().unpolish(self)
            self.style().polish(self)
        self.clear_button.setVisible(filtered)

    def _show_elsewhere(self) -> None:
        """Say when other steps and ranks hold differences, so that a clean one deceives nobody."""
        count = self._session.cells.differing_elsewhere
        self.elsewhere.setVisible(count > 0)
        words = text("gui.verdicts.elsewhere", count=count, rows=numbers.grouped(count))
        wide = self.width() >= _WIDE
        self.elsewhere.setText(f"{words}  →" if wide else f"+{numbers.grouped(count)}  →")
        self.elsewhere.setAccessibleName(words)
        self.elsewhere.setToolTip(f"{words}\n{text('gui.verdicts.elsewhere.help')}")
        self._summary.setVisible(count == 0)
        self.elsewhere.setIcon(category_icon(Category.DIFFERS, self._theme.colours))
        self.map_button.setIcon(icon("cells", self._theme.colours.dim))

    def _offer_map(self) -> None:
        """Show the way to the map of steps and ranks where there is one."""
        self.map_button.setVisible(self._actions["cells"].isEnabled())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less of other cells where the chips need the room."""
        super().resizeEvent(event)
        self._show_elsewhere()

    def _go_elsewhere(self) -> None:
        self._session.cells.step()

    def _clear(self) -> None:
        self._session.set_filter(text="", categories=frozenset(), node=-1)

    @property
    def summary(self) -> str:
        """The sentence at the right."""
        return self._summary.text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.verdicts.title"))
        words = text("gui.action.cells")
        key = self._actions["cells"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.map_button.setAccessibleName(words)
        self.map_button.setToolTip(f"{words} ({key})")
        self._offer_map()
        self.clear_button.setText(text("gui.table.clear_filter"))
        self._load()
