"""Which part of a plane is in sight; panes that show the same part share one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.metrics.pictures.plane import Region

_CLOSEST = 4
"""Rows and columns that stay in sight, however near one goes."""


class Sight(QObject):
    """A rectangle of a plane of :attr:`rows` × :attr:`columns`; its ends may lie within an element."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows = self.columns = 1
        self.top = self.left = 0.0
        self.height = self.width = 1.0

    @property
    def whole(self) -> bool:
        """Whether all of the plane is in sight."""
        return self.height >= self.rows and self.width >= self.columns

    def set_plane(self, rows: int, columns: int) -> None:
        """Look at another plane; what is in sight stays where the size is the same, else it is all."""
        rows, columns = max(rows, 1), max(columns, 1)
        if (rows, columns) != (self.rows, self.columns):
            self.rows, self.columns = rows, columns
            self.fit()

    def fit(self) -> None:
        """Look at all of the plane."""
        self.look(0.0, 0.0, float(self.rows), float(self.columns))

    def look(self, top: float, left: float, height: float, width: float) -> None:
        """Look at this part, as far as it lies in the plane."""
        height = min(max(height, min(_CLOSEST, self.rows)), float(self.rows))
        width = min(max(width, min(_CLOSEST, self.columns)), float(self.columns))
        top = min(max(top, 0.0), self.rows - height)
        left = min(max(left, 0.0), self.columns - width)
        if (top, left, height, width) != (self.top, self.left, self.height, self.width):
            self.top, self.left, self.height, self.width = top, left, height, width
            self.changed.emit()

    def zoom(self, factor: float, row: float, column: float) -> None:
        """Show *factor* times as much, while *row* and *column* stay where they are."""
        height = min(max(self.height * factor, min(_CLOSEST, self.rows)), float(self.rows))
        width = min(max(self.width * factor, min(_CLOSEST, self.columns)), float(self.columns))
        top = row - (row - self.top) * height / self.height
        left = column - (column - self.left) * width / self.width
        self.look(top, left, height, width)

    def pan(self, rows: float, columns: float) -> None:
        """Move on by *rows* and *columns*."""
        self.look(self.top + rows, self.left + columns, self.height, self.width)

    def bring(self, row: int, column: int) -> None:
        """Move as little as brings an element into sight."""
        top = min(max(self.top, row + 1 - self.height), float(row))
        left = min(max(self.left, column + 1 - self.width), float(column))
        self.look(top, left, self.height, self.width)

    def region(self, margin: float = 0.0) -> Region:
        """Return the elements in sight, and *margin* times as many beyond each edge."""
        tall, wide = self.height * margin, self.width * margin
        return Region(
            max(int(self.top - tall), 0), min(int(-(-(self.top + self.height + tall) // 1)), self.rows),
            max(int(self.left - wide), 0), min(int(-(-(self.left + self.width + wide) // 1)), self.columns),
        )  # fmt: skip
