"""The answer: whether both data sets are the same, and how much of each kind is wrong, to choose from."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.dataset.rows import DatasetAnswer, Fault
from gui.models.pair.categories import Category
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.chips import CountChip
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated


class DatasetHeadline(Translated, Card):
    """A sentence, and a chip for each kind."""

    fault_chosen = Signal(object)
    """A :class:`Fault` whose rows alone are wanted, ``None`` for all."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._answer: DatasetAnswer | None = None
        self._mark = CategoryMark(context.theme, 14)
        self._word, self._sentence = QLabel(), wrapped_label("")
        self._word.setObjectName("title")
        self.chips = {
            fault: CountChip(
                Category.NOT_COMPARED if fault is Fault.UNCHECKED else Category.INTRODUCED, context.theme
            )
            for fault in Fault
        }
        row = QHBoxLayout()
        row.setSpacing(8)
        for part in (self._mark, self._word):
            row.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        row.addSpacing(6)
        row.addWidget(self._sentence, 1)
        self._chips = QWidget()
        flow = FlowLayout(6)
        self._chips.setLayout(flow)
        for fault, chip in self.chips.items():
            chip.toggled.connect(partial(self._choose, fault))
            flow.addWidget(chip)
        column = QVBoxLayout()
        column.setContentsMargins(14, 9, 12, 9)
        column.setSpacing(7)
        column.addLayout(row)
        column.addWidget(self._chips)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.retranslate()

    @property
    def words(self) -> str:
        """The answer."""
        return f"{self._word.text()}: {self._sentence.text()}"

    def show_answer(self, answer: DatasetAnswer) -> None:
        """Show another answer; all rows are wanted."""
        self._answer = answer
        for chip in self.chips.values():
            chip.blockSignals(True)
            chip.setChecked(False)
            chip.blockSignals(False)
        self.retranslate()

    def _choose(self, fault: Fault, on: bool) -> None:
        for other, chip in self.chips.items():
            if other is not fault and on:
                chip.blockSignals(True)
                chip.setChecked(False)
                chip.blockSignals(False)
        self.fault_chosen.emit(fault if on else None)

    def retranslate(self) -> None:
        answer = self._answer
        if answer is None:
            return
        category, word = _judged(answer)
        self._mark.show_category(category)
        self._word.setText(text(f"gui.dataset.word.{word}"))
        told = [text("gui.dataset.told.common", count=answer.common, number=numbers.grouped(answer.common))]
        if answer.checked:
            told.append(
                text("gui.dataset.told.checked", count=answer.checked, number=numbers.grouped(answer.checked),
                     algorithm=answer.target.algorithm)
            )  # fmt: skip
        else:
            told.append(text("gui.dataset.told.unchecked"))
        if answer.common > 1 and not (answer.target.order and answer.golden.order):
            told.append(text("gui.dataset.told.no_order"))
        self._sentence.setText(" ".join(told))
        self._sentence.setToolTip("\n".join(problem.sentence() for problem in answer.problems[:20]))
        for fault, chip in self.chips.items():
            count = answer.counts.get(fault, 0)
            chip.setVisible(bool(count))
            name = text(f"gui.dataset.fault.{fault.value}")
            chip.show_count(count, count, name, text(f"gui.dataset.fault.{fault.value}.help"))
        self._chips.setVisible(bool(answer.counts))


def _judged(answer: DatasetAnswer) -> tuple[Category, str]:
    """Return how the answer is marked, and its word."""
    if set(answer.counts) - {Fault.UNCHECKED}:
        return Category.INTRODUCED, "differs"
    if not answer.common:
        return Category.NOT_COMPARED, "nothing"
    if answer.checked and not answer.counts:
        return Category.EQUAL, "same"
    return Category.CLOSE, "same_names"
