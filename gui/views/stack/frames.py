"""The list of frames, both sides."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from core.records.stacks import Frame
from gui.looks.theme import Theme
from gui.models.call.stack_table import StackTable
from gui.views.stack.frame_delegate import HEIGHT, PairDelegate

Index = QModelIndex | QPersistentModelIndex


class FramesTable(QTableView):
    """One frame is current: a cell, not a row."""

    frame_chosen = Signal()

    def __init__(self, theme: Theme, model: StackTable) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.setItemDelegate(PairDelegate(theme, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(HEIGHT)
        header = self.horizontalHeader()
        header.setFixedHeight(29)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        theme.changed.connect(self.viewport().update)

    @property
    def frame(self) -> Frame | None:
        """The current frame."""
        index = self.currentIndex()
        return self._model.frame(index.row(), index.column()) if index.isValid() else None

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.frame_chosen.emit()

    def begin(self) -> None:
        """Stand on the first frame that differs, else on the line that made the call."""
        row = next((row for row in (self._model.first_differing, self._model.caller, 0) if row >= 0), 0)
        columns = [column for column in (0, 1) if self._model.frame(row, column) is not None]
        if columns:
            index = self._model.index(row, columns[0])
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.frame_chosen.emit()
