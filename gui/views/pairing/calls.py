"""One run's calls to choose from: a search field over a list."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from core.messages import text
from gui.widgets.translated import Translated


class CallChoice(Translated, QWidget):
    """A list of calls by name; ``title_code`` is the catalogue code of its heading."""

    chosen = Signal()

    def __init__(self, title_code: str) -> None:
        super().__init__()
        self._title_code = title_code
        self._partners: dict[str, str] = {}
        self._title, self._count = QLabel(), QLabel()
        self._title.setObjectName("strong")
        self._count.setObjectName("dim")
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self._names = QStringListModel(self)
        self.shown = QSortFilterProxyModel(self)
        self.shown.setSourceModel(self._names)
        self.shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list = QListView()
        self.list.setModel(self.shown)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(2)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget in (self._title, self.search, self.list, self._count):
            column.addWidget(widget)
        self.search.textChanged.connect(self._search)
        self.list.selectionModel().currentChanged.connect(self.chosen)
        self.list.selectionModel().currentChanged.connect(self._say)
        self.shown.modelReset.connect(self._say)
        self.retranslate()

    def set_calls(self, partners: dict[str, str], only_alone: bool) -> None:
        """Offer the keys of *partners*, of those that have one none if *only_alone*; the choice stays."""
        current = self.current()
        self._partners = partners
        self._names.setStringList(
            [name for name, partner in partners.items() if not (only_alone and partner)]
        )
        self.choose(current)
        self._say()

    def choose(self, name: str) -> None:
        """Choose *name* where it is on offer."""
        found = self.shown.match(
            self.shown.index(0, 0), Qt.ItemDataRole.DisplayRole, name, 1, Qt.MatchFlag.MatchExactly
        )
        if name and found:
            self.list.setCurrentIndex(found[0])
            self.list.scrollTo(found[0], QAbstractItemView.ScrollHint.PositionAtCenter)

    def current(self) -> str:
        """Return the chosen name, empty for none."""
        return str(self.list.currentIndex().data() or "")

    def _search(self, typed: str) -> None:
        self.shown.setFilterFixedString(typed.strip())
        self._say()

    def _say(self) -> None:
        name = self.current()
        partner = self._partners.get(name, "")
        if partner:
            said = text("gui.pairing.partner", name=partner)
        elif name:
            said = text("gui.pairing.no_partner")
        else:
            said = text("gui.pairing.calls", count=self.shown.rowCount())
        self._count.setText(said)
        self._count.setToolTip(partner)

    def retranslate(self) -> None:
        self._title.setText(text(self._title_code))
        self.search.setPlaceholderText(text("gui.pairing.search"))
        self.list.setAccessibleName(text(self._title_code))
        self._say()
