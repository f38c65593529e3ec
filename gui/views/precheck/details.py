"""The check that is looked at: what was compared, what it means, what to do, and what a person says."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import Message, render, text
from core.precheck.telling import sentence_of, title_of
from core.records.precheck import Check, Outcome
from gui.context import Context
from gui.models.precheck.words import CATEGORIES, group_title, outcome_word
from gui.views.precheck.entry import EntryForm
from gui.views.precheck.items import ItemsTable
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.empty_note import EmptyNote
from gui.widgets.labels import heading_label, unbroken, wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.shared_room import GAP, gap_splitter
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons

_MOST_ROWS = 8
"""Rows of what was compared that are on show beside the list; more are scrolled to."""
_ANY = 16_777_215
"""Pixels of Qt's own limit: as high as there is room."""
_SHARE = 0.6
"""Of the width under the list that it has at first."""


class DetailsCard(Translated, Card):
    """Beside the list where it is low, else under it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._state = context.session.precheck
        self._choice = self._state.choice
        self.turn = TurnButtons(("gui.action.previous_fail", "gui.action.next_fail"))
        self.header.add(self.turn)
        self._mark, self._result = CategoryMark(context.theme, 12), QLabel()
        self._result.setObjectName("chip")
        self._sentence = wrapped_label("strong")
        self.items, self._none = ItemsTable(context.theme), EmptyNote()
        self.only = QToolButton()
        self.only.setObjectName("toggle")
        self.only.setCheckable(True)
        self.only.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._left_off = QLabel()
        self._left_off.setObjectName("dim")
        self._headings = [heading_label() for _ in range(3)]
        self._effect, self._remedy, self._remarks = (wrapped_label(role) for role in ("", "", "dim"))
        self.entry = EntryForm(context)
        self._note = EmptyNote()
        self._compared, self._said = self._make_compared(), self._make_said()
        self._area = page_area(self._said)
        self._parts = gap_splitter(Qt.Orientation.Horizontal, self._compared, self._area)
        column = QWidget()
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._beside = False
        self._pages = QStackedWidget()
        self._pages.addWidget(self._parts)
        self._pages.addWidget(page_area(column))
        self._pages.addWidget(self._note)
        self.body.addWidget(self._pages)
        self.setMinimumHeight(130)
        self.setMinimumWidth(300)
        self.turn.turned.connect(self._choice.turn)
        self.only.toggled.connect(self._show_items)
        self._state.changed.connect(self._load)
        self._choice.chosen_changed.connect(self._load)
        self.retranslate()

    def _make_compared(self) -> QWidget:
        first = QHBoxLayout()
        first.setSpacing(6)
        first.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self._sentence, 1)
        first.addWidget(self._result, 0, Qt.AlignmentFlag.AlignTop)
        over = QHBoxLayout()
        over.addWidget(self.only)
        over.addWidget(self._left_off, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.items)
        self._stack.addWidget(self._none)
        compared = QWidget()
        column = QVBoxLayout(compared)
        column.setContentsMargins(12, 8, 6, 6)
        column.setSpacing(6)
        column.addLayout(first)
        column.addLayout(over)
        column.addWidget(self._stack, 1)
        return compared

    def _make_said(self) -> QWidget:
        said = QWidget()
        words = QVBoxLayout(said)
        words.setContentsMargins(12, 4, 12, 10)
        words.setSpacing(4)
        for heading, part in zip(self._headings, (self._effect, self._remedy, self._remarks)):
            words.addWidget(heading)
            words.addWidget(part)
        words.addWidget(self.entry)
        words.addStretch(1)
        return said

    def lay(self, beside: bool) -> None:
        """Put the words under what was compared, in one page, where the card stands *beside* the list."""
        if beside is not self._beside:
            self._beside = beside
            if beside:
                self._area.takeWidget()
                for part in (self._compared, self._said):
                    self._column.addWidget(part)
                    part.show()
            else:
                self._parts.insertWidget(0, self._compared)
                self._area.setWidget(self._said)
            self._load()
        whole = self._parts.width()
        self._parts.setSizes([int(whole * _SHARE), int(whole * (1 - _SHARE)) - GAP])

    # ---- content

    @property
    def check(self) -> Check | None:
        """What is looked at."""
        return self._choice.check

    @property
    def sentences(self) -> list[str]:
        """What is said of the check: what was found, what it does, what to do."""
        parts = (self._sentence, self._effect, self._remedy)
        return [unbroken(part.text()) for part in parts if not part.isHidden() and part.text()]

    def _load(self) -> None:
        check = self.check
        failures = self._state.report.failures if self._state.report is not None else ()
        at = next((at for at, failed in enumerate(failures) if failed is check), -1)
        self.turn.set_place(at, len(failures) if at >= 0 else 0)
        self._pages.setCurrentIndex(2 if check is None else int(self._beside))
        self.entry.show_check(check)
        if check is None:
            self.set_title(text("gui.precheck.details"))
            return
        self.set_title(title_of(check), group_title(check.group))
        self._mark.show_category(CATEGORIES[check.result])
        entered = check.entry.result is not None and check.entry.result is not check.found
        found = text("gui.precheck.entered_over", found=outcome_word(check.found)) if entered else ""
        self._result.setText("  ·  ".join(part for part in (outcome_word(check.result), found) if part))
        self._sentence.setText(render(sentence_of(check)))
        self._say(check)
        self._show_items()

    def _say(self, check: Check) -> None:
        remedy = "gui.precheck.bring" if check.result is Outcome.NOT_DONE else "gui.precheck.remedy"
        codes = ("gui.precheck.effect", remedy, "gui.precheck.remarks")
        remarks = "\n".join(render(remark) for remark in check.remarks)
        shown = (_words(check.effect), _words(check.remedy), remarks)
        for label, words in zip((self._effect, self._remedy, self._remarks), shown):
            label.setText(words)
            label.setVisible(bool(words))
        for heading, code, words in zip(self._headings, codes, shown):
            heading.setText(text(code))
            heading.setVisible(bool(words))

    def _show_items(self) -> None:
        check = self.check
        judged = check is not None and check.found is not Outcome.NOT_DONE
        self.items.rows.show_check(check, self.only.isChecked() and judged)
        listed = self.items.rows.rowCount()
        some = check is not None and bool(check.items)
        self._stack.setCurrentIndex(0 if listed else 1)
        rows = min(max(listed, 2), _MOST_ROWS)
        self._stack.setMinimumHeight(self.items.height_of(rows if self._beside else 2))
        self._stack.setMaximumHeight(self.items.height_of(rows) if self._beside else _ANY)
        code = "gui.precheck.items.none_differ" if some else "gui.precheck.items.none"
        self._none.set_texts(text(code))
        self.only.setVisible(some and judged)
        counting = self.items.rows.counting
        self.only.setText(text("gui.precheck.only", count=counting))
        left = check.left_off if check is not None else 0
        self._left_off.setText(text("gui.precheck.left_off", count=left) if left else "")

    def copied_text(self) -> str:
        """Return what was compared, under the sentence."""
        return "\n".join([*self.sentences, self.items.copied_text()]) if self.check is not None else ""

    def copied_markdown(self) -> str:
        """Return what was compared as a table of Markdown."""
        return self.items.copied_markdown()

    def retranslate(self) -> None:
        self._note.set_texts(text("gui.precheck.choose"))
        self.only.setToolTip(text("gui.precheck.only.help"))
        self._load()


def _words(message: Message | None) -> str:
    return render(message) if message is not None else ""
