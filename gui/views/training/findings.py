"""The card with what is to be known of the training, and the list of overflowed steps."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.messages import render, text
from core.records.training import Finding, TrainingOverflow
from gui import numbers
from gui.context import Context
from gui.models.training.plot import scale_plot
from gui.models.training.steps import StepModel
from gui.training.state import TrainingState
from gui.views.training.plot import PlotCard
from gui.widgets.card import Card
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.finding_row import FindingRow
from gui.widgets.labels import unbroken
from gui.widgets.page_area import page_area
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated

_OF_OVERFLOWS = frozenset(
    (
        "training.over_limit", "training.under_limit", "training.static_overflows", "training.not_counted",
        "training.every_step",
    )
)  # fmt: skip
"""Findings that lead to the first overflowed step."""
_ROW = 25


def step_of(finding: Finding, history: TrainingOverflow) -> int | None:
    """Return the step that *finding* is about; ``None`` for one about the whole training."""
    step = finding.message.parameters.get("step")
    if isinstance(step, int):
        return step
    if finding.message.code in _OF_OVERFLOWS and len(history.overflow_steps):
        return int(history.overflow_steps[0])
    return None


class FindingsCard(Translated, Card):
    """Two tabs: findings, and overflowed steps."""

    def __init__(self, context: Context, state: TrainingState, plot: PlotCard) -> None:
        super().__init__()
        self._context, self._state, self._plot = context, state, plot
        self._following = False
        self.rows: list[FindingRow] = []
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(6, 8, 6, 8)
        self._column.setSpacing(2)
        self._column.addStretch(1)
        self.model = StepModel(self)
        self.table = QTableView()
        self._set_up_table(context)
        self.tabs = StackTabs(page_area(page), self.table)
        self.tabs.fill(self)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        state.changed.connect(self._load)
        state.opened.connect(self._open)
        state.step_changed.connect(self._follow)
        self.retranslate()

    def _set_up_table(self, context: Context) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(CellDelegate(context.theme, table, _ROW))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(_ROW)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setFixedHeight(27)

    @property
    def sentences(self) -> list[str]:
        """What the findings say."""
        return [unbroken(row.words.text()) for row in self.rows if not row.isHidden()]

    # ---- content

    def _open(self) -> None:
        history = self._state.history
        self._following = True
        self.model.set_plot(scale_plot(history) if history is not None else None)
        self._following = False
        self.tabs.setCurrentIndex(0)
        self._name_tabs()

    def _load(self) -> None:
        history = self._state.history
        findings = history.findings if history is not None else ()
        while len(self.rows) < len(findings):
            row = FindingRow(self._context.theme)
            row.pressed.connect(partial(self._press, len(self.rows)))
            self._column.insertWidget(len(self.rows), row)
            self.rows.append(row)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(findings))
            if history is not None and number < len(findings):
                finding = findings[number]
                row.show_finding(finding.weight, render(finding.message), step_of(finding, history))
        self._name_tabs()

    def _press(self, number: int) -> None:
        history = self._state.history
        if history is None or number >= len(history.findings):
            return
        step = step_of(history.findings[number], history)
        if step is not None:
            self._plot.canvas.go_to(step)
            self._state.choose_step(step)

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._following = True
            self._state.choose_step(self.model.step_of(current.row()))
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        row = self.model.row_of(self._state.step)
        self._following = True
        if row < 0:
            self.table.clearSelection()
            self.table.selectionModel().clearCurrentIndex()
        else:
            index = self.model.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            self.table.scrollTo(index)
        self._following = False

    def copied_text(self) -> str:
        """Return the selected steps, or the findings."""
        if self.tabs.currentIndex():
            rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
            return self.model.tab_separated(rows)
        return "\n".join(row.accessibleName() for row in self.rows if not row.isHidden())

    # ---- looks

    def _name_tabs(self) -> None:
        history = self._state.history
        findings = len(history.findings) if history is not None else 0
        counts = findings, self.model.rowCount()
        for tab, (code, count) in enumerate(zip(("gui.training.findings", "gui.training.steps"), counts)):
            self.tabs.setTabText(tab, f"{text(code)}  {numbers.grouped(count)}")
        self.tabs.setTabVisible(1, counts[1] > 0)
        if not counts[1]:
            self.tabs.setCurrentIndex(0)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.training.findings"))
        self.tabs.setAccessibleName(text("gui.training.findings"))
        self.table.setAccessibleName(text("gui.training.steps"))
        self.model.retranslate()
        self._load()
