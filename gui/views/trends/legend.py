"""What the colours of the heat map mean: the scale with its numbers, and what is no number."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.messages import text
from gui import numbers
from gui.looks.theme import Colours, Theme
from gui.models.trends.scale import FIRST, LAST, ColourScale, Special, TrendSide
from gui.models.trends.words import special_words
from gui.trends.planes import PlaneFacts
from gui.views.trends.colours import HATCHED, hatch, palette_of, special_colour
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_BAR, _HEIGHT = 300, 30
_ORDER = (
    Special.NAN, Special.PLUS_INF, Special.MINUS_INF, Special.CLIPPED, Special.TARGET_ONLY,
    Special.GOLDEN_ONLY, Special.ABSENT,
)  # fmt: skip


class ScaleBar(QWidget):
    """The colours from the lowest to the highest value, with numbers under them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.scale: ColourScale | None = None
        self.setFixedSize(_BAR, _HEIGHT)
        theme.changed.connect(self.update)

    def show_scale(self, scale: ColourScale | None) -> None:
        """Show another scale."""
        self.scale = scale
        words = [tick.words for tick in scale.ticks()] if scale is not None else []
        self.setAccessibleDescription(", ".join(words))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.scale is None:
            return
        painter = QPainter(self)
        paint_scale(painter, QRectF(self.rect()), self.scale, self._theme.colours)
        painter.end()


def paint_scale(painter: QPainter, rect: QRectF, scale: ColourScale, colours: Colours) -> None:
    """Draw the colours of *scale* into *rect*."""
    table = palette_of(scale, colours)
    strip = QImage(LAST - FIRST + 1, 1, QImage.Format.Format_ARGB32)
    for level in range(FIRST, LAST + 1):
        strip.setPixel(level - FIRST, 0, table[level])
    bar = QRectF(rect.left() + 26, rect.top() + 2, rect.width() - 52, 9)
    painter.drawImage(bar, strip)
    painter.setPen(QPen(QColor(colours.not_compared), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5))
    metrics, end = painter.fontMetrics(), rect.left() - 10.0
    for tick in scale.ticks():
        x = bar.left() + tick.position * bar.width()
        painter.setPen(QPen(QColor(colours.text if tick.limit else colours.not_compared), 1))
        painter.drawLine(QPointF(x, bar.top() - (2 if tick.limit else 0)), QPointF(x, bar.bottom() + 3))
        width = metrics.horizontalAdvance(tick.words)
        left = min(max(x - width / 2, rect.left()), rect.right() - width)
        if left >= end + 6:
            painter.setPen(QColor(colours.text if tick.limit else colours.dim))
            painter.drawText(QRectF(left, bar.bottom() + 3, width + 1, 15), 0, tick.words)
            end = left + width


class SpecialChip(QWidget):
    """A square as it is drawn, what it means, and how many there are."""

    def __init__(self, theme: Theme, special: Special) -> None:
        super().__init__()
        self._theme, self.special = theme, special
        self.words = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_count(self, count: int) -> None:
        """Show *count*; 0 shows the meaning alone."""
        number = f"  {numbers.grouped(count)}" if count else ""
        self.words = special_words(self.special) + number
        self.setAccessibleName(self.words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.words) + 26, _HEIGHT - 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_special(painter, QPointF(1, self.height() / 2 - 6), self.special, self._theme.colours,
                      self.devicePixelRatioF())  # fmt: skip
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(self.rect().adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.words)
        painter.end()


def paint_special(
    painter: QPainter, corner: QPointF, special: Special, colours: Colours, ratio: float
) -> None:
    """Draw a square in the colours of *special*."""
    box = QRectF(corner.x(), corner.y(), 12, 12)
    painter.fillRect(box, special_colour(special, colours))
    if special in HATCHED:
        painter.fillRect(box, hatch(special, colours, ratio))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colours.not_compared if special in (*HATCHED, Special.ABSENT)
                               else special_colour(special, colours)), 1))  # fmt: skip
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


class MapLegend(Translated, QWidget):
    """Scale, and those kinds of cells that there are."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.bar = ScaleBar(theme)
        self.chips = {special: SpecialChip(theme, special) for special in _ORDER}
        self._counts: dict[Special, int] = {}
        flow = FlowLayout(10)
        flow.addWidget(self.bar)
        for chip in self.chips.values():
            flow.addWidget(chip)
        self.setLayout(flow)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.retranslate()

    def show_facts(self, facts: PlaneFacts | None, side: TrendSide) -> None:
        """Show what the colours of one side of a grid mean."""
        scale = facts.scales.get(side) if facts is not None else None
        self.bar.show_scale(scale)
        self.bar.setVisible(scale is not None)
        self._counts = dict(facts.counts.get(side, {})) if facts is not None else {}
        if side is not TrendSide.DIFFERENCE:
            # what this side has alone is a value of it
            own = Special.TARGET_ONLY if side is TrendSide.TARGET else Special.GOLDEN_ONLY
            self._counts.pop(own, None)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.trends.legend"))
        self.bar.setAccessibleName(text("gui.trends.legend.scale"))
        self.bar.setToolTip(text("gui.trends.legend.help"))
        for special, chip in self.chips.items():
            count = self._counts.get(special, 0)
            chip.show_count(count)
            chip.setToolTip(text(f"gui.trends.special.{special.name.lower()}.help"))
            chip.setVisible(count > 0)
        self.updateGeometry()
