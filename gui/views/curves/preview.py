"""The first lines of a log under a pattern: what it matches is coloured, what it reads stands beside."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
)

from core.messages import text
from gui import numbers
from gui.curves.work import TriedLine
from gui.looks.theme import Theme
from gui.models.curves.words import series_words
from gui.names import shown
from gui.widgets.shared_room import GAP

_TINT = 0.28
_LONGEST = 400
"""Signs of a line that are shown."""


class PatternPreview(QSplitter):
    """Lines over values."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(GAP)
        self._theme = theme
        self.lines, self.values = QPlainTextEdit(), QTableWidget()
        self.lines.setReadOnly(True)
        self.lines.setFont(theme.fixed_font(11))
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.values.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.values.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.values.verticalHeader().hide()
        self.values.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.values.horizontalHeader().setHighlightSections(False)
        for part, stretch in ((self.lines, 3), (self.values, 2)):
            self.addWidget(part)
            self.setStretchFactor(self.count() - 1, stretch)
        self.matched = 0
        """How many lines the pattern reads."""

    def show_lines(self, tried: Sequence[TriedLine]) -> None:
        """Show what a pattern makes of the lines *tried*."""
        self.matched = sum(line.values is not None for line in tried)
        self.lines.setPlainText("\n".join(shown(line.text)[:_LONGEST] for line in tried))
        self._colour(tried)
        self._fill(tried)

    def _colour(self, tried: Sequence[TriedLine]) -> None:
        colours = self._theme.colours
        groups = list(dict.fromkeys(name for line in tried for name, _, _ in line.spans))
        palette = (colours.target, colours.golden, *colours.others)
        marked = []
        for number, line in enumerate(tried):
            block = self.lines.document().findBlockByNumber(number)
            if line.values is None or shown(line.text) != line.text:  # signs made visible shift the others
                continue
            for name, first, last in line.spans:
                selection = QTextEdit.ExtraSelection()
                style = QTextCharFormat()
                tint = QColor(palette[groups.index(name) % len(palette)])
                tint.setAlphaF(_TINT)
                style.setBackground(tint)
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + min(first, _LONGEST))
                cursor.setPosition(block.position() + min(last, _LONGEST), QTextCursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, style
                marked.append(selection)
        self.lines.setExtraSelections(marked)

    def _fill(self, tried: Sequence[TriedLine]) -> None:
        read = [line for line in tried if line.values is not None]
        names = list(dict.fromkeys(name for line in read for name in line.values or {}))
        names.sort(key=lambda name: name != "step")
        self.values.setColumnCount(1 + len(names))
        self.values.setRowCount(len(read))
        step = text("gui.curves.axis.step")
        headings = [step if name == "step" else series_words(name) for name in names]
        self.values.setHorizontalHeaderLabels([text("gui.curves.pattern.line"), *headings])
        for row, line in enumerate(read):
            cells = [numbers.grouped(line.number)]
            values = line.values or {}
            cells += [numbers.compact(values[name], 8) if name in values else "" for name in names]
            for column, words in enumerate(cells):
                self.values.setItem(row, column, QTableWidgetItem(words))
