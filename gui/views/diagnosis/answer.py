"""One suspect: the sentence first, its proof under it, where it was called, what follows from it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.messages import render, text
from core.records.diagnosis import Suspect
from core.records.result import CellResult
from gui.context import Context
from gui.models.pair.categories import Category
from gui.models.pair.suspects import (
    Caller,
    caller_of,
    cell_label,
    evidence_lines,
    evidence_text,
    fact_help,
    inherited_after,
    rows_text,
    sentence_of,
    shape_of_row,
)
from gui.views.diagnosis.reason import ReasonField
from gui.widgets.category_mark import CategoryMark
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import breakable, heading_label, marked_up, unbroken, wrapped_label

_LONGEST_VALUE = 26
"""Signs of a value that the narrow column has room for."""
_SAID = 1600
"""Milliseconds for which the button says that it copied."""


class _CodePanel(QFrame):
    """Where a call was made: the place dim, the code under it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.place, self.code = wrapped_label("dim"), wrapped_label("")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 9)
        column.setSpacing(3)
        for label in (self.place, self.code):
            label.setFont(context.theme.fixed_font())
            column.addWidget(label)

    def show_caller(self, caller: Caller) -> None:
        code = caller.frame.code.strip() if caller.frame is not None else ""
        self.place.setText(breakable(caller.place))
        self.code.setText(breakable(code))
        self.code.setVisible(bool(code))
        self.setVisible(caller.frame is not None)


class Answer(QWidget):
    """All that is said of the suspect looked at."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self._suspects = context.session.suspects
        self._suspect: Suspect | None = None
        self._mark = CategoryMark(context.theme, 13)
        self._mark.category = Category.INTRODUCED
        self._sentence = wrapped_label("title")
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._kind, self._proof, self._cell = QLabel(), QLabel(), QLabel()
        self.evidence = FactsPanel(longest=_LONGEST_VALUE)
        self._caller_title, self._follows_title = heading_label(), heading_label()
        self._code = _CodePanel(context)
        self._module = wrapped_label("dim")
        self._follows = wrapped_label("dim")
        self.show_button, self.explain_button, self.copy_button = QPushButton(), QPushButton(), QPushButton()
        self.show_button.setObjectName("primary")
        self.reason = ReasonField()
        self._said_copied = QTimer(self)
        self._said_copied.setSingleShot(True)
        self._said_copied.timeout.connect(self._name_copy)
        self._lay_out()
        self.show_button.clicked.connect(self._show)
        self.explain_button.clicked.connect(self.reason.ask)
        self.copy_button.clicked.connect(self._copy)
        self.reason.given.connect(self._explain)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self._sentence, 1)
        chips, buttons = FlowLayout(6), FlowLayout(6)
        for chip in (self._kind, self._cell, self._proof):
            chip.setObjectName("chip")
            chips.addWidget(chip)
        for button in (self.show_button, self.explain_button, self.copy_button):
            button.setProperty("compact", True)
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 8, 0)
        column.setSpacing(9)
        column.addLayout(top)
        column.addLayout(chips)
        column.addWidget(self.evidence)
        column.addWidget(self._caller_title)
        column.addWidget(self._code)
        column.addWidget(self._module)
        column.addWidget(self._follows_title)
        column.addWidget(self._follows)
        column.addSpacing(3)
        column.addLayout(buttons)
        column.addWidget(self.reason)

    # ---- content

    @property
    def sentence(self) -> str:
        """The sentence on show."""
        return sentence_of(self._suspect) if self._suspect is not None else ""

    @property
    def chips(self) -> list[str]:
        """What the chips say."""
        return [chip.text() for chip in (self._kind, self._cell, self._proof) if not chip.isHidden()]

    @property
    def caller(self) -> str:
        """Place and code of the call, empty when not known."""
        if self._code.isHidden():
            return ""
        return unbroken(f"{self._code.place.text()}\n{self._code.code.text()}")

    @property
    def follows(self) -> str:
        """What follows from it."""
        return "" if self._follows.isHidden() else self._follows.text()

    def show_suspect(self, suspect: Suspect) -> None:
        """Show another suspect, or the same one in another language or cell."""
        if suspect != self._suspect:
            self.reason.hide()
        self._suspect = suspect
        self._sentence.setText(marked_up(render(suspect.message), self._theme.fixed_font(15)))
        self._kind.setText(text(f"kind.{suspect.kind.value}"))
        self._proof.setText(text(f"proof.{suspect.proof.value}"))
        self._kind.setToolTip(text("gui.diagnosis.kind"))
        self._proof.setToolTip(text(f"proof.{suspect.proof.value}.help"))
        info = self._session.info
        self._cell.setText(cell_label(suspect.cell))
        self._cell.setVisible(info is not None and len(info.cells) > 1)
        self._caller_title.setText(text("gui.diagnosis.caller"))
        self._follows_title.setText(text("gui.diagnosis.follows"))
        self.show_button.setText(text("gui.diagnosis.show"))
        self.show_button.setToolTip(text("gui.diagnosis.show.help"))
        self.explain_button.setText(text("gui.diagnosis.explain"))
        self.explain_button.setToolTip(text("gui.diagnosis.explain.help"))
        self._name_copy()
        self.copy_button.setToolTip(text("gui.diagnosis.copy.help"))
        self.show_place()

    def show_place(self) -> None:
        """Show what only the suspect's own cell tells: its caller, and what follows from it."""
        suspect, cell, facts = self._suspect, self._session.cell, self._session.facts
        if suspect is None:
            return
        if cell is None or facts is None:
            self._show_evidence(suspect, None, -1)
            return
        here, row = self._suspects.is_here(suspect), self._suspects.row_of(suspect)
        self._show_evidence(suspect, cell if here else None, row)
        caller = caller_of(cell, facts, suspect, row)
        title = text("gui.diagnosis.caller")
        of_forward = f"  ({text('gui.stack.of_forward')})" if caller.of_forward else ""
        self._caller_title.setText(title + of_forward)
        self._code.show_caller(caller)
        self._module.setText(breakable(text("gui.diagnosis.inside", name=caller.module)))
        self._module.setVisible(bool(caller.module))
        self._caller_title.setVisible(caller.frame is not None or bool(caller.module))
        self.show_button.setEnabled(row >= 0 or not here)
        self._follows.setText(self._consequence(row) if here else text("gui.diagnosis.elsewhere"))

    def _show_evidence(self, suspect: Suspect, cell: CellResult | None, row: int) -> None:
        lines = evidence_lines(suspect, shape_of_row(cell, row))
        self.evidence.set_facts([(name, ("!" if beyond else "") + value) for name, value, beyond in lines])
        self.evidence.set_tips([fact_help(name) for name in suspect.evidence])

    def _consequence(self, row: int) -> str:
        cell, facts = self._session.cell, self._session.facts
        assert cell is not None
        assert facts is not None
        count = inherited_after(cell, facts, row)
        if not count:
            return text("gui.diagnosis.nothing_follows")
        if self._suspects.count_here() == 1:
            return rows_text("gui.diagnosis.only_because", count)
        return rows_text("gui.diagnosis.inherit", count)

    # ---- commands

    def _show(self) -> None:
        if self._suspect is not None:
            self._suspects.show(self._suspect)

    def _explain(self, reason: str) -> None:
        if self._suspect is not None:
            self._suspects.explain(self._suspect, reason)

    def copied_text(self) -> str:
        """Return sentence, proof, evidence and stacks as Markdown."""
        session, suspect = self._session, self._suspect
        if suspect is None:
            return ""
        return evidence_text(suspect, session.cell, session.facts, self._suspects.row_of(suspect))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())
        self.copy_button.setText(text("gui.diagnosis.copied"))
        self._said_copied.start(_SAID)

    def _name_copy(self) -> None:
        self.copy_button.setText(text("gui.diagnosis.copy"))
