"""What the signs in the plot mean: a small window that goes away by itself."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from core.messages import text
from gui.looks.theme import Theme
from gui.models.pair.categories import Category
from gui.models.trajectory.points import Role
from gui.widgets.verdict_icon import paint_category

_SIDE = 18
_WIDTH = 300
"""Pixels of the line of keys."""


class _Sign(QWidget):
    """One sign as it is drawn in the plot."""

    def __init__(self, theme: Theme, sign: Category | Role | str) -> None:
        super().__init__()
        self._theme, self._sign = theme, sign
        self.setFixedSize(_SIDE + 6, _SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours = QPainter(self), self._theme.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centre, sign = QPointF(self.width() / 2, self.height() / 2), self._sign
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.not_compared))
        if isinstance(sign, Category):
            paint_category(painter, centre, sign, colours, 9)
        elif sign is Role.INPUT:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.inherited), 1.2))
            painter.drawRect(QRectF(centre.x() - 2.5, centre.y() - 2.5, 5, 5))
        elif sign in (Role.TARGET_ONLY, Role.GOLDEN_ONLY):
            down = 1 if sign is Role.TARGET_ONLY else -1
            corners = [(-4, -3.5 * down), (4, -3.5 * down), (0, 3.5 * down)]
            painter.drawPolygon(QPolygonF([centre + QPointF(*corner) for corner in corners]))
        elif sign == "noise":
            painter.setPen(QPen(QColor(colours.line), 1))
            painter.setBrush(QColor(colours.band))
            painter.drawRect(QRectF(3, 3, self.width() - 6, self.height() - 6))
        else:
            ground = QColor(colours.dim)
            ground.setAlphaF(0.12)
            painter.fillRect(QRectF(12, 2, self.width() - 14, self.height() - 4), ground)
            painter.setPen(QPen(QColor(colours.dim), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(12, 2), QPointF(12, self.height() - 2))
        painter.end()


_ROWS: tuple[tuple[Category | Role | str, str], ...] = (
    *((category, "") for category in reversed(Category)),
    (Role.INPUT, "input"), (Role.TARGET_ONLY, "target_only"), (Role.GOLDEN_ONLY, "golden_only"),
    ("noise", "noise"), ("pass", "pass"),
)  # fmt: skip


class SignLegend(QFrame):
    """A list of signs with their meanings; Escape or a click beside it closes it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(text("gui.trajectory.legend"))
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 16, 10)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for row, (sign, name) in enumerate(_ROWS):
            words = QLabel(sign.word if isinstance(sign, Category) else text(f"gui.trajectory.sign.{name}"))
            if isinstance(sign, Category):
                words.setToolTip(sign.meaning)
            grid.addWidget(_Sign(theme, sign), row, 0)
            grid.addWidget(words, row, 1)
        keys = QLabel(text("gui.trajectory.keys"))
        keys.setObjectName("dim")
        keys.setWordWrap(True)
        keys.setMaximumWidth(_WIDTH)
        grid.addWidget(keys, len(_ROWS), 0, 1, 2)

    def open_under(self, button: QWidget) -> None:
        """Show it with its right edge under that of *button*."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 4))
        screen = button.screen().availableGeometry()
        corner.setX(max(screen.left(), min(corner.x(), screen.right() - self.width())))
        corner.setY(max(screen.top(), min(corner.y(), screen.bottom() - self.height())))
        self.move(corner)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
