"""Command lines that stand in texts, as ``eval`` and ``bash -c`` run them."""

from __future__ import annotations

from collections.abc import Sequence

from core.formats.evidence.shell.values import Field, Segment, joined, split

_ENDS = frozenset(("|", ">", ">>", "&", ";", "&&", "||", "2>&1", "&>", "1>"))
_REDIRECTS = (">/", "2>", "&>", "1>")


def arguments(fields: Sequence[Field]) -> list[Field]:
    """Return *fields* up to where a word of theirs redirects, or ends the command."""
    kept: list[Field] = []
    for item in fields:
        if item.text in _ENDS or item.text.startswith(_REDIRECTS):
            break
        kept.append(item)
    return kept


def words_in(fields: Sequence[Field]) -> list[Field]:
    """Return the words of the command line that the texts *fields* make up."""
    found = []
    for word in split(joined(item.segments for item in fields)):
        segments = [Segment(item.text.strip("'\""), item.place, item.known) for item in word]
        found.append(Field(tuple(segments)))
    return arguments(found)
