"""One heat map: heading, image, cross hair, colour bar, counts of special values."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from core.metrics.pictures import Picture
from gui import numbers
from gui.looks.theme import Theme
from gui.views.tensors.heat_colours import Pixels, paint
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote

_LEVELS = (0, 255)
_LEAST_PICTURE, _LOW, _SPACING = 48, 170, 5
"""Pixels of a picture at least, of the pane below which it is low, and between its parts."""


class ColourBar(QWidget):
    """The colours from the lowest to the highest value, with both."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._table: Pixels | None = None
        self._ends = ("", "")
        self.setFixedHeight(16)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_scale(self, table: Pixels, low: float, high: float) -> None:
        """Show *table* from *low* to *high*."""
        self._table = table
        self._ends = (numbers.compact(low, 4), numbers.compact(high, 4))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._table is None:
            return
        painter = QPainter(self)
        metrics = self.fontMetrics()
        left, right = (metrics.horizontalAdvance(end) for end in self._ends)
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._ends[0]
        )
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._ends[1]
        )
        bar = QRectF(left + 8, self.height() / 2 - 3, self.width() - left - right - 16, 6)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(0, 256, 15):
            gradient.setColorAt(step / 255, QColor(*(int(part) for part in self._table[step])))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 3, 3)
        painter.end()


class HeatPane(QWidget):
    """A picture of one plane; the coordinates of its view are rows and columns of the plane."""

    hovered = Signal(int, int)
    """Row and column under the pointer."""
    left = Signal()
    fit_wanted = Signal()
    resized = Signal()
    way_out_wanted = Signal()
    """The button under the reason why there is no picture is pressed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title, self._detail = QLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._title.setObjectName("strong")
        self._detail.setObjectName("dim")
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._detail, 1)
        self._view = pg.GraphicsView(background=None)
        self._view.setFrameShape(QFrame.Shape.NoFrame)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.box = pg.ViewBox(invertY=True, enableMenu=False, defaultPadding=0)
        self._view.setCentralItem(self.box)
        # the overview is drawn under the part that was asked for in full detail
        self._overview, self._part = (
            pg.ImageItem(axisOrder="row-major", autoDownsample=False) for _ in range(2)
        )
        self._rows = pg.InfiniteLine(angle=0, movable=False)
        self._columns = pg.InfiniteLine(angle=90, movable=False)
        for depth, item in enumerate((self._overview, self._part, self._rows, self._columns)):
            item.setZValue(depth)
            self.box.addItem(item, ignoreBounds=True)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._view)
        self._stack.addWidget(self._note)
        self._bar = ColourBar(theme)
        self._counts = QLabel()
        self._special = False
        self._counts.setTextFormat(Qt.TextFormat.RichText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_SPACING)
        layout.addLayout(heading)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._bar)
        layout.addWidget(self._counts)
        self._note.pressed.connect(self.way_out_wanted)
        self._view.setMinimumHeight(_LEAST_PICTURE)
        self._view.installEventFilter(self)
        self._view.viewport().installEventFilter(self)
        self._view.scene().sigMouseMoved.connect(self._moved)
        self._view.scene().sigMouseClicked.connect(self._clicked)
        self.mark(None)

    def set_title(self, title: str, detail: str = "") -> None:
        """Set the heading."""
        self._title.setText(title)
        self._detail.setText(detail)
        self._view.setAccessibleName(title)

    def show_note(self, sentence: str, button: str = "") -> None:
        """Say why there is no picture; *button* leads out of it."""
        self._note.set_texts(sentence, button)
        self._stack.setCurrentIndex(1)
        self._counts.setText("")
        self._bar.setVisible(False)
        self._overview.clear()
        self._part.clear()

    @property
    def note(self) -> str:
        """Why there is no picture; empty when there is one."""
        return self._note.sentence if self._stack.currentIndex() else ""

    def show_picture(self, picture: Picture, table: Pixels, low: float, high: float, part: bool) -> None:
        """Draw *picture* over the whole plane, or (*part*) over the region that it covers."""
        self._stack.setCurrentIndex(0)
        item = self._part if part else self._overview
        if not picture.values.size:
            item.clear()
            return
        item.setImage(paint(picture, table, low, high, self._theme.colours), levels=_LEVELS, autoLevels=False)
        height, width = picture.values.shape
        region = picture.region
        item.setRect(QRectF(region.left, region.top, width * picture.block[1], height * picture.block[0]))
        if not part:
            self._part.clear()
            self._bar.setVisible(True)
            self._bar.set_scale(table, low, high)
            self._show_counts(picture)

    def _show_counts(self, picture: Picture) -> None:
        colours = self._theme.colours
        parts = [
            f'<span style="color:{colour}">■</span> {name} {numbers.grouped(count)}'
            for name, count, colour in (
                ("NaN", picture.nan, colours.nan), ("+Inf", picture.plus_inf, colours.plus_infinity),
                ("−Inf", picture.minus_inf, colours.minus_infinity),
            )
            if count
        ]  # fmt: skip
        none = f'<span style="color:{colours.dim}">NaN / Inf 0</span>'
        self._counts.setText("&nbsp;&nbsp;&nbsp;".join(parts) or none)
        self._special = bool(parts)
        self._make_room()

    def _make_room(self) -> None:
        """Leave out where it is low that there are no special values."""
        self._counts.setVisible(self._special or self.height() >= _LOW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        """Ask for what a low pane needs, whether or not it is one now."""
        hint = super().minimumSizeHint()
        spare = 0 if self._special or self._counts.isHidden() else self._counts.sizeHint().height() + _SPACING
        return QSize(hint.width(), hint.height() - spare)

    def set_plane(self, rows: int, columns: int) -> None:
        """Limit panning and zooming to a plane of *rows* × *columns*."""
        self.box.setLimits(
            xMin=0, xMax=max(columns, 1), yMin=0, yMax=max(rows, 1),
            minXRange=min(4, max(columns, 1)), minYRange=min(4, max(rows, 1)),
        )  # fmt: skip

    def mark(self, place: tuple[int, int] | None) -> None:
        """Put the cross hair on an element, or take it away."""
        for line, at in ((self._rows, 0), (self._columns, 1)):
            line.setVisible(place is not None)
            if place is not None:
                line.setPos(place[at] + 0.5)

    def pixels(self) -> tuple[int, int]:
        """Return rows and columns of device pixels that the picture has."""
        ratio = self.devicePixelRatioF()
        size = self._stack.size()
        return max(int(size.height() * ratio), 32), max(int(size.width() * ratio), 32)

    def restyle(self) -> None:
        """Take the colours of the scheme."""
        colours = self._theme.colours
        self._view.setBackground(colours.card)
        self.box.setBorder(pg.mkPen(colours.line, width=1))
        pen = pg.mkPen(colours.text, width=1)
        faint = QColor(colours.text)
        faint.setAlphaF(0.55)
        pen.setColor(faint)
        self._rows.setPen(pen)
        self._columns.setPen(pen)

    def _moved(self, position: Any) -> None:
        if not self.box.sceneBoundingRect().contains(position):
            return
        here = self.box.mapSceneToView(position)
        self.hovered.emit(int(here.y() // 1), int(here.x() // 1))

    def _clicked(self, event: Any) -> None:
        if event.double():
            self.fit_wanted.emit()

    def eventFilter(self, _watched: Any, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.left.emit()
        elif event.type() == QEvent.Type.Resize:
            self.resized.emit()
        return False
