"""Colours of words that can be read on the ground they stand on."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

LEAST = 4.5
"""Contrast of small words: WCAG 2.1, success criterion 1.4.3."""
_STEPS = 10


def contrast(one: QColor, other: QColor) -> float:
    """Return how far two opaque colours are apart, from 1 to 21: WCAG 2.1, "contrast ratio"."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """Return *one* with *share* of *other* laid over it."""
    parts = zip(_parts(one), _parts(other))
    red, green, blue = (round(a + (b - a) * share) for a, b in parts)
    return QColor(red, green, blue)


def readable(colour: QColor, ground: QColor, words: QColor) -> QColor:
    """Return *colour*, as far turned into the colour of *words* as it takes to be read on *ground*."""
    return QColor(_readable(colour.name(), ground.name(), words.name()))


@lru_cache(maxsize=4096)
def _readable(colour: str, ground: str, words: str) -> str:
    for step in range(_STEPS):
        found = mixed(QColor(colour), QColor(words), step / _STEPS)
        if contrast(found, QColor(ground)) >= LEAST:
            return found.name()
    return words


def _luminance(colour: QColor) -> float:
    """Return the relative luminance of WCAG 2.1."""
    shares = (part / 255 for part in _parts(colour))
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
