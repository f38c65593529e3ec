"""A page that scrolls when it is too long: one column or three, and buttons that stay under it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from core.messages import text
from gui.widgets.translated import Translated


class PageArea(Translated, QScrollArea):
    """Shows a page as wide as itself and scrolls it up and down; takes the focus only where it can scroll."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        page.setObjectName("page")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        self.verticalScrollBar().rangeChanged.connect(self._offer_focus)
        self._offer_focus()
        self.retranslate()

    def _offer_focus(self, *_: int) -> None:
        scrolls = self.verticalScrollBar().maximum() > 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.area.scrolls"))


def page_area(page: QWidget) -> PageArea:
    """Return an area that shows *page*."""
    return PageArea(page)


def page_columns(
    page: QWidget, wide: bool, spacing: int, stretches: tuple[int, int, int]
) -> tuple[QVBoxLayout, QVBoxLayout, QVBoxLayout]:
    """Lay *page* out in three columns beside each other; one and the same three times if it is not *wide*."""
    if not wide:
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(9)
        return column, column, column
    row = QHBoxLayout(page)
    row.setContentsMargins(14, 12, 14, 14)
    row.setSpacing(spacing)
    made = (QVBoxLayout(), QVBoxLayout(), QVBoxLayout())
    for each, stretch in zip(made, stretches):
        each.setSpacing(9)
        row.addLayout(each, stretch)
    return made


def over_buttons(page: QWidget, *buttons: QPushButton) -> QWidget:
    """Return *page* with *buttons* under it."""
    row = QHBoxLayout()
    row.setContentsMargins(14, 8, 14, 10)
    row.setSpacing(8)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    whole = QWidget()
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(page, 1)
    column.addLayout(row)
    return whole
