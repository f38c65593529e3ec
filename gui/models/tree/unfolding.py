"""Which nodes of an arrangement are on show, by which of them are unfolded. Imports no Qt.

A tree of a million nodes is a column of flags: one pass over it says what is on show, in milliseconds, where
a view that keeps an object a node takes a second to open one long list.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from core.records.columns import Int32
from gui.models.tree.arrangements import Arrangement

MOST_ROWS = 20_000
"""Rows up to which several nodes are unfolded at once."""
_FIRST_LEVELS, _FIRST_ROWS = 2, 2000
"""Levels that are open at first, unless that is more rows than one looks through."""
_COMPARED_NAMES = 4000
"""Unfoldable nodes in one list up to which they are looked for by name in another cell."""
_COMPARED_LISTS = 600
"""Lists that are looked through for that: more would be felt."""


class Unfolding:
    """The state of one arrangement."""

    def __init__(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement
        self.open = np.zeros(len(arrangement), bool)
        self._kept: np.ndarray | None = None
        self.visible: Int32 = np.empty(0, np.int32)
        """The nodes on show, from the top."""
        self._refresh()

    def _refresh(self) -> None:
        self.visible = self._shown_with(self.open)

    def _shown_with(self, opened: np.ndarray) -> Int32:
        """Return the nodes that are on show where *opened* are unfolded."""
        closed = np.flatnonzero(self.arrangement.has_below & ~opened)
        total = len(self.arrangement)
        hidden = np.zeros(total + 1, np.int32)
        hidden[closed + 1] = 1
        hidden -= np.bincount(self.arrangement.end[closed], minlength=total + 1).astype(np.int32)
        seen = np.cumsum(hidden[:total]) == 0
        if self._kept is not None:
            seen &= self._kept
        return np.flatnonzero(seen).astype(np.int32)

    def keep_only(self, kept: np.ndarray | None) -> None:
        """Show only nodes that are *kept*, of which all above are kept too; ``None`` for all."""
        self._kept = kept
        self._refresh()

    def place(self, node: int) -> int:
        """Return where *node* is among those on show, -1 if it is not."""
        at = int(np.searchsorted(self.visible, node))
        return at if at < len(self.visible) and self.visible[at] == node else -1

    def set_open(self, node: int, opened: bool) -> None:
        """Unfold or fold one node."""
        self.open[node] = opened and self.arrangement.has_below[node]
        self._refresh()

    def reveal(self, node: int) -> None:
        """Unfold everything above *node*."""
        above = self.arrangement.ancestors(node)
        if above and not self.open[above].all():
            self.open[above] = True
            self._refresh()

    def fold_all(self) -> None:
        """Leave only the roots."""
        self.open[:] = False
        self._refresh()

    def unfold_first_levels(self) -> None:
        """Unfold what is worth seeing at first: two levels, fewer where they are long."""
        depth = self.arrangement.depth
        for level in range(_FIRST_LEVELS):
            if np.count_nonzero(depth <= level + 1) > _FIRST_ROWS:
                break
            self.open |= self.arrangement.has_below & (depth == level)
        self._refresh()

    def deeper(self) -> int:
        """Unfold one more level; returns how many rows that would be where they are too many, else 0."""
        shut = self.visible[self.arrangement.has_below[self.visible] & ~self.open[self.visible]]
        if not len(shut):
            return 0
        depth = self.arrangement.depth[shut]
        return self._unfold(shut[depth == depth.min()])

    def shallower(self) -> None:
        """Fold the deepest level that is unfolded."""
        opened = self.visible[self.open[self.visible]]
        if len(opened):
            depth = self.arrangement.depth[opened]
            self.open[opened[depth == depth.max()]] = False
            self._refresh()

    def unfold_below(self, node: int) -> int:
        """Unfold all below *node*, level by level; returns as :meth:`deeper` does."""
        self.reveal(node)
        last = int(self.arrangement.end[node])
        while True:
            inside = self.visible[slice(*np.searchsorted(self.visible, (node, last)))]
            shut = inside[self.arrangement.has_below[inside] & ~self.open[inside]]
            if not len(shut):
                return 0
            too_many = self._unfold(shut)
            if too_many:
                return too_many

    def _unfold(self, nodes: Int32) -> int:
        opened = self.open.copy()
        opened[nodes] = True
        visible = self._shown_with(opened)
        if len(visible) > MOST_ROWS:
            return len(visible)
        self.open, self.visible = opened, visible
        return 0

    def take_over(self, other: Unfolding) -> None:
        """Unfold what is unfolded in *other*, of another cell, where the names agree."""
        ours, theirs = self.arrangement, other.arrangement
        if len(ours) == len(theirs) and ours.agrees_with(theirs):
            self.open = other.open.copy()
        else:
            self._take_over_by_name(other)
        self._refresh()

    def _take_over_by_name(self, other: Unfolding) -> None:
        pairs = deque([(-1, -1)])
        looked = 0
        while pairs and looked < _COMPARED_LISTS:  # the upper levels first
            looked += 1
            mine, theirs = pairs.popleft()
            wanted = other._below(theirs, opened_only=True)
            if not len(wanted) or len(wanted) > _COMPARED_NAMES:
                continue
            here = self._below(mine)
            if len(here) > _COMPARED_NAMES:
                continue
            by_name = {self.arrangement.name(node): node for node in here.tolist()}
            for node in wanted.tolist():
                found = by_name.get(other.arrangement.name(node))
                if found is not None:
                    self.open[found] = True
                    pairs.append((found, node))

    def _below(self, node: int, opened_only: bool = False) -> Int32:
        """Return the nodes straight below *node* (-1: the roots) that have some below themselves."""
        first, last = (node, int(self.arrangement.end[node])) if node >= 0 else (0, len(self.arrangement))
        wanted = self.open if opened_only else self.arrangement.has_below
        at = np.flatnonzero((self.arrangement.parent[first:last] == node) & wanted[first:last])
        return (at + first).astype(np.int32)
