"""Draws tracks: lines that break where values are not finite, bands, and what is out of sight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.records.columns import Float64
from core.records.curves import Track
from gui.looks.theme import Colours
from gui.models.curves.places import with_gaps
from gui.models.curves.roles import Look
from gui.models.curves.scale import ValueScale
from gui.views.curves.scene import CurvesScene

_PALE = 0.34
"""How strong a raw curve is under its smoothed one."""
_WIDTH = 1.7
_FAR = 4000.0
"""Pixels beyond a box where lines are cut, as painters round large numbers."""
_NEAR = 4.0
_DENSE = 1.6
"""Points a pixel from which a curve is drawn in thin strokes."""
_COLUMNS = 6.0
"""Columns of pixels that are a gap where many points share one."""
_CARET = 5.0
_DOT = 6.0
"""Pixels across of a point that stands alone, at least."""


def paint_curves(painter: QPainter, scene: CurvesScene, colours: Colours, pixels: int) -> None:
    """Draw all curves into the upper box, the target's on top, over the noise of equal runs."""
    if scene.band is not None:
        edges, colour = (scene.band.low, scene.band.high), QColor(colours.band)
        paint_area(painter, scene, scene.upper, scene.scale, edges, colour, pixels)
    upper, scale = scene.upper, scene.scale
    smoothed = [curve for curve in reversed(scene.curves) if curve.smooth is not None]
    for curve in smoothed:
        look = _paled(curve.look, colours)
        paint_track(painter, scene, upper, scale, curve.raw, look, pixels, curve.gap, thin=True)
    for curve in smoothed:
        if curve.smooth is not None:
            paint_track(painter, scene, upper, scale, curve.smooth, curve.look, pixels, curve.gap)
    for curve in reversed(scene.curves):
        if curve.smooth is None:
            paint_track(painter, scene, upper, scale, curve.raw, curve.look, pixels, curve.gap)


def _paled(look: Look, colours: Colours) -> Look:
    """Return a paler look; no transparent one, which takes painters several times as long."""
    strong, ground = QColor(look.colour), QColor(colours.card)
    red, green, blue = (
        round(_PALE * one + (1 - _PALE) * other)
        for one, other in (
            (strong.red(), ground.red()),
            (strong.green(), ground.green()),
            (strong.blue(), ground.blue()),
        )
    )
    return Look(QColor(red, green, blue).name())


def paint_track(
    painter: QPainter, scene: CurvesScene, box: QRectF, scale: ValueScale, track: Track, look: Look,
    pixels: int, gap: float, thin: bool = False,
) -> None:  # fmt: skip
    """Draw what is in sight of *track* into *box*; places more than *gap* apart are not joined."""
    left, right = scene.axis.seen
    x, y = scene.line(track, pixels)
    dense = len(x) > _DENSE * pixels
    x, y = with_gaps(x, y, max(gap, _COLUMNS * (right - left) / pixels) if dense else gap)
    pen = QPen(QColor(look.colour), 1.0 if thin or dense else _WIDTH)
    pen.setCosmetic(dense)
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if look.dashes else Qt.PenCapStyle.RoundCap)
    if look.dashes and not dense:
        pen.setDashPattern(look.dashes)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not dense)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    far = _NEAR if dense else _FAR  # strokes are upright where they are dense: they can be cut anywhere
    draw_line(painter, scene.xs(x), np.clip(scene.ys(box, scale, y), box.top() - far, box.bottom() + far))


def draw_line(painter: QPainter, x: Float64, y: Float64) -> None:
    """Draw a line through the points; NaN breaks it, and a point between two breaks is a dot."""
    broken = np.flatnonzero(~np.isfinite(y))
    starts, ends = np.concatenate(([0], broken + 1)), np.append(broken, len(y))
    alone = ends - starts == 1
    if alone.any():
        width = painter.pen().widthF()
        painter.save()
        painter.setPen(QPen(painter.pen().color(), max(width + 1.5, _DOT), c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([QPointF(x[at], y[at]) for at in starts[alone].tolist()]))
        painter.restore()
    longer = ends - starts > 1
    for start, end in zip(starts[longer].tolist(), ends[longer].tolist()):
        painter.drawPolyline(pg.functions.arrayToQPolygonF(x[start:end], y[start:end]))


def paint_area(
    painter: QPainter, scene: CurvesScene, box: QRectF, scale: ValueScale, edges: tuple[Track, Track],
    colour: QColor, pixels: int, mirrored: bool = False,
) -> None:  # fmt: skip
    """Fill between two tracks of the same places; *mirrored*: between the second and its negative."""
    x, high = scene.line(edges[1], pixels)
    low = -high if mirrored else scene.line(edges[0], pixels)[1]
    known = np.isfinite(low) & np.isfinite(high)
    if known.sum() < 2:
        return
    places = scene.xs(x[known])
    far = box.top() - _FAR, box.bottom() + _FAR
    above = np.clip(scene.ys(box, scale, high[known]), *far)
    below = np.clip(scene.ys(box, scale, low[known]), *far)
    finite = np.isfinite(above) & np.isfinite(below)
    outline = np.concatenate((places[finite], places[finite][::-1]))
    heights = np.concatenate((above[finite], below[finite][::-1]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(pg.functions.arrayToQPolygonF(outline, heights))


def paint_difference(painter: QPainter, scene: CurvesScene, colours: Colours, pixels: int) -> None:
    """Draw the difference over what of it is allowed."""
    box, scale, track = scene.lower, scene.lower_scale, scene.difference
    if track is None:
        return
    if scene.band is not None:
        allowed = scene.band.relative if scene.relative else scene.band.absolute
        paint_area(
            painter, scene, box, scale, (allowed, allowed), QColor(colours.band), pixels, mirrored=True
        )
    elif scene.limit is not None:
        _paint_limit(painter, scene, colours, pixels)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colours.not_compared), 1))
    zero = scene.y(box, scale, 0.0)
    painter.drawLine(QLineF(box.left(), zero, box.right(), zero))
    look, gap = Look(colours.text), scene.difference_gap
    if scene.smooth_difference is None:
        paint_track(painter, scene, box, scale, track, look, pixels, gap)
    else:
        paint_track(painter, scene, box, scale, track, _paled(look, colours), pixels, gap, thin=True)
        paint_track(painter, scene, box, scale, scene.smooth_difference, look, pixels, gap)


def _paint_limit(painter: QPainter, scene: CurvesScene, colours: Colours, pixels: int) -> None:
    """Shade what is allowed: a share of the golden."""
    box, scale, limit = scene.lower, scene.lower_scale, scene.limit
    assert limit is not None
    fill, line = QColor(colours.band), QPen(QColor(colours.close), 1, Qt.PenStyle.DashLine)
    if scene.relative:
        top = max(scene.y(box, scale, limit), box.top() - 2)
        bottom = min(scene.y(box, scale, -limit), box.bottom() + 2)
        painter.fillRect(QRectF(box.left(), top, box.width(), bottom - top), fill)
        painter.setPen(line)
        for height in (top, bottom):
            painter.drawLine(QLineF(box.left(), height, box.right(), height))
        return
    golden = scene.golden
    if golden is None:
        return
    x, y = scene.line(golden.raw, pixels)
    painter.setPen(line)
    for sign in (limit, -limit):
        edge = scene.ys(box, scale, sign * np.abs(y))
        draw_line(painter, scene.xs(x), np.clip(edge, box.top() - _FAR, box.bottom() + _FAR))


def paint_cut_off(
    painter: QPainter,
    scene: CurvesScene,
    box: QRectF,
    scale: ValueScale,
    tracks: Sequence[tuple[Track, str]],
    pixels: int,
) -> None:
    """Mark with small triangles where *tracks*, each with its colour, leave *box* at its top or bottom."""
    above: dict[float, str] = {}
    below: dict[float, str] = {}
    for track, colour in tracks:
        x, y = scene.line(track, pixels)
        heights, places = scene.ys(box, scale, y), scene.xs(x)
        with np.errstate(invalid="ignore"):
            for found, beyond in ((above, heights < box.top() - 1), (below, heights > box.bottom() + 1)):
                for place in (np.unique(np.round(places[beyond] / _CARET)) * _CARET).tolist():
                    found.setdefault(place, colour)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for found, edge, way in ((above, box.top() + 1, _CARET), (below, box.bottom() - 1, -_CARET)):
        for place, colour in found.items():
            painter.setBrush(QColor(colour))
            corners = [(place, edge), (place - 3, edge + way), (place + 3, edge + way)]
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
