"""Which of many texts hold a needle, without making a Python object of any. Imports no Qt."""

from __future__ import annotations

import numpy as np

from core.records.columns import Int64, UInt8
from gui.models.pair.texts import Texts

_SAMPLE = 1 << 16
_CASE = 32
"""The bit in which an ASCII letter and its capital differ."""


def texts_holding(texts: Texts, needle: str) -> np.ndarray:
    """Return for each text, and for -1 at the end, whether *needle* (in lower case) is in it in any case."""
    if not needle.isascii() or "\0" in needle or not needle:
        return texts.containing(needle)
    return np.append(holding(texts.data, texts.ends, needle.encode("ascii")), False)


def holding(data: UInt8, ends: Int64, needle: bytes) -> np.ndarray:
    """Return for each of the texts in *data*, the next up to ``ends[i]``, whether *needle* is in it.

    The bytes of all texts are compared at once: first with the two signs of the needle that are rarest in
    them, then, where both stand, with the rest. *needle* is ASCII in lower case; the texts may be in any.
    """
    found = np.zeros(len(ends), bool)
    starts = len(data) - len(needle) + 1
    if starts <= 0:
        return found
    often = np.bincount(data[:_SAMPLE], minlength=256)
    ranked = sorted(range(len(needle)), key=lambda at: (often[needle[at]], at))
    begins = _is(data[ranked[0] : ranked[0] + starts], needle[ranked[0]])
    for at in ranked[1:2]:
        begins &= _is(data[at : at + starts], needle[at])
    places = np.flatnonzero(begins)
    for at in ranked[2:]:
        places = places[_is(data[places + at], needle[at])]
    inside = np.searchsorted(ends, places, side="right")
    found[inside[places + len(needle) <= ends[inside]]] = True
    return found


def _is(data: UInt8, sign: int) -> np.ndarray:
    if chr(sign).isalpha():
        return (data | _CASE) == sign
    same: np.ndarray = data == sign
    return same
