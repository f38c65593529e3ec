"""Icons from ``resources/icons``, drawn in a colour of the scheme."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer


@cache
def _source(name: str) -> str:
    return (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")


@cache
def icon(name: str, colour: str, size: int = 16) -> QIcon:
    """Return icon *name* in *colour* (#rrggbb), sharp up to three device pixels a point."""
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    made = QIcon()
    for ratio in (1, 2, 3):
        pixmap = QPixmap(size * ratio, size * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size * ratio, size * ratio))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        made.addPixmap(pixmap)
    return made


def icon_path(name: str) -> str:
    """Return the file of icon *name*, with forward slashes, as a style sheet wants it."""
    with as_file(files("resources") / "icons" / f"{name}.svg") as path:
        return path.as_posix()
