"""The problems of a result, of its cells, and of what the window itself could not do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.errors import Problem
from core.messages import render, text
from gui.models.headings import heading
from gui.names import shown_lines

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_TITLES = ("gui.problems.what", "gui.problems.remedy", "gui.problems.path")


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """Return *problems* without repetitions: a dump's problems are its cell's and its run's too."""
    found: dict[object, Problem] = {}
    for problem in problems:
        found.setdefault((problem.code, problem.path, tuple(sorted(problem.parameters.items()))), problem)
    return list(found.values())


class ProblemTable(QAbstractTableModel):
    """One row a problem: what is wrong, what to do, where."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.problems: list[Problem] = []

    def set_problems(self, problems: Iterable[Problem]) -> None:
        """Show other problems."""
        self.beginResetModel()
        self.problems = distinct(problems)
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.problems)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        problem = self.problems[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown_lines((render(problem.detail), render(problem.remedy), problem.path)[index.column()])
        return shown_lines(problem.sentence()) if role == Qt.ItemDataRole.ToolTipRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return heading([text(code) for code in _TITLES], section, orientation, role)

    def as_text(self) -> str:
        """Return all problems, one a line."""
        return "\n".join(problem.sentence() for problem in self.problems)

    def retranslate(self) -> None:
        """Render the sentences anew."""
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)
