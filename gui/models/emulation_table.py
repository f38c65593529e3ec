"""The table of emulated calls: a permutation of their columns, the worst first, in numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.emulation import EmulationVerdict, GoldenVerdict
from gui.models.columns import Face
from gui.models.emulation_calls import GOLDENS, VERDICTS, EmulatedCalls
from gui.models.emulation_columns import CALL_COLUMNS, PLACE_OF
from gui.models.emulation_words import MARKS, verdict_help
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FORMULA = ("=", "+", "-", "@")
WORST_FIRST = PLACE_OF["verdict"]


@dataclass(frozen=True)
class CallFilter:
    """Which calls are shown: of these verdicts or reasons (none: all), with all these words in the name."""

    verdicts: frozenset[EmulationVerdict] = frozenset()
    reasons: frozenset[str] = frozenset()
    words: str = ""

    @property
    def active(self) -> bool:
        """Whether it may hide anything."""
        return bool(self.verdicts or self.reasons or self.words.split())

    def mask(self, calls: EmulatedCalls) -> np.ndarray:
        """Return which calls it shows."""
        shown_calls = np.ones(len(calls), bool)
        if self.verdicts or self.reasons:
            wanted = [place for place, verdict in enumerate(VERDICTS) if verdict in self.verdicts]
            why = [place for place, reason in enumerate(calls.reasons.texts) if reason in self.reasons]
            shown_calls = np.isin(calls.verdict, wanted) | np.isin(calls.reason, why)
        for word in self.words.lower().split():
            shown_calls &= calls.names.texts.containing(word)[calls.name]
        return shown_calls


class EmulationTable(QAbstractTableModel):
    """``order`` maps rows of the view to rows of the emulation."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._calls: EmulatedCalls | None = None
        self.filter = CallFilter()
        self.sort_column, self.sort_descending = WORST_FIRST, True
        self.order = np.empty(0, np.int64)
        self._sorted: np.ndarray = np.empty(0, np.int64)
        self._places: np.ndarray | None = None

    def set_calls(self, calls: EmulatedCalls | None) -> None:
        """Show another emulation, all of it; how it is sorted stays."""
        self.beginResetModel()
        self._calls, self.filter = calls, CallFilter()
        self._sort()
        self.endResetModel()

    def set_filter(self, wanted: CallFilter) -> None:
        """Show other calls."""
        if wanted != self.filter:
            self.beginResetModel()
            self.filter = wanted
            self._show()
            self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by *column*; what is not known comes last either way."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(int(self.order[index.row()]), index.column()) for index in before]
        self.sort_column, self.sort_descending = column, order == Qt.SortOrder.DescendingOrder
        self._sort()
        after = [self.index(self.view_row(row), place) for row, place in kept]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(CALL_COLUMNS) - 1)

    def _sort(self) -> None:
        if self._calls is None:
            self._sorted = np.empty(0, np.int64)
        else:
            keys = CALL_COLUMNS[self.sort_column].sort(self._calls)
            if self.sort_descending:
                keys = -keys.astype(np.int64) if keys.dtype.kind in "ui" else -keys
            self._sorted = np.argsort(keys, kind="stable")  # NaN sorts last in either direction
        self._show()

    def _show(self) -> None:
        self._places = None
        calls, order = self._calls, self._sorted
        self.order = order[self.filter.mask(calls)[order]] if calls and self.filter.active else order

    def view_row(self, row: int) -> int:
        """Return where *row* of the emulation is shown, -1 for none."""
        if self._calls is None or not 0 <= row < len(self._calls):
            return -1
        if self._places is None:
            self._places = np.full(len(self._calls), -1, np.int64)
            self._places[self.order] = np.arange(len(self.order))
        return int(self._places[row])

    # ---- for the view

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(CALL_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        calls = self._calls
        if not index.isValid() or calls is None:
            return None
        column, row = CALL_COLUMNS[index.column()], int(self.order[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return column.show(calls, row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        if role == Role.FACE:
            return Face.DIM.value if column.key == "place" else column.face.value
        verdict = VERDICTS[int(calls.verdict[row])]
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(MARKS[verdict])
        if role == Role.CHANGED:
            return self._alarming(column.key, row, verdict)
        if role == Qt.ItemDataRole.ToolTipRole:
            if column.face is Face.VERDICT:
                return verdict_help(verdict)
            return shown(column.show(calls, row)) if column.face in (Face.OPERATOR, Face.DIM) else None
        return None

    def _alarming(self, key: str, row: int, verdict: EmulationVerdict) -> bool:
        assert self._calls is not None
        if key == "golden":
            return GOLDENS[int(self._calls.golden[row])] is GoldenVerdict.WRONG
        return key in ("share", "profile") and verdict is EmulationVerdict.OUTSIDE

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section < len(CALL_COLUMNS):
            return None
        column = CALL_COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = ("  ↓" if self.sort_descending else "  ↑") if section == self.sort_column else ""
            return column.title + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return text(f"gui.emulation.column.{column.key}.help")
        return None

    def retranslate(self) -> None:
        """Tell views that headings and words changed."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(CALL_COLUMNS) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(CALL_COLUMNS) - 1)

    def tab_separated(self, view_rows: list[int]) -> str:
        """Return rows as text for a spreadsheet, with headings; numbers in full precision.

        A text that a spreadsheet would take for a formula gets an apostrophe.
        """
        if self._calls is None or not view_rows:
            return ""
        lines = ["\t".join(column.title for column in CALL_COLUMNS)]
        for view_row in view_rows:
            row = int(self.order[view_row])
            cells = [column.plain(self._calls, row) for column in CALL_COLUMNS]
            guarded = [
                f"'{cell}" if column.face is not Face.NUMBER and cell.startswith(_FORMULA) else cell
                for column, cell in zip(CALL_COLUMNS, cells)
            ]
            lines.append("\t".join(" ".join(cell.split()) for cell in guarded))
        return "\n".join(lines) + "\n"
