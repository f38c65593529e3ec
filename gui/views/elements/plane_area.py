"""A plane as a table of any size: what is in sight, where it is, and what rows and columns are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from core.metrics.pictures.plane import Plane, Region, Shape
from gui.looks.theme import Theme
from gui.views.elements.cell_words import CellWords

if TYPE_CHECKING:
    from core.metrics.inspection.elements import ValueWindow

LINE, PADDING, TOP = 13, 6, 20
"""Pixels of a line in a cell, around it, and of the names of columns."""
_FONT = 11
_LEAST_WIDTH, _MOST_SIGNS = 64, 34
"""Pixels of a column at least, and signs of the fixed font in it at most; longer numbers are cut."""
_MOST_PLACES = 2**31 - 1
"""That a scroll bar counts."""

Cell = tuple[int, int]


class PlaneArea(QAbstractScrollArea):
    """Holds the numbers of what is in sight; its scroll bars count rows and columns."""

    sight_changed = Signal()
    """Other rows or columns are to be seen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape: Shape = ()
        self._plane = Plane()
        self.rows, self.columns = 0, 0
        self.words = CellWords()
        self.held: ValueWindow | None = None
        """The numbers that are here."""
        self.current: Cell | None = None
        """The cell that the user looks at."""
        self.rectangle: Region | None = None
        self._anchor: Cell | None = None
        """Where the marking of a rectangle began."""
        self._font = theme.fixed_font(_FONT)
        self._width = _LEAST_WIDTH
        """Pixels of a column: as wide as the widest number that was seen of this plane."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.setMinimumSize(160, 90)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._scroll)
        theme.changed.connect(self.viewport().update)

    # ---- content

    def show_plane(self, shape: Shape, plane: Plane) -> None:
        """Show another plane; its numbers come with :meth:`show_window`."""
        self._shape, self._plane = shape, plane
        self.rows, self.columns = plane.size(shape)
        self.held, self.current, self.rectangle, self._anchor = None, None, None, None
        self._width = _LEAST_WIDTH
        self._set_bars()
        self.viewport().update()

    def show_window(self, window: ValueWindow | None) -> None:
        """Show these numbers, wherever in the plane they are."""
        self.held = window
        self._widen()
        self.viewport().update()

    def show_words(self, words: CellWords) -> None:
        """Write other numbers into the cells."""
        seen = self._cursor_seen
        self.words = words
        self._widen()
        if seen and self.current is not None:  # higher cells put others out of sight
            self._bring(*self.current)
        self.viewport().update()

    def mark_cursor(self, cursor: Cell | None) -> None:
        """Put the cursor on a cell, and bring it into sight."""
        self.current = cursor
        if cursor is not None:
            self._bring(*cursor)
        self.viewport().update()

    def mark_rectangle(self, rectangle: Region | None) -> None:
        """Outline a rectangle."""
        self.rectangle = rectangle
        if rectangle is None:
            self._anchor = None
        self.viewport().update()

    # ---- geometry

    @property
    def cell_size(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        return self._width, LINE * self.words.lines + PADDING - 2

    @property
    def _cursor_seen(self) -> bool:
        sight, cursor = self.sight, self.current
        return (
            cursor is not None
            and sight.top <= cursor[0] < sight.bottom
            and sight.left <= cursor[1] < sight.right
        )

    def _widen(self) -> None:
        """Make the columns as wide as the widest number in sight; never narrower, so that nothing jumps."""
        sight, metrics = self.sight, self._metrics
        longest = max(
            (
                metrics.horizontalAdvance(words)
                for row in range(sight.top, sight.bottom)
                for column in range(sight.left, sight.right)
                if (found := self.words.at(self.held, row, column)) is not None
                for words, _ in found.lines
            ),
            default=0,
        )
        most = metrics.horizontalAdvance("0") * _MOST_SIGNS
        wanted = min(longest + 2, most) + 2 * PADDING
        seen = self._cursor_seen
        wider = wanted > self._width
        self._width = max(self._width, wanted)
        self._set_bars()
        if wider and seen and self.current is not None:
            self._bring(*self.current)

    @property
    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._font)

    @property
    def _left(self) -> int:
        """Pixels of the names of rows."""
        longest = max((len(self._row_name(row)) for row in (0, max(self.rows - 1, 0))), default=1)
        return self._metrics.horizontalAdvance("0") * longest + 2 * PADDING

    @property
    def sight(self) -> Region:
        """The rows and columns that are seen, those that are cut off included."""
        width, height = self.cell_size
        left, top = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        across = max(self.viewport().width() - self._left, 0) // width + 1
        down = max(self.viewport().height() - TOP, 0) // height + 1
        return Region(top, top + down, left, left + across).clipped(self.rows, self.columns)

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return where a cell is in the viewport."""
        width, height = self.cell_size
        x = self._left + (column - self.horizontalScrollBar().value()) * width
        y = TOP + (row - self.verticalScrollBar().value()) * height
        return QRect(x, y, width, height)

    def cell_at(self, where: QPointF, clipped: bool = False) -> Cell | None:
        """Return the cell under a point of the viewport; the nearest one if *clipped*."""
        width, height = self.cell_size
        column = int((where.x() - self._left) // width) + self.horizontalScrollBar().value()
        row = int((where.y() - TOP) // height) + self.verticalScrollBar().value()
        if clipped and self.rows and self.columns:
            return min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)
        inside = where.x() >= self._left and where.y() >= TOP and row < self.rows and column < self.columns
        return (row, column) if inside else None

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def _set_bars(self) -> None:
        width, height = self.cell_size
        across = max((self.viewport().width() - self._left) // width, 1)
        down = max((self.viewport().height() - TOP) // height, 1)
        for bar, count, seen in (
            (self.horizontalScrollBar(), self.columns, across), (self.verticalScrollBar(), self.rows, down),
        ):  # fmt: skip
            bar.setRange(0, min(max(count - seen, 0), _MOST_PLACES))
            bar.setPageStep(seen)
            bar.setSingleStep(1)

    def _bring(self, row: int, column: int) -> None:
        """Bring a cell into sight; one that was far away comes into the middle."""
        for bar, at in ((self.horizontalScrollBar(), column), (self.verticalScrollBar(), row)):
            seen = bar.pageStep()
            if at == bar.value() - 1:
                bar.setValue(at)
            elif at == bar.value() + seen:
                bar.setValue(at - seen + 1)
            elif not bar.value() <= at < bar.value() + seen:
                bar.setValue(at - seen // 2)

    def _scroll(self) -> None:
        self._widen()
        self.viewport().update()
        self.sight_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_bars()
        if self.current is not None:
            self._bring(*self.current)
        self.sight_changed.emit()

    # ---- names

    def _row_name(self, row: int) -> str:
        fold = self._plane.fold(self._shape)
        if fold and self.rows > 1:
            return f"{row * fold}–{min((row + 1) * fold, self._shape[0]) - 1}"
        return self._name(row, self._plane.rows)

    def _column_name(self, column: int) -> str:
        """Return the index along the columns; of a folded tensor how far it is from the row's first."""
        if self._plane.fold(self._shape) and self.rows > 1:
            return f"+{column}"
        return self._name(column, self._plane.columns) if self._plane.columns else str(column)

    def _name(self, number: int, axes: tuple[int, ...]) -> str:
        """Return the indices of *axes*, merged into *number*."""
        indices = []
        for axis in reversed(axes):
            number, index = divmod(number, max(self._shape[axis], 1))
            indices.append(str(index))
        return ",".join(reversed(indices))
