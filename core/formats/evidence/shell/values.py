"""Texts of a script that remember where each piece was written, and whether it can be known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.records.evidence import Place

_PIECES = re.compile(r"[ \t\n]+|[^ \t\n]+")


class Segment(NamedTuple):
    """A piece of text from one place."""

    text: str
    place: Place
    known: bool = True


Text = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a command."""

    segments: Text

    @property
    def text(self) -> str:
        """All of it."""
        return text_of(self.segments)

    @property
    def known(self) -> bool:
        """Whether only the machine could tell a part of it."""
        return all(segment.known for segment in self.segments)

    @property
    def place(self) -> Place:
        """Where it begins."""
        return place_of(self.segments)


def text_of(segments: Iterable[Segment]) -> str:
    """Return the whole text."""
    return "".join(segment.text for segment in segments)


def place_of(segments: Sequence[Segment]) -> Place:
    """Return where the text begins; quotes that open before it do not count."""
    told = next((segment for segment in segments if segment.text), None)
    return told.place if told is not None else segments[0].place if segments else Place("")


def split(segments: Sequence[Segment]) -> list[Text]:
    """Return the words of *segments*; what is unknown is part of a word."""
    words: list[list[Segment]] = []
    fresh = True
    for segment in segments:
        pieces = _PIECES.findall(segment.text) if segment.known else [segment.text]
        for piece in pieces:
            if segment.known and piece[0] in " \t\n":
                fresh = True
                continue
            if fresh:
                words.append([])
                fresh = False
            words[-1].append(Segment(piece, segment.place, segment.known))
    return [tuple(word) for word in words]


def joined(values: Iterable[Text]) -> Text:
    """Return *values* with a blank between them."""
    segments: list[Segment] = []
    for value in values:
        if segments:
            segments.append(Segment(" ", segments[-1].place))
        segments += value
    return tuple(segments)


def doubted(text: Text) -> Text:
    """Return *text* as a value that is not known."""
    return tuple(item._replace(known=False) for item in text)
