"""The controls in the heading of the table: what stands as a row, and which columns are shown."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from core.messages import text
from gui.models.table.column_sets import ColumnSet


class RowsSwitch(QWidget):
    """Slots or operators as rows."""

    chosen = Signal(bool)
    """Whether operators are."""

    def __init__(self) -> None:
        super().__init__()
        self._slots, self._calls = QToolButton(), QToolButton()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._group = QButtonGroup(self)
        for button, side in ((self._slots, "left"), (self._calls, "right")):
            button.setObjectName("segment")
            button.setProperty("side", side)
            button.setCheckable(True)
            self._group.addButton(button)
            line.addWidget(button)
        self._group.buttonClicked.connect(self._tell)

    def set_calls(self, calls: bool) -> None:
        """Show which one is in force."""
        (self._calls if calls else self._slots).setChecked(True)

    def _tell(self) -> None:
        self.chosen.emit(self._calls.isChecked())

    def set_texts(self, key: str) -> None:
        """Write the words; *key* switches too."""
        self.setAccessibleName(text("gui.rows.name"))
        self._slots.setText(text("gui.rows.slots"))
        self._slots.setToolTip(text("gui.rows.slots.help", key=key))
        self._calls.setText(text("gui.rows.calls"))
        self._calls.setToolTip(text("gui.rows.calls.help", key=key))


class SetButton(QToolButton):
    """Offers the sets of columns, and says which is in force."""

    chosen = Signal(object)
    """A :class:`ColumnSet`."""

    def __init__(self) -> None:
        super().__init__()
        self._set = ColumnSet.OURS
        self.setObjectName("link")
        self.clicked.connect(self._offer)

    def set_set(self, shown: ColumnSet) -> None:
        """Show which one is in force."""
        self._set = shown
        name = text(f"gui.column_set.{shown.value}")
        self.setText(f"{name} ▾")
        self.setAccessibleName(text("gui.column_set.name", name=name))

    def menu_of_sets(self) -> QMenu:
        """Return a new menu of all sets, to be deleted by the caller."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for candidate in ColumnSet:
            action = menu.addAction(text(f"gui.column_set.{candidate.value}"))
            action.setToolTip(text(f"gui.column_set.{candidate.value}.help"))
            action.setCheckable(True)
            action.setChecked(candidate is self._set)
            action.setData(candidate.value)
            group.addAction(action)
        group.triggered.connect(lambda action: self.chosen.emit(ColumnSet(action.data())))
        return menu

    def _offer(self) -> None:
        menu = self.menu_of_sets()
        menu.exec(self.mapToGlobal(QPoint(0, self.height() + 4)))
        menu.deleteLater()

    def set_texts(self) -> None:
        """Write the words."""
        self.setToolTip(text("gui.column_set.help"))
        self.set_set(self._set)
