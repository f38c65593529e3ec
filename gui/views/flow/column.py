"""A column of the data flow: its heading, and its stations."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.looks.theme import Theme
from gui.models.call.flow import Station
from gui.models.call.flow_list import FlowList
from gui.views.flow.card_delegate import CardDelegate
from gui.widgets.elided_label import ElidedLabel

_HEADER = 30
"""Pixels of a heading, so that the columns begin at one height."""
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class StationList(QListView):
    """Up and Down move in it, Left and Right out of it, Enter and a click follow."""

    followed = Signal(int)
    """The row of the result that a station leads to."""
    turned = Signal(int)
    """The focus is wanted in the column before (-1) or after (1) this one."""

    def __init__(self, theme: Theme, model: FlowList) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.setItemDelegate(CardDelegate(theme, self))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._follow)
        theme.changed.connect(self.viewport().update)

    def _follow(self, index: QModelIndex) -> None:
        if index.isValid() and self._model.stations[index.row()].row >= 0:
            self.followed.emit(self._model.stations[index.row()].row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _SIDEWAYS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.turned.emit(_SIDEWAYS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._follow(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.begin()

    def begin(self) -> None:
        """Stand on the first station, where it stands on none."""
        if not self.currentIndex().isValid() and self._model.rowCount():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._model.index(0), flags)


class FlowColumn(QWidget):
    """One of the three."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = FlowList(self)
        self.list = StationList(theme, self.model)
        self._title = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._title.setObjectName("cardSubtitle")
        self.header = QHBoxLayout()
        self.header.setContentsMargins(2, 0, 2, 0)
        self.header.setSpacing(6)
        self.header.addWidget(self._title, 1)
        self.header.addStrut(_HEADER)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self.header)
        layout.addWidget(self.list, 1)

    def set_title(self, title: str, counted: bool = True) -> None:
        """Set the heading; the number of calls stands behind it where they are to be *counted*."""
        calls = sum(
            station.stands_for
            for station in self.model.stations
            if station.stands_for > 1 or (station.row >= 0 and not station.dim)
        )
        self._title.setText(f"{title}  {numbers.grouped(calls)}" if counted and calls > 1 else title)
        self.list.setAccessibleName(title)
        self.list.setAccessibleDescription(text("gui.flow.hint"))
        self._title.setToolTip(text("gui.flow.hint"))

    def show_stations(self, stations: list[Station]) -> None:
        """Show other stations."""
        self.model.set_stations(stations)
        self.list.scrollToTop()
        if self.list.hasFocus():
            self.list.begin()
