"""Settings that the logs show: learning rate and batch size. They are named before any loss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from core.curves.deviation import rounding_of
from core.curves.judgement.context import Context
from core.curves.judgement.scaling import overflows_of
from core.curves.judgement.telling import told
from core.records.columns import Float64
from core.records.curves import Axis, CurveFinding, FindingName, Paired
from core.records.series import Series
from core.records.training import Weight

_ROUNDED = 1e-3
"""Relative difference of learning rates that printing with four digits may make."""
_FEWEST_DIGITS = 4
"""Significant digits that trainers print: learning rates of fewer are round numbers."""
_HALF = 0.5005
"""Half a unit, and a little for what binary numbers make of decimals."""
_SINGLE = 1e-6
"""Relative error of a schedule that a framework works out in float32 (MindSpore)."""
_DOUBLE = 1e-9
"""The same in float64: two ways of working out one schedule differ by less."""

_SAMPLES = 2000
"""Values that show how many digits are printed."""
_LEAST_LATE = 3


def setup_findings(context: Context) -> Iterator[CurveFinding]:
    """Yield that learning rates or batch sizes differ."""
    yield from _batch(context)
    yield from learning_rate(context)


def learning_rate(context: Context, printed: tuple[bool, bool] = (True, True)) -> Iterator[CurveFinding]:
    """Yield that learning rates differ by more than the digits that they are printed with.

    Parameters
    ----------
    printed
        Whether the target's and the golden's are printed; else they are worked out of settings, and exact.
    """
    view = context.pair(Series.LEARNING_RATE)
    if view is None or (context.alignment.axis is Axis.COUNT and len(view.steps) < 2):
        return
    paired = view.paired
    allowed = _allowed(paired, printed)
    apart = _are_apart(paired.target, paired.golden, allowed)
    if not apart.any():
        return
    first = int(np.argmax(apart))
    step = int(view.steps[first])
    ratio = _ratio(view.paired.target, view.paired.golden)
    weight, code = Weight.FAULT, "curves.learning_rate.ratio" if ratio is not None else "curves.learning_rate"
    if any(printed) and _is_late(paired.target, paired.golden, allowed):
        weight, code = Weight.NOTE, "curves.learning_rate.late"
    elif (skipped := overflows_of(context.target).steps).size and skipped[0] <= step:
        # the schedule waits for skipped steps: what follows from them is no setting
        weight, code = Weight.WARNING, "curves.learning_rate.after_skips"
    yield told(
        code,
        FindingName.LEARNING_RATE,
        weight,
        step=step,
        series=view.name,
        count=int(apart.sum()),
        steps=len(apart),
        target=float(view.paired.target[first]),
        golden=float(view.paired.golden[first]),
        ratio=ratio if ratio is not None else 0.0,
    )


def _allowed(paired: Paired, printed: tuple[bool, bool]) -> Float64:
    """Return the difference that printing and working out may make, (n,) float64, whichever side is which."""
    larger = np.maximum(np.abs(paired.target), np.abs(paired.golden))
    allowed = (_SINGLE if any(printed) else _DOUBLE) * larger
    for values, is_printed in zip((paired.target, paired.golden), printed):
        if is_printed:
            allowed = allowed + np.maximum(_half_digit(values), rounding_of(values))
    return allowed


def _half_digit(values: Float64) -> Float64:
    """Return half a unit of the last significant digit that *values* show, of four where they show fewer."""
    size = np.abs(values[np.isfinite(values) & (values != 0)])
    spread = size[:: max(len(size) // _SAMPLES, 1)].tolist()
    shown = [len(repr(value).partition("e")[0].replace(".", "").strip("0")) for value in spread]
    digits = max(shown, default=0)
    with np.errstate(divide="ignore"):
        last = np.floor(np.log10(np.abs(values))) - max(digits, _FEWEST_DIGITS) + 1
    return np.where(np.isfinite(last), _HALF * np.power(10.0, np.where(np.isfinite(last), last, 0.0)), 0.0)


def _are_apart(target: Float64, golden: Float64, allowed: Float64) -> npt.NDArray[np.bool_]:
    finite = np.isfinite(target) & np.isfinite(golden)
    with np.errstate(invalid="ignore"):
        differ = np.abs(target - golden) > allowed
        same = (target == golden) | (np.isnan(target) & np.isnan(golden))
    return np.where(finite, differ, ~same)


def _ratio(target: Float64, golden: Float64) -> float | None:
    """Return the ratio of the rates where it is the same at every step."""
    told = (target != 0) | (golden != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = target[told] / golden[told]
    if not len(ratios) or not np.isfinite(ratios).all():
        return None
    ratio = float(np.median(ratios))
    steady = float(np.abs(ratios - ratio).max()) <= _ROUNDED * abs(ratio)
    return ratio if ratio and steady else None


def _is_late(target: Float64, golden: Float64, allowed: Float64) -> bool:
    """Whether one log prints the rate of the step before, or after: trainers do both."""
    if len(target) < _LEAST_LATE:
        return False
    within = np.maximum(allowed[1:], allowed[:-1])
    tried = ((target[1:], golden[:-1]), (target[:-1], golden[1:]))
    return any(not _are_apart(*pair, within).any() for pair in tried)


def _batch(context: Context) -> Iterator[CurveFinding]:
    sizes = []
    for run in (context.target, context.golden):
        batch = run.curves.get(Series.GLOBAL_BATCH)
        sizes.append(float(batch.values[0]) if batch is not None and len(batch.values) else 0.0)
    if all(sizes) and sizes[0] != sizes[1]:
        yield told(
            "curves.batch_size",
            FindingName.BATCH_SIZE,
            Weight.WARNING,
            series=Series.GLOBAL_BATCH,
            target=sizes[0],
            golden=sizes[1],
        )
