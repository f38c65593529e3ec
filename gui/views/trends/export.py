"""The heat map as a picture: as it is seen, with a heading, its legend, and the curve under it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QImageWriter, QPainter

from core.errors import InputError, Problem
from gui.looks.theme import Colours
from gui.views.trends.canvas import MapCanvas
from gui.views.trends.curve_canvas import CurveCanvas
from gui.views.trends.legend import MapLegend, paint_scale, paint_special

_RATIO = 2.0
"""Pixels a point: sharp on paper too."""
_PAD, _LINE = 14, 20


def write_picture(
    path: str, above: MapCanvas, below: CurveCanvas, legend: MapLegend, headings: list[str],
    colours: Colours,
) -> None:  # fmt: skip
    """Write what both canvases show to the PNG *path*.

    Raises
    ------
    InputError
        ``picture_not_written``: the file cannot be written.
    """
    top = _PAD + _LINE * len(headings) + 8
    curve = below.height() if below.scene.curve is not None else 0
    size = QSize(above.width(), top + above.height() + 40 + curve + _PAD)
    image = QImage(size * _RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_RATIO)
    painter = QPainter(image)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(colours.card))
    _write_headings(painter, headings, above.font(), size.width(), colours)
    painter.translate(0, top)
    painter.setFont(above.font())
    above.paint_still(painter, _RATIO)
    painter.translate(0, above.height() + 4)
    _write_legend(painter, legend, colours)
    if curve:
        painter.translate(0, 36)
        below.paint_still(painter, _RATIO)
    painter.end()
    held = QBuffer()
    held.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(held, b"PNG").write(image)
    try:
        Path(path).write_bytes(bytes(held.data().data()))
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("picture_not_written", path, {"detail": detail})) from None


def _write_headings(
    painter: QPainter, headings: list[str], font: QFont, width: int, colours: Colours
) -> None:
    strong = QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    for number, words in enumerate(headings):
        face = font if number else strong
        painter.setFont(face)
        painter.setPen(QColor(colours.dim if number else colours.text))
        cut = QFontMetrics(face).elidedText(words, Qt.TextElideMode.ElideRight, width - 2 * _PAD)
        line = QRectF(_PAD, _PAD - 4 + number * _LINE, width - 2 * _PAD, _LINE)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)


def _write_legend(painter: QPainter, legend: MapLegend, colours: Colours) -> None:
    left = float(_PAD)
    if legend.bar.scale is not None:
        paint_scale(painter, QRectF(left, 0, 300, 30), legend.bar.scale, colours)
        left += 316
    for chip in legend.chips.values():
        if not chip.isHidden():
            paint_special(painter, QPointF(left, 4), chip.special, colours, _RATIO)
            painter.setPen(QColor(colours.dim))
            painter.drawText(QRectF(left + 18, 0, 300, 20), Qt.AlignmentFlag.AlignVCenter, chip.words)
            left += chip.sizeHint().width() + 8
