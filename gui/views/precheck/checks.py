"""The checklist: chips and a field that choose what is listed, and the tree."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSignalBlocker,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
)

from core.messages import text
from core.records.precheck import Group, Outcome
from gui.context import Context
from gui.looks.icons import icon
from gui.models.precheck.checks import CheckTree
from gui.models.precheck.copied import markdown, tab_separated
from gui.models.precheck.words import CATEGORIES, outcome_word
from gui.views.precheck.check_tree_view import CheckTreeView
from gui.widgets.card import Card
from gui.widgets.chips import CountChip
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.translated import Translated


class ChecksCard(Translated, Card):
    """Selecting looks at a check; Enter leads to what is entered for it."""

    entry_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._theme, self._state = context.theme, context.session.precheck
        self._choice = self._state.choice
        self._following = False
        self._folded: set[Group] = set()
        self.all = CountChip(None, context.theme)
        self.chips = {outcome: CountChip(CATEGORIES[outcome], context.theme) for outcome in _CHIP_ORDER}
        self.search = QLineEdit()
        self.search.setFixedHeight(28)
        self.search.setMaximumWidth(260)
        self.search.setClearButtonEnabled(True)
        self._find = self.search.addAction(
            icon("search", context.theme.colours.dim), QLineEdit.ActionPosition.LeadingPosition
        )
        self.model = CheckTree(self)
        self.tree = CheckTreeView(context.theme, self.model)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._note)
        row = QHBoxLayout()
        row.setSpacing(_GAP)
        for chip in self._all_chips:
            row.addWidget(chip)
        row.addStretch(1)
        self._top = QHBoxLayout()
        self._top.setContentsMargins(10, 7, 10, 5)
        self._top.setSpacing(4)
        self._top.addLayout(row)
        self._top.addWidget(self.search, 1)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addWidget(self._stack, 1)
        self.body.addLayout(column)
        self.setMinimumHeight(120)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.tree.selectionModel().currentChanged.connect(self._choose)
        self.tree.clicked.connect(self._toggle)
        self.tree.entered_on.connect(self._enter)
        self.tree.collapsed.connect(self._note_fold)
        self.tree.expanded.connect(self._note_fold)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.all.clicked.connect(partial(self._choose_outcome, None))
        for outcome, chip in self.chips.items():
            chip.clicked.connect(partial(self._choose_outcome, outcome))
        self.search.textChanged.connect(self._choice.search)
        self._state.changed.connect(self._load)
        self._choice.filter_changed.connect(self._load)
        self._choice.chosen_changed.connect(lambda: self._follow())
        self._theme.changed.connect(self._restyle)

    # ---- room

    @property
    def _all_chips(self) -> tuple[CountChip, ...]:
        return (self.all, *self.chips.values())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Have the field under the chips before they lose their words, and all of them or none lose those."""
        chips = sum(chip.width_for(brief=False) + _GAP for chip in self._all_chips)
        room = self.width() - 22
        for chip in self._all_chips:
            chip.set_brief(chips - _GAP > room)
        under = chips + _LEAST_FIELD > room
        way = QBoxLayout.Direction.TopToBottom if under else QBoxLayout.Direction.LeftToRight
        if self._top.direction() != way:
            self._top.setDirection(way)

    # ---- content

    def _load(self) -> None:
        report, first = self._state.report, not self.model.groups
        self._following = True
        if self.model.show_report(report, self._choice.listed):
            for index in self.model.group_indexes():
                group = self.model.group_at(index)
                self.tree.setFirstColumnSpanned(index.row(), QModelIndex(), True)
                self.tree.setExpanded(index, group is not None and group.group not in self._folded)
        self._following = False
        self._stack.setCurrentIndex(0 if self.model.groups else 1)
        checks = report.checks if report is not None else ()
        found = [check for check in checks if self._choice.found(check)]
        self.all.show_count(len(found), len(checks), text("gui.precheck.all"), text("gui.precheck.all.help"))
        self.all.setChecked(self._choice.outcome is None)
        for outcome, chip in self.chips.items():
            meaning = text(f"gui.precheck.outcome.{outcome.value}.help")
            count, total = (sum(check.result is outcome for check in among) for among in (found, checks))
            chip.show_count(count, total, outcome_word(outcome), meaning)
            chip.setChecked(self._choice.outcome is outcome)
        if self.search.text() != self._choice.words:
            with QSignalBlocker(self.search):
                self.search.setText(self._choice.words)
        self.tree.fit()
        self._share()
        self._follow(bring=not first)  # a fresh list is read from its top

    def _choose_outcome(self, outcome: Outcome | None) -> None:
        """List only what has that result; asked for twice, all again."""
        again = outcome is not None and outcome is self._choice.outcome
        self._choice.choose_outcome(None if again else outcome)
        self._load()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        check = self.model.check_at(current)
        if check is not None and not self._following:
            self._following = True
            self._choice.choose(check.id)
            self._following = False

    def _follow(self, bring: bool = True) -> None:
        if self._following:
            return
        index = self.model.index_of(self._choice.chosen)
        self._following = True
        if not index.isValid():
            self.tree.clearSelection()
        elif self.model.check_at(self.tree.currentIndex()) is not self._choice.check:
            self.tree.expand(index.parent())
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.tree.setAutoScroll(False)
            self.tree.selectionModel().setCurrentIndex(index, flags)
            self.tree.setAutoScroll(True)
            seen = self.tree.viewport().rect().contains(self.tree.visualRect(index))
            if bring and not seen:
                self.tree.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self._following = False

    def _toggle(self, index: QModelIndex) -> None:
        if self.model.group_at(index) is not None:
            row = index.siblingAtColumn(0)
            self.tree.setExpanded(row, not self.tree.isExpanded(row))

    def _note_fold(self, index: QModelIndex) -> None:
        """Remember which parts are folded, for when other rows are listed."""
        group = self.model.group_at(index)
        if group is not None and not self._following:
            change = self._folded.discard if self.tree.isExpanded(index) else self._folded.add
            change(group.group)

    def _enter(self) -> None:
        index = self.tree.currentIndex()
        if self.model.check_at(index) is not None:
            self.entry_wanted.emit()
        elif index.isValid():
            self._toggle(index)

    # ---- copying

    def _selected(self) -> list[QModelIndex]:
        indexes = self.tree.selectionModel().selectedRows()
        return sorted(indexes, key=lambda at: (at.parent().row(), at.row()))

    def copied_text(self) -> str:
        """Return the selected checks as tab-separated text with headings."""
        return tab_separated(self.model.lines(self._selected()))

    def copied_markdown(self) -> str:
        """Return the selected checks as a table of Markdown."""
        return markdown(self.model.lines(self._selected()))

    def _copy(self, of: str) -> None:
        QGuiApplication.clipboard().setText(of)

    def _menu(self, position: QPoint) -> None:
        if self.model.check_at(self.tree.indexAt(position)) is None:
            return
        enter: Commands = {"gui.precheck.enter": self.entry_wanted.emit}
        copying: Commands = {
            "gui.action.copy": lambda: self._copy(self.copied_text()),
            "gui.action.copy_markdown": lambda: self._copy(self.copied_markdown()),
        }
        offer_commands(self.tree, position, enter, copying)

    # ---- looks

    def _restyle(self) -> None:
        self._find.setIcon(icon("search", self._theme.colours.dim))

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.precheck.checks"))
        self.tree.setAccessibleName(text("gui.precheck.checks"))
        self.search.setPlaceholderText(text("gui.precheck.search"))
        self.search.setAccessibleName(text("gui.precheck.search"))
        self._note.set_texts(text("gui.precheck.none_listed"))
        self.model.retranslate()
        self._load()


_GAP, _LEAST_FIELD = 6, 130
"""Pixels between chips, and of the field beside them."""
_CHIP_ORDER = (Outcome.FAIL, Outcome.NOT_DONE, Outcome.PASS)
