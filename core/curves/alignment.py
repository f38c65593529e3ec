"""Laying the target's curve on the golden's: the common axis, a shift, different logging intervals."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.curves.deviation import deviation_of, rounding_of, usual_scale
from core.curves.drawing.overlay import places_of
from core.curves.limits import CurveLimits
from core.records.columns import Float64, Int64
from core.records.curves import Alignment, Axis, Curve, LoggedRun, Paired
from core.records.series import Series

_LEAST_SHIFTED = 20
"""Common places without which a shift is not believed."""
_FAR, _TRIED = 100, 5000
"""Steps of a shift that is only hinted at, and records on which it is tried."""
_CAP = 1e6
"""Relative differences count no more than this: infinite ones have no quantiles."""
_AGREE = 0.2
"""Part of the places by which that is told: the others may be wrong, which is what one looks for."""
_BETTER_MEANS = 0.8
"""Means over intervals are compared where that makes the difference smaller by this factor at least."""
_SAME_RATE = 0.01
"""Relative difference of samples a step up to which both count the same."""


class _Points(NamedTuple):
    """A curve on the common axis."""

    x: Float64
    steps: Int64
    values: Float64


def align(
    target: LoggedRun,
    golden: LoggedRun,
    limits: CurveLimits,
    shift: int | None = None,
    axis: Axis | None = None,
) -> Alignment:
    """Return how to lay *target* on *golden*, judged by their losses.

    Parameters
    ----------
    shift
        Steps to be added to the target's; ``None`` looks for them.
    axis
        The axis that the user wants; ``None`` chooses.
    """
    name = _telling(target, golden)
    chosen = axis or _common_axis(target, golden)
    made = Alignment(chosen, shift or 0, asked=shift is not None or axis is not None)
    if name is None:
        return made
    first, second = (_points(run, run.curves[name], chosen) for run in (target, golden))
    made = replace(made, target_interval=_interval(first.steps), golden_interval=_interval(second.steps))
    if chosen in (Axis.SAMPLES, Axis.TOKENS):
        return made
    if chosen is Axis.STEP and made.target_interval != made.golden_interval:
        return _with_means(made, first, second)
    if shift is not None:
        return made
    return replace(made, shift=_best_shift(first, second, limits, int(limits.offset_reach)))


def fit(target: LoggedRun, golden: LoggedRun, limits: CurveLimits, share: float) -> float:
    """Return within which difference the *share* of the losses lies, laid on each other as they are numbered.

    Infinite where fewer than 20 places are common.
    """
    how = align(target, golden, limits, shift=0)
    paired = pair(target, golden, Series.LOSS, how)
    return _typical(paired, _LEAST_SHIFTED, share) if paired is not None else np.inf


def far_shift(target: LoggedRun, golden: LoggedRun, limits: CurveLimits) -> int:
    """Return a shift, of more steps than are tried otherwise, that makes the losses agree; 0 for none."""
    name = _telling(target, golden)
    if name is None:
        return 0
    curves = [run.curves[name] for run in (target, golden)]
    points = [
        _Points(curve.steps[:_TRIED].astype(np.float64), curve.steps[:_TRIED], curve.values[:_TRIED])
        for curve in curves
    ]
    return _best_shift(points[0], points[1], limits, _FAR)


def pair(target: LoggedRun, golden: LoggedRun, name: str, alignment: Alignment) -> Paired | None:
    """Return the series *name* of both at their common places; ``None`` where there are none."""
    if name not in target.curves or name not in golden.curves:
        return None
    first = _points(target, target.curves[name], alignment.axis)
    second = _points(golden, golden.curves[name], alignment.axis)
    first = first._replace(x=first.x + alignment.shift)
    made = _paired(first, second, alignment)
    return made if len(made.x) else None


def _paired(target: _Points, golden: _Points, alignment: Alignment) -> Paired:
    if alignment.averaged == "target":
        target = _means(target, golden.x, alignment.golden_interval)
    elif alignment.averaged == "golden":
        golden = _means(golden, target.x, alignment.target_interval)
    if np.array_equal(target.x, golden.x):
        return _pair_of(target.x, target.steps, target.values, golden.values)
    x, mine, theirs = np.intersect1d(target.x, golden.x, assume_unique=True, return_indices=True)
    coarser = min(len(target.x), len(golden.x))
    if alignment.axis in (Axis.SAMPLES, Axis.TOKENS) and len(x) < coarser / 2 and len(golden.x) > 1:
        inside = (target.x >= golden.x[0]) & (target.x <= golden.x[-1])
        between = np.interp(target.x[inside], golden.x, golden.values)
        return _pair_of(target.x[inside], target.steps[inside], target.values[inside], between)
    return _pair_of(x, target.steps[mine], target.values[mine], golden.values[theirs])


def _pair_of(x: Float64, steps: Int64, target: Float64, golden: Float64) -> Paired:
    rounding = rounding_of(target) + rounding_of(golden)
    return Paired(x, steps, target, golden, usual_scale(golden), rounding)


def _telling(target: LoggedRun, golden: LoggedRun) -> str | None:
    """Return the series to align by: the loss, else the longest that both have."""
    common = [name for name in target.curves if name in golden.curves]
    if Series.LOSS in common:
        return Series.LOSS
    return max(common, key=lambda name: len(target.curves[name].steps), default=None)


def _common_axis(target: LoggedRun, golden: LoggedRun) -> Axis:
    if target.axis is not golden.axis:
        return Axis.COUNT
    if target.axis is Axis.STEP:
        for counted, axis in ((Series.CONSUMED_SAMPLES, Axis.SAMPLES), (Series.CONSUMED_TOKENS, Axis.TOKENS)):
            rates = [_rate(run.curves.get(counted)) for run in (target, golden)]
            if all(rates) and abs(rates[0] - rates[1]) > _SAME_RATE * max(rates):
                return axis
    return target.axis


def _rate(counts: Curve | None) -> float:
    """Return samples a step; 0 where they are not known."""
    if counts is None or len(counts.steps) < 2:
        return 0.0
    grown = np.diff(counts.values) / np.diff(counts.steps)
    grown = grown[np.isfinite(grown)]
    return max(float(np.median(grown)), 0.0) if len(grown) else 0.0


def _points(run: LoggedRun, curve: Curve, axis: Axis) -> _Points:
    """Return *curve* on *axis*, each place once."""
    if axis is Axis.COUNT:
        return _Points(_counted(run, curve), curve.steps, curve.values)
    places = places_of(run, curve, axis)
    if places is None:
        return _Points(np.empty(0), np.empty(0, np.int64), np.empty(0))
    x, first = np.unique(places, return_index=True)
    known = np.isfinite(x)
    first = first[known]
    return _Points(x[known], curve.steps[first], curve.values[first])


def _counted(run: LoggedRun, curve: Curve) -> Float64:
    """Return which record of *run*, from 1, each point of *curve* is; steps without a value count too."""
    return np.round((curve.steps - run.first_step) / _interval(curve.steps)) + 1.0


def _interval(steps: Int64) -> int:
    gaps = Counter(np.diff(steps).tolist())
    return max(int(gaps.most_common(1)[0][0]), 1) if gaps else 1


def _means(fine: _Points, places: Float64, interval: int) -> _Points:
    """Return the means of *fine* over the *interval* steps up to each of *places*, where none is missing."""
    before = places - interval
    sums = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(fine.values), fine.values, 0.0))])
    broken = np.concatenate([[0], np.cumsum(~np.isfinite(fine.values))])
    first = np.searchsorted(fine.x, before, "right")
    last = np.searchsorted(fine.x, places, "right")
    usual = float(np.median(last - first)) if len(places) else 0.0
    full = (last - first >= max(usual, 1)) & (last > first)
    first, last = first[full], last[full]
    values = (sums[last] - sums[first]) / (last - first)
    values[broken[last] > broken[first]] = np.nan
    return _Points(places[full], fine.steps[last - 1], values)


def _with_means(alignment: Alignment, target: _Points, golden: _Points) -> Alignment:
    """Decide whether logs of different intervals are compared point by point or by means.

    Megatron-LM and the Hugging Face Trainer log the mean loss since the record before, others the last one;
    what fits better is taken.
    """
    finer = "target" if alignment.target_interval < alignment.golden_interval else "golden"
    averaged = replace(alignment, averaged=finer)
    points, means = (_typical(_paired(target, golden, how), share=_AGREE) for how in (alignment, averaged))
    return averaged if not points <= means / _BETTER_MEANS and means < np.inf else alignment


def _best_shift(target: _Points, golden: _Points, limits: CurveLimits, reach: int) -> int:
    """Return how many steps the target lies beside the golden; 0 unless that explains the difference."""

    def apart(shift: int) -> float:
        moved = target._replace(x=target.x + shift)
        return _typical(_paired(moved, golden, Alignment(Axis.STEP)), _LEAST_SHIFTED)

    unmoved = apart(0)
    tried = {shift: apart(shift) for shift in range(-reach, reach + 1) if shift}
    best = min(tried, key=lambda shift: (tried[shift], abs(shift)))
    believed = tried[best] <= limits.limit and limits.offset_gain * tried[best] < unmoved < np.inf
    return best if believed else 0


def _typical(paired: Paired, least: int = 1, share: float = 0.5) -> float:
    """Return the median relative difference, or another quantile; infinite with fewer than *least* places."""
    relative = np.abs(deviation_of(paired))
    relative = np.minimum(relative[~np.isnan(relative)], _CAP)
    return float(np.quantile(relative, share)) if len(relative) >= least else np.inf
