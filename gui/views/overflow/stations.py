"""The way of the bad values as a list to click through."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.models.overflow.stations import StationList
from gui.overflow.choice import Place
from gui.views.overflow.station_delegate import StationDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated


class _List(QListView):
    """Says when Enter is pressed, whatever the platform makes of that."""

    entered_on = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
        else:
            super().keyPressEvent(event)


class StationsView(Translated, QWidget):
    """Selecting a station looks at it; Enter or a double click shows it in the comparison."""

    show_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._choice = context.session.overflow.choice
        self._following = False
        self.model = StationList(self)
        self.list = _List()
        self.list.setModel(self.model)
        self.list.setItemDelegate(StationDelegate(context.theme, self.model, self.list))
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.addWidget(self._stack)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.list.clicked.connect(self._choose_again)
        self.list.doubleClicked.connect(self.show_wanted)
        self.list.entered_on.connect(self.show_wanted)
        self._choice.birth_changed.connect(self._load)
        self._choice.place_changed.connect(self._follow)
        self._load()

    def _load(self) -> None:
        self._following = True
        self.model.set_spread(self._choice.spread())
        self._following = False
        self._stack.setCurrentIndex(0 if self.model.stops else 1)
        self._follow()
        self.retranslate()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._following:
            self._choose_again(current)

    def _choose_again(self, index: QModelIndex) -> None:
        stop = self.model.stops[index.row()]
        if not stop.heading:
            self._following = True
            station = stop.station
            self._choice.choose_place(Place(station.cell, station.row, station.operator))
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        place = self._choice.place
        here = -1
        if place is not None:
            for at, stop in enumerate(self.model.stops):
                same = stop.station.cell == place.cell and stop.station.row == place.row
                if same and not stop.heading:
                    here = at
                    break
        self._following = True
        if here >= 0:
            index = self.model.index(here, 0)
            self.list.selectionModel().setCurrentIndex(
                index, QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
            self.list.scrollTo(index)
        else:
            self.list.selectionModel().clear()
        self._following = False

    def copied_text(self) -> str:
        """Return the whole way as text."""
        return self.model.as_text()

    def retranslate(self) -> None:
        self.list.setAccessibleName(text("gui.overflow.path"))
        birth = self._choice.birth
        absorbed = birth is not None and not birth.spreads
        self._note.set_texts(text("gui.overflow.no_path" if absorbed else "gui.overflow.path_unknown"))
        self.model.retranslate()
