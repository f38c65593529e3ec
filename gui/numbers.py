"""How numbers are written in the window: thin spaces in thousands, a real minus sign."""

from __future__ import annotations

import math

MINUS = "−"
THIN_SPACE = "\u202f"
"""Narrow and unbreakable, between groups of three digits."""
NOTHING = "—"
"""Where there is no number."""


def grouped(number: int) -> str:
    """Return *number* with its digits in groups: ``1 887``."""
    return f"{number:,}".replace(",", THIN_SPACE).replace("-", MINUS)


def scientific(number: float, digits: int = 2) -> str:
    """Return ``2.02e−04``; a plain 0 for zero, NaN and infinities by their names."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Inf" if number > 0 else f"{MINUS}Inf"
    if number == 0:
        return "0"
    return f"{number:.{digits}e}".replace("-", MINUS)


def compact(number: float, digits: int = 6) -> str:
    """Return *number* with *digits* significant digits in the shorter of the two notations."""
    if math.isnan(number) or math.isinf(number):
        return scientific(number)
    return f"{number:.{digits}g}".replace("-", MINUS)


def cosine(number: float) -> str:
    """Return a cosine with seven digits, cut off and not rounded: only equal directions read 1."""
    if not math.isfinite(number):
        return ""
    cut = math.floor(abs(number) * 1e7) / 1e7
    return (MINUS if number < 0 else "") + f"{cut:.7f}"


def percent(share: float) -> str:
    """Return ``99.8 %``, cut off so that only a whole reads 100 %; a dash for a share of nothing."""
    if not math.isfinite(share):
        return NOTHING
    return f"{math.floor(share * 1000) / 10:.1f}".removesuffix(".0") + f"{THIN_SPACE}%"


def size(count: float) -> str:
    """Return a number of bytes as people write it: ``2.0 GB``; a dash for no number."""
    if not math.isfinite(count):
        return NOTHING
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def location(index: int, shape: tuple[int, ...] | None) -> str:
    """Return ``[0, 13, 36]`` for the flat C-order *index* into *shape*."""
    if index < 0 or shape is None:
        return ""
    places = []
    for length in reversed(shape):
        index, place = divmod(index, max(length, 1))
        places.append(place)
    return f"[{', '.join(map(str, reversed(places)))}]"


def shortened(name: str, longest: int = 32) -> str:
    """Return *name* cut in its middle to at most *longest* signs."""
    if len(name) <= longest:
        return name
    head = (longest - 1) // 2
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


def times(ratio: float) -> str:
    """Return how many times as large: ``1.78 ×``, ``2 100 ×``."""
    if not 1000 <= ratio < 1e9:
        return f"{compact(ratio, 3)} ×"
    return f"{grouped(int(float(f'{ratio:.3g}')))} ×"
