"""What is said of values that have no range: no colours from low to high can be told of them."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import text
from core.metrics.pictures.reduction import Picture
from gui import numbers
from gui.tensors.scales import Shades


def words_instead(shades: Shades, pictures: Sequence[Picture | None], of_difference: bool = False) -> str:
    """Return what is said instead of the range of *shades*; empty where *pictures* have one."""
    there = [picture for picture in pictures if picture is not None and picture.values.size]
    if shades.names or not there:
        return ""
    finite = [picture for picture in there if picture.finite]
    if not finite:
        return text("gui.heat.no_finite")
    low, high = min(picture.minimum for picture in finite), max(picture.maximum for picture in finite)
    if low != high or (of_difference and low):
        return ""
    special = any(picture.nan or picture.plus_inf or picture.minus_inf for picture in there)
    if of_difference:
        return text("gui.heat.finite_same" if special else "gui.heat.no_difference")
    value = numbers.compact(low, 6)
    if special:
        return text("gui.heat.finite_alike", value=value)
    return text("gui.heat.all_alike", value=value)
