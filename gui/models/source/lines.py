"""How a line of source is drawn: tabs as blanks, nothing invisible, cut where it is endless."""

from __future__ import annotations

from core.precheck.source.spans import Spans
from gui.names import shown

_TAB = 4
_LONGEST = 2_000
"""Letters of a line that are drawn."""


def drawn(line: str, spans: Spans = ()) -> tuple[str, Spans]:
    """Return *line* as it is drawn, and *spans* of it where they are then."""
    cut = line[:_LONGEST]
    if "\t" not in cut and cut.isprintable():
        there = tuple((start, min(end, len(cut))) for start, end in spans if start < len(cut))
        return cut + "…" * (len(line) > _LONGEST), there
    places, words = [0], ""
    for sign in cut:
        words += " " * (_TAB - len(words) % _TAB) if sign == "\t" else shown(sign)
        places.append(len(words))
    there = tuple((places[start], places[min(end, len(cut))]) for start, end in spans if start < len(cut))
    return words + "…" * (len(line) > _LONGEST), there
