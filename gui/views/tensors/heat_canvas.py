"""A plane as a heat map: an overview of all of it, and over that the part in sight in finer detail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from core.metrics.pictures.coarsening import coarsen
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Theme
from gui.tensors.painting import paint
from gui.tensors.scales import Shades
from gui.tensors.sight import Sight
from gui.tensors.spreading import shown_at, spread
from gui.views.tensors.plane_canvas import PlaneCanvas

_ALL_EDGES = 2
"""Pixels of the screen more than of a picture: at both edges of what is in sight one may be cut."""
_Spread = tuple[int, NDArray[np.intp]]


@dataclass(slots=True)
class _Layer:
    """A picture, and its pixels once they were wanted."""

    picture: Picture
    packed: NDArray[np.uint32] | None = None


class HeatCanvas(PlaneCanvas):
    """Shows every pixel of its pictures: one that is too fine for the screen is reduced or left out."""

    def __init__(self, theme: Theme, sight: Sight) -> None:
        super().__init__(theme, sight)
        self._shades: Shades | None = None
        self._overview: _Layer | None = None
        self._part: _Layer | None = None
        self._image: QImage | None = None
        self._drawn: tuple[float, ...] = ()
        """What the image was composed for."""

    @property
    def filled(self) -> bool:
        return self._overview is not None

    def pixels(self) -> tuple[int, int]:
        """Return the most rows and columns that a picture of all in sight may have."""
        ratio = self.devicePixelRatioF()
        return (
            max(int(self.height() * ratio) - _ALL_EDGES, 8),
            max(int(self.width() * ratio) - _ALL_EDGES, 8),
        )

    def show_overview(self, picture: Picture | None) -> None:
        """Draw *picture* of the whole plane; what was finer is of another one."""
        self._overview = _Layer(picture) if picture is not None and picture.values.size else None
        self._part = None
        self._image = None
        self.update()

    def show_part(self, picture: Picture | None) -> None:
        """Draw *picture* over the region that it covers."""
        self._part = _Layer(picture) if picture is not None and picture.values.size else None
        self._image = None
        self.update()

    def set_shades(self, shades: Shades) -> None:
        """Draw by other colours."""
        self._shades = shades
        for layer in (self._overview, self._part):
            if layer is not None:
                layer.packed = None
        self._image = None
        self.update()

    def image(self) -> QImage | None:
        """Return what is in sight, without anything over it, in the pixels of the screen."""
        if self._overview is None or self._shades is None:
            return None
        ratio = self.devicePixelRatioF()
        tall, wide = self._screen
        sight = self.sight
        wanted = (sight.top, sight.left, sight.height, sight.width, tall, wide)
        if self._image is None or self._drawn != wanted:
            self._image, self._drawn = self._compose(tall, wide), wanted
            self._image.setDevicePixelRatio(ratio)
        return self._image

    @property
    def _screen(self) -> tuple[int, int]:
        """Rows and columns of the screen's pixels."""
        ratio = self.devicePixelRatioF()
        return max(int(self.height() * ratio), 1), max(int(self.width() * ratio), 1)

    def place_at(self, where: QPointF) -> tuple[int, int]:
        """Return row and column under a point: of an element that the pixel there shows."""
        place = super().place_at(where)
        if self.image() is None:
            return place
        pixel = self.pixel_at(where)
        for layer in (self._part, self._overview):
            if layer is None:
                continue
            region, block = layer.picture.region, layer.picture.block
            rows, columns = self._spread(layer.picture, *self._screen)
            down = shown_at(rows, region.top, region.bottom, block[0], pixel[0])
            across = shown_at(columns, region.left, region.right, block[1], pixel[1])
            if down is not None and across is not None:
                return min(max(place[0], down[0]), down[1]), min(max(place[1], across[0]), across[1])
        return place

    def _paint_picture(self, painter: QPainter) -> None:
        image = self.image()
        if image is not None:
            painter.drawImage(QPointF(0, 0), image)

    def _compose(self, tall: int, wide: int) -> QImage:
        screen = np.zeros((tall, wide), np.uint32)
        assert self._overview is not None
        while not self._lay(screen, self._overview) and max(self._overview.picture.values.shape) > 1:
            picture = self._overview.picture
            fine = [
                size > 1 and found is None
                for size, found in zip(picture.values.shape, self._spread(picture, tall, wide))
            ]
            if not any(fine):  # out of sight
                break
            self._overview = _Layer(coarsen(picture, (1 + fine[0], 1 + fine[1])))
        if self._part is not None:
            self._lay(screen, self._part)
        pixels = screen.view(np.uint8)
        made = QImage(pixels.data, wide, tall, 4 * wide, QImage.Format.Format_RGBA8888_Premultiplied)
        return made.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)

    def _spread(self, picture: Picture, tall: int, wide: int) -> tuple[_Spread | None, _Spread | None]:
        """Return which rows and columns of *picture* the screen shows; ``None`` where it has fewer."""
        region, block, sight = picture.region, picture.block, self.sight
        return (
            spread(region.top, region.bottom, block[0], sight.top, sight.height, tall),
            spread(region.left, region.right, block[1], sight.left, sight.width, wide),
        )

    def _lay(self, screen: NDArray[np.uint32], layer: _Layer) -> bool:
        """Draw *layer* where it is in sight; not where the screen has fewer pixels than it."""
        picture = layer.picture
        rows, columns = self._spread(picture, *screen.shape)
        if rows is None or columns is None:
            return False
        if layer.packed is None:
            assert self._shades is not None
            painted = paint(picture, self._shades, self._theme.colours)
            layer.packed = painted.view(np.uint32)[..., 0]
        (top, down), (left, across) = rows, columns
        found = layer.packed[down[0] : down[-1] + 1, across[0] : across[-1] + 1]
        found = np.take(found, across - across[0], axis=1)
        screen[top : top + len(down), left : left + len(across)] = np.take(found, down - down[0], axis=0)
        return True
