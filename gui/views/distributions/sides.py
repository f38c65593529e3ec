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
    """Return both sides as they are drawn, the golden behind."""
    sides = ((golden, "golden"), (target, "target"))
    return tuple(Series(np.asarray(counts, float), role) for counts, role in sides if counts is not None)


def side_of(target: int | None, golden: int | None) -> str:
    """Return the side that a click on a bar leads into: the target where it has anything there."""
    return "target" if target or not golden else "golden"


def why_no_pairs(found: Distributions) -> str:
    """Return why there are no pairs of elements; empty where there are."""
    values = found.values
    if values is None or values.target is None or values.golden is None:
        return text("gui.pairs.one_side")
    return text("gui.pairs.shapes") if found.scatter is None else ""
