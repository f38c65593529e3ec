"""What the heat map is made of, and where it stands on the widget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from gui.looks.theme import Colours
from gui.models.trends.scale import Special
from gui.trends.drawing import Drawing, Region
from gui.trends.planes import PlaneFacts
from gui.views.trends.colours import HATCHED, image_of, mask_of, palette_of
from gui.widgets.lane_axis import LaneAxis

MARKS = 5
"""Pixels of the lane with marks beside the layers, and of the one above the places."""


@dataclass
class Layer:
    """A drawing as images."""

    drawing: Drawing
    image: QImage
    masks: dict[Special, QImage]
    """Of what is hatched."""


@dataclass
class MapScene:
    """Layers down, steps or ranks across."""

    columns: LaneAxis
    rows: LaneAxis
    facts: PlaneFacts | None = None
    names: tuple[str, ...] = ()
    """Of the layers, without what all of them begin and end with."""
    overview: Layer | None = None
    part: Layer | None = None
    """Drawn over the overview, in more detail."""
    box: QRectF = field(default_factory=QRectF)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return (len(self.facts.layers), len(self.facts.places)) if self.facts is not None else (0, 0)

    def x(self, column: float) -> float:
        """Return the left edge of *column* on the widget."""
        return self.box.left() + self.columns.x(column)

    def y(self, row: float) -> float:
        """Return the upper edge of *row* on the widget."""
        return self.box.top() + self.rows.x(row)

    def cell(self, row: int, column: int) -> QRectF:
        """Return where a cell is on the widget."""
        left, top = self.x(column), self.y(row)
        return QRectF(left, top, self.x(column + 1) - left, self.y(row + 1) - top)

    def row_at(self, y: float) -> int:
        """Return the row at a height of the widget; -1 outside."""
        row = int(self.rows.row(y - self.box.top()) // 1)
        inside = self.box.top() <= y <= self.box.bottom() and 0 <= row < self.size[0]
        return row if inside else -1

    def column_at(self, x: float) -> int:
        """Return the column at a place of the widget; -1 outside."""
        column = int(self.columns.row(x - self.box.left()) // 1)
        inside = self.box.left() <= x <= self.box.right() and 0 <= column < self.size[1]
        return column if inside else -1

    @property
    def seen(self) -> Region:
        """The cells in sight."""
        rows, columns = self.size
        return Region(
            max(int(self.rows.left), 0), min(int(-(-self.rows.right // 1)), rows),
            max(int(self.columns.left), 0), min(int(-(-self.columns.right // 1)), columns),
        )  # fmt: skip

    def around(self) -> Region:
        """Return the cells in sight and half as many around them, for what comes into sight next."""
        seen, (rows, columns) = self.seen, self.size
        above, beside = (seen.bottom - seen.top) // 4 + 1, (seen.right - seen.left) // 4 + 1
        return Region(
            max(seen.top - above, 0), min(seen.bottom + above, rows),
            max(seen.left - beside, 0), min(seen.right + beside, columns),
        )  # fmt: skip

    def layers(self) -> Iterator[Layer]:
        """Yield what is drawn, the lower one first."""
        for layer in (self.overview, self.part):
            if layer is not None and not layer.image.isNull():
                yield layer

    def place(self, layer: Layer) -> tuple[QRectF, QRectF]:
        """Return which part of an image is in sight, and where on the widget it is drawn."""
        region = layer.drawing.region
        across = layer.image.width() / (region.right - region.left)
        down = layer.image.height() / (region.bottom - region.top)
        left, right = max(self.columns.left, region.left), min(self.columns.right, region.right)
        top, bottom = max(self.rows.left, region.top), min(self.rows.right, region.bottom)
        source = QRectF(
            (left - region.left) * across, (top - region.top) * down, (right - left) * across,
            (bottom - top) * down,
        )  # fmt: skip
        x, y = self.x(left), self.y(top)
        return source, QRectF(x, y, self.x(right) - x, self.y(bottom) - y)


def layer_of(drawing: Drawing | None, facts: PlaneFacts | None, colours: Colours) -> Layer | None:
    """Return a drawing in the colours in force."""
    if drawing is None or facts is None or drawing.side not in facts.scales:
        return None
    table = palette_of(facts.scales[drawing.side], colours)
    masks = {kind: mask_of(drawing.levels, kind) for kind in HATCHED if kind in drawing.kinds}
    return Layer(drawing, image_of(drawing.levels, table), masks)
