"""Windows that hold on to a call while the main window goes on to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from core.records.names import short_name
from gui.comparison.focus import Focus
from gui.context import Context
from gui.copied import copied_from
from gui.models.pair.categories import Category
from gui.models.pair.suspects import cell_label
from gui.names import shown
from gui.widgets.category_mark import CategoryMark
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from gui.pages.detail import DetailCard

_FIRST_SIZE = (1080, 620)
_CASCADE = 28
"""Pixels that each further window stands to the right of and below the one before."""


class DetailWindow(Translated, QWidget):
    """Everything that is known of one call; stays with it until told to follow the selection."""

    closed = Signal(object)
    """The window itself."""

    def __init__(self, context: Context) -> None:
        from gui.pages.detail import (
            DetailCard,  # with all its plots, which the first window must not wait for
        )

        super().__init__()
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.focus = Focus(context.session, self)
        self.focus.follow(False)
        self.mark = CategoryMark(context.theme)
        self.name = ElidedLabel()
        self.name.setObjectName("strong")
        self.follow_button = QToolButton()
        self.follow_button.setObjectName("toggle")
        self.follow_button.setCheckable(True)
        self.follow_button.toggled.connect(self.focus.follow)
        self.card: DetailCard = DetailCard(context, self.focus, remembered=False)
        strip = QFrame()
        strip.setObjectName("strip")
        row = QHBoxLayout(strip)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self.mark)
        row.addWidget(self.name, 1)
        row.addWidget(self.follow_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(10)
        column.addWidget(strip)
        column.addWidget(self.card, 1)
        for keys in ("Esc", "Ctrl+W"):
            QShortcut(QKeySequence(keys), self, self.close)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self, self._copy)
        self.focus.row_changed.connect(self.retranslate)
        self.focus.cell_changed.connect(self.retranslate)
        self.resize(*_FIRST_SIZE)
        self.setMinimumSize(560, 360)
        self.retranslate()

    def _copy(self) -> None:
        copied = copied_from(QApplication.focusWidget(), self.card)
        if copied:
            QGuiApplication.clipboard().setText(copied)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closed.emit(self)
        super().closeEvent(event)

    def retranslate(self) -> None:
        self.follow_button.setText(text("gui.detail_window.follow"))
        self.follow_button.setToolTip(text("gui.detail_window.follow.help"))
        selected = self.focus.selected
        if selected is None:
            self.mark.show_category(None)
            self.name.setText(text("gui.detail.nothing_selected"))
            self.setWindowTitle(text("gui.dock.detail"))
            return
        cell, facts, row = selected
        name = facts.operators[int(facts.operator[row])]
        slot = facts.slots[int(facts.slot[row])]
        where = cell_label(cell.key)
        self.mark.show_category(None if self.focus.exploring else Category(int(facts.category[row])))
        self.name.setText(f"{name}  {slot}")
        title = f"{shown(short_name(name))} {shown(slot)}".strip()
        self.setWindowTitle(f"{title} — {where}")


class DetailWindows(QObject):
    """All of them; they close with the pair, and with the main window."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.session)
        self._context = context
        self.windows: list[DetailWindow] = []
        context.actions.connect_to("open_detail", self.open)
        context.session.opened.connect(self.close_all)

    def open(self) -> None:
        """Open a window that holds on to the call in focus."""
        if self._context.session.focus.selected is None:
            return
        made = DetailWindow(self._context)
        self.windows.append(made)
        made.closed.connect(self.windows.remove)
        beside = QApplication.activeWindow()
        if beside is not None:
            step = _CASCADE * (1 + len(self.windows) % 8)
            made.move(beside.frameGeometry().topLeft() + beside.rect().center() / 3)
            made.move(made.x() + step, made.y() + step)
        made.show()

    def close_all(self) -> None:
        """Close all of them."""
        for window in list(self.windows):
            window.close()

    def retranslate(self) -> None:
        """Render all texts anew in the language in force."""
        for window in self.windows:
            QApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))
