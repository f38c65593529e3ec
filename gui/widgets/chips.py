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
        self.brief = False
        self._plain = ""

    def show_count(self, count: int, total: int, word: str, meaning: str) -> None:
        """Show *count* of *word*, and of how many where a filter hides some; *meaning* is the tool tip."""
        self.count, self.total = count, total
        self.setText(f"{self._number()} {word}")
        self.setAccessibleName(self.text())
        self.setToolTip(f"{self.text()}\n{meaning}" if meaning else "")
        self.updateGeometry()
        self.update()

    def show_words(self, words: str, meaning: str) -> None:
        """Show *words* without a number."""
        self._plain = words
        self.setText(words)
        self.setAccessibleName(words)
        self.setToolTip(meaning)
        self.updateGeometry()
        self.update()

    def set_brief(self, brief: bool) -> None:
        """Show the number alone: words go before digits do."""
        if brief != self.brief:
            self.brief = brief
            self.updateGeometry()
            self.update()

    def width_for(self, brief: bool) -> int:
        """Return the pixels that it needs with or without its word."""
        words = self._number() if brief else self.text()
        return QFontMetrics(self.font()).horizontalAdvance(words) + self._left + 10

    def _number(self) -> str:
        """Return what is never cut."""
        if self._plain:
            return self._plain
        shown = numbers.grouped(self.count)
        if self.count == self.total:
            return shown
        return text("gui.verdicts.some", shown=shown, total=numbers.grouped(self.total))

    @property
    def _left(self) -> int:
        """Where the words begin."""
        return 12 if self.category is None else 28

    def sizeHint(self) -> QSize:
        return QSize(self.width_for(self.brief), 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.width_for(brief=True), 28)

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
        painter.setPen(self._theme.colour("text" if self.count or self._plain else "dim"))
        room = self.rect().adjusted(self._left, 0, -8, 0)
        # half a word tells less than none, and the number is what the chip is for
        brief = self.brief or self.width() < self.width_for(brief=False)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._number() if brief else self.text())
        painter.end()


class CategoryChip(CountChip):
    """The count of one category of rows."""

    def __init__(self, category: Category, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(category, theme, parent)
        self.of = category
        self.set_count(0, 0)

    def set_count(self, count: int, total: int) -> None:
        """Show *count*, and of how many where a filter hides some."""
        self.show_count(count, total, self.of.word, self.of.meaning)


class RunChip(_Chip):
    """One side in the top bar: role, name, and what it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._role, self._name, self._detail = "", "", ""
        self._brief = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(30)

    def set_texts(self, role: str, name: str, detail: str, tip: str) -> None:
        """Set what is shown; *name* is cut in its middle when room is short, *detail* goes first."""
        self._role, self._name, self._detail = role, name, detail
        self.setText(name)
        self.setToolTip("\n".join(part for part in (tip, detail) if part))
        self.setAccessibleName(f"{role} {name} {detail}".strip())
        self.updateGeometry()
        self.update()

    def set_brief(self, brief: bool) -> None:
        """Leave what the run is to the tool tip."""
        if brief != self._brief:
            self._brief = brief
            self.updateGeometry()
            self.update()

    @property
    def whole_width(self) -> int:
        """Pixels that all of it takes."""
        role, name, detail = self._widths()
        return min(30 + role + 8 + name + (8 + detail if detail else 0), 420)

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
        role, name, _ = self._widths()
        return QSize(min(30 + role + 8 + name, 420) if self._brief else self.whole_width, 30)

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
        told = not self._brief and detail and room - name - 8 > min(detail, 40)
        shown_detail = self._detail if told else ""
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
