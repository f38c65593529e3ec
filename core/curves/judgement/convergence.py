"""Whether the target comes down as the golden does: not at all, or slowly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.judgement.context import PairView
from core.curves.judgement.telling import told
from core.curves.judgement.windows import mean_around
from core.records.columns import Float64
from core.records.curves import CurveFinding, FindingName
from core.records.training import Weight

_LEAST = 5
"""Places without which nothing is said."""
_FALL = 0.05
"""Part of its first loss by which the golden must fall to be a measure."""
_NONE = 0.1
"""Part of the golden's fall below which the target does not converge."""
_LEVELS = (0.25, 0.5, 0.75)
"""Parts of the target's fall at which both are timed."""
_ENDS = 20
"""The first and last so many parts of the run are its beginning and its end."""


def convergence_findings(view: PairView) -> Iterator[CurveFinding]:
    """Yield that the target does not converge, or does so slowly."""
    known = view.finite
    count = int(known.sum())
    if count < _LEAST:
        return
    steps = view.steps[known]
    window = view.window if count >= 4 * view.window else 1
    target = mean_around(view.paired.target[known], window)
    golden = mean_around(view.paired.golden[known], window)
    part = max(count // _ENDS, 1)
    begin, end = float(np.median(target[:part])), float(np.median(target[-part:]))
    fell = float(np.median(golden[:part]) - np.median(golden[-part:]))
    behind = end - float(np.median(golden[-part:]))
    if fell <= _FALL * abs(float(np.median(golden[:part]))) or behind <= view.limits.limit * abs(end):
        return
    if begin - end < _NONE * fell:
        yield told(
            "curves.no_convergence",
            FindingName.NO_CONVERGENCE,
            Weight.FAULT,
            step=int(steps[0]),
            begin=begin,
            end=end,
            golden_end=float(np.median(golden[-part:])),
        )
        return
    slower = [_times(target, golden, begin - level * (begin - end)) for level in _LEVELS]
    if min(slower) >= view.limits.slow_factor:
        yield told(
            "curves.slow_convergence",
            FindingName.SLOW_CONVERGENCE,
            Weight.FAULT,
            step=int(steps[0]),
            end=end,
            times=slower[-1],
            reached=_reached(golden, steps, end),
            last_step=int(steps[-1]),
        )


def _times(target: Float64, golden: Float64, level: float) -> float:
    """Return how many times the golden's records the target needs to come down to *level*."""
    return (int(np.argmax(target <= level)) + 1) / (int(np.argmax(golden <= level)) + 1)


def _reached(golden: Float64, steps: np.ndarray, level: float) -> int:
    """Return the first step at which the golden is as low as *level*."""
    return int(steps[np.argmax(golden <= level)])
