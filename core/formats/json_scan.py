"""Where the members of a JSON object end, found in its bytes without parsing them.

Works on a piece of text that begins at the level of the members. One pass of table look-ups keeps only
quotes, brackets and commas (a few percent of the bytes); numpy then masks what lies inside strings and
sums up the nesting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_OPEN, _CLOSE, _QUOTE, _COMMA = 1, 2, 3, 4
_MARKS = {b"{[": _OPEN, b"}]": _CLOSE, b'"': _QUOTE, b",": _COMMA}
_CLASSES = bytes(next((mark for marks, mark in _MARKS.items() if byte in marks), 0) for byte in range(256))
_ESCAPE = re.compile(rb"\\.", re.S)
_TOKENS = (b"NaN", b"Infinity")


@dataclass(frozen=True)
class Scan:
    """What :func:`scan` found; positions are byte offsets in the scanned text.

    ``commas`` separate members. ``end`` is where the bracket stands that closes the object, -1 if it
    is not in the text. ``depth`` and ``in_string`` tell where the text stops.
    """

    commas: NDArray[np.int64]
    end: int
    depth: int
    in_string: bool


def scan(text: bytes) -> Scan:
    """Find the members in *text*, which begins between two members of an object."""
    positions, classes, quoted = _marks(text)
    outside = ~quoted & (classes != _QUOTE)
    in_string = bool(len(quoted) and quoted[-1])
    positions, classes = positions[outside], classes[outside]
    steps = (classes == _OPEN).astype(np.int8) - (classes == _CLOSE).astype(np.int8)
    depth = np.cumsum(steps, dtype=np.int32)
    below = np.flatnonzero(depth < 0)
    end = -1
    if len(below):
        end = int(positions[below[0]])
        positions, classes, depth = positions[: below[0]], classes[: below[0]], depth[: below[0]]
    commas = positions[(classes == _COMMA) & (depth == 0)]
    return Scan(commas, end, int(depth[-1]) if len(depth) else 0, in_string)


def find_tokens(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return where ``NaN``, ``Infinity`` and ``-Infinity`` begin in *text*, and which lie in a string."""
    positions, classes, _ = _marks(text)
    quotes = positions[classes == _QUOTE]
    letters = np.frombuffer(text, np.uint8)
    starts = np.flatnonzero((letters == ord("N")) | (letters == ord("I")))
    found = np.array([start for start in starts.tolist() if text.startswith(_TOKENS, start)], np.int64)
    # A minus sign belongs to the token, and cannot be the first thing in the text.
    found -= letters[found - 1] == ord("-") if len(found) else 0
    return found, np.searchsorted(quotes, found) % 2 == 1


def may_have_more_keys(text: bytes, count: int) -> bool:
    """Tell whether *text* may hold more than *count* keys; a text inside of a string may look like one."""
    colons = int(
        np.count_nonzero(np.frombuffer(text, np.uint8) == ord(":"))
    )  # ten times as fast as bytes.count
    return colons > count and text.count(b'":') > count


def _marks(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return positions and classes of the marks in *text*, and whether each lies in a string
    (an opening quote does, a closing one does not).
    """
    if b"\\" in text:  # a backslash can only stand in a string: blank it and what it escapes
        text = _ESCAPE.sub(b"  ", text)
    table = np.frombuffer(text.translate(_CLASSES), np.uint8)
    positions = np.flatnonzero(table)
    classes = table[positions]
    return positions, classes, np.bitwise_xor.accumulate(classes == _QUOTE)
