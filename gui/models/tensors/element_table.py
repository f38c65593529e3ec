"""Elements that differ, one a row, with both values and how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.messages import text
from gui import numbers

_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
Value = bool | int | float | complex


class Element(Protocol):
    """One element of both sides."""

    @property
    def index(self) -> tuple[int, ...]: ...
    @property
    def target(self) -> Value | None: ...
    @property
    def golden(self) -> Value | None: ...
    @property
    def difference(self) -> Value | None: ...
    @property
    def ulps(self) -> float | None: ...


class Column(IntEnum):
    """From left to right."""

    PLACE = 0
    TARGET = 1
    GOLDEN = 2
    DIFFERENCE = 3
    RELATIVE = 4
    ULPS = 5


def relative(element: Element) -> float | None:
    """Return |target − golden| / |golden|; ``None`` where nothing can be said."""
    if element.difference is None or element.golden is None:
        return None
    apart, size = abs(element.difference), abs(element.golden)
    if not math.isfinite(apart):
        return None
    if not size:
        return math.inf if apart else 0.0
    return apart / size


class ElementTable(QAbstractTableModel):
    """Rows in the order in which the service ranked them."""

    def __init__(self, words: Callable[[Value | None], str], parent: QObject) -> None:
        """*words* spells a value."""
        super().__init__(parent)
        self._words = words
        self.elements: Sequence[Element] = ()

    def show_elements(self, elements: Sequence[Element]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.elements = elements
        self.endResetModel()

    def retranslate(self) -> None:
        """Write the headings in the language in force."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.elements)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.cell(self.elements[index.row()], Column(index.column()))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        names = (
            text("gui.elements.place"), text("gui.target"), text("gui.golden"),
            text("gui.tensors.difference"), text("gui.elements.relative"), "ULP",
        )  # fmt: skip
        tips = (
            text("gui.elements.place.help"), "", "", text("gui.elements.difference.help"),
            text("gui.elements.relative.help"), text("gui.elements.ulps.help"),
        )  # fmt: skip
        if role == Qt.ItemDataRole.DisplayRole:
            return names[section]
        return tips[section] or None if role == Qt.ItemDataRole.ToolTipRole else None

    def cell(self, element: Element, column: Column) -> str:
        """Return what stands in one cell."""
        if column is Column.PLACE:
            return f"[{', '.join(map(str, element.index))}]"
        if column is Column.RELATIVE:
            share = relative(element)
            return numbers.NOTHING if share is None else numbers.scientific(share)
        if column is Column.ULPS:
            return numbers.NOTHING if element.ulps is None else distance_words(element.ulps)
        value = (element.target, element.golden, element.difference)[column - Column.TARGET]
        if column is Column.DIFFERENCE and isinstance(value, float):
            return numbers.scientific(value, 3)
        return self._words(value)

    def tab_separated(self, rows: Sequence[int]) -> str:
        """Return *rows* with their headings, all digits, to be pasted into a sheet."""
        lines = [[str(self.headerData(at, Qt.Orientation.Horizontal)) for at in range(len(Column))]]
        for row in rows:
            element = self.elements[row]
            share = relative(element)
            plain = (element.target, element.golden, element.difference, share, element.ulps)
            place = f"[{', '.join(map(str, element.index))}]"
            lines.append([place, *("" if value is None else _plain(value) for value in plain)])
        return "\n".join("\t".join(line) for line in lines)


def distance_words(ulps: float) -> str:
    """Return a distance in ULP: whole where it is large, in powers of ten where it is huge."""
    if not 100 <= ulps < 1e9:
        return numbers.compact(ulps, 3)
    return numbers.grouped(round(ulps))


def _plain(value: Value) -> str:
    return repr(value).strip("()")
