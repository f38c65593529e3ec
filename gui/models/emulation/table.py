"""The table of emulated calls, the worst first, and which of them it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.records.emulation import EmulationVerdict, GoldenVerdict
from gui.models.emulation.calls import GOLDENS, VERDICTS, EmulatedCalls
from gui.models.emulation.columns import CALL_COLUMNS, PLACE_OF
from gui.models.emulation.words import MARKS, verdict_help
from gui.models.roles import Role
from gui.models.table.column_table import ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown


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


class EmulationTable(ColumnTable):
    """The calls of one emulation."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(CALL_COLUMNS, (PLACE_OF["verdict"], True), parent)
        self.filter = CallFilter()

    def set_calls(self, calls: EmulatedCalls) -> None:
        """Show another emulation, all of it; how it is sorted stays."""
        self.beginResetModel()
        self.filter = CallFilter()
        self._set_source(len(calls), calls)
        self.endResetModel()

    def set_filter(self, wanted: CallFilter) -> None:
        """Show other calls."""
        if wanted != self.filter:
            self.beginResetModel()
            self.filter = wanted
            self._show()
            self.endResetModel()

    def _mask(self) -> np.ndarray | None:
        if self._source is None or not self.filter.active:
            return None
        return self.filter.mask(*self._source)

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        (calls,) = self._source
        verdict = VERDICTS[int(calls.verdict[row])]
        if role == Role.FACE and column.key == "place":
            return Face.DIM.value
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(MARKS[verdict])
        if role == Role.CHANGED:
            if column.key == "golden":
                return GOLDENS[int(calls.golden[row])] is GoldenVerdict.WRONG
            return column.key in ("share", "profile") and verdict is EmulationVerdict.OUTSIDE
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.VERDICT:
            return verdict_help(verdict)
        if role == Qt.ItemDataRole.ToolTipRole and column.face in (Face.OPERATOR, Face.DIM):
            return shown(column.show(calls, row))
        return super()._look(column, row, role)
