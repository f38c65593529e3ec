"""The row of verdict chips: how many rows of each, and a click shows only those."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton

from core.messages import text
from core.records.result import Reason
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.widgets.card import Card
from gui.widgets.chips import CategoryChip, CountChip
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated
from gui.widgets.verdict_icon import category_icon

_GAP, _AROUND = 8, 24
"""Pixels between the parts, and beside them."""
_BESIDE_WORDS = 40
"""Pixels of a button beside its words: a mark and its edges."""


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
        self._wanted: tuple[CategoryChip, ...] = ()
        """Chips that have something to say, whether there is room for them or not."""
        self.more_button = QToolButton()
        self.more_button.setObjectName("link")
        self.more_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more_button.clicked.connect(self._offer_more)
        row.addWidget(self.more_button)
        self.calm = CountChip(Category.EQUAL, context.theme)
        self.calm.setCheckable(False)
        self.calm.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.calm.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row.insertWidget(0, self.calm)
        self.clear_button = QToolButton()
        self.clear_button.setObjectName("link")
        self.clear_button.clicked.connect(self._clear)
        row.addWidget(self.clear_button)
        self._elsewhere_words = ("", "")
        """Of other cells, in full and in short."""
        self.elsewhere = QToolButton()
        self.elsewhere.setObjectName("elsewhere")
        self.elsewhere.setIconSize(QSize(14, 14))
        self.elsewhere.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.elsewhere.clicked.connect(self._go_elsewhere)
        self.elsewhere.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
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
        self._wanted = tuple(
            chip
            for category, chip in self.chips.items()
            if not exploring and (int(whole[category]) > 0 or chip.isChecked())
        )
        compared = int(whole.sum() - whole[Category.NOT_COMPARED] - whole[Category.IGNORED])
        self.calm.setVisible(not exploring and not anything and compared > 0)
        total = numbers.grouped(len(session.facts) if session.facts is not None else 0)
        side = Qt.AlignmentFlag.AlignLeft if exploring else Qt.AlignmentFlag.AlignRight
        self._summary.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        if exploring:
            self._summary.setText(text("gui.verdicts.single", slots=total))
        elif session.facts is not None and len(session.facts) and not compared:
            self._summary.setText(text("gui.verdicts.nothing", slots=total, reason=self._main_reason()))
        else:
            share = numbers.percent(session.compared_share())
            self._summary.setText(text("gui.verdicts.summary", slots=total, share=share))
        self._share_room()

    def _main_reason(self) -> str:
        """Return why most of what could not be compared could not."""
        cell = self._session.cell
        assert cell is not None
        reason = Reason(int(np.bincount(cell.rows.reason).argmax()))
        return text(f"reason.{reason.name.lower()}")

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
        self._elsewhere_words = (f"{words}  →", f"+{numbers.grouped(count)}  →")
        self.elsewhere.setAccessibleName(words)
        self.elsewhere.setToolTip(f"{words}\n{text('gui.verdicts.elsewhere.help')}")
        self._summary.setVisible(count == 0)
        self.elsewhere.setIcon(category_icon(Category.DIFFERS, self._theme.colours))
        self.map_button.setIcon(icon("cells", self._theme.colours.dim))
        self._share_room()

    def _share_room(self) -> None:
        """Leave words out where room is short, first those of other cells; then chips, the calmest first."""
        room = self.width() - _AROUND
        for button in (self.map_button, self.clear_button, self.calm):
            if not button.isHidden():
                room -= button.sizeHint().width() + _GAP
        advance = self.elsewhere.fontMetrics().horizontalAdvance
        long, short = self._elsewhere_words
        there = not self.elsewhere.isHidden()
        aside = advance(short) + _BESIDE_WORDS + _GAP if there else 0
        words = sum(chip.width_for(brief=False) + _GAP for chip in self._wanted)
        spelled = there and words + advance(long) + _BESIDE_WORDS <= room
        self.elsewhere.setText(long if spelled else short)
        self.elsewhere.setMinimumWidth(advance(short) + _BESIDE_WORDS)
        brief = words + aside > room
        shown = list(self._wanted)
        more = self.more_button.sizeHint().width() + _GAP
        while brief and len(shown) > 1 and self._brief_width(shown) + aside + more > room:
            if len(shown) == len(self._wanted) and self._brief_width(shown) + aside <= room:
                break
            shown.pop()
        for chip in self.chips.values():
            chip.set_brief(brief)
            chip.setVisible(chip in shown)
        self.more_button.setVisible(len(shown) < len(self._wanted))
        self.more_button.setText(f"+{len(self._wanted) - len(shown)}")

    @staticmethod
    def _brief_width(chips: list[CategoryChip]) -> int:
        return sum(chip.width_for(brief=True) + _GAP for chip in chips)

    def _offer_more(self) -> None:
        """Offer the chips that there is no room for."""
        menu = QMenu(self)
        for chip in self._wanted:
            if chip.isHidden():
                action = menu.addAction(category_icon(chip.of, self._theme.colours), chip.text())
                action.setCheckable(True)
                action.setChecked(chip.isChecked())
                action.triggered.connect(chip.click)
        menu.exec(self.more_button.mapToGlobal(QPoint(0, self.more_button.height() + 4)))
        menu.deleteLater()

    def _offer_map(self) -> None:
        """Show the way to the map of steps and ranks where there is one."""
        self.map_button.setVisible(self._actions["cells"].isEnabled())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less of other cells where the chips need the room."""
        super().resizeEvent(event)
        self._share_room()

    def minimumSizeHint(self) -> QSize:
        """Ask for the room of the worst chip alone; what else is there makes do with what there is."""
        first = self._brief_width(list(self._wanted[:1])) + self.more_button.sizeHint().width()
        beside = 0 if self.elsewhere.isHidden() else self.elsewhere.minimumWidth() + _GAP
        beside += 0 if self.map_button.isHidden() else self.map_button.sizeHint().width() + _GAP
        return QSize(_AROUND + first + beside, self.height())

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
        self.more_button.setAccessibleName(text("gui.verdicts.more"))
        self.more_button.setToolTip(text("gui.verdicts.more"))
        self.calm.show_words(text("gui.verdicts.calm"), text("gui.verdicts.calm.help"))
        self._load()
