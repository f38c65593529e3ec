"""Small pictures of one slot in all cells: ranks under each other, steps beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from core.records.run import CellKey
from gui.looks.theme import Theme
from gui.models.pair.suspects import cell_label
from gui.widgets.arrow_keys import ARROWS
from gui.widgets.verdict_icon import paint_category

_GAP, _LABEL, _EDGE = 8, 18, 10
_LEAST, _MOST = 90, 560
"""Pixels of the width of a tile."""
_LEAST_TALL, _MOST_TALL = 40, 400
"""Pixels of the height of a picture."""
_SHAPES = 0.3, 0.72
"""Height of a picture as a share of its width, where there is little room and at best."""


@dataclass(frozen=True)
class Tile:
    """What is drawn of one cell: a picture, or words in its place."""

    category: int | None = None
    image: QImage | None = None
    words: str = ""
    tip: str = ""


class TileCanvas(QAbstractScrollArea):
    """Draws the tiles in sight. The arrow keys go from tile to tile, Enter opens a cell."""

    chosen = Signal(object)
    """The :class:`CellKey` whose tile was clicked."""
    sight_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.tiles: Mapping[CellKey, Tile] = {}
        self._cells: tuple[CellKey, ...] = ()
        self._steps: Sequence[tuple[str, int]] = ()
        self._ranks: Sequence[int] = ()
        self._spots: dict[CellKey, tuple[int, int]] = {}
        """Row and column of each cell."""
        self._grid = False
        self._rows, self._columns = 0, 0
        self.picture_size = QSize(_LEAST, _LEAST_TALL)
        """Pixels of a picture."""
        self.current: CellKey | None = None
        self._pointed: CellKey | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self.setMinimumHeight(110)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._scroll)
        theme.changed.connect(self.viewport().update)

    # ---- content

    def show_cells(self, cells: Sequence[CellKey], current: CellKey | None) -> None:
        """Lay out *cells*: a row a rank and a column a step; in lines if there is one of either."""
        self._cells = tuple(cells)
        self._steps = sorted({(key.phase, key.step) for key in cells})
        self._ranks = sorted({key.rank for key in cells})
        self._grid = len(self._steps) > 1 and len(self._ranks) > 1
        self.current = self._pointed = current
        self._lay()
        if current is not None:
            self.bring(current)

    def show_tiles(self, tiles: Mapping[CellKey, Tile]) -> None:
        """Draw *tiles*, which may be fewer than there are cells."""
        self.tiles = tiles
        self.viewport().update()

    # ---- geometry

    def _best_size(self) -> tuple[int, QSize]:
        """Return in how many columns pictures of which size show all cells at once, as large as can be.

        Where not even small ones do, the smallest, and the rest is scrolled to.
        """
        wide, tall = self.viewport().width() - 2 * _EDGE + _GAP, self.viewport().height() - 2 * _EDGE + _GAP
        count = max(len(self._cells), 1)
        best, columns = QSize(), 0
        for wanted in (len(self._steps),) if self._grid else range(1, count + 1):
            width = min(wide // wanted - _GAP, _MOST)
            lines = len(self._ranks) if self._grid else -(-count // wanted)
            height = min(tall // lines - _LABEL - _GAP, round(width * _SHAPES[1]), _MOST_TALL)
            width = min(width, round(height / _SHAPES[0]))
            if width >= _LEAST and height >= _LEAST_TALL and width * height > best.width() * best.height():
                best, columns = QSize(width, height), wanted
        if columns:
            return columns, best
        columns = len(self._steps) if self._grid else max(wide // (_LEAST + _GAP), 1)
        width = min(max(wide // columns - _GAP, _LEAST), _MOST) if self._grid else _LEAST
        return columns, QSize(width, max(min(round(width * _SHAPES[1]), 65), _LEAST_TALL))

    def _lay(self) -> None:
        columns, self.picture_size = self._best_size()
        if self._grid:
            at_step = {step: column for column, step in enumerate(self._steps)}
            at_rank = {rank: row for row, rank in enumerate(self._ranks)}
            self._spots = {key: (at_rank[key.rank], at_step[key[:2]]) for key in self._cells}
        else:
            self._spots = {key: divmod(at, columns) for at, key in enumerate(self._cells)}
        self._rows = max((row for row, _ in self._spots.values()), default=-1) + 1
        self._columns = columns
        self._set_bars()
        self.viewport().update()

    def _set_bars(self) -> None:
        wide = self._columns * (self.picture_size.width() + _GAP) - _GAP + 2 * _EDGE
        tall = self._rows * self._line - _GAP + 2 * _EDGE
        for bar, length, room in (
            (self.horizontalScrollBar(), wide if self._grid else 0, self.viewport().width()),
            (self.verticalScrollBar(), tall, self.viewport().height()),
        ):
            bar.setRange(0, max(length - room, 0))
            bar.setPageStep(room)
            bar.setSingleStep(self._line // 3)

    @property
    def _line(self) -> int:
        return self.picture_size.height() + _LABEL + _GAP

    def tile_rect(self, key: CellKey) -> QRect:
        """Return where a tile is in the viewport, its label included."""
        row, column = self._spots[key]
        x = _EDGE + column * (self.picture_size.width() + _GAP) - self.horizontalScrollBar().value()
        y = _EDGE + row * self._line - self.verticalScrollBar().value()
        return QRect(x, y, self.picture_size.width(), self._line - _GAP)

    def tile_at(self, where: QPointF) -> CellKey | None:
        """Return the cell under a point of the viewport."""
        place = where.toPoint()
        return next((key for key in self._spots if self.tile_rect(key).contains(place)), None)

    @property
    def in_sight(self) -> list[CellKey]:
        """The cells whose tiles are seen, from top to bottom."""
        view = self.viewport().rect()
        return [key for key in self._spots if self.tile_rect(key).intersects(view)]

    def bring(self, key: CellKey) -> None:
        """Bring a tile into sight."""
        if key not in self._spots:
            return
        box, view = self.tile_rect(key), self.viewport().rect()
        for bar, low, high, room in (
            (self.horizontalScrollBar(), box.left(), box.right(), view.width()),
            (self.verticalScrollBar(), box.top(), box.bottom(), view.height()),
        ):
            if low < 0:
                bar.setValue(bar.value() + low - _EDGE)
            elif high > room:
                bar.setValue(bar.value() + high - room + _EDGE)

    def _scroll(self) -> None:
        self.viewport().update()
        self.sight_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay()
        self.sight_changed.emit()

    def sizeHint(self) -> QSize:
        return QSize(600, 300)

    # ---- pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        key = self.tile_at(event.position())
        shape = Qt.CursorShape.PointingHandCursor if key is not None else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        key = self.tile_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and key is not None:
            self._point_at(key)
            self.chosen.emit(key)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            key = self.tile_at(QPointF(event.pos()))
            tile = self.tiles.get(key) if key is not None else None
            QToolTip.showText(event.globalPos(), tile.tip if tile is not None else "", self)
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = ARROWS.get(Qt.Key(event.key()))
        if step is not None and self._spots:
            self._go(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._pointed is not None:
            self.chosen.emit(self._pointed)
        else:
            super().keyPressEvent(event)

    def _go(self, step: tuple[int, int]) -> None:
        """Go to the next tile in a direction; without one at hand, to the first."""
        key_at = {spot: key for key, spot in self._spots.items()}
        row, column = self._spots.get(self._pointed, (0, 0)) if self._pointed is not None else (0, 0)
        for far in range(1, max(self._rows, self._columns) + 1):
            found = key_at.get((row + step[0] * far, column + step[1] * far))
            if found is not None:
                self._point_at(found)
                self.bring(found)
                return

    def _point_at(self, key: CellKey) -> None:
        self._pointed = key
        tile = self.tiles.get(key, Tile())
        self.viewport().setAccessibleDescription(f"{cell_label(key)} {tile.tip}")
        self.viewport().update()

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            for key in self.in_sight:
                self._paint_tile(painter, key, self.tiles.get(key, Tile()))

    def _paint_tile(self, painter: QPainter, key: CellKey, tile: Tile) -> None:
        box = self.tile_rect(key)
        picture = QRect(box.topLeft() + QPoint(0, _LABEL), self.picture_size)
        colours = self._theme.colours
        left = box.left()
        if tile.category is not None:
            paint_category(painter, QPointF(left + 7, box.top() + _LABEL / 2 - 1), tile.category, colours, 10)
            left += 18
        font = QFont(self.font())
        font.setPixelSize(11)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text" if key == self.current else "dim"))
        label = QRect(left, box.top(), box.right() - left, _LABEL)
        words = painter.fontMetrics().elidedText(cell_label(key), Qt.TextElideMode.ElideLeft, label.width())
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, words)
        painter.fillRect(picture, QColor(colours.second))
        if tile.image is not None:
            smaller = tile.image.width() <= picture.width() and tile.image.height() <= picture.height()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not smaller)
            painter.drawImage(picture, tile.image)
        elif tile.words:
            painter.setPen(self._theme.colour("dim"))
            inside = picture.adjusted(6, 4, -6, -4)
            painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, tile.words)
        self._paint_frame(painter, QRectF(picture), key)

    def _paint_frame(self, painter: QPainter, picture: QRectF, key: CellKey) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawRect(picture.adjusted(0.5, 0.5, -0.5, -0.5))
        if key == self.current:
            painter.setPen(QPen(self._theme.colour("text"), 2))
            painter.drawRect(picture.adjusted(-1, -1, 1, 1))
        if key == self._pointed and self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRect(picture.adjusted(-3, -3, 3, 3))
