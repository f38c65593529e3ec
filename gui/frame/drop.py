"""Dropping runs onto the window: what a drop means, and the overlay that says so while dragging."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.messages import text
from gui.context import Context
from gui.opening import is_result_file, may_be_dump, may_be_log, stands_alone
from gui.precheck.sides import Side


def dropped_paths(data: QMimeData) -> list[str]:
    """Return the local paths in *data*."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile() and url.toLocalFile()]


class Zone(Enum):
    """What one run that is dropped beside others becomes."""

    TARGET = auto()
    GOLDEN = auto()
    NEXT_ROUND = auto()


_NEXT_ROUND = 0.7
"""Share of the height below which a run is dropped as the next round."""


class DropOverlay(QWidget):
    """Covers the window while something is dragged over it, and takes the drop.

    Two paths are a pair, more are logs. One path is a result, a log, or the first run; when a run is open
    already, the left half makes it the target and the right half the golden. When a pair is, the strip at
    the bottom makes it the next round of the target. On the pre-check page the halves are the two sides, and
    all that is dropped is evidence; only two dumps, or a result, are opened.
    """

    def __init__(self, window: QWidget, context: Context) -> None:
        super().__init__(window)
        self._session, self._theme = context.session, context.theme
        self._window = window
        self._paths: list[str] = []
        self._zone = Zone.TARGET
        self._all_logs = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            return self._enter(event)
        if kind == QEvent.Type.DragMove and isinstance(event, QDragMoveEvent):
            self._move(event.position())
            event.acceptProposedAction()
            return True
        if kind == QEvent.Type.DragLeave:
            self.hide()
        elif kind == QEvent.Type.Drop and isinstance(event, QDropEvent):
            return self._drop(event)
        elif kind == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False

    @property
    def _brings_evidence(self) -> bool:
        """Whether what is dropped is evidence for one side of the pre-check on show."""
        if not self._session.precheck.attended or any(map(is_result_file, self._paths)):
            return False
        return not (len(self._paths) == 2 and all(map(may_be_dump, self._paths)))

    @property
    def _half(self) -> Side:
        return Side.GOLDEN if self._zone is Zone.GOLDEN else Side.TARGET

    def _enter(self, event: QDragEnterEvent) -> bool:
        self._paths = dropped_paths(event.mimeData())
        if not self._paths:
            return False
        self._all_logs = all(map(may_be_log, self._paths))
        event.acceptProposedAction()
        self.setGeometry(self._window.rect())
        self._move(event.position())
        self.show()
        self.raise_()
        return True

    def _move(self, position: QPointF) -> None:
        beside = Zone.GOLDEN if position.x() > self.width() / 2 else Zone.TARGET
        rounds = self._session.golden_path and not self._brings_evidence
        below = rounds and position.y() > self.height() * _NEXT_ROUND
        self._zone = Zone.NEXT_ROUND if below else beside
        self.update()

    @property
    def _one_of_two(self) -> bool:
        open_already = bool(self._session.target_path)
        if len(self._paths) != 1 or not open_already:
            return False
        return not stands_alone(self._paths[0])

    def _drop(self, event: QDropEvent) -> bool:
        self._paths = dropped_paths(event.mimeData())
        self.hide()
        if not self._paths:
            return False
        event.acceptProposedAction()
        if self._brings_evidence:
            self._move(event.position())
            self._session.precheck.add(self._half, self._paths)
        elif self._one_of_two:
            self._move(event.position())
            if self._zone is Zone.NEXT_ROUND:
                self._session.rounds.next_round(self._paths[0])
            else:
                self._session.open_side(self._paths[0], as_golden=self._zone is Zone.GOLDEN)
        else:
            self._move(event.position())
            self._session.open_paths(self._paths, self._half)
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(self._theme.colours.ground)
        veil.setAlphaF(0.92)
        painter.fillRect(self.rect(), veil)
        whole = QRectF(self.rect()).adjusted(24, 24, -24, -24)
        if self._brings_evidence:
            for zone, area in self._halves(whole).items():
                words = text(f"gui.precheck.onto.{zone.name.lower()}", count=len(self._paths))
                self._draw(painter, area, words, zone is self._zone)
        elif self._one_of_two:
            for zone, area in self._zones(whole).items():
                self._draw(painter, area, text(f"gui.drop.{zone.name.lower()}"), zone is self._zone)
        elif len(self._paths) > 2 and not self._all_logs:
            self._draw(painter, whole, text("gui.drop.too_many"), False)
        elif len(self._paths) > 2:
            self._draw(painter, whole, text("gui.drop.logs", count=len(self._paths)), True)
        else:
            self._draw(
                painter, whole, text("gui.drop.pair" if len(self._paths) == 2 else "gui.drop.one"), True
            )
        painter.end()

    def _zones(self, whole: QRectF) -> dict[Zone, QRectF]:
        """Return where in *whole* each zone is."""
        upper, zones = QRectF(whole), {}
        if self._session.golden_path:
            lower = QRectF(whole)
            lower.setTop(self.height() * _NEXT_ROUND + 8)
            upper.setBottom(self.height() * _NEXT_ROUND - 8)
            zones[Zone.NEXT_ROUND] = lower
        return {**self._halves(upper), **zones}

    @staticmethod
    def _halves(whole: QRectF) -> dict[Zone, QRectF]:
        left, right = QRectF(whole), QRectF(whole)
        left.setRight(whole.center().x() - 8)
        right.setLeft(whole.center().x() + 8)
        return {Zone.TARGET: left, Zone.GOLDEN: right}

    def _draw(self, painter: QPainter, zone: QRectF, words: str, lit: bool) -> None:
        colours = self._theme.colours
        fill = QColor(colours.accent)
        fill.setAlphaF(0.10 if lit else 0.0)
        painter.setBrush(fill)
        painter.setPen(QPen(QColor(colours.accent if lit else colours.line), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(zone, 14, 14)
        font = self.font()
        font.setPixelSize(18)
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(colours.accent if lit else colours.dim))
        painter.drawText(zone, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
