"""How far target and golden lie apart, by parts of the run, as a table."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.curves import SeriesJudgement, Span
from core.records.training import Judgement
from gui import numbers
from gui.models.curves.words import share
from gui.models.pair.categories import Category
from gui.models.roles import Role
from gui.models.table.table_column import Face

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_COLUMNS = ("part", "count", "mean", "bias", "largest", "largest_step", "absolute")
JUDGEMENT_MARKS = {
    Judgement.PASS: Category.EQUAL, Judgement.FAIL: Category.INTRODUCED,
    Judgement.NOT_JUDGED: Category.NOT_COMPARED,
}  # fmt: skip


class _Row(NamedTuple):
    words: str
    span: Span
    judgement: Judgement | None


class StatisticsModel(QAbstractTableModel):
    """The whole run, its phases, and the span that is selected."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self._judged: SeriesJudgement | None = None
        self._selected: Span | None = None

    def show(self, judged: SeriesJudgement | None, selected: Span | None) -> None:
        """Show the statistics of another series, or of another span."""
        self.beginResetModel()
        self._judged, self._selected = judged, selected
        self._rows = []
        if selected is not None:
            self._rows.append(_Row(text("gui.curves.part.selected"), selected, None))
        if judged is not None:
            self._rows.append(_Row(text("gui.curves.part.whole"), judged.whole, judged.judgement))
            for phase in judged.phases:
                words = text(f"gui.curves.phase.{phase.phase.value}")
                self._rows.append(_Row(words, phase.span, phase.judgement))
        self.endResetModel()

    def span_of(self, row: int) -> Span:
        """Return the span of *row*."""
        return self._rows[row].span

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    @staticmethod
    def _words(row: _Row) -> tuple[str, ...]:
        span = row.span
        known = span.steps > 0
        return (
            row.words, numbers.grouped(span.steps), share(span.mean_relative), share(span.bias, signed=True),
            share(span.largest_relative), numbers.grouped(span.largest_step) if known else "—",
            numbers.compact(span.mean_absolute, 3) if known else "—",
        )  # fmt: skip

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column else None
        if role == Role.CATEGORY and column == 0 and row.judgement is not None:
            return JUDGEMENT_MARKS[row.judgement]
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            ends = numbers.grouped(row.span.first_step), numbers.grouped(row.span.last_step)
            return text("gui.curves.part.help", name=row.words, first=ends[0], last=ends[1])
        if role == Role.FACE:
            return Face.NUMBER.value if column else None
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(_COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return text(f"gui.curves.column.{_COLUMNS[section]}")
        if role == Qt.ItemDataRole.ToolTipRole:
            return text(f"gui.curves.column.{_COLUMNS[section]}.help")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def retranslate(self) -> None:
        """Take over the language in force."""
        self.show(self._judged, self._selected)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_COLUMNS) - 1)

    def tab_separated(self) -> str:
        """Return all rows as text for a spreadsheet, with headings."""
        lines = ["\t".join(text(f"gui.curves.column.{name}") for name in _COLUMNS)]
        for row in self._rows:
            span = row.span
            exact = (span.mean_relative, span.bias, span.largest_relative)
            told = [row.words, str(span.steps), *(f"{value:.17g}" for value in exact)]
            lines.append("\t".join([*told, str(span.largest_step), f"{span.mean_absolute:.17g}"]))
        return "\n".join(lines) + "\n"
