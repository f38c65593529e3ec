"""Records that are torn: lines of two writers fell into each other, or the last one is cut."""

from __future__ import annotations

import re
from collections import deque

from core.records.log_table import UnreadLine

LONGEST_SAMPLE = 200
_CLOSING = ("}", "|", "]")
"""Ends of lines that are no halves."""
_DIGITS = re.compile(r"[-+]?(?:[\d.]+(?:[eE][-+]?\d+)?|nan|inf)|\s+", re.I)
_LAST_NUMBER = re.compile(r"\d[\d.]*(?:[eE][-+]?\d+)?(?=\D*$)")
_WIDER = 20
"""Characters that the numbers of a torn line may be longer than those of a whole one."""
_NEAR = 3
"""Lines before the end of a torn record among which its beginning is looked for."""


def shape_of(line: str) -> str:
    """Return *line* without its numbers and blanks."""
    return _DIGITS.sub("", line)


def is_cut(line: str, sample: str) -> bool:
    """Whether *line*, the last one and without an end, looks cut beside *sample*, the record before it."""
    if not sample or line.rstrip().endswith(_CLOSING):
        return False
    if shape_of(line) != shape_of(sample):
        return True
    ends = [_LAST_NUMBER.search(text) for text in (line, sample)]
    now, before = (len(found[0].replace(".", "")) if found else 0 for found in ends)
    return now < before


def is_beginning(line: str, sample: str) -> bool:
    """Whether *line* is the beginning of one that looks like *sample*."""
    shape = shape_of(line)
    return len(shape) > 1 and shape_of(sample).startswith(shape) and re.search(r"\d", line) is not None


class Torn:
    """Finds the halves of torn records among the lines that are none."""

    def __init__(self, sample: str) -> None:
        self._shape = shape_of(sample)
        self._longest = len(sample) + _WIDER
        self._near: deque[tuple[str, int]] = deque(maxlen=_NEAR)

    def halves(self, line: str, number: int) -> list[UnreadLine]:
        """Return the lines that belong to the record of which *line* is the end; none where it is no end.

        The line that holds its beginning, if that is near; else *line* itself.
        """
        if "oss" not in line:
            self._near.append((line, number))
            return []
        shape = shape_of(line) if len(line) < self._longest else ""
        if not self._is_end(shape):
            return []
        begun = self._shape[: -len(shape)]
        found = [near for near in self._near if shape_of(near[0]).startswith(begun)]
        self._near.clear()
        return [_shown(*half) for half in found[-1:] or [(line, number)]]

    def _is_end(self, shape: str) -> bool:
        return "loss" in shape.lower() and len(shape) < len(self._shape) and self._shape.endswith(shape)


def _shown(line: str, number: int) -> UnreadLine:
    return UnreadLine(number, line.strip()[:LONGEST_SAMPLE])
