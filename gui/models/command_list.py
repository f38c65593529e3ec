"""The commands that the palette offers for what is typed, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QKeySequence

from gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


@dataclass(frozen=True)
class Entry:
    """A command as it is offered."""

    action: QAction
    words: str
    place: str
    """The menu it stands in."""
    others: str = ""
    """Words of other languages, by which it is found as well."""

    @property
    def keys(self) -> str:
        """Its keys, as this system writes them."""
        return self.action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def rank(typed: str, entry: Entry) -> int | None:
    """Return how well *entry* fits what is *typed*, 0 the best; ``None`` if it does not.

    Words that begin like the typed ones come first, then those that hold them anywhere, then those of
    which the typed letters are the first ones.
    """
    wanted, name = typed.lower().split(), entry.words.lower()
    everything = f"{name} {entry.place.lower()} {entry.others.lower()}"
    begins = [part.strip("…()") for part in everything.split()]
    if all(any(part.startswith(word) for part in begins) for word in wanted):
        return 0 if name.startswith(typed.lower().strip()) else 1
    if all(word in everything for word in wanted):
        return 2
    first_letters = "".join(part[0] for part in name.split())
    return 3 if "".join(wanted) in first_letters else None


class CommandList(QAbstractListModel):
    """One item a command; of those that fit alike, the ones that can be given now come first."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._all: Sequence[Entry] = ()
        self._typed = ""
        self.entries: list[Entry] = []

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Offer *entries*; their order decides between those that fit alike."""
        self._all = entries
        self._find()

    def set_typed(self, typed: str) -> None:
        """Offer what fits *typed*."""
        self._typed = typed
        self._find()

    def _find(self) -> None:
        self.beginResetModel()
        ranked = [(rank(self._typed, entry), entry) for entry in self._all]
        fitting = [(place, entry) for place, entry in ranked if place is not None]
        fitting.sort(key=lambda found: (found[0], not found[1].action.isEnabled()))
        self.entries = [entry for _, entry in fitting]
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        able = index.isValid() and self.entries[index.row()].action.isEnabled()
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if able else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.words
        if role == Role.DETAIL:
            return entry.place
        if role == Role.COUNT:
            return entry.keys
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return "  ".join(part for part in (entry.words, entry.place, entry.keys) if part)
        return None
