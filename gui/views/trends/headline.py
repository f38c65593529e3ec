"""The answer on top: verdict and sentence, which monitors, and how much was compared."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import render, text
from core.records.training import Judgement
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.names import shown
from gui.paths import short_names
from gui.trends.state import TrendsState
from gui.trends.work import SideFacts
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated
from gui.widgets.word_chips import WordChips

_MARKS = {
    Judgement.PASS: Category.EQUAL, Judgement.FAIL: Category.INTRODUCED,
    Judgement.NOT_JUDGED: Category.NOT_COMPARED,
}  # fmt: skip
_COUNTS = ("target_only", "golden_only", "golden_broken", "clipped")
"""Said where they are not 0."""


class TrendsHeadline(Translated, Card):
    """Two lines: the sentence, and chips under it."""

    files_wanted = Signal()
    folder_wanted = Signal()
    unread_wanted = Signal()

    def __init__(self, context: Context, state: TrendsState) -> None:
        super().__init__(heading=False)
        self._state, self._theme = state, context.theme
        self.mark = CategoryMark(context.theme, 14)
        self.word = QLabel()
        self.word.setObjectName("title")
        self.sentence = wrapped_label("")
        self.first_bad, self.unread = QPushButton(), QPushButton()
        self.swap, self.open = QToolButton(), QPushButton()
        for button in (self.first_bad, self.unread):
            button.setProperty("compact", True)
        self._menu = QMenu(self)
        self._folder, self._files = self._menu.addAction(""), self._menu.addAction("")
        self.open.setMenu(self._menu)
        self.chips = WordChips(8)
        first = QHBoxLayout()
        first.setSpacing(8)
        for part in (self.mark, self.word):
            first.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        first.addSpacing(6)
        first.addWidget(self.sentence, 1)
        for widget in (self.first_bad, self.swap, self.open):
            first.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        chips = QWidget()
        flow = FlowLayout(6)
        chips.setLayout(flow)
        for label in self.chips.labels:
            flow.addWidget(label)
        flow.addWidget(self.unread)
        column = QVBoxLayout()
        column.setContentsMargins(14, 9, 12, 9)
        column.setSpacing(7)
        column.addLayout(first)
        column.addWidget(chips)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._files.triggered.connect(self.files_wanted)
        self._folder.triggered.connect(self.folder_wanted)
        self.swap.clicked.connect(state.swap)
        self.first_bad.clicked.connect(state.go_to_first_bad)
        self.unread.clicked.connect(self.unread_wanted)
        state.opened.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def words(self) -> tuple[str, str]:
        """The verdict, and the sentence."""
        return self.word.text(), self.sentence.text()

    def _load(self) -> None:
        reading, report = self._state.reading, self._state.report
        if reading is None:
            return
        self.swap.setVisible(report is not None)
        self.first_bad.setVisible(report is not None and report.first_bad is not None)
        self.mark.setVisible(report is not None)
        if report is None:
            facts = reading.target
            self.word.setText(text("gui.trends.alone"))
            self.sentence.setText(
                text(
                    "gui.trends.alone.sentence", numbers=numbers.grouped(facts.numbers),
                    layers=numbers.grouped(len(facts.labels)), steps=numbers.grouped(len(facts.steps)),
                    ranks=numbers.grouped(len(facts.ranks)),
                )
            )  # fmt: skip
        else:
            self.mark.show_category(_MARKS[report.verdict])
            self.word.setText(text(f"training.judgement.{report.verdict.value}"))
            self.sentence.setText(render(report.sentence))
        self.setAccessibleName(f"{self.word.text()}: {self.sentence.text()}")
        self._show_chips()

    def _show_chips(self) -> None:
        reading, report = self._state.reading, self._state.report
        assert reading is not None
        names = short_names(reading.target.path, reading.golden.path if reading.golden else "")
        chips = []
        for code, name, facts in zip(("target", "golden"), names, (reading.target, reading.golden)):
            if facts is not None:
                side = text(f"gui.trends.side.{code}")
                chips.append((f"{side}  {shown(name)}", _told(facts)))
        if report is not None:
            counts = {"compared": report.compared, "over": report.over}
            counts |= {name: getattr(report, name) for name in _COUNTS if getattr(report, name)}
            for name, count in counts.items():
                chips.append((self._counted(name, count), text(f"gui.trends.count.{name}.help")))
        self.chips.say(*chips)
        unread = reading.target.unread + (reading.golden.unread if reading.golden is not None else 0)
        self.unread.setVisible(unread > 0)
        self.unread.setText(text("gui.trends.unread", count=unread, number=numbers.grouped(unread)))

    @staticmethod
    def _counted(name: str, count: int) -> str:
        return text(f"gui.trends.count.{name}", count=count, number=numbers.grouped(count))

    def copied_text(self) -> str:
        """Return verdict and sentence with the paths."""
        state = self._state
        paths = "\n".join(path for path in (state.target, state.golden) if path)
        return f"{paths}\n{self.word.text()}: {self.sentence.text()}"

    def _restyle(self) -> None:
        self.swap.setIcon(icon("swap", self._theme.colours.dim))

    def retranslate(self) -> None:
        self.swap.setToolTip(text("gui.trends.swap"))
        self.swap.setAccessibleName(text("gui.trends.swap"))
        self.first_bad.setText(text("gui.trends.first_bad"))
        self.first_bad.setToolTip(text("gui.trends.first_bad.help"))
        self.open.setText(text("gui.trends.open"))
        self._files.setText(text("gui.trends.open.files"))
        self._folder.setText(text("gui.trends.open.folder"))
        self._load()


def _told(facts: SideFacts) -> str:
    """Return what a monitor wrote, for a tool tip."""
    forms = ", ".join(f"{name} {numbers.grouped(rows)}" for name, rows in facts.forms.items())
    return "\n".join(
        (
            shown(facts.path),
            text(
                "gui.trends.side.told", numbers=numbers.grouped(facts.numbers),
                layers=numbers.grouped(len(facts.labels)), steps=numbers.grouped(len(facts.steps)),
                ranks=numbers.grouped(len(facts.ranks)), forms=forms,
            ),
        )
    )  # fmt: skip
