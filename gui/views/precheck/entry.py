"""What a person enters for a check: another result, a remark, a file that shows it, a name."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from core.messages import text
from core.records.precheck import Check, Entry, Outcome
from gui.context import Context
from gui.looks.icons import icon
from gui.models.precheck.words import outcome_word
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.segments import Segments
from gui.widgets.translated import Translated

_AS_FOUND = "as_found"
_WORDS = (_AS_FOUND, *(outcome.value for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE)))


class EntryForm(Translated, QWidget):
    """Kept at once; with no result, no remark and no file, what was found counts again."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._settings = context.theme, context.settings
        self._state = context.session.precheck
        self._check: Check | None = None
        self.result = Segments(_WORDS)
        self.remark, self.evidence, self.name = QLineEdit(), QLineEdit(), QLineEdit()
        self.browse, self.date = QToolButton(), QLabel()
        self.date.setObjectName("dim")
        self.browse.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._labels = {field: QLabel() for field in (self.remark, self.evidence, self.name)}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        self._title = QLabel()
        self._title.setObjectName("strong")
        self._title.setMinimumHeight(30)  # in one line with the buttons, where both have room there
        head = FlowLayout(12)
        head.addWidget(self._title)
        head.addWidget(self.result)
        grid.addLayout(head, 0, 0, 1, 2)
        beside: dict[QLineEdit, QWidget] = {self.evidence: self.browse, self.name: self.date}
        for row, (field, label) in enumerate(self._labels.items(), 1):
            label.setObjectName("dim")
            label.setBuddy(field)
            line = QHBoxLayout()
            line.setSpacing(6)
            line.addWidget(field, 1)
            if field in beside:
                line.addWidget(beside[field])
            grid.addWidget(label, row, 0)
            grid.addLayout(line, row, 1)
            field.setProperty("compact", True)
            field.setMinimumHeight(28)
            field.editingFinished.connect(self._keep)
        self.result.chosen.connect(self._keep)
        self.browse.clicked.connect(self._browse)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def show_check(self, check: Check | None) -> None:
        """Show what is entered for *check*; what is half typed for another is kept for that one."""
        if self._check is not None and (check is None or check.id != self._check.id):
            self._keep()
        self._check = check
        self.setEnabled(check is not None)
        entry = check.entry if check is not None else Entry()
        self.result.choose(_AS_FOUND if entry.result is None else entry.result.value)
        for field, words in (
            (self.remark, entry.remark), (self.evidence, entry.evidence),
            (self.name, entry.name or self._settings.precheck_name),
        ):  # fmt: skip
            if field.text() != words:
                with QSignalBlocker(field):
                    field.setText(words)
        self.date.setText(entry.date or self._today())

    @staticmethod
    def _today() -> str:
        return date.today().isoformat()

    def _keep(self) -> None:
        """Keep what stands in the form, if it is another than before."""
        check = self._check
        if check is None:
            return
        word = self.result.word
        made = replace(
            check.entry,
            result=None if word == _AS_FOUND else Outcome(word),
            remark=self.remark.text().strip(),
            evidence=self.evidence.text().strip().strip("\"'"),
        )
        name = self.name.text().strip()
        self._settings.precheck_name = name or self._settings.precheck_name
        empty = made.result is None and not made.remark and not made.evidence
        if empty:
            if check.entry != Entry():
                self._state.enter(check.id, Entry())
        elif made != check.entry or name != check.entry.name:
            self._state.enter(check.id, replace(made, name=name, date=self._today()))

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(
            self, text("gui.precheck.entry.evidence"), self.evidence.text() or self._settings.last_folder
        )
        if chosen:
            self.evidence.setText(chosen)
            self._keep()

    def _restyle(self) -> None:
        self.browse.setIcon(icon("folder", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._title.setText(text("gui.precheck.entry"))
        outcomes = [outcome_word(Outcome(word)) for word in _WORDS[1:]]
        self.result.say(
            text("gui.precheck.entry.result"),
            [text("gui.precheck.entry.as_found"), *outcomes],
            [text("gui.precheck.entry.as_found.help")] + [text("gui.precheck.entry.result.help")] * 3,
        )
        for field, code, hint in (
            (self.remark, "gui.precheck.entry.remark", "gui.precheck.entry.remark.hint"),
            (self.evidence, "gui.precheck.entry.evidence", "gui.precheck.entry.evidence.hint"),
            (self.name, "gui.precheck.entry.name", "gui.precheck.entry.name.hint"),
        ):  # fmt: skip
            self._labels[field].setText(text(code))
            field.setAccessibleName(text(code))
            field.setPlaceholderText(text(hint))
        self.browse.setToolTip(text("gui.open.browse"))
        self.browse.setAccessibleName(text("gui.open.browse"))
