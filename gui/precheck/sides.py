"""The two sides that evidence is brought for, and which one a path belongs to by its name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from gui.opening import guess_order, leaning_of


class Side(StrEnum):
    """Whose evidence it is."""

    TARGET = "target"
    GOLDEN = "golden"

    @property
    def other(self) -> Side:
        """The side across."""
        return Side.GOLDEN if self is Side.TARGET else Side.TARGET


def sorted_by_side(
    paths: Sequence[str], told: bool = False, otherwise: Side = Side.TARGET
) -> dict[Side, list[str]]:
    """Return which of *paths* are the target's and which the golden's, by their names.

    Two are one each, in their order if that was *told* or the names say nothing. Else those whose names say
    nothing are of the side *otherwise*.
    """
    if len(paths) == 2:
        first, second = paths if told else guess_order(*paths)
        return {Side.TARGET: [first], Side.GOLDEN: [second]}
    leanings = {path: leaning_of(path) for path in paths}
    undecided = 0 if otherwise is Side.TARGET else 1
    golden = [path for path in paths if leanings[path] < undecided]
    return {Side.TARGET: [path for path in paths if path not in golden], Side.GOLDEN: golden}
