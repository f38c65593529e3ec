"""Which variables a command changes in a way that is not followed here: their values are then not known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.formats.evidence.shell.values import Field

_COUNTED = re.compile(
    r"(?:\+\+|--)\s*(?P<after>[A-Za-z_]\w*)"
    r"|(?P<before>[A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))",
    re.A,
)
_EVALUATED = re.compile(r"(?<![\w$])(?P<name>[A-Za-z_]\w*)\+?=", re.A)
_READING = frozenset(("read", "mapfile", "readarray", "getopts"))


def counted_in(expression: str) -> Iterator[str]:
    """Yield the variables that arithmetic changes: ``N++``, ``N *= 2``."""
    for found in _COUNTED.finditer(expression):
        yield found["after"] or found["before"]


def touched_by(fields: Sequence[Field]) -> Iterator[str]:
    """Yield the variables that the command *fields* sets from what is not read here."""
    name, words = fields[0].text, [item.text for item in fields[1:]]
    if name.startswith("(("):
        yield from counted_in(name)
    elif name == "let":
        for word in words:
            yield from counted_in(word)
    elif name in _READING:
        yield from (word for word in words if word.isidentifier())
    elif name == "printf" and words[:1] == ["-v"]:
        yield from words[1:2]
    elif name == "eval":
        yield from (found["name"] for word in words for found in _EVALUATED.finditer(word))
