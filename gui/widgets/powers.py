"""Powers of two as they are printed: in a text, or drawn with a raised exponent in any font."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetrics, QPainter

from gui.numbers import MINUS

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_two(exponent: int) -> str:
    """Return ``2⁻²⁴``."""
    return "2" + str(exponent).translate(_SUPERSCRIPT)


def paint_power(painter: QPainter, left: float, y: float, exponent: int) -> None:
    """Write two to the power of *exponent*, raised as in print, from *left* on and around *y*."""
    font, metrics = painter.font(), painter.fontMetrics()
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(left, y - 9, 20, 18), flags, "2")
    painter.setFont(_raised(font))
    raised = str(exponent).replace("-", MINUS)
    painter.drawText(QRectF(left + metrics.horizontalAdvance("2") + 1, y - 14, 40, 18), flags, raised)
    painter.setFont(font)


def power_width(font: QFont, exponent: int) -> int:
    """Return how many pixels :func:`paint_power` takes."""
    raised = str(exponent).replace("-", MINUS)
    return (
        QFontMetrics(font).horizontalAdvance("2") + 1 + QFontMetrics(_raised(font)).horizontalAdvance(raised)
    )


def _raised(font: QFont) -> QFont:
    made = QFont(font)
    made.setPixelSize(max(round(QFontInfo(font).pixelSize() * 0.75), 6))
    return made
