"""JSON as Python's ``json`` writes it, which is more than the standard allows.

Dumps hold bare ``NaN``, ``Infinity`` and ``-Infinity``, integers of any size, lone surrogates, and now and
then a key twice. The fast decoder (msgspec) refuses the first kind; so bare tokens are rewritten to
marked strings before decoding, and read back here. The mark is three characters of private use, which no
dump holds.
"""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from core.formats.json_scan import find_tokens

_MARK = "\uf8ff\ue07f\uf8ff"
_MARK_BYTES = _MARK.encode()
NON_FINITE = {_MARK + "n": math.nan, _MARK + "i": math.inf, _MARK + "-i": -math.inf}
"""What the marked strings stand for."""

# In this order, because one token ends like another.
_TOKENS = {b"-Infinity": "-i", b"Infinity": "i", b"NaN": "n"}
_MARKED = {token: f'"{_MARK}{code}"'.encode() for token, code in _TOKENS.items()}


def is_text(value: Any) -> bool:
    """Tell whether the file has a text there, and not a bare token that decoding left as a marked string."""
    return isinstance(value, str) and value not in NON_FINITE


class TooDeep(ValueError):
    """Nested deeper than the interpreter's recursion limit allows to parse."""


def has_bare_tokens(text: bytes) -> bool:
    """Tell whether *text* may hold bare ``NaN`` or ``Infinity`` (also true if a string says so)."""
    return b"NaN" in text or b"Infinity" in text


def mark_line_tokens(text: bytes) -> bytes:
    """Mark bare tokens that end a line: quick, and exact there, as no string holds a raw line end.

    Tokens elsewhere stay; decoding then fails and :func:`mark_all_tokens` is due.
    """
    ends = (b",\n", b"\n", b",\r\n", b"\r\n") if b"\r" in text else (b",\n", b"\n")
    for token, marked in _MARKED.items():
        if token in text:
            for end in ends:
                text = text.replace(b" " + token + end, b" " + marked + end)
    return text


def mark_all_tokens(text: bytes) -> bytes:
    """Mark all bare tokens of *text*, which begins outside of a string."""
    positions, inside = find_tokens(text)
    if not inside.any():
        for token, marked in _MARKED.items():
            text = text.replace(token, marked)
        return text
    pieces, last = [], 0
    for position in positions[~inside].tolist():
        token = next(token for token in _TOKENS if text.startswith(token, position))
        pieces += [text[last:position], _MARKED[token]]
        last = position + len(token)
    return b"".join([*pieces, text[last:]])


def loads(text: bytes | str) -> Any:
    """Parse *text* as Python does: duplicate keys keep the last, control characters in strings pass.

    Raises
    ------
    ValueError
        If it is not JSON; :class:`TooDeep` if it is nested too deep to tell.
    """
    try:
        return json.loads(_decoded(text), strict=False)
    except RecursionError:
        raise TooDeep from None


def string(text: bytes) -> str | None:
    """Return what the quoted JSON string *text* says, ``None`` if it holds a wrong escape."""
    try:
        return str(loads(text))
    except ValueError:
        return None


def duplicate_keys(text: bytes) -> int:
    """Return how many keys of *text*, at any depth, occur again in the same object."""
    count = 0

    def pairs(items: list[tuple[str, Any]]) -> int:
        nonlocal count
        count += len(items) - len({key for key, _ in items})
        return 0

    try:
        json.loads(_decoded(text), strict=False, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return 0
    return count


def _decoded(text: bytes | str) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # another encoding; its bytes survive as lone surrogates
        return text.decode("utf-8", "surrogateescape")


def dumps(value: Any) -> str:
    """Return *value* as compact JSON text; marked strings become the bare tokens they stand for."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if _MARK in text:
        for token, marked in _MARKED.items():
            text = text.replace(marked.decode(), token.decode())
    return text


_decode = msgspec.json.Decoder().decode


def decode(text: msgspec.Raw | bytes) -> Any:
    """Parse the bytes of one value, marked tokens staying marked strings; like :func:`loads` if need be.

    Raises
    ------
    ValueError
        As :func:`loads`.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return loads(bytes(text))
