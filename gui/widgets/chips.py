"""Chips: small rounded buttons. A count chip shows how many and filters; a run chip shows a side."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from core.messages import text
from gui import numbers
from gui.looks.theme import Theme
from gui.models.pair.categories import Category
from gui.widgets.verdict_icon import paint_category


class _Chip(QAbstractButton):
    """What both kinds draw alike: a rounded box with a focus and a hover line."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def _box(self, painter: QPainter, radius: float, line: QColor, fill: QColor) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = self.hasFocus() and self.isEnabled()
        painter.setPen(QPen(line, 1.5 if wide else 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), radius, radius)

    def _line_colour(self, plain: str = "line") -> QColor:
        lit = (self.underMouse() or self.hasFocus()) and self.isEnabled()
        return self._theme.colour("accent") if lit else self._theme.colour(plain)


class CountChip(_Chip):
    """How many of something there are, beside its mark if it has one; checked, only those are shown."""

    def __init__(self, category: Category | None, theme: Theme, parent: QWidget | None = None) -> None:
        """*category* is the one whose mark is drawn."""
        super().__init__(theme, parent)
        self.category = category
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.count = self.total = 0

    def show_count(self, count: int, total: int, word: str, meaning: str) -> None:
        """Show *count* of *word*, and of how many where a filter hides some; *meaning* is the tool tip."""
        self.count, self.total = count, total
        self.setText(f"{self._number()} {word}")
        self.setAccessibleName(self.text())
        self.setToolTip(f"{self.text()}\n{meaning}" if meaning else "")
        self.updateGeometry()
        self.update()

    def _number(self) -> str:
        shown = numbers.grouped(self.count)
        if self.count == self.total:
            return shown
        return text("gui.verdicts.some", shown=shown, total=numbers.grouped(self.total))

    @property
    def _left(self) -> int:
        """Where the words begin."""
        return 12 if self.category is None else 28

    def sizeHint(self) -> QSize:
        return QSize(QFontMetrics(self.font()).horizontalAdvance(self.text()) + self._left + 10, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(QFontMetrics(self.font()).horizontalAdvance(self._number()) + self._left + 10, 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = self._theme.colours
        painter = QPainter(self)
        mark = QColor(colours.accent if self.category is None else colours.of(self.category))
        line = mark if self.isChecked() else self._line_colour()
        fill = QColor(mark) if self.isChecked() else self._theme.colour("second")
        if self.isChecked():
            fill.setAlphaF(0.13)
        self._box(painter, self.height() / 2 - 1, line, fill)
        if self.category is not None:
            paint_category(painter, QPointF(17, self.height() / 2), self.category, colours, 10)
        painter.setPen(self._theme.colour("text" if self.count else "dim"))
        room = self.rect().adjusted(self._left, 0, -8, 0)
        words = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if not words.startswith(self._number()):  # the number is what the chip is for
            words = self._number()
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class CategoryChip(CountChip):
    """The count of one category of rows."""

    def __init__(self, category: Category, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(category, theme, parent)
        self._of = category
        self.set_count(0, 0)

    def set_count(self, count: int, total: int) -> None:
        """Show *count*, and of how many where a filter hides some."""
        self.show_count(count, total, self._of.word, self._of.meaning)


class RunChip(_Chip):
    """One side in the top bar: role, name, and what it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._role, self._name, self._detail = "", "", ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(30)

    def set_texts(self, role: str, name: str, detail: str, tip: str) -> None:
        """Set what is shown; *name* is cut in its middle when room is short, *detail* goes first."""
        self._role, self._name, self._detail = role, name, detail
        self.setText(name)
        self.setToolTip(tip)
        self.setAccessibleName(f"{role} {name} {detail}".strip())
        self.updateGeometry()
        self.update()

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _widths(self) -> tuple[int, int, int]:
        plain = QFontMetrics(self.font())
        return (
            plain.horizontalAdvance(self._role),
            QFontMetrics(self._bold()).horizontalAdvance(self._name) + 2,
            plain.horizontalAdvance(self._detail),
        )

    def sizeHint(self) -> QSize:
        role, name, detail = self._widths()
        return QSize(min(30 + role + 8 + name + (8 + detail if detail else 0), 420), 30)

    def minimumSizeHint(self) -> QSize:
        role, name, _ = self._widths()
        return QSize(26 + role + 8 + min(name, 90), 30)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._box(painter, 8, self._line_colour(), self._theme.colour("second"))
        role, name, detail = self._widths()
        room = self.width() - 26
        left = 13
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(left, 0, role, self.height(), Qt.AlignmentFlag.AlignVCenter, self._role)
        left += role + 8
        room -= role + 8
        shown_detail = self._detail if room - name - 8 > min(detail, 40) and detail else ""
        name_room = min(name, room)
        bold = self._bold()
        painter.setFont(bold)
        painter.setPen(self._theme.colour("text" if self._name else "dim"))
        cut = QFontMetrics(bold).elidedText(self._name, Qt.TextElideMode.ElideMiddle, name_room)
        painter.drawText(left, 0, name_room, self.height(), Qt.AlignmentFlag.AlignVCenter, cut)
        if shown_detail:
            left += name_room + 8
            painter.setFont(self.font())
            painter.setPen(self._theme.colour("dim"))
            rest = self.width() - 13 - left
            cut = QFontMetrics(self.font()).elidedText(shown_detail, Qt.TextElideMode.ElideRight, rest)
            painter.drawText(left, 0, rest, self.height(), Qt.AlignmentFlag.AlignVCenter, cut)
        painter.end()
