"""The tree of checks as it is laid out: which columns there is room for."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView

from gui.looks.theme import Theme
from gui.models.precheck.checks import CheckColumn, CheckTree
from gui.models.precheck.words import signed_text
from gui.views.precheck.check_delegate import CheckDelegate

_HEADER = 29
_LEAST_SENTENCE = 240
"""Pixels that the sentence is given at least, before other columns go."""
_SOME_SENTENCE, _LEAST_CHECK = 130, 160
"""Pixels that the sentence has before the titles of the checks have more than so many."""
_VALUE = 128
"""Pixels of what each side has, where there is room."""
_GO_FIRST = (CheckColumn.REMARK, CheckColumn.GOLDEN, CheckColumn.TARGET)


class CheckTreeView(QTreeView):
    """Says when Enter is pressed, whatever the platform makes of that."""

    entered_on = Signal()

    def __init__(self, theme: Theme, checks: CheckTree) -> None:
        super().__init__()
        self._checks = checks
        self.setModel(checks)
        self.setItemDelegate(CheckDelegate(theme, self, checks))
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(30)
        header.setFixedHeight(_HEADER)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
        here = self.visualRect(self.currentIndex())
        if here.isValid() and here.intersects(QRect(QPoint(), event.oldSize())):  # it was seen, and stays so
            self.scrollTo(self.currentIndex())

    def fit(self) -> None:
        """Give the sentences what the other columns leave; hide those that would leave too little."""
        hints = {
            CheckColumn.RESULT: self._hint(CheckColumn.RESULT, 140),
            CheckColumn.CHECK: self._hint(CheckColumn.CHECK, 240),
            CheckColumn.TARGET: max(self._hint(CheckColumn.TARGET, 190), _VALUE),
            CheckColumn.GOLDEN: max(self._hint(CheckColumn.GOLDEN, 190), _VALUE),
            CheckColumn.REMARK: self._hint(CheckColumn.REMARK, 200),
        }
        room = self.viewport().width() - 2
        checks = (check for group in self._checks.groups for check in group.checks)
        remarked = any(signed_text(check) for check in checks)
        hidden: set[CheckColumn] = set() if remarked else {CheckColumn.REMARK}
        for column in _GO_FIRST:
            if room - sum(hints[other] for other in hints if other not in hidden) >= _LEAST_SENTENCE:
                break
            hidden.add(column)
        if CheckColumn.GOLDEN in hidden:  # one side alone tells nothing
            hidden.add(CheckColumn.TARGET)
        for column in CheckColumn:
            self.setColumnHidden(column, column in hidden)
            if column in hints:
                self.setColumnWidth(column, hints[column])
        left = room - sum(hints[column] for column in hints if column not in hidden)
        less = min(max(_SOME_SENTENCE - left, 0), max(hints[CheckColumn.CHECK] - _LEAST_CHECK, 0))
        if less:
            self.setColumnWidth(CheckColumn.CHECK, hints[CheckColumn.CHECK] - less)
            left += less
        self.setColumnWidth(CheckColumn.SENTENCE, max(left, 60))

    def _hint(self, column: CheckColumn, most: int) -> int:
        title = self.fontMetrics().horizontalAdvance(column.title) + 24
        return max(min(self.sizeHintForColumn(column), most), title)
