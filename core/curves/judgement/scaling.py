"""The loss scale and skipped steps of the target: search at the start, collapse, overflow rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.curves.judgement.telling import told
from core.overflow.training.history import longest_fall
from core.overflow.training.limits import OverflowLimits, shipped_limits
from core.records.columns import Int64
from core.records.curves import CurveFinding, FindingName, LoggedRun
from core.records.series import Series
from core.records.training import Weight

_LEAST = 2
"""Skipped steps after the start below which their share says nothing."""


class Overflows(NamedTuple):
    """Records in which steps overflowed."""

    steps: Int64
    """Their steps."""
    counts: Int64
    """Steps that overflowed since the record before."""
    at_start: int
    """Of all, the steps before the first record without one."""
    first_good: int | None
    """The first step without one, where others were before it."""


def scaling_findings(
    run: LoggedRun, golden: LoggedRun | None = None, limits: OverflowLimits | None = None
) -> Iterator[CurveFinding]:
    """Yield what the loss scale and the skipped steps of *run* tell; *golden* may excuse a share of them."""
    table = limits or shipped_limits()
    found = overflows_of(run)
    scale = run.curves.get(Series.LOSS_SCALE)
    if scale is not None:
        yield from _collapse(run, found, table)
    if found.at_start and found.first_good is not None:
        yield _search(run, found)
    yield from _rate(run, golden, found, table)


def overflows_of(run: LoggedRun) -> Overflows:
    """Return the steps of *run* that were skipped, or whose loss or gradient norm is not finite."""
    steps = _all_steps(run)
    count = np.zeros(len(steps), np.int64)
    for name in (Series.SKIPPED, Series.NAN_STEPS, Series.OVERFLOW):
        if (curve := run.curves.get(name)) is not None:
            said = np.where((curve.values > 0) & (curve.values < 1e15), curve.values, 0)
            at = np.searchsorted(steps, curve.steps)
            count[at] = np.maximum(count[at], said.astype(np.int64))
    if (curve := run.curves.get(Series.SKIPPED_TOTAL)) is not None and len(curve.steps):
        grown = np.diff(curve.values, prepend=0.0 if curve.steps[0] <= len(curve.steps) else curve.values[0])
        at = np.searchsorted(steps, curve.steps)
        count[at] = np.maximum(count[at], np.where((grown > 0) & (grown < 1e15), grown, 0).astype(np.int64))
    for name in (Series.LOSS, Series.GRAD_NORM):
        if (curve := run.curves.get(name)) is not None:
            at = np.searchsorted(steps, curve.steps[~np.isfinite(curve.values)])
            count[at] = np.maximum(count[at], 1)
    bad = count > 0
    good = np.flatnonzero(~bad)
    first = int(good[0]) if len(good) else len(steps)
    first_good = int(steps[first]) if 0 < first < len(steps) else None
    return Overflows(steps[bad], count[bad], int(count[:first].sum()), first_good)


def _all_steps(run: LoggedRun) -> Int64:
    """Return all steps of *run*, ascending; mostly all curves have the same ones."""
    union = np.empty(0, np.int64)
    for curve in run.by_steps:
        if not np.array_equal(curve.steps, union):
            union = np.union1d(union, curve.steps) if len(union) else curve.steps
    return union


def _collapse(run: LoggedRun, found: Overflows, table: OverflowLimits) -> Iterator[CurveFinding]:
    scale = run.curves[Series.LOSS_SCALE]
    changed = np.append(True, scale.values[1:] != scale.values[:-1])
    steps, scales = scale.steps[changed], scale.values[changed]
    after = found.first_good if found.first_good is not None else -np.inf
    falls, begun = longest_fall(steps.tolist(), scales.tolist(), float(after), table)
    if begun is None:
        return
    calm = steps[steps < begun]
    cause = found.steps[(found.steps < begun) & (found.steps >= (calm[-1] if len(calm) else begun))]
    first = int(cause[-1]) if len(cause) else begun
    lowest = float(scales[steps >= begun].min())
    code = "curves.scale_collapse.below" if lowest < table.smallest_scale else "curves.scale_collapse.falls"
    yield told(
        code,
        FindingName.SCALE_COLLAPSE,
        Weight.FAULT,
        step=first,
        series=Series.LOSS_SCALE,
        count=falls,
        lowest=lowest,
        least=table.smallest_scale,
    )


def _search(run: LoggedRun, found: Overflows) -> CurveFinding:
    """Return that steps were skipped at the start, while a dynamic scale falls until it fits."""
    scale = run.curves.get(Series.LOSS_SCALE)
    first, last = int(found.steps[0]), int(found.steps[found.steps < (found.first_good or 0)][-1])
    ends = {}
    if scale is not None:
        early = scale.values[scale.steps <= (found.first_good or 0)]
        if len(early) and early[-1] < early[0]:
            ends = {"before": float(early[0]), "after": float(early[-1])}
    code = "curves.scale_search.falls" if ends else "curves.scale_search"
    return told(
        code,
        FindingName.SCALE_SEARCH,
        Weight.NOTE,
        step=first,
        series=Series.LOSS_SCALE,
        last_step=last,
        count=found.at_start,
        before=ends.get("before", 0.0),
        after=ends.get("after", 0.0),
    )


def _rate(
    run: LoggedRun, golden: LoggedRun | None, found: Overflows, table: OverflowLimits
) -> Iterator[CurveFinding]:
    count = int(found.counts.sum()) - found.at_start
    steps = _steps(run) - found.at_start
    if not count or steps <= 0:
        return
    limit, rate = _limit(run, table), count / steps
    theirs = 0.0
    if golden is not None and _steps(golden):
        theirs = float(overflows_of(golden).counts.sum()) / _steps(golden)
    later = found.steps[found.steps >= (found.first_good or found.steps[0])]
    weight, code = Weight.FAULT, "curves.overflow_rate"
    if rate < limit:
        weight, code = Weight.NOTE, "curves.overflow_rate.under"
    elif count < _LEAST:
        weight, code = Weight.WARNING, "curves.overflow_rate.few"
    elif rate <= theirs:
        weight, code = Weight.WARNING, "curves.overflow_rate.both"
    yield told(
        code,
        FindingName.OVERFLOW_RATE,
        weight,
        series=Series.SKIPPED,
        count=count,
        steps=steps,
        first=int(later[0]),
        rate=rate,
        limit=limit,
    )


def _limit(run: LoggedRun, table: OverflowLimits) -> float:
    batch = run.curves.get(Series.GLOBAL_BATCH)
    large = batch is not None and len(batch.values) and np.nanmax(batch.values) >= table.large_batch
    return table.large_batch_limit if large else table.limit


def _steps(run: LoggedRun) -> int:
    """Return how many steps the log accounts for."""
    ends = [(int(curve.steps[0]), int(curve.steps[-1])) for curve in run.by_steps if len(curve.steps)]
    return max(last for _, last in ends) - min(first for first, _ in ends) + 1 if ends else 0
