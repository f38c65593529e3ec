"""What stands around the fields: frames, numbers beside and below them, phases, the names of the fields."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from core.records.training import Judgement
from gui import numbers
from gui.looks.theme import Colours
from gui.models.curves.places import Stretch
from gui.models.curves.scale import ValueScale, decimals, round_numbers, written
from gui.views.curves.scene import NAMES, CurvesScene

_LINE = 26
"""Pixels between two numbers beside a field, at least."""
_LEAST_SIGNS = 3
"""Of a name that is cut; shorter ones say nothing."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def labels_width(metrics: QFontMetrics, scene: CurvesScene) -> int:
    """Return how many pixels the numbers beside both fields take."""
    words = [tick.words for tick in scene.scale.ticks(_most(scene.upper))]
    if scene.difference is not None:
        words += [tick.words for tick in scene.lower_scale.ticks(_most(scene.lower))]
    return max((metrics.horizontalAdvance(word) for word in words), default=0)


def _most(box: QRectF) -> int:
    return max(int(box.height() // _LINE), 2)


def paint_values(
    painter: QPainter, scene: CurvesScene, box: QRectF, scale: ValueScale, colours: Colours
) -> None:
    """Write values at the left of *box*, with lines through it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for tick in scale.ticks(_most(box)):
        y = box.bottom() - (tick.height - scale.low) / (scale.high - scale.low) * box.height()
        if not box.top() - 1 <= y <= box.bottom() + 1:
            continue
        painter.setPen(QColor(colours.line))
        painter.drawLine(QLineF(box.left(), y, box.right(), y))
        painter.setPen(QColor(colours.dim))
        painter.drawText(QRectF(0, y - 9, box.left() - 8, 18), _RIGHT, tick.words)


def paint_places(painter: QPainter, scene: CurvesScene, colours: Colours) -> None:
    """Write places below the fields."""
    metrics = painter.fontMetrics()
    first, last = scene.axis.seen
    widest = metrics.horizontalAdvance(numbers.grouped(round(max(abs(first), abs(last))))) + 28
    bottom = (scene.lower if scene.difference is not None else scene.upper).bottom()
    ticks = round_numbers(first, last, max(int(scene.upper.width() // max(widest, 64)), 2))
    ticks = [tick for tick in ticks if not scene.whole or tick == round(tick)]
    digits = 0 if scene.whole else decimals(ticks)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for tick in ticks:
        x = scene.x(tick)
        painter.setPen(QColor(colours.line))
        painter.drawLine(QLineF(x, bottom, x, bottom + 4))
        painter.setPen(QColor(colours.dim))
        painter.drawText(
            QRectF(x - 90, bottom + 4, 180, 19), Qt.AlignmentFlag.AlignCenter, written(tick, digits)
        )


def paint_stretches(painter: QPainter, scene: CurvesScene, colours: Colours) -> None:
    """Shade every other phase."""
    shade = _shade(colours)
    for stretch in scene.stretches[1::2]:
        left, right = _ends(scene, stretch)
        fields = [(scene.top, scene.upper.bottom())]
        if scene.difference is not None:
            fields.append((scene.lower.top(), scene.lower.bottom()))
        for top, bottom in fields:
            if right >= left:
                painter.fillRect(QRectF(left, top, max(right - left, 1), bottom - top), shade)


def _shade(colours: Colours) -> QColor:
    shade = QColor(colours.text)
    shade.setAlphaF(0.045)
    return shade


def paint_stretch_names(painter: QPainter, scene: CurvesScene, colours: Colours) -> None:
    """Name each phase in the strip over the curves; one that fails in the colour of that."""
    metrics = painter.fontMetrics()
    for number, stretch in enumerate(scene.stretches):
        left, right = _ends(scene, stretch)
        words = metrics.elidedText(stretch.words, Qt.TextElideMode.ElideRight, int(right - left) - 10)
        if not words or (words != stretch.words and len(words) <= _LEAST_SIGNS):
            continue
        room = QRectF(left + 4, scene.top, metrics.horizontalAdvance(words) + 4, NAMES)
        painter.fillRect(room, QColor(colours.card))  # over the lines of findings
        if number % 2:
            painter.fillRect(room, _shade(colours))
        failed = stretch.judgement is Judgement.FAIL
        painter.setPen(QColor(colours.introduces if failed else colours.dim))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)


def _ends(scene: CurvesScene, stretch: Stretch) -> tuple[float, float]:
    return max(scene.x(stretch.left), scene.upper.left()), min(scene.x(stretch.right), scene.upper.right())


def paint_frames(painter: QPainter, scene: CurvesScene, colours: Colours) -> None:
    """Draw a line under each field."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colours.not_compared), 1))
    for box in (scene.upper, *((scene.lower,) if scene.difference is not None else ())):
        painter.drawLine(QLineF(box.left(), box.bottom(), box.right(), box.bottom()))


def paint_name(painter: QPainter, box: QRectF, words: str, colours: Colours) -> None:
    """Write the name of a field above its top."""
    painter.setPen(QColor(colours.dim))
    cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(box.width()))
    room = QRectF(box.left(), box.top() - 21, box.width(), 19)
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
