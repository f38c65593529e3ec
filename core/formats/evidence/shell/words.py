"""What shell words are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands for itself; never longer than its line."""

    text: str
    line: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$NAME`` or ``${NAME...}``."""

    name: str
    index: str
    """What stands in brackets; empty without them."""
    operator: str
    """``:-``, ``%``, ``/`` ...; ``length`` for ``${#NAME}``; empty for the plain value."""
    operand: Word
    source: str
    """As it is spelt."""
    line: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((...))``."""

    expression: Word
    source: str
    line: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Opaque:
    """What only running the script could tell: ``$(...)``, backticks."""

    source: str
    line: int
    quoted: bool


Part: TypeAlias = Literal | Parameter | Arithmetic | Opaque
Word: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """``NAME=value``, ``NAME+=value``, ``NAME=(values)``."""

    name: str
    index: str
    append: bool
    value: Word
    values: tuple[Word, ...] | None
    """The elements where it is an array."""
    line: int


@dataclass(frozen=True, slots=True)
class HereDocument:
    """The text that a command reads from the script itself."""

    text: Word
    line: int
    """Its first line."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a command writes to or reads from."""

    operator: str
    target: Word
    document: HereDocument | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command, with the reserved word or operator that stands before it."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    """Those before the first word, and for ``export`` and its relatives those after it."""
    redirects: tuple[Redirect, ...]
    line: int
    before: str = ";"
    """``;``, ``&&``, ``||``, ``|``."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A reserved word that opens, parts or closes a compound command."""

    word: str
    line: int
    name: str = ""
    """Variable of a ``for``; pattern word of a ``case``."""
    values: tuple[Word, ...] = ()
    """What a ``for`` runs over."""


Statement: TypeAlias = Command | Keyword


def bare(word: Word) -> str | None:
    """Return the text of *word* if it is a single unquoted literal, as reserved words are."""
    if len(word) == 1 and isinstance(word[0], Literal) and not word[0].quoted:
        return word[0].text
    return None


def line_of(word: Word) -> int:
    """Return the line in which *word* begins; 0 of an empty one."""
    return word[0].line if word else 0
