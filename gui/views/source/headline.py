"""The answer on top: how the sources differ, which they are, and what is not to count."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from core.precheck.source.records import Change, FileState, TreeDifference
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.names import shown
from gui.source.state import SWITCHES, SourceState
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_SWITCH = 30
"""Pixels of the line of switches."""


class SourceHeadline(Translated, Card):
    """Two lines: the sentence, and switches under it."""

    others_wanted = Signal()
    """Other folders are to be chosen."""
    problems_wanted = Signal()

    def __init__(self, context: Context, state: SourceState) -> None:
        super().__init__(heading=False)
        self._theme, self._state = context.theme, state
        self._mark = CategoryMark(context.theme, 14)
        self._word, self._sentence = QLabel(), wrapped_label("")
        self._word.setObjectName("title")
        self._paths = ElidedLabel()
        self._paths.setObjectName("dim")
        self.swap, self.again, self.others = QToolButton(), QPushButton(), QPushButton()
        self.switches = {name: QToolButton() for name in SWITCHES}
        self._note = QLabel()
        self._note.setObjectName("dim")
        self._note.setMinimumHeight(_SWITCH)
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self._word, 0, Qt.AlignmentFlag.AlignTop)
        first.addSpacing(6)
        first.addWidget(self._sentence, 1)
        for button in (self.swap, self.again, self.others):
            first.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        switches = QWidget()
        flow = FlowLayout(6)
        switches.setLayout(flow)
        flow.addWidget(self._note)
        for name, switch in self.switches.items():
            switch.setObjectName("toggle")
            switch.setCheckable(True)
            switch.setChecked(getattr(state.options, name))
            switch.toggled.connect(partial(state.switch, name))
            flow.addWidget(switch)
        column = QVBoxLayout()
        column.setContentsMargins(14, 9, 12, 9)
        column.setSpacing(6)
        column.addLayout(first)
        column.addWidget(self._paths)
        column.addWidget(switches)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.swap.clicked.connect(state.swap)
        self.again.clicked.connect(state.again)
        self.others.clicked.connect(self.others_wanted)
        state.changed.connect(self._load)
        state.options_changed.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def words(self) -> str:
        """The answer, with the folders."""
        return f"{self._word.text()}: {self._sentence.text()}\n{self._paths.text()}"

    def _load(self) -> None:
        tree = self._state.tree
        if tree is None:
            return
        category, word = _judged(tree, len(self._state.differing))
        self._mark.show_category(category)
        self._word.setText(text(f"gui.sources.word.{word}"))
        self._sentence.setText(self._told(tree))
        sides = (" + ".join(paths) for paths in (tree.target, tree.golden))
        self._paths.setText(shown("   ⇄   ".join(sides)))

    def _told(self, tree: TreeDifference) -> str:
        files = self._state.differing
        alone = sum(file.state in (FileState.TARGET_ONLY, FileState.GOLDEN_ONLY) for file in files)
        words = [
            text("gui.sources.told.files", count=len(files), number=numbers.grouped(len(files)),
                 all=numbers.grouped(len(tree.files) + tree.left_off)),
            text("gui.sources.told.numeric", count=tree.total(Change.NUMERIC),
                 number=numbers.grouped(tree.total(Change.NUMERIC))),
        ]  # fmt: skip
        if alone:
            words.append(text("gui.sources.told.alone", count=alone, number=numbers.grouped(alone)))
        if tree.problems:
            words.append(
                text(
                    "gui.sources.told.problems",
                    count=len(tree.problems),
                    number=numbers.grouped(len(tree.problems)),
                )
            )
            self._sentence.setToolTip("\n".join(problem.sentence() for problem in tree.problems[:20]))
        else:
            self._sentence.setToolTip("")
        return " ".join(words)

    def _restyle(self) -> None:
        self.swap.setIcon(icon("swap", self._theme.colours.dim))

    def retranslate(self) -> None:
        for button, word in ((self.again, "again"), (self.others, "others")):
            button.setText(text(f"gui.sources.{word}"))
            button.setToolTip(text(f"gui.sources.{word}.help"))
        self.swap.setToolTip(text("gui.sources.swap"))
        self.swap.setAccessibleName(text("gui.sources.swap"))
        self._note.setText(text("gui.sources.switches"))
        for name, switch in self.switches.items():
            switch.setText(text(f"gui.sources.switch.{name}"))
            switch.setToolTip(text(f"gui.sources.switch.{name}.help"))
            switch.setAccessibleName(f"{text('gui.sources.switches')} {text(f'gui.sources.switch.{name}')}")
        self._load()


def _judged(tree: TreeDifference, differing: int) -> tuple[Category, str]:
    """Return how the answer is marked, and its word."""
    if tree.total(Change.NUMERIC):
        return Category.INTRODUCED, "numeric"
    if differing:
        return Category.INHERITED, "code"
    if tree.left_off or any(file.target and file.golden for file in tree.files):
        return Category.EQUAL, "equal"
    return Category.NOT_COMPARED, "nothing"
