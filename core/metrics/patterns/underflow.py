"""Small golden values that are zero in the target."""

from __future__ import annotations

import numpy as np

from core.dtypes import DTYPES
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import ZEROED
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.places import marks_of
from core.metrics.patterns.trial import separates
from core.progress import Work

_SLACK = 2.0**-10
"""How far values around the threshold may miss it by rounding of their own."""


def _thresholds() -> list[tuple[str, str, float]]:
    """Return (format, how, magnitude up to which values become zero); the coarsest range first."""
    names = ("float16", "float8_e5m2", "float8_e4m3fn", "bfloat16", "float32")
    rounded = [(name, "rounded", DTYPES[name].smallest_subnormal / 2) for name in names]
    return rounded + [(name, "flushed", DTYPES[name].smallest_normal) for name in names]


def find_underflow(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return whether a threshold parts the golden values that became zero from those that did not."""
    zeroed = evidence.extents["missing"].count
    if zeroed < ZEROED or pair.complex or pair.exact or not evidence.target_nonzero:
        return []
    lost, kept, on_grid = 0.0, np.inf, True
    step = DTYPES["float16"].smallest_subnormal
    for block in pair.blocks():
        t, g = (side.astype(np.float64) for side in pair.block(block))
        finite = np.isfinite(t) & np.isfinite(g)
        size = np.abs(np.where(finite, g, 0.0))
        lost = max(lost, float(size[t == 0].max(initial=0.0)))
        kept = min(kept, float(np.abs(g[finite & (t != 0)]).min(initial=np.inf)))
        rest = np.where(finite, t, 0.0) / step
        on_grid = on_grid and bool(np.all(rest == np.rint(rest)))
        if lost > kept * (1 + _SLACK):
            return []
        yield pair.progress(block.top * pair.columns + block.right)
    if not separates(zeroed, evidence.golden_nonzero - zeroed):
        return []
    share = zeroed / evidence.golden_nonzero
    for name, how, threshold in _thresholds():
        if lost <= threshold * (1 + _SLACK) and kept >= threshold * (1 - _SLACK):
            grid = name == "float16" and how == "rounded" and on_grid
            numbers: dict[str, Number] = {
                "count": zeroed, "share_of_nonzero": share, "format": name, "threshold": threshold,
                "how": how, "on_subnormal_grid": grid, "largest_lost": lost, "smallest_kept": kept,
            }  # fmt: skip
            parameters: dict[str, Parameter] = {
                "percent": 100 * share,
                "format": name,
                "threshold": threshold,
            }
            message = Message(f"pattern.underflow.{'grid' if grid else how}", parameters)
            explained = 1.0 if grid else min(1.0, zeroed / max(evidence.bad, zeroed))
            return [Pattern(PatternName.UNDERFLOW, message, numbers, marks_of(pair, evidence), explained)]
    return []
