"""How numbers stand in the compared things of a check."""

from __future__ import annotations


def spelt(value: float) -> str:
    """Return *value* with up to seven digits: what a float32 has."""
    return f"{value:.7g}"


def percent(value: float) -> str:
    """Return the share *value* with two digits: ``1.3 %``."""
    return f"{100 * value:.2g} %"
