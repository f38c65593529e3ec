"""Which columns are shown, in which order: a set of them, or the user's own; remembered by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gui.models.table.call_columns import CALL_COLUMNS
from gui.models.table.column_sets import EXPLORED, SETS, ColumnSet
from gui.models.table.columns import COLUMNS
from gui.settings import Settings

_HIDDEN_CALL_COLUMNS = ("golden_operator",)
"""Of calls, at first."""


class ColumnChoice(Protocol):
    """What a :class:`gui.views.table.header.ColumnKeeper` asks, and tells."""

    def shown(self) -> Sequence[str]:
        """Return the keys of the columns to show, from left to right."""

    def keep(self, shown: Sequence[str]) -> None:
        """Remember what the user made of it."""

    def reset(self) -> None:
        """Forget that."""


class SlotColumns:
    """Columns of slots: one of several sets."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.exploring = False
        """Whether one run alone is looked at; its columns are not the user's to choose for comparing."""
        self.origins = False
        """Whether an origin is known; its column is left out otherwise, and comes back by itself."""
        self.notes = False
        """Whether a call has a note or is ignored; likewise."""

    @property
    def set(self) -> ColumnSet:
        """The set in force."""
        words = [candidate.value for candidate in ColumnSet]
        if self._settings.column_set in words:
            return ColumnSet(self._settings.column_set)
        return ColumnSet.OWN if self._settings.hidden_columns else ColumnSet.OURS

    def choose(self, wanted: ColumnSet) -> None:
        """Show another set; one's own begins as what is on show."""
        if wanted is ColumnSet.OWN and not self._settings.hidden_columns:
            self.keep(SETS[self.set])
        self._settings.column_set = wanted.value

    def shown(self) -> Sequence[str]:
        if self.exploring:
            return EXPLORED
        keys = self._own() if self.set is ColumnSet.OWN else SETS[self.set]
        return [key for key in keys if key not in self._silent]

    @property
    def _silent(self) -> frozenset[str]:
        """The keys of columns in which nothing stands."""
        told = {"origin": self.origins, "note": self.notes}
        return frozenset(key for key, there in told.items() if not there)

    def _own(self) -> list[str]:
        every, hidden = [column.key for column in COLUMNS], set(self._settings.hidden_columns)
        order = {key: place for place, key in enumerate(self._settings.column_order)}
        moved = sorted(every, key=lambda key: order.get(key, len(order))) if order else every
        return [key for key in moved if key not in hidden]

    def keep(self, shown: Sequence[str]) -> None:
        if self.exploring:
            return
        was = self._own() if self.set is ColumnSet.OWN else SETS[self.set]
        silent = self._silent & set(was)
        self._settings.hidden_columns = [
            column.key for column in COLUMNS if column.key not in shown and column.key not in silent
        ]
        natural = [column.key for column in COLUMNS if column.key in shown]
        rest = [column.key for column in COLUMNS if column.key not in shown]
        self._settings.column_order = [*shown, *rest] if list(shown) != natural else []
        self._settings.column_set = ColumnSet.OWN.value

    def reset(self) -> None:
        self._settings.hidden_columns, self._settings.column_order = [], []
        self._settings.column_set = ColumnSet.OURS.value


class CallColumns:
    """Columns of calls: all but the hidden ones."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def shown(self) -> Sequence[str]:
        return [column.key for column in CALL_COLUMNS if column.key not in self._settings.hidden_call_columns]

    def keep(self, shown: Sequence[str]) -> None:
        self._settings.hidden_call_columns = [
            column.key for column in CALL_COLUMNS if column.key not in shown
        ]

    def reset(self) -> None:
        self._settings.hidden_call_columns = list(_HIDDEN_CALL_COLUMNS)
