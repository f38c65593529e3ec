"""The nodes of a tree that fit what is searched for, and the way from one to the next. Imports no Qt."""

from __future__ import annotations

import numpy as np

from core.records.columns import ABSENT, Int32
from core.records.result import CellResult
from gui.models.search.query import parse_query
from gui.models.tree.arrangements import Arrangement


class TreeMatches:
    """Found once for a cell, an arrangement and a text; nothing for an empty one."""

    def __init__(self, cell: CellResult, arrangement: Arrangement, text: str) -> None:
        query = parse_query(text)
        self._arrangement = arrangement
        self._rows = np.zeros(len(arrangement.facts), bool)
        self.marked = np.zeros(len(arrangement), bool)
        """By node."""
        if query.terms:
            self._rows = query.mask(cell, arrangement.facts)
            self.marked[arrangement.node_of_row[self._rows]] = True
            if all(term.is_plain for term in query.terms):
                self.marked |= np.logical_and.reduce(
                    [arrangement.named(term.values[0]) for term in query.terms]
                )
        self.nodes: Int32 = np.flatnonzero(self.marked).astype(np.int32)

    def __len__(self) -> int:
        return len(self.nodes)

    def place(self, node: int) -> int:
        """Return which of the matches *node* is, -1 if it is none."""
        at = int(np.searchsorted(self.nodes, node))
        return at if at < len(self) and self.nodes[at] == node else ABSENT

    def after(self, node: int, forward: bool) -> int:
        """Return the match after, or before, *node* (-1: the first, or last); at an end, from the other."""
        if not len(self):
            return ABSENT
        if forward:
            at = int(np.searchsorted(self.nodes, node, side="right"))
            return int(self.nodes[at % len(self)])
        at = int(np.searchsorted(self.nodes, node)) if node >= 0 else 0
        return int(self.nodes[at - 1])

    def row(self, node: int) -> int:
        """Return the first of the worst rows of *node* that fit, or of all below it where none does."""
        facts = self._arrangement.facts
        rows = np.flatnonzero((self._arrangement.node_of_row == node) & self._rows)
        if not len(rows):
            return self._arrangement.worst_row(node)
        return int(rows[np.argmax(facts.category[rows])])
