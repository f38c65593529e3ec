"""The call stacks of both sides in two columns, a row a pair of frames, innermost first."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.stack_pairs import Agreement, FramePair
from core.records.stacks import Frame, is_own
from gui.models.headings import heading
from gui.models.roles import Role
from gui.names import shown, shown_lines

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_TITLES = ("gui.target", "gui.golden")
_SIGNS = {
    Agreement.CHANGED: "≠",
    Agreement.MOVED: "~",
    Agreement.TARGET_ONLY: "−",
    Agreement.GOLDEN_ONLY: "+",
}


class FrameRole(IntEnum):
    """What only frames answer to."""

    FUNCTION = Qt.ItemDataRole.UserRole + 40
    """What stands behind the place, :attr:`gui.models.roles.Role.DETAIL`."""
    SIGN = Qt.ItemDataRole.UserRole + 41
    """The sign of how the pair agrees; empty where it does, and where there is nothing to compare with."""
    FOREIGN = Qt.ItemDataRole.UserRole + 42
    """Whether the frame is the framework's."""
    CALLED_HERE = Qt.ItemDataRole.UserRole + 43
    """Whether it is the line of the user's own code that made the call."""


class StackTable(QAbstractTableModel):
    """Both sides; :attr:`own_only` leaves the framework's frames out."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.pairs: list[FramePair] = []
        self.own_only = False
        self._all: list[FramePair] = []
        self._callers: tuple[Frame | None, Frame | None] = (None, None)
        self._compared = False

    def set_pairs(self, pairs: list[FramePair], compared: bool) -> None:
        """Show other stacks; *compared* tells that both sides have one."""
        self._all, self._compared = pairs, compared
        self._callers = _caller(pair.target for pair in pairs), _caller(pair.golden for pair in pairs)
        self._choose()

    def show_own_only(self, wanted: bool) -> None:
        """Leave the framework's frames out, or show them too."""
        self.own_only = wanted
        self._choose()

    def _choose(self) -> None:
        self.beginResetModel()
        self.pairs = [pair for pair in self._all if not self.own_only or _has_own(pair)]
        self.endResetModel()

    @property
    def differs(self) -> tuple[bool, bool]:
        """Whether the sides differ in the user's own frames, and in the framework's; also those left out."""
        apart = [pair for pair in self._all if self._compared and pair.agreement >= Agreement.CHANGED]
        return any(map(_has_own, apart)), not all(map(_has_own, apart))

    @property
    def first_differing(self) -> int:
        """The first row that differs, in the user's own code if there; -1 for none."""
        if not self._compared:
            return -1
        rows = [row for row, pair in enumerate(self.pairs) if pair.agreement >= Agreement.CHANGED]
        own = [row for row in rows if _has_own(self.pairs[row])]
        return next(iter([*own, *rows]), -1)

    @property
    def caller(self) -> int:
        """The row of the user's line that made the call; -1 for none."""
        for side, frame in enumerate(self._callers):
            for row, pair in enumerate(self.pairs):
                if frame is not None and _side(pair, side) is frame:
                    return row
        return -1

    def frame(self, row: int, column: int) -> Frame | None:
        """Return one frame; ``None`` in a gap."""
        return _side(self.pairs[row], column) if 0 <= row < len(self.pairs) else None

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.pairs)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        pair = self.pairs[index.row()]
        frame = _side(pair, index.column())
        if role == FrameRole.SIGN:
            return _SIGNS.get(pair.agreement, "") if self._compared and frame is not None else ""
        if frame is None:
            return text("gui.stack.gap") if role == Qt.ItemDataRole.AccessibleTextRole else None
        place = shown(f"{frame.path}:{frame.line}" if frame.line else frame.path)
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(frame.code.strip() or frame.function)
        if role == Role.DETAIL:
            return place
        if role == FrameRole.FUNCTION:
            return shown(frame.function)
        if role == Role.CHANGED:
            return self._compared and pair.agreement >= Agreement.CHANGED
        if role == FrameRole.FOREIGN:
            return not is_own(frame)
        if role == FrameRole.CALLED_HERE:
            return frame is self._callers[index.column()]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = [place, shown(frame.function), shown_lines(frame.code.strip())]
            if self._compared:
                words.append(text(f"gui.stack.{pair.agreement.name.lower()}"))
            if frame is self._callers[index.column()]:
                words.append(text("gui.stack.called_here"))
            return "\n".join(word for word in words if word)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return heading([text(code) for code in _TITLES], section, orientation, role)

    def retranslate(self) -> None:
        """Tell views that headings changed."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)

    def as_text(self, column: int) -> str:
        """Return one side's stack as people paste it."""
        return "\n".join(
            f"{frame.path}:{frame.line} {frame.function}\n    {frame.code.strip()}"
            for pair in self.pairs
            if (frame := _side(pair, column)) is not None
        )


def _side(pair: FramePair, column: int) -> Frame | None:
    return pair.golden if column else pair.target


def _has_own(pair: FramePair) -> bool:
    return any(frame is not None and is_own(frame) for frame in (pair.target, pair.golden))


def _caller(frames: Any) -> Frame | None:
    return next((frame for frame in frames if frame is not None and frame.line and is_own(frame)), None)
