"""The samples of an update as a training log tells them."""

from __future__ import annotations

import numpy as np

from core.precheck.pair import Side
from core.precheck.settings.known import How, Known
from core.records.curves import Axis, LoggedRun
from core.records.evidence import Place
from core.records.series import Series

NAME = "samples_per_step"


def logged_batch(side: Side) -> Known | None:
    """Return how many samples an update of *side* saw at the end of its log; ``None`` if no log tells.

    Either the log prints the global batch, or it counts the samples: what was added by each step.
    """
    for run in side.logs():
        samples = _printed(run) or _counted(run)
        if samples:
            return Known(NAME, samples, str(samples), Place(run.path), How.PRINTED)
    return None


def _printed(run: LoggedRun) -> int:
    curve = run.curves.get(Series.GLOBAL_BATCH)
    return _whole(float(curve.values[-1])) if curve is not None and len(curve.values) else 0


def _counted(run: LoggedRun) -> int:
    curve = run.curves.get(Series.CONSUMED_SAMPLES)
    if curve is None or len(curve.steps) < 2 or run.axis is not Axis.STEP:
        return 0
    return _whole(float(np.diff(curve.values[-2:])[0] / np.diff(curve.steps[-2:])[0]))


def _whole(samples: float) -> int:
    return int(samples) if np.isfinite(samples) and samples > 0 and samples.is_integer() else 0
