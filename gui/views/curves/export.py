"""The picture as a file: as it is seen, with a heading and a legend, as PNG or SVG."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from core.errors import InputError, Problem
from gui.looks.theme import Colours
from gui.views.curves.canvas import CurvesCanvas
from gui.views.curves.lines import broken_lines
from gui.views.curves.readout import paint_swatch

_RATIO = 2.0
"""Pixels a point of a PNG: sharp on paper too."""
_PAD, _LINE = 14, 20
_TITLE_LINES = 2


def write_picture(path: str, canvas: CurvesCanvas, heading: str, colours: Colours) -> None:
    """Write what *canvas* shows to *path*.

    Raises
    ------
    InputError
        ``picture_not_written``: the file cannot be written.
    """
    legend = _legend_lines(canvas)
    title = broken_lines(heading, _title_font(canvas), canvas.width() - 2 * _PAD, _TITLE_LINES)
    size = QSize(canvas.width(), canvas.height() + _above(title, legend))
    held = QBuffer()
    held.open(QBuffer.OpenModeFlag.WriteOnly)
    if Path(path).suffix.lower() == ".svg":
        drawing = QSvgGenerator()
        drawing.setOutputDevice(held)
        drawing.setSize(size)
        drawing.setViewBox(QRectF(0, 0, size.width(), size.height()))
        painter = QPainter(drawing)
        _paint(painter, size, canvas, title, legend, colours, 1.0)
        painter.end()
    else:
        image = QImage(size * _RATIO, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_RATIO)
        painter = QPainter(image)
        _paint(painter, size, canvas, title, legend, colours, _RATIO)
        painter.end()
        QImageWriter(held, b"PNG").write(image)
    canvas.redraw()
    try:
        Path(path).write_bytes(bytes(held.data().data()))
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("picture_not_written", path, {"detail": detail})) from None


def _title_font(canvas: CurvesCanvas) -> QFont:
    font = QFont(canvas.font())
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _above(title: list[str], legend: list[list[int]]) -> int:
    """Return how high what stands over the picture is."""
    return 2 * _PAD + _LINE * (len(title) + len(legend))


def _legend_lines(canvas: CurvesCanvas) -> list[list[int]]:
    """Return the numbers of curves in each line of the legend."""
    metrics = QFontMetrics(canvas.font())
    lines: list[list[int]] = [[]]
    left = 0
    for number, curve in enumerate(canvas.scene.curves):
        width = metrics.horizontalAdvance(curve.name) + 52
        if lines[-1] and left + width > canvas.width() - 2 * _PAD:
            lines.append([])
            left = 0
        lines[-1].append(number)
        left += width
    return lines


def _paint(
    painter: QPainter, size: QSize, canvas: CurvesCanvas, title: list[str], legend: list[list[int]],
    colours: Colours, ratio: float,
) -> None:  # fmt: skip
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(colours.card))
    painter.setFont(_title_font(canvas))
    painter.setPen(QColor(colours.text))
    middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    for row, words in enumerate(title):
        painter.drawText(QRectF(_PAD, _PAD - 4 + row * _LINE, size.width() - _PAD, _LINE), middle, words)
    painter.setFont(canvas.font())
    metrics = QFontMetrics(canvas.font())
    for row, line in enumerate(legend):
        left, top = float(_PAD), _PAD + (row + len(title)) * _LINE
        for number in line:
            curve = canvas.scene.curves[number]
            paint_swatch(painter, QPointF(left, top + _LINE / 2), curve.look, 24)
            painter.setPen(QColor(colours.text))
            painter.drawText(QRectF(left + 30, top, size.width(), _LINE), middle, curve.name)
            left += metrics.horizontalAdvance(curve.name) + 52
    painter.translate(0, _above(title, legend))
    canvas.paint_still(painter, QRectF(0, 0, canvas.width(), canvas.height()), ratio)
