"""What is to be known of the curves, in three tabs: findings, statistics, lines that could not be read."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.curves.runs import short_names
from gui.models.curves.statistics import StatisticsModel
from gui.models.curves.words import report_for_copying
from gui.names import shown
from gui.processes.work_state import Stage
from gui.widgets.card import Card
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.finding_list import FindingList, ListedFinding
from gui.widgets.page_area import over_buttons
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated

_ROW, _MARK = 25, 20
_FINDINGS, _STATISTICS, _UNREAD = range(3)


class FindingsCard(Translated, Card):
    """The lower right."""

    span_wanted = Signal(int, int)
    """First and last step of a part of the run, to be seen."""
    pattern_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._state = context, context.session.curves
        self._list = FindingList(context.theme, self)
        self.rows = self._list.rows
        self.model, self.table = StatisticsModel(self), QTableView()
        self.means = FactsPanel()
        self.unread, self.pattern = QPlainTextEdit(), QPushButton()
        unread = over_buttons(self.unread, self.pattern)
        self.tabs = StackTabs(self._list.area, self._statistics(), unread)
        self.tabs.fill(self)
        self._list.chosen.connect(self._state.choose)
        self.table.clicked.connect(self._go_to_part)
        self.pattern.clicked.connect(self._ask_pattern)
        self._state.changed.connect(self._load)
        self._state.runs_changed.connect(self._list_unread)
        self._state.finding_changed.connect(self._mark)
        self._state.picture.drawn.connect(self._load_statistics)
        self._state.picture.measured.connect(self._load_statistics)
        self.retranslate()

    def _statistics(self) -> QWidget:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(CellDelegate(self._context.theme, table, _ROW))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(_ROW)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setFixedHeight(27)
        header.setMinimumSectionSize(40)
        header.moveSection(1, self.model.columnCount() - 1)  # how many steps, last: it matters least
        self.unread.setReadOnly(True)
        self.unread.setFont(self._context.theme.fixed_font(11))
        self.unread.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(8)
        column.addWidget(table, 1)
        inner = QVBoxLayout()
        inner.setContentsMargins(10, 0, 10, 0)
        inner.addWidget(self.means)
        column.addLayout(inner)
        return whole

    @property
    def sentences(self) -> list[str]:
        """What the findings say."""
        return self._list.sentences

    # ---- findings

    def _load(self) -> None:
        state = self._state
        nothing = "gui.curves.judging" if state.stage is Stage.WORKING else "gui.curves.nothing_judged"
        nothing = "gui.curves.no_findings" if state.report is not None else nothing
        told = [ListedFinding(found.weight, render(found.message), found.step) for found in state.findings]
        self._list.show_findings(told, text(nothing))
        self._mark(bring=False)
        self._load_statistics()
        self._list_unread()

    def _mark(self, bring: bool = True) -> None:
        if bring and self._state.finding >= 0:
            self.tabs.setCurrentIndex(_FINDINGS)
        self._list.mark(self._state.finding, bring)

    # ---- statistics

    def _load_statistics(self) -> None:
        report, picture = self._state.report, self._state.picture
        judged = report.series.get(picture.name) if report is not None else None
        facts = picture.facts
        self.model.show(judged, facts.difference if facts is not None else None)
        self.table.resizeColumnsToContents()
        self.table.setColumnWidth(0, self.table.columnWidth(0) + _MARK)
        names = dict(zip([run.number for run in self._state.runs],
                         short_names([run.path for run in self._state.runs])))  # fmt: skip
        self.means.set_facts(
            [
                (
                    shown(names.get(number, "")),
                    text(
                        "gui.curves.mean_of",
                        value=numbers.compact(mean, 7),
                        count=count,
                        number=numbers.grouped(count),
                    ),
                )
                for number, mean, count in (facts.means if facts is not None else ())
            ]
        )

    def _go_to_part(self, index: QModelIndex) -> None:
        span = self.model.span_of(index.row())
        self.span_wanted.emit(span.first_step, span.last_step)

    # ---- lines that could not be read

    def _list_unread(self) -> None:
        runs = [run for run in self._state.runs if run.run is not None and run.run.unread]
        names = dict(zip([run.number for run in self._state.runs],
                         short_names([run.path for run in self._state.runs])))  # fmt: skip
        lines, count = [], 0
        for run in runs:
            assert run.run is not None
            count += run.run.unread
            number = numbers.grouped(run.run.unread)
            lines.append(text("gui.curves.unread.of", name=shown(names[run.number]), number=number))
            lines += [f"{line.number:>8}  {shown(line.text)}" for line in run.run.unread_lines]
            lines.append("")
        words = "\n".join(lines).rstrip()
        if words != self.unread.toPlainText():
            self.unread.setPlainText(words)
        self.tabs.setTabVisible(_UNREAD, bool(runs))
        self._name_tabs(count)

    def show_unread(self, _number: int) -> None:
        """Show the lines that could not be read."""
        self.tabs.setCurrentIndex(_UNREAD)

    def _ask_pattern(self) -> None:
        runs = [run for run in self._state.runs if run.run is not None and run.run.unread]
        if runs:
            self.pattern_wanted.emit(max(runs, key=lambda run: run.run.unread if run.run else 0).number)

    def copied_text(self) -> str:
        """Return what the tab on show says."""
        if self.tabs.currentIndex() == _STATISTICS:
            return self.model.tab_separated()
        if self.tabs.currentIndex() == _UNREAD:
            return (
                self.unread.textCursor().selectedText().replace("\u2029", "\n") or self.unread.toPlainText()
            )
        return report_for_copying(self._state.report) if self._state.report is not None else ""

    # ---- words

    def _name_tabs(self, unread: int) -> None:
        count = numbers.grouped(len(self._state.findings))
        self.tabs.setTabText(_FINDINGS, f"{text('gui.curves.findings')}  {count}")
        self.tabs.setTabText(_STATISTICS, text("gui.curves.statistics"))
        self.tabs.setTabText(_UNREAD, f"{text('gui.curves.unread.tab')}  {numbers.grouped(unread)}")

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.curves.findings"))
        self.tabs.setAccessibleName(text("gui.curves.findings"))
        self.table.setAccessibleName(text("gui.curves.statistics"))
        self.unread.setAccessibleName(text("gui.curves.unread.tab"))
        self.pattern.setText(text("gui.curves.pattern.open"))
        self.model.retranslate()
        self._load()
