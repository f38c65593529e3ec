"""Two files beside each other, painted row by row: only what is to be seen is drawn."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QSizePolicy, QToolTip

from core.messages import text
from core.precheck.source.records import Change
from gui import numbers
from gui.looks.theme import Theme
from gui.models.source.copied import as_difference
from gui.models.source.lines import drawn
from gui.models.source.rows import ShownRows
from gui.views.source.row_painter import RowPainter

ROW = 20
"""Pixels of a row."""
_WHEEL = 3
"""Rows that a step of the wheel scrolls."""
_MOST_COPIED = 100_000
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class SourcePanes(QAbstractScrollArea):
    """The target at the left, the golden at the right; both scroll together.

    Arrows, Page Up, Page Down, Home and End move the row that is looked at, with Shift they select; Enter,
    or a double click, opens a gap.
    """

    place_changed = Signal()
    """Another row is looked at, or other rows are on show."""
    gap_wanted = Signal(int)
    """The gap that begins with this row is to be opened."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: ShownRows | None = None
        self.current = -1
        """The row on show that is looked at; -1 for none."""
        self._anchor = -1
        self._painter = RowPainter(theme)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 4 * ROW)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().setSingleStep(1)
        self.horizontalScrollBar().setSingleStep(24)
        self.verticalScrollBar().valueChanged.connect(self.place_changed)
        theme.changed.connect(self._restyle)
        self._restyle()

    # ---- content

    def show_rows(self, rows: ShownRows | None, keep: int = -1) -> None:
        """Show other rows, at row *keep* of the difference; -1: at the first that counts."""
        self.rows = rows
        self._painter.load(rows)
        self._range()
        if rows is None or not len(rows):
            self.current = self._anchor = -1
        elif keep >= 0:
            self.go_to(rows.place_of(keep))
        else:
            self.horizontalScrollBar().setValue(0)
            self.go_to(int(rows.starts[0]) if len(rows.starts) else 0, centre=True)
        self.viewport().update()
        self.place_changed.emit()

    def go_to(self, at: int, centre: bool = False, select: bool = False) -> None:
        """Look at what is shown at *at*, and bring it into view."""
        if self.rows is None or not len(self.rows):
            return
        self.current = min(max(at, 0), len(self.rows) - 1)
        if not select:
            self._anchor = self.current
        bar, page = self.verticalScrollBar(), self._page
        top = bar.value()
        if centre and not top <= self.current < top + page - 4:
            bar.setValue(self.current - page // 3)
        elif self.current < top:
            bar.setValue(self.current)
        elif self.current >= top + page:
            bar.setValue(self.current - page + 1)
        self.viewport().update()
        self._tell()
        self.place_changed.emit()

    @property
    def row(self) -> int:
        """The row of the difference that is looked at; of a gap its first; -1 for none."""
        return int(self.rows.first[self.current]) if self.rows is not None and self.current >= 0 else -1

    @property
    def seen(self) -> tuple[int, int]:
        """The first row on show that is to be seen, and the one after the last."""
        top = self.verticalScrollBar().value()
        return top, min(top + self._page, len(self.rows) if self.rows is not None else 0)

    @property
    def selection(self) -> range:
        """The rows on show that are selected."""
        if self.current < 0:
            return range(0)
        return range(min(self._anchor, self.current), max(self._anchor, self.current) + 1)

    def select_all(self) -> None:
        """Select everything."""
        if self.rows is not None and len(self.rows):
            self._anchor = 0
            self.current = len(self.rows) - 1
            self.viewport().update()

    def copied_text(self) -> str:
        """Return the rows that are selected, as ``diff -u`` writes them."""
        return as_difference(self.rows, self.selection[:_MOST_COPIED]) if self.rows is not None else ""

    def viewportEvent(self, event: QEvent) -> bool:
        """Say what a row differs in where the pointer rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = self._at(event.pos())
            wanted = self.rows is not None and at >= 0 and bool(self.rows.marks[at] or self.rows.hidden[at])
            QToolTip.showText(event.globalPos(), self.words_of(at) if wanted else "", self.viewport())
            return True
        return super().viewportEvent(event)

    # ---- layout

    @property
    def _page(self) -> int:
        return max(self.viewport().height() // ROW, 1)

    def _range(self) -> None:
        count = len(self.rows) if self.rows is not None else 0
        bar = self.verticalScrollBar()
        bar.setPageStep(self._page)
        bar.setRange(0, max(count - self._page, 0))
        across = self.horizontalScrollBar()
        room = self._painter.text_room(self.viewport().width())
        across.setPageStep(room)
        across.setRange(0, max(self._painter.widest - room, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._range()
        self.place_changed.emit()

    def sizeHint(self) -> QSize:
        return QSize(800, 400)

    def scrollContentsBy(self, _across: int, _down: int) -> None:
        self.viewport().update()

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        width = self.viewport().width()
        painter.fillRect(self.viewport().rect(), self._theme.colour("card"))
        if self.rows is None:
            return
        painter.setFont(self._theme.fixed_font())
        top, end = self.seen
        end = min(end + 1, len(self.rows))
        for at in range(top, end):
            box = QRect(0, (at - top) * ROW, width, ROW)
            self._painter.paint(painter, box, at, self.horizontalScrollBar().value())
            if at in self.selection and (len(self.selection) > 1 or self.hasFocus()):
                tint = QColor(self._theme.colour("accent"))
                tint.setAlpha(34)
                painter.fillRect(box, tint)
        self._painter.paint_frame(painter, self.viewport().rect())
        if self.hasFocus() and top <= self.current < end:
            painter.setPen(self._theme.colour("accent"))
            painter.drawRect(0, (self.current - top) * ROW, width - 1, ROW - 1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _restyle(self) -> None:
        self._painter.measure(QFontMetrics(self._theme.fixed_font()))
        self._range()
        self.viewport().update()

    # ---- pointer and keys

    def _at(self, where: QPoint) -> int:
        at = self.verticalScrollBar().value() + where.y() // ROW
        return at if self.rows is not None and 0 <= at < len(self.rows) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and at >= 0:
            self.go_to(at, select=bool(event.modifiers() & _SHIFT))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self.rows is not None and self.current >= 0:
            top = self.verticalScrollBar().value()
            self.go_to(top + event.position().toPoint().y() // ROW, select=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._open_gap(self._at(event.position().toPoint()))

    def _open_gap(self, at: int) -> None:
        if self.rows is not None and at >= 0 and self.rows.hidden[at]:
            self.gap_wanted.emit(int(self.rows.first[at]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, select = event.key(), bool(event.modifiers() & _SHIFT)
        steps = {
            Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: self._page, Qt.Key.Key_PageUp: -self._page,
        }  # fmt: skip
        if key in steps:
            self.go_to(self.current + steps[Qt.Key(key)], select=select)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.go_to(0 if key == Qt.Key.Key_Home else len(self.rows or ()), select=select)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            slider = QAbstractSlider.SliderAction
            left = key == Qt.Key.Key_Left
            self.horizontalScrollBar().triggerAction(
                slider.SliderSingleStepSub if left else slider.SliderSingleStepAdd
            )
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_gap(self.current)
        elif key == Qt.Key.Key_A and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.select_all()
        else:
            super().keyPressEvent(event)

    # ---- words

    def _tell(self) -> None:
        """Say the row that is looked at, for those who do not see it."""
        self.setAccessibleDescription(self.words_of(self.current))

    def words_of(self, at: int) -> str:
        """Return what a row on show says."""
        if self.rows is None or at < 0:
            return ""
        row = self.rows.row(at)
        if row < 0:
            return text(
                "gui.sources.gap",
                count=int(self.rows.hidden[at]),
                number=numbers.grouped(int(self.rows.hidden[at])),
            )
        difference = self.rows.difference
        lines = []
        for side, source, line in (
            ("target", difference.target, int(difference.target_line[row])),
            ("golden", difference.golden, int(difference.golden_line[row])),
        ):
            words = drawn(source.lines[line])[0] if line >= 0 else "—"
            lines.append(f"{text(f'gui.sources.side.{side}')} {line + 1 if line >= 0 else ''}: {words}")
        change = Change(int(difference.change[row])).name.lower()
        return "\n".join([text(f"gui.sources.change.{change}"), *lines])
