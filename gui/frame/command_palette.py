"""The command palette: type a few letters of any command, and give it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHideEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from gui.looks.theme import Theme
from gui.models.command_list import CommandList, Entry
from gui.models.roles import Role
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

Index = QModelIndex | QPersistentModelIndex
_WIDTH, _ROW, _MOST_ROWS, _TOP = 620, 34, 12, 64
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class _EntryDelegate(QStyledItemDelegate):
    """The words, the menu dim behind them, the keys at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        able = bool(option.state & QStyle.StateFlag.State_Enabled)
        if able and option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("selection" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(6, 1, -6, -1), 6, 6)
        inside, metrics = rect.adjusted(18, 0, -18, 0), QFontMetrics(option.font)
        keys = str(index.data(Role.COUNT))
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
        if keys:
            inside.setRight(inside.right() - metrics.horizontalAdvance(keys) - 16)
        place = f"   {index.data(Role.DETAIL)}"
        room = max(inside.width() - metrics.horizontalAdvance(place), 80)
        words = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideMiddle, room)
        painter.setPen(self._theme.colour("text" if able else "dim"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, words)
        inside.setLeft(inside.left() + metrics.horizontalAdvance(words))
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, place)
        painter.restore()


class CommandPalette(Translated, QFrame):
    """Lies over the window while it is open; gives the focus back when it is not any more."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self._before: QWidget | None = None
        self.field = QLineEdit()
        self.field.setFixedHeight(34)
        self.model = CommandList(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_EntryDelegate(theme, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._note)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self._stack)
        self.field.textChanged.connect(self._find)
        self.list.clicked.connect(self._give)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self.hide()
        self.retranslate()

    def open(self, entries: Sequence[Entry]) -> None:
        """Show *entries*; all of them until something is typed."""
        if not self.isVisible():
            self._before = self.window().focusWidget()
        self.model.set_entries(entries)
        self.field.clear()
        self._find("")
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def renew(self, entries: Sequence[Entry]) -> None:
        """Offer *entries* instead, where the palette is open: what it showed may not be there any more."""
        if self.isVisible():
            self.model.set_entries(entries)
            self._find(self.field.text())

    def _find(self, typed: str) -> None:
        self.model.set_typed(typed)
        count = self.model.rowCount()
        self._stack.setCurrentIndex(0 if count else 1)
        self._place(count)
        able = self._able()
        self.list.setCurrentIndex(self.model.index(able[0]) if able else QModelIndex())
        self.list.scrollToTop()

    def _able(self) -> list[int]:
        """Return where the commands are that can be given now."""
        return [at for at, entry in enumerate(self.model.entries) if entry.action.isEnabled()]

    def _place(self, count: int) -> None:
        window = self.window()
        width = min(_WIDTH, window.width() - 40)
        rows = min(max(count, 2), _MOST_ROWS, max((window.height() - _TOP - 90) // _ROW, 3))
        self.setGeometry(QRect(QPoint((window.width() - width) // 2, _TOP), QSize(width, rows * _ROW + 58)))

    def _give(self, index: QModelIndex) -> None:
        """Give the command at *index*, once the focus is back where it was."""
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            action = self.model.entries[index.row()].action
            self.close()
            action.trigger()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.model.set_entries(())  # recent pairs come and go
        before, self._before = self._before, None
        if before is not None and self.window().isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._press(event)
            if event.type() == QEvent.Type.FocusOut and self.isVisible():
                self._before = None  # the user went somewhere else
                self.close()
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self._place(self.model.rowCount())
        return False

    def _press(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._give(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.close()
        elif key in _MOVES:
            self._move(key)
        else:
            return False
        return True

    def _move(self, key: int) -> None:
        able = self._able()
        if not able:
            return
        here = self.list.currentIndex().row()
        at = able.index(here) if here in able else 0
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(key))
        if step is not None:
            at = (at + step) % len(able)
        else:
            at = min(max(at + (_MOST_ROWS if key == Qt.Key.Key_PageDown else -_MOST_ROWS), 0), len(able) - 1)
        self.list.setCurrentIndex(self.model.index(able[at]))

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.action.palette"))
        self.field.setPlaceholderText(text("gui.palette.placeholder"))
        self.field.setAccessibleName(text("gui.palette.placeholder"))
        self.list.setAccessibleName(text("gui.palette.list"))
        self._note.set_texts(text("gui.palette.none"))
