"""Which rows of two files are on show: all, or those that count with some around them."""

from __future__ import annotations

import numpy as np

from core.precheck.source.records import DifferenceOptions, FileDifference

AROUND = 3
"""Rows on show before and after a difference."""


class ShownRows:
    """What is on show from the top: rows, and gaps that stand for rows which say nothing."""

    def __init__(
        self, difference: FileDifference, options: DifferenceOptions, whole: bool, opened: frozenset[int]
    ) -> None:
        """*whole*: there are no gaps; *opened*: those, by their first row, that the user wants to see."""
        self.difference = difference
        marked = difference.marked(options)
        self.first, self.hidden = _arranged(marked, whole, opened)
        """Of what is on show: its row, and how many rows a gap stands for; 0 for a row."""
        self.marks = marked[self.first] & (self.hidden == 0)
        """Which of it are rows that count."""
        self.starts = np.flatnonzero(self.marks & ~np.append(False, self.marks[:-1])[: len(self.marks)])
        """Where a run of rows that count begins."""

    def __len__(self) -> int:
        return len(self.first)

    def row(self, at: int) -> int:
        """Return the row that is shown at *at*; -1 for a gap."""
        return -1 if self.hidden[at] else int(self.first[at])

    def place_of(self, row: int) -> int:
        """Return where *row* is on show, or the gap that stands for it; -1 where there is nothing."""
        return int(np.searchsorted(self.first, row, side="right")) - 1


def _arranged(marked: np.ndarray, whole: bool, opened: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
    if whole or not marked.any():
        return np.arange(len(marked)), np.zeros(len(marked), np.int64)
    near = np.convolve(marked, np.ones(2 * AROUND + 1), "full")[AROUND : AROUND + len(marked)] > 0.5
    edges = np.flatnonzero(np.diff(np.concatenate(([True], near, [True])).astype(np.int8)))
    hidden = np.zeros(len(marked), np.int64)
    kept = np.ones(len(marked), np.bool_)
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
        if end - start > 1 and start not in opened:  # of one line, a word about it says no more
            hidden[start] = end - start
            kept[start + 1 : end] = False
    return np.flatnonzero(kept), hidden[kept]
