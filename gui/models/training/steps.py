"""The overflowed steps of a log as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from gui import numbers
from gui.models.roles import Role
from gui.models.table.table_column import Face
from gui.models.training.plot import ScalePlot

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_COLUMNS = ("step", "count", "scale")


def written_scale(scale: float) -> str:
    """Return a loss scale as people write it: ``65 536``; empty where it is not known."""
    if scale != scale:
        return ""
    whole = scale == int(scale) and scale < 1e10
    return numbers.grouped(int(scale)) if whole else numbers.compact(scale)


class StepModel(QAbstractTableModel):
    """Step, how many steps its record tells of, and the loss scale after it."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._plot: ScalePlot | None = None

    def set_plot(self, plot: ScalePlot | None) -> None:
        """Show the steps of another log."""
        self.beginResetModel()
        self._plot = plot
        self.endResetModel()

    def step_of(self, row: int) -> int:
        """Return the step of *row*."""
        return int(self._plot.overflows[row]) if self._plot is not None else 0

    def row_of(self, step: int | None) -> int:
        """Return the row of *step*; -1 where it did not overflow."""
        if self._plot is None or step is None:
            return -1
        steps = self._plot.overflows
        at = int(np.searchsorted(steps, step))
        return at if at < len(steps) and steps[at] == step else -1

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() or self._plot is None else len(self._plot.overflows)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def _values(self, row: int) -> tuple[int, int, float]:
        assert self._plot is not None
        step = self.step_of(row)
        return step, int(self._plot.counts[row]), self._plot.scale_at(step)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._plot is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            step, count, scale = self._values(index.row())
            return (numbers.grouped(step), numbers.grouped(count), written_scale(scale))[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role == Role.FACE:
            return Face.NUMBER.value
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(_COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return text(f"gui.training.column.{_COLUMNS[section]}")
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole else None

    def retranslate(self) -> None:
        """Tell views that headings changed."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_COLUMNS) - 1)

    def tab_separated(self, rows: list[int]) -> str:
        """Return *rows* as text for a spreadsheet, with headings."""
        if not rows:
            return ""
        lines = ["\t".join(text(f"gui.training.column.{name}") for name in _COLUMNS)]
        for row in rows:
            step, count, scale = self._values(row)
            lines.append(f"{step}\t{count}\t{'' if scale != scale else f'{scale:.17g}'}")
        return "\n".join(lines) + "\n"
