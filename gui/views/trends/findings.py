"""What is to be known of the trends: findings, layers in metrics, rows that could not be read."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QVBoxLayout, QWidget

from core.messages import render, text
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.models.trends.columns import EMPTY_IF_NONE, JUDGED_COLUMNS
from gui.models.trends.table import JudgementsModel
from gui.names import shown
from gui.trends.state import TrendsState
from gui.widgets.card import Card
from gui.widgets.column_fit import ColumnFit
from gui.widgets.finding_list import FindingList, ListedFinding
from gui.widgets.labels import breakable, unbroken
from gui.widgets.row_table import RowTable
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated

_FIT = ColumnFit(
    comfortable=150, least=84,
    go_first=("golden_broken", "clipped", "golden_only", "target_only", "worst_rank", "compared",
              "worst_step", "over", "worst", "metric"),
    ample=320, wider="metric", most=120,
)  # fmt: skip
_FINDINGS, _LAYERS, _UNREAD = range(3)


class TrendFindingsCard(Translated, Card):
    """Three tabs; a finding and a row lead to their cell."""

    def __init__(self, context: Context, state: TrendsState) -> None:
        super().__init__()
        self._context, self._session, self._state = context, context.session, state
        self._list = FindingList(context.theme, self)
        self.rows = self._list.rows
        self.model = JudgementsModel(self)
        self.table = RowTable(context.theme, self.model)
        self.only = QCheckBox()
        self.unread = QPlainTextEdit()
        self.unread.setReadOnly(True)
        self.unread.setFont(context.theme.fixed_font(11))
        self.unread.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        layers = QWidget()
        column = QVBoxLayout(layers)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(4)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 0, 8, 0)
        inner.addWidget(self.only)
        column.addLayout(inner)
        column.addWidget(self.table, 1)
        self.tabs = StackTabs(self._list.area, layers, self.unread)
        self.tabs.fill(self)
        self._list.chosen.connect(state.choose_finding)
        self.only.toggled.connect(self._filter)
        self.table.row_chosen.connect(state.go_to_judged)
        self.table.resized.connect(self._fit)
        state.opened.connect(self._load)
        state.finding_changed.connect(self._mark)
        state.picture.chosen_changed.connect(self._filter)
        state.picture.cell_changed.connect(self._follow)
        self.retranslate()

    @property
    def sentences(self) -> list[str]:
        """What the findings say."""
        return self._list.sentences

    # ---- content

    def _load(self) -> None:
        self.model.set_report(self._state.report)
        self._filter()
        self._load_findings()
        self._list_unread()
        self.tabs.setTabVisible(_LAYERS, self._state.report is not None)
        self.tabs.setCurrentIndex(_FINDINGS)
        self._fit()

    def _load_findings(self) -> None:
        state = self._state
        nothing = "gui.trends.findings.alone" if state.report is None else "gui.trends.findings.none"
        told = [
            ListedFinding(found.weight, _breakable(render(found.message)), found.step)
            for found in state.findings
        ]
        self._list.show_findings(told, text(nothing))
        self._mark(bring=False)
        self._name_tabs()

    def _mark(self, bring: bool = True) -> None:
        if bring and self._state.finding >= 0:
            self.tabs.setCurrentIndex(_FINDINGS)
        self._list.mark(self._state.finding, bring)

    # ---- layers

    def _filter(self) -> None:
        self.model.set_metric(self._state.picture.metric if self.only.isChecked() else "")
        self._fit()
        self._follow()

    def _follow(self) -> None:
        cell, picture = self._state.picture.cell, self._state.picture
        row = self.model.row_of(picture.metric, cell.layer) if cell is not None else -1
        self.table.follow(row)

    def _fit(self) -> None:
        report = self._state.report
        absent = ["metric"] if self.only.isChecked() else []
        if report is not None:
            judged = report.judgements
            absent += [key for key in EMPTY_IF_NONE if not getattr(judged, key).any()]
        _FIT.share(self.table, JUDGED_COLUMNS, absent)

    # ---- rows that could not be read

    def _list_unread(self) -> None:
        reading = self._state.reading
        sides = [side for side in (reading.target, reading.golden) if side] if reading is not None else []
        lines: list[str] = []
        for side in (side for side in sides if side.unread):
            number = numbers.grouped(side.unread)
            lines.append(text("gui.trends.unread.of", path=shown(side.path), number=number))
            lines += [f"{row.number:>8}  {shown(row.path)}\n          {shown(row.text)}"
                      for row in side.unread_rows]  # fmt: skip
            lines.append("")
        for side in sides:
            lines += [problem.sentence() for problem in side.problems]
        self.unread.setPlainText("\n".join(lines).rstrip())
        self.tabs.setTabVisible(_UNREAD, bool(lines))

    def show_unread(self) -> None:
        """Show the rows that could not be read."""
        self.tabs.setCurrentIndex(_UNREAD)

    # ---- words

    def copied_text(self) -> str:
        """Return what the tab on show says."""
        if self.tabs.currentIndex() == _LAYERS:
            return copied_rows(self._session, self.model, self.table.selected_rows())
        if self.tabs.currentIndex() == _UNREAD:
            chosen = self.unread.textCursor().selectedText().replace("\u2029", "\n")
            return chosen or self.unread.toPlainText()
        return "\n".join(unbroken(row.accessibleName()) for row in self.rows if not row.isHidden())

    def _name_tabs(self) -> None:
        count = numbers.grouped(len(self._state.findings))
        self.tabs.setTabText(_FINDINGS, f"{text('gui.trends.findings')}  {count}")
        self.tabs.setTabText(_LAYERS, text("gui.trends.layers"))
        self.tabs.setTabText(_UNREAD, text("gui.trends.unread.tab"))

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.trends.findings"))
        self.tabs.setAccessibleName(text("gui.trends.findings"))
        self.table.setAccessibleName(text("gui.trends.layers"))
        self.unread.setAccessibleName(text("gui.trends.unread.tab"))
        self.only.setText(text("gui.trends.layers.only"))
        self.model.retranslate()
        self._load_findings()
        self._list_unread()


def _breakable(sentence: str) -> str:
    """Allow the names in *sentence* to break, and no numbers."""
    return re.sub(r"\S*[^\W\d]\S*", lambda found: breakable(found[0]), sentence)
