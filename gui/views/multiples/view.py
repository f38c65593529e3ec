"""The slot of the shown pair over steps and ranks, as small pictures on one range of colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QImage, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from core.progress import Progress
from core.records.result import Reason
from core.records.run import CellKey
from gui import numbers
from gui.comparison.slot_cells import SlotCells
from gui.comparison.slot_cells_work import SlotCell, key_of_row
from gui.context import Context
from gui.models.pair.categories import Category
from gui.processes.picture_client import PictureClient
from gui.tensors.shown_pair import ShownPair
from gui.views.multiples.pictures import CellPictures
from gui.views.multiples.range_key import RangeKey
from gui.views.multiples.tiles import Tile, TileCanvas
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.quiet_progress import QuietProgress
from gui.widgets.segments import Segments
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from core.metrics.pictures.reduction import Picture
    from gui.tensors.scales import Shades

_GROWN = 1.3
"""How much larger pictures are drawn before finer ones are asked for."""
_SOON = 40
"""Milliseconds of arriving and scrolling that are drawn together."""


class MultiplesView(Translated, QWidget):
    """Looks the slot up in all cells while it is to be seen, and draws the cells in sight first."""

    def __init__(self, context: Context, pair: ShownPair) -> None:
        super().__init__()
        self._context, self._theme, self._pair = context, context.theme, pair
        self.cells = SlotCells(context.session, self)
        self.pictures = CellPictures(PictureClient(context.session.pictures, self), self)
        self._images: dict[CellKey, QImage] = {}
        self._drawn_by: object = None
        """The range by which the images are drawn."""
        self._shown_for: object = None
        self._drawn_width = 0
        """Pixels of a picture when pictures were asked for."""
        self.shown = Segments(("difference", "target", "golden"))
        self.shown.choose(context.settings.multiples_shown)
        self.range, self.key, self.reading = ElidedLabel(), RangeKey(context.theme), QuietProgress()
        self.range.setObjectName("dim")
        self.canvas, self._note = TileCanvas(context.theme), EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.canvas)
        self._stack.addWidget(self._note)
        heading = QHBoxLayout()
        heading.setContentsMargins(12, 8, 12, 4)
        heading.setSpacing(10)
        for part in (self.shown, self.range, self.key):
            heading.addWidget(part)
        heading.addWidget(self.reading, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(heading)
        column.addWidget(self._stack, 1)
        self._draw_soon = QTimer(self)
        self._draw_soon.setSingleShot(True)
        self._draw_soon.setInterval(_SOON)
        self._draw_soon.timeout.connect(self._draw)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.shown.chosen.connect(self._choose_shown)
        self.canvas.chosen.connect(self._open)
        self.canvas.sight_changed.connect(self._follow_size)
        self.cells.changed.connect(self._draw_soon.start)
        self.cells.progressed.connect(self._say_progress)
        self.pictures.changed.connect(self._draw_soon.start)
        self._pair.changed.connect(self._follow)
        self._pair.plane_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)

    @property
    def said(self) -> str:
        """Why there are no pictures; empty where there are."""
        return self._note.sentence if self._stack.currentIndex() else ""

    # ---- asking

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.cells.pause()
        self.pictures.stop()
        self._shown_for = None

    def _follow(self) -> None:
        """Look the slot of the shown pair up, if it is another one."""
        if not self.isVisible():
            return
        selected = self._pair.focus.selected
        key = key_of_row(selected[0], selected[2]) if selected is not None else None
        if key is None or not self.cells.possible:
            nothing = text("gui.detail.nothing_selected") if key is None else text("gui.multiples.one_cell")
            self._note.set_texts(nothing)
            self._stack.setCurrentIndex(1)
            return
        assert selected is not None
        self._stack.setCurrentIndex(0)
        self.shown.setVisible(not self._pair.focus.exploring)
        self.cells.look_up(key)
        if self.cells.working:
            self.reading.begin()
        self.canvas.show_cells(self.cells.cells, selected[0].key)
        self._begin_pictures(key)

    def _begin_pictures(self, key: object = None) -> None:
        shown = "target" if self._pair.focus.exploring else self.shown.word
        size, ratio = self.canvas.picture_size, self.devicePixelRatioF()
        wanted = (key, self._pair.plane, shown)
        if key is None or wanted != self._shown_for:
            self._shown_for = wanted if key is not None else None
            self._drawn_width = size.width()
            self.pictures.begin(
                shown, self._pair.plane, (int(size.height() * ratio), int(size.width() * ratio))
            )
            self._images.clear()
        self._draw_soon.start()

    def _follow_size(self) -> None:
        """Draw anew what would be seen much larger than it was drawn."""
        if self._shown_for is not None and self.canvas.picture_size.width() > _GROWN * self._drawn_width:
            self._shown_for = None
            self._follow()
        self._draw_soon.start()

    def _say_progress(self, progress: Progress) -> None:
        self.reading.show_progress(progress)

    def _choose_shown(self, word: str) -> None:
        self._context.settings.multiples_shown = word
        self._begin_pictures()

    def _open(self, key: CellKey) -> None:
        """Go to a cell, and to the same slot in it."""
        found = self.cells.found.get(key)
        if found is None or found.row < 0:
            self._context.session.choose_cell(key)
        else:
            self._context.session.show_row(key, found.row)

    # ---- drawing

    def _draw(self) -> None:
        if not self.isVisible() or self._stack.currentIndex():
            return
        if not self.cells.working:
            self.reading.end()
        found = self.cells.found
        self.pictures.want(found[key] for key in self.canvas.in_sight if key in found)
        self._paint_pictures()
        self.canvas.show_tiles({key: self._tile(key, found.get(key)) for key in self.cells.cells})

    def _paint_pictures(self) -> None:
        """Draw the new pictures, and all of them where the range has grown."""
        from gui.tensors.painting import paint

        pictures = self.pictures.pictures
        if not pictures:
            self.range.setText("")
            self.key.show_shades(None)
            return
        shades = self._shades()
        by = (shades.low, shades.high, self._theme.colours)
        if by != self._drawn_by:
            self._images.clear()
            self._drawn_by = by
        self._images = {key: image for key, image in self._images.items() if key in pictures}
        for key, picture in pictures.items():
            if key not in self._images:
                self._images[key] = _image(paint(picture, shades, self._theme.colours))
        self._say_range(shades)

    def _shades(self) -> Shades:
        from gui.tensors.scales import (
            difference_shades,
            diverging,
            sequential,
            symmetric_limit,
            value_range,
            value_shades,
        )

        pictures: list[Picture] = list(self.pictures.pictures.values())
        if self._of_difference:
            limits = [symmetric_limit(picture) for picture in pictures if picture.minimum or picture.maximum]
            return difference_shades(diverging(self._theme.colours), max(limits, default=1.0))
        return value_shades(sequential(), *value_range(pictures))

    @property
    def _of_difference(self) -> bool:
        return self.shown.word == "difference" and not self._pair.focus.exploring

    def _say_range(self, shades: Shades) -> None:
        pictures = self.pictures.pictures.values()
        if self._of_difference and not any(picture.minimum or picture.maximum for picture in pictures):
            self.range.setText(text("gui.multiples.none_differs"))
            self.key.show_shades(None)
            return
        self.range.setText(text("gui.multiples.range"))
        self.key.show_shades(shades)

    def _tile(self, key: CellKey, found: SlotCell | None) -> Tile:
        if found is None:
            return Tile(words=text("gui.multiples.looking") if self.cells.working else "")
        if found.row < 0:
            return Tile(words=text("gui.multiples.no_slot"), tip=text("gui.multiples.no_slot"))
        category = None if self._pair.focus.exploring else found.category
        tip = self._tip(found)
        image = self._images.get(key)
        if image is not None:
            return Tile(category, image, tip=tip)
        words = self.pictures.reasons.get(key, "")
        if found.sources is None:
            words = text("gui.multiples.no_bytes")
        return Tile(category, words=words, tip=f"{tip}\n{words}".strip())

    def _tip(self, found: SlotCell) -> str:
        if self._pair.focus.exploring:
            return ""
        word = Category(found.category).word
        reason = Reason(found.reason)
        parts = [word, text(f"reason.{reason.name.lower()}")]
        if np.isfinite(found.error):
            parts.append(text("gui.multiples.error", error=numbers.scientific(found.error)))
        return "\n".join(part for part in parts if part)

    def _restyle(self) -> None:
        self._drawn_by = None
        self._draw_soon.start()

    def copied_text(self) -> str:
        """Return the verdict and the error of the slot in each cell."""
        lines = []
        for key in self.cells.cells:
            found = self.cells.found.get(key)
            if found is not None and found.row >= 0:
                error = "" if found.error != found.error else repr(found.error)
                lines.append(f"{key.label()}\t{Category(found.category).word}\t{error}")
        return "\n".join(lines)

    def retranslate(self) -> None:
        self.shown.say(
            text("gui.multiples.shown"),
            (text("gui.tensors.difference"), text("gui.target"), text("gui.golden")),
        )
        for part in (self.range, self.key):
            part.setToolTip(text("gui.multiples.range.help"))
        self.canvas.setAccessibleName(text("gui.tab.cells"))
        self._draw_soon.start()


def _image(pixels: np.ndarray) -> QImage:
    height, width = pixels.shape[:2]
    kept = np.ascontiguousarray(pixels)
    return QImage(kept.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
