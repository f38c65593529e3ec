"""How names out of dumps are shown: on one line, nothing invisible in them, and cut where they say least."""

from __future__ import annotations

import re
from collections.abc import Callable

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_ELLIPSIS = "…"
_KEPT = 3
"""Last parts of a dotted name that say what it is: API, number, pass."""


def shown(name: str) -> str:
    r"""Return *name* with line ends, control and direction signs as escapes such as ``\n`` or ``\u202e``.

    A dump may call an operator anything; what is read must be what is there, on one line.
    """
    return _UNSEEN.sub(_escape, name)


def shown_lines(words: str) -> str:
    """Return *words* as :func:`shown` does, but with their line ends."""
    return "\n".join(map(shown, words.split("\n")))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def elided_name(name: str, room: int, width: Callable[[str], int]) -> str:
    """Return *name* cut to *room*: first its leading parts go, then the middle of what is left.

    Parameters
    ----------
    name
        A name such as ``Functional.embedding.0.forward`` or ``Module.a.b.fc1.Linear.forward.0``.
    room
        Pixels.
    width
        How many pixels a text takes.
    """
    if width(name) <= room:
        return name
    parts = name.split(".")
    rest = name
    for first in range(1, len(parts) - _KEPT + 1):
        rest = _ELLIPSIS + ".".join(parts[first:])
        if width(rest) <= room:
            return rest
    least, most = 0, len(rest)
    while least < most:  # the most signs that fit, half of them from either end
        count = (least + most + 1) // 2
        least, most = (count, most) if width(_halves(rest, count)) <= room else (least, count - 1)
    return _halves(rest, least)


def _halves(text: str, count: int) -> str:
    head = (count + 1) // 2
    tail = count - head
    return text[:head].rstrip(_ELLIPSIS) + _ELLIPSIS + (text[-tail:] if tail else "")
