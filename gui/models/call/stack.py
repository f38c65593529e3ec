"""The frames of one side's call stack, innermost first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from core.records.stacks import Frame
from gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


class StackList(QAbstractListModel):
    """One item a frame: the code as text, place and function as detail."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.frames: tuple[Frame, ...] = ()
        self._changed: tuple[bool, ...] = ()

    def set_frames(self, frames: tuple[Frame, ...], changed: tuple[bool, ...]) -> None:
        """Show another stack; *changed* says which frames the other side lacks."""
        self.beginResetModel()
        self.frames, self._changed = frames, changed
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.frames)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        frame = self.frames[index.row()]
        place = f"{frame.path}:{frame.line}" if frame.line else frame.path
        if role == Qt.ItemDataRole.DisplayRole:
            return frame.code.strip() or frame.function
        if role == Role.DETAIL:
            return f"{place}  {frame.function}".strip()
        if role == Role.CHANGED:
            return self._changed[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{place}\n{frame.function}\n{frame.code.strip()}"
        return None

    def as_text(self) -> str:
        """Return the stack as people paste it."""
        return "\n".join(
            f"{frame.path}:{frame.line} {frame.function}\n    {frame.code.strip()}" for frame in self.frames
        )
