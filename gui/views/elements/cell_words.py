"""What is written into the cell of one element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gui import numbers
from gui.tensors.value_words import value_words

if TYPE_CHECKING:
    from core.metrics.inspection.elements import ValueWindow

_FAINTEST = 0.15
"""Strength of the ground of the smallest difference: it differs, but there is no wall of red."""


@dataclass(frozen=True)
class Found:
    """Lines from top to bottom, each with the role of its colour."""

    lines: tuple[tuple[str, str], ...]
    role: str = ""
    """Of the colour of the ground; empty for none."""
    strength: float = 1.0
    """Of the ground, from 0 to 1."""


@dataclass(frozen=True)
class CellWords:
    """*shown* is ``all``, or the one of ``target``, ``golden`` and ``difference`` that a cell holds."""

    shown: str = "all"
    dtypes: tuple[str, str] = ("", "")
    single: bool = False
    """Whether there is only one run."""
    largest: float = 0.0
    """The largest finite difference of the tensor: the ground of the others is as faint as they are small."""
    kept: bool = False
    """Whether only some numbers are known; the others are dots."""

    @property
    def lines(self) -> int:
        """How many lines a cell has."""
        return 3 if self.shown == "all" and not self.single else 1

    def at(self, window: ValueWindow | None, row: int, column: int) -> Found | None:
        """Return what a cell holds; ``None`` while it is not known, and beyond the end of a fold."""
        if window is None or row not in window.rows or column not in window.columns:
            return None
        at = row - window.rows.start, column - window.columns.start
        if not window.inside[at]:
            return Found((("·", "dim"),)) if self.kept else None
        sides = (window.target, window.golden)
        values = [None if side is None else side[at] for side in sides]
        if window.golden_inside is not None and not window.golden_inside[at]:
            values[1] = None
        told = [
            "" if value is None else value_words(plain(value), dtype)
            for value, dtype in zip(values, self.dtypes)
        ]
        apart = None if window.difference is None else plain(window.difference[at])
        lines = {
            "target": (told[0], "text"), "golden": (told[1], "text"), "difference": (_apart(apart), "dim"),
        }  # fmt: skip
        compared = not self.single and window.golden_inside is None and None not in values
        role = _role(*values) if compared else ""
        if self.single:
            return Found(((told[0] or told[1], "text"),))
        if self.shown != "all":
            line = (lines[self.shown][0] or numbers.NOTHING, "text")
            return Found((line,), role, self._strength(role, apart))
        coloured = ((told[0] or numbers.NOTHING, "target"), (told[1] or numbers.NOTHING, "golden"))
        return Found((*coloured, lines["difference"]), role, self._strength(role, apart))

    def _strength(self, role: str, apart: Any) -> float:
        if role != "introduces" or apart is None or not 0 < self.largest < np.inf:
            return 1.0
        return _FAINTEST + (1 - _FAINTEST) * min(float(abs(apart)) / self.largest, 1.0)


def plain(value: Any) -> Any:
    """Return a numpy scalar as Python's own number."""
    return value.item() if isinstance(value, np.generic) else value


def _apart(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, int)):
        return numbers.grouped(int(value))
    return value_words(value) if isinstance(value, complex) else numbers.scientific(value)


def _role(target: Any, golden: Any) -> str:
    """Return the colour of an element's ground: special values that disagree, else a difference."""
    special = [not np.isfinite(value) for value in (target, golden)]
    if any(special):
        same = all(special) and (target == golden or (np.isnan(target) and np.isnan(golden)))
        return "" if same else "nan"
    return "" if target == golden else "introduces"
