"""What a field offers to be typed, in a list under it that never takes the focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.messages import text
from gui.looks.theme import Theme
from gui.models.roles import Role
from gui.models.search.query_completion import Offer

_ROW, _MOST_ROWS = 25, 10
_LEAST, _MOST = 220, 560
"""Pixels of width."""
_AROUND, _BETWEEN, _FRAME = 40, 14, 10


class _OfferDelegate(QStyledItemDelegate):
    """The words in the fixed font, and what they are for dim behind them."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._fixed = theme, theme.fixed_font()
        self._plain = parent.fontMetrics()
        self.room = 0
        """Pixels of the longest words offered."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, _ROW)

    def widths(self, offer: Offer) -> tuple[int, int]:
        """Return the pixels of both texts."""
        words = QFontMetrics(self._fixed).horizontalAdvance(offer.words)
        return words, self._plain.horizontalAdvance(offer.help)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        inside, middle = option.rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self._theme.colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, self._theme.colour("hover"))
        painter.setFont(self._fixed)
        painter.setPen(self._theme.colour("text"))
        metrics = QFontMetrics(self._fixed)
        words = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, middle, words)
        inside.setLeft(inside.left() + self.room + _BETWEEN)
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        told = QFontMetrics(option.font).elidedText(
            str(index.data(Role.DETAIL) or ""), Qt.TextElideMode.ElideRight, max(inside.width(), 0)
        )
        painter.drawText(inside, middle, told)
        painter.restore()


class OfferList(QListWidget):
    """Lies over the window that *field* is in; the field has the keys and moves what is chosen."""

    taken = Signal(object)
    """The :class:`Offer` that the mouse took."""

    def __init__(self, theme: Theme, field: QWidget) -> None:
        super().__init__(field.window())
        self._field = field
        self._offers: Sequence[Offer] = ()
        self._delegate = _OfferDelegate(theme, self)
        self.setObjectName("offers")
        self.setItemDelegate(self._delegate)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._take)
        self.hide()

    def offer(self, offers: Sequence[Offer]) -> None:
        """Show *offers*, none of them chosen; hide where there are none."""
        self._offers = offers
        self.clear()
        for offer in offers:
            item = QListWidgetItem(offer.words)
            item.setData(Role.DETAIL, offer.help)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{offer.words} {offer.help}".strip())
            self.addItem(item)
        self.setAccessibleName(text("gui.query.offers"))
        self.setVisible(bool(offers))
        if offers:
            self._place()

    @property
    def chosen(self) -> Offer | None:
        """What the keys stand on."""
        at = self.currentRow()
        return self._offers[at] if self.isVisible() and at >= 0 else None

    def turn(self, step: int) -> None:
        """Choose another offer; past either end none is chosen."""
        count = self.count()
        at = self.currentRow()
        at = (at + step + 1) % (count + 1) - 1 if abs(step) == 1 else min(max(at + step, 0), count - 1)
        self.setCurrentRow(at)
        if at < 0:
            self.clearSelection()

    def _place(self) -> None:
        window, field = self._field.window(), self._field
        if self.parentWidget() is not window:  # the field's card floats, or is docked again
            self.setParent(window)
            self.show()
        pairs = [self._delegate.widths(offer) for offer in self._offers]
        words = max(first for first, _ in pairs)
        self._delegate.room = words
        wanted = words + max(second for _, second in pairs) + _BETWEEN + _AROUND
        width = min(max(wanted, _LEAST, min(field.width(), _MOST)), window.width() - 8)
        corner = field.mapTo(window, QPoint(0, field.height() + 3))
        height = min(len(self._offers), _MOST_ROWS) * _ROW + _FRAME
        left = max(min(corner.x(), window.width() - width - 4), 4)
        top = corner.y()
        if top + height > window.height() - 4:
            top = max(field.mapTo(window, QPoint(0, 0)).y() - height - 3, 4)
        self.setGeometry(left, top, width, height)
        self.raise_()

    def _take(self, item: QListWidgetItem) -> None:
        self.taken.emit(self._offers[self.row(item)])
