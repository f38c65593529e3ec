"""The calm part of the diagnosis: remarks, and suspects that were explained."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from core.records.diagnosis import Suspect
from gui.context import Context
from gui.models.pair.suspects import cell_label, sentence_of
from gui.widgets.labels import breakable, heading_label, wrapped_label
from gui.widgets.pressable import Pressable


class _Row(Pressable):
    """A sentence that can be clicked; its labels let the mouse through."""

    def __init__(self, sentence: str, second: str, where: str) -> None:
        super().__init__("listRow")
        self.sentence = sentence
        self.setAccessibleName(" ".join(part for part in (sentence, second, where) if part))
        column = QVBoxLayout()
        column.setSpacing(2)
        for words, role in ((sentence, "dim"), (second, ""), (where, "dim")):
            if words:
                label = wrapped_label(role)
                label.setText(breakable(words))
                label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
                label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
                column.addWidget(label)
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(8, 5, 6, 5)
        self.line.setSpacing(6)
        self.line.addLayout(column, 1)


class SuspectList(QWidget):
    """A heading and one row a suspect; a click shows its row in the table, in its own step and rank."""

    def __init__(self, context: Context, title_code: str) -> None:
        super().__init__()
        self._session, self._title_code = context.session, title_code
        self._title = heading_label()
        self._title.setContentsMargins(8, 6, 8, 2)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addWidget(self._title)
        self.rows: list[_Row] = []

    def fill(self, entries: list[tuple[Suspect, str]]) -> None:
        """Show *entries*, suspects with a second line each; none hides the list."""
        self.setVisible(bool(entries))
        for row in self.rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []
        self._title.setText(text(self._title_code))
        for suspect, second in entries:
            here = self._session.suspects.is_here(suspect)
            row = _Row(sentence_of(suspect), second, "" if here else cell_label(suspect.cell))
            row.pressed.connect(partial(self._session.show_suspect, suspect))
            self.decorate(row, suspect)
            self._column.addWidget(row)
            self.rows.append(row)

    def decorate(self, row: _Row, suspect: Suspect) -> None:
        """Add what a kind of list has at the end of each row."""

    @property
    def sentences(self) -> list[str]:
        """What the rows say."""
        return [row.sentence for row in self.rows]


class RemarkList(SuspectList):
    """What is true but does not make the runs wrong."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, "gui.diagnosis.remarks")


class ExplainedList(SuspectList):
    """Suspects that were excused, with the reason and a way back."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, "gui.diagnosis.explained")
        self.back_buttons: list[QToolButton] = []

    def fill(self, entries: list[tuple[Suspect, str]]) -> None:
        self.back_buttons = []
        super().fill(entries)

    def decorate(self, row: _Row, suspect: Suspect) -> None:
        back = QToolButton()
        back.setObjectName("link")
        back.setText(text("gui.diagnosis.bring_back"))
        back.setToolTip(text("gui.diagnosis.bring_back.help"))
        back.clicked.connect(partial(self._session.suspects.accuse, suspect))
        row.line.addWidget(back, 0, Qt.AlignmentFlag.AlignTop)
        self.back_buttons.append(back)


class OutcomeLines(QWidget):
    """Dim sentences under each other."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._labels: list[QLabel] = []

    def fill(self, lines: tuple[str, ...]) -> None:
        """Show *lines*."""
        while len(self._labels) < len(lines):
            label = wrapped_label("dim")
            self._labels.append(label)
            self._column.addWidget(label)
        for number, label in enumerate(self._labels):
            label.setVisible(number < len(lines))
            label.setText(lines[number] if number < len(lines) else "")
        self.setVisible(bool(lines))

    @property
    def texts(self) -> list[str]:
        """What is shown."""
        return [label.text() for label in self._labels if label.text()]
