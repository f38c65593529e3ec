"""Both sides in one plot, and why there may be no pairs of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.messages import text
from gui.views.distributions.bins import Series

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


def series_of(target: NDArray[Any] | None, golden: NDArray[Any] | None) -> tuple[Series, ...]:
    """Return both sides as they are drawn: the golden an area, the target a line before it."""
    both = target is not None and golden is not None
    sides = ((golden, "golden", True), (target, "target", not both))
    return tuple(
        Series(np.asarray(each, float), role, fill) for each, role, fill in sides if each is not None
    )


def side_of(target: int | None, golden: int | None) -> str:
    """Return the side that a click on a bar leads into: the target where it has anything there."""
    return "target" if target or not golden else "golden"


def why_nothing(found: Distributions) -> str:
    """Return why nothing was counted of a tensor that is there."""
    empty = found.shape is not None and 0 in found.shape
    return text("gui.values.empty") if empty else text("gui.values.none")


def why_no_pairs(found: Distributions) -> str:
    """Return why there are no pairs of elements; empty where there are."""
    values = found.values
    if values is None or values.target is None or values.golden is None:
        return text("gui.pairs.one_side")
    return text("gui.pairs.shapes") if found.scatter is None else ""
