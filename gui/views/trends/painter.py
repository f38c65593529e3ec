"""Paints the heat map: cells, names beside it, places under it, marks of what is over the limit."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap

from core.records.trends import Bool
from gui import numbers
from gui.looks.theme import Colours
from gui.names import shown
from gui.views.trends.colours import hatch
from gui.views.trends.scene import MARKS, MapScene

_NAME_LINE = 12
"""Pixels that a name takes in height."""
_FEW_BAD = 400
"""Bad layers in sight that are named before others."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def paint_cells(painter: QPainter, scene: MapScene, colours: Colours, ratio: float) -> None:
    """Draw what is in sight of the grid, the overview and over it the part in more detail."""
    painter.fillRect(scene.box, QColor(colours.second))
    for layer in scene.layers():
        source, target = scene.place(layer)
        if source.width() <= 0 or source.height() <= 0:
            continue
        painter.drawImage(target, layer.image, source)
        for kind, mask in layer.masks.items():
            strokes = QPixmap(math.ceil(target.width() * ratio), math.ceil(target.height() * ratio))
            if strokes.isNull():
                continue
            strokes.setDevicePixelRatio(ratio)
            strokes.fill(Qt.GlobalColor.transparent)
            inner = QPainter(strokes)
            area = QRectF(0, 0, target.width(), target.height())
            inner.drawImage(area, mask, source)
            inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
            inner.fillRect(area, hatch(kind, colours, ratio))
            inner.end()
            painter.drawPixmap(target.topLeft(), strokes)


def paint_lines(painter: QPainter, scene: MapScene, colours: Colours) -> None:
    """Draw hair lines between cells that are large enough."""
    rows, columns = scene.size
    box = scene.box
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colours.card), 1))
    if scene.rows.pixels / scene.rows.span >= 9:
        for row in range(math.ceil(scene.rows.left), min(int(scene.rows.right), rows) + 1):
            painter.drawLine(QLineF(box.left(), scene.y(row), box.right(), scene.y(row)))
    if scene.columns.pixels / scene.columns.span >= 9:
        for column in range(math.ceil(scene.columns.left), min(int(scene.columns.right), columns) + 1):
            painter.drawLine(QLineF(scene.x(column), box.top(), scene.x(column), box.bottom()))


def paint_bad_marks(painter: QPainter, scene: MapScene, colours: Colours) -> None:
    """Mark layers and places with anything over the limit in the lanes beside and above the cells."""
    if scene.facts is None:
        return
    box = scene.box
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    colour = QColor(colours.introduces)
    for begin, end in _runs(scene.facts.bad_rows, scene.rows.left, scene.rows.right):
        top, bottom = max(scene.y(begin), box.top()), min(scene.y(end), box.bottom())
        painter.fillRect(QRectF(box.left() - MARKS, top, MARKS - 2, max(bottom - top, 1)), colour)
    for begin, end in _runs(scene.facts.bad_columns, scene.columns.left, scene.columns.right):
        left, right = max(scene.x(begin), box.left()), min(scene.x(end), box.right())
        painter.fillRect(QRectF(left, box.top() - MARKS, max(right - left, 1), MARKS - 2), colour)


def _runs(flags: Bool, first: float, last: float) -> list[tuple[int, int]]:
    """Return where *flags* are set between two places, as runs."""
    begin, end = max(int(first), 0), min(math.ceil(last), len(flags))
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags[begin:end].astype(np.int8), [0]))))
    return [(begin + int(one), begin + int(two)) for one, two in zip(edges[::2], edges[1::2])]


def paint_names(painter: QPainter, scene: MapScene, font: QFont, colours: Colours, chosen: int) -> None:
    """Name the layers, the one looked at and bad ones first where there is not room for all."""
    if scene.facts is None:
        return
    painter.setFont(font)
    metrics = QFontMetrics(font)
    room = scene.box.left() - MARKS - 8
    each = scene.rows.pixels / scene.rows.span
    begin, end = max(int(scene.rows.left), 0), min(math.ceil(scene.rows.right), scene.size[0])
    taken: list[float] = []
    for row in _named(scene.facts.bad_rows, begin, end, each, chosen):
        middle = scene.y(row + 0.5)
        near = any(abs(middle - other) < _NAME_LINE for other in taken) if each < _NAME_LINE else False
        if near or not scene.box.top() - 2 <= middle <= scene.box.bottom() + 2:
            continue
        taken.append(middle)
        bad = bool(scene.facts.bad_rows[row])
        painter.setPen(QColor(colours.text if row == chosen else colours.introduces if bad else colours.dim))
        words = metrics.elidedText(shown(scene.names[row]), Qt.TextElideMode.ElideMiddle, int(room - 4))
        painter.drawText(QRectF(4, middle - 9, room - 4, 18), _RIGHT, words)


def _named(bad: Bool, begin: int, end: int, each: float, chosen: int) -> list[int]:
    """Return rows in the order in which they are given room for their names."""
    if each >= _NAME_LINE:
        return list(range(begin, end))
    step = max(math.ceil(_NAME_LINE / max(each, 1e-9)), 1)
    first = [chosen] if begin <= chosen < end else []
    wrong = (begin + np.flatnonzero(bad[begin:end])).tolist()
    if len(wrong) > _FEW_BAD:
        wrong = wrong[:: len(wrong) // _FEW_BAD + 1]
    return [*first, *wrong, *range(-(-begin // step) * step, end, step)]


def names_width(scene: MapScene, font: QFont, most: int) -> int:
    """Return how many pixels the names beside the cells take, *most* at most."""
    if scene.facts is None:
        return 0
    metrics = QFontMetrics(font)
    longest = sorted(scene.names, key=len)[-3:]
    return min(max((metrics.horizontalAdvance(name) for name in longest), default=0) + 8, most)


def paint_places(painter: QPainter, scene: MapScene, colours: Colours) -> None:
    """Write steps or ranks under the cells."""
    if scene.facts is None or not scene.size[1]:
        return
    metrics = painter.fontMetrics()
    places, box = scene.facts.places, scene.box
    widest = max(metrics.horizontalAdvance(numbers.grouped(int(place))) for place in (places[0], places[-1]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for column in _ticks(scene, widest + 22):
        middle = scene.x(column + 0.5)
        if not box.left() - 1 <= middle <= box.right() + 1:
            continue
        painter.setPen(QColor(colours.not_compared))
        painter.drawLine(QLineF(middle, box.bottom() + 1, middle, box.bottom() + 4))
        painter.setPen(QColor(colours.dim))
        words = numbers.grouped(int(places[column]))
        painter.drawText(QRectF(middle - 60, box.bottom() + 5, 120, 16), Qt.AlignmentFlag.AlignCenter, words)


def _ticks(scene: MapScene, room: float) -> list[int]:
    """Return columns to be numbered: where places are evenly spaced, those with round numbers."""
    assert scene.facts is not None
    places, axis = scene.facts.places, scene.columns
    begin, end = max(int(axis.left), 0), min(math.ceil(axis.right), len(places))
    wanted = max(axis.span * room / max(axis.pixels, 1), 1.0)
    gap = (int(places[-1]) - int(places[0])) / max(len(places) - 1, 1)
    power = 10.0 ** math.floor(math.log10(max(wanted * gap, 1)))
    step = next(int(power * times) for times in (1, 2, 5, 10) if power * times >= wanted * gap - 1e-9)
    round_ones = (begin + np.flatnonzero(places[begin:end] % max(step, 1) == 0)).tolist()
    if len(round_ones) >= 2 or wanted <= 1:
        return round_ones or list(range(begin, end))
    every = math.ceil(wanted)
    return list(range(-(-begin // every) * every, end, every))


def paint_cell_mark(painter: QPainter, scene: MapScene, row: int, column: int, colours: Colours) -> None:
    """Frame the cell that is looked at, so that it is found at any size."""
    cell = scene.cell(row, column)
    if not scene.box.adjusted(-1, -1, 1, 1).intersects(cell):
        return
    grown = max(9.0 - cell.width(), 0) / 2, max(9.0 - cell.height(), 0) / 2
    frame = cell.adjusted(-grown[0], -grown[1], grown[0], grown[1])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colours.card), 4))
    painter.drawRect(frame)
    painter.setPen(QPen(QColor(colours.text), 2))
    painter.drawRect(frame)


def paint_cross(painter: QPainter, scene: MapScene, row: int, column: int, colours: Colours) -> None:
    """Draw thin lines from the cell under the pointer to its layer and its place."""
    cell, box = scene.cell(row, column), scene.box
    colour = QColor(colours.text)
    colour.setAlphaF(0.55)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(colour, 1))
    x, y = cell.center().x(), cell.center().y()
    left, top = max(cell.left(), box.left()), max(cell.top(), box.top())
    for line in (
        QLineF(box.left() - MARKS, y, left, y), QLineF(cell.right(), y, box.right(), y),
        QLineF(x, box.top() - MARKS, x, top), QLineF(x, cell.bottom(), x, box.bottom()),
    ):  # fmt: skip
        painter.drawLine(line)
