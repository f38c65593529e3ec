"""The shape of a deviation that lasts: it drifts, keeps its sign or its ratio."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.curves.judgement.context import PairView
from core.curves.judgement.excess import Excess
from core.curves.judgement.swing import swing
from core.curves.judgement.telling import told
from core.curves.judgement.windows import mean_around
from core.records.columns import Float64
from core.records.curves import CurveFinding, FindingName
from core.records.training import Weight

_LEAST = 30
"""Places without which no shape is named."""
_ONE_SIGN = 0.9
"""Share of its mean size that a deviation's mean must have to be of one sign."""
_GROWS = 0.8
"""Rank correlation with the step from which a deviation grows."""
_ONSET = 0.1
"""Share of its final size at which a drift begins."""
_LEAST_RATIO = 8
"""Places without which no ratio is named."""
_STEADY = 0.02
"""Relative spread up to which a ratio is constant."""
_BARE_POWER = 5
"""Powers of two are written as such from this one on."""
_LARGEST = 4096
"""The largest whole number that a ratio is named by, if it is no power of two."""


def shape_findings(excess: Excess) -> Iterator[CurveFinding]:
    """Yield what the deviation of one series looks like."""
    view, calm = excess.view, _calm(excess)
    ratio = _constant_ratio(excess)
    if ratio is not None:
        yield ratio
        return
    drift = _drift(view, calm)
    if drift is not None:
        yield drift
    elif (bias := _bias(view, calm)) is not None:
        yield bias
    found = swing(view, calm)
    if found is not None:
        yield found


def _calm(excess: Excess) -> Float64:
    """Return the signed deviation without spikes and infinities."""
    view = excess.view
    calm = np.where(np.isfinite(view.relative), view.relative, np.nan)
    for stretch in excess.spikes:
        calm[stretch.first : stretch.last + 1] = np.nan
    return calm


def _constant_ratio(excess: Excess) -> CurveFinding | None:
    view = excess.view
    target, golden = view.paired.target, view.paired.golden
    known = view.finite & (golden != 0) & (target != 0)
    if known.sum() < max(_LEAST_RATIO, 0.9 * view.finite.sum()):
        return None
    ratios = target[known] / golden[known]
    ratio = float(np.median(ratios))
    spread = float(np.median(np.abs(ratios - ratio))) / abs(ratio)
    far = abs(ratio - 1) > max(view.limits.limit, 20 * spread)
    if not far or spread > _STEADY or np.mean(np.abs(ratios - ratio) > 5 * _STEADY * abs(ratio)) > _STEADY:
        return None
    name, first = _named(ratio, spread), excess.first
    return told(
        "curves.constant_ratio.named" if name else "curves.constant_ratio",
        FindingName.CONSTANT_RATIO,
        Weight.FAULT,
        step=int(view.steps[first if first is not None else np.argmax(known)]),
        series=view.name,
        ratio=ratio,
        spread=spread,
        meaning=name,
    )


def _named(ratio: float, spread: float) -> str:
    """Return *ratio* as a whole number or the inverse of one; empty if it is none."""
    near = max(4 * spread, 1e-4)
    if ratio <= 0:
        return ""
    whole = ratio if ratio >= 1 else 1 / ratio
    power = round(math.log2(whole))
    if power >= _BARE_POWER and abs(whole / 2**power - 1) <= near:
        words = f"2^{power}"
    elif 2 <= round(whole) <= _LARGEST and abs(whole - round(whole)) <= near * whole < 0.5:
        words = str(round(whole))
    else:
        return ""
    return words if ratio >= 1 else f"1/{words}"


def _drift(view: PairView, calm: Float64) -> CurveFinding | None:
    """Return a drift: smoothed, the deviation grows to the end and keeps its sign."""
    window = view.window
    if np.isfinite(calm).sum() < _LEAST:
        return None
    smooth = mean_around(calm, window)
    known = np.flatnonzero(np.isfinite(smooth))
    smooth = smooth[known]
    end = float(np.mean(smooth[-max(window // 2, 1) :]))
    small = np.flatnonzero(smooth * math.copysign(1, end) <= _ONSET * abs(end))
    onset = int(small[-1]) if len(small) else 0
    grown = smooth[onset:] * math.copysign(1, end)
    limit = view.limits.limit
    if abs(end) < limit / 2 or len(grown) < max(2 * window, _LEAST // 2) or _rank_correlation(grown) < _GROWS:
        return None
    if grown[-1] < 2 * max(grown[: max(len(grown) // 4, 1)].mean(), 0):
        return None
    begin, over = int(view.steps[known[onset]]), abs(end) > limit
    kind = "over" if over else "below"
    return told(
        f"curves.drift.{kind}",
        FindingName.DRIFT,
        Weight.FAULT if over else Weight.WARNING,
        step=_over_from(view, begin),
        series=view.name,
        last_step=int(view.steps[-1]),
        onset=begin,
        end=end,
        limit=limit,
    )


def _over_from(view: PairView, begin: int) -> int:
    """Return the first step over the limit from *begin* on, else *begin*."""
    later = np.flatnonzero(view.over & (view.steps >= begin))
    return int(view.steps[later[0]]) if len(later) else begin


def _rank_correlation(values: Float64) -> float:
    """Return Spearman's rank correlation of *values* with their order."""
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1]) if len(values) > 2 else 0.0


def _bias(view: PairView, calm: Float64) -> CurveFinding | None:
    known = calm[np.isfinite(calm)]
    if len(known) < _LEAST:
        return None
    mean, size = float(known.mean()), float(np.abs(known).mean())
    if abs(mean) <= view.limits.limit / 2 or abs(mean) < _ONE_SIGN * size:
        return None
    return told("curves.bias", FindingName.BIAS, Weight.WARNING, series=view.name, bias=mean, mean=size)
