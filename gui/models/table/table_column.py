"""A column of a large table: how it sorts, reads, is drawn, and goes into a copy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVarTuple

import numpy as np

Source = TypeVarTuple("Source")
"""What the cells of a table are read from."""


class Face(Enum):
    """How a column's cells are drawn."""

    TEXT = "text"
    NAME = "name"
    """A monospaced name, elided in its middle."""
    OPERATOR = "operator"
    """A monospaced name whose leading parts go first."""
    SLOT = "slot"
    """Words, elided in their middle: the end tells slots apart."""
    NUMBER = "number"
    """Right-aligned."""
    DIM = "dim"
    VERDICT = "verdict"


@dataclass(frozen=True)
class TableColumn(ABC, Generic[*Source]):
    """One column. ``show`` is what is read in the table, ``plain`` what a spreadsheet gets."""

    key: str
    face: Face
    width: int
    sort: Callable[[*Source], np.ndarray]
    """Returns one key a row; NaN for what is not known."""
    show: Callable[[*Source, int], str]
    plain: Callable[[*Source, int], str]
    largest_first: bool = False
    """Whether the largest values are the worst."""
    plain_many: Callable[[*Source, np.ndarray], list[str]] | None = None
    """``plain`` of many rows at once; where it is ``None`` they are taken one by one."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Heading in the language in force."""

    @property
    @abstractmethod
    def help(self) -> str:
        """What the column tells, in a sentence."""

    def plain_of(self, source: tuple[*Source], rows: np.ndarray) -> list[str]:
        """Return ``plain`` of each of *rows*."""
        if self.plain_many is not None:
            return self.plain_many(*source, rows)
        return [self.plain(*source, row) for row in rows.tolist()]
