"""The loss scale that fits the gradients of a run, and what a format loses without it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.dtypes import DTYPES
from core.messages import Message, Parameter
from core.overflow.headroom.exponents import Limits, limits_of
from core.records.columns import Float64, Int64
from core.records.headroom import (
    BINS,
    FIRST_EXPONENT,
    GradientExponents,
    Headroom,
    Losses,
    LossScale,
    Role,
)

MARGIN = 2.0
"""Factor that the largest gradient may still grow by: one doubling, the step of dynamic scaling."""
LARGEST_EXPONENT, SMALLEST_EXPONENT = 32, 0
"""log2 of the scales that are suggested. 2**32 is the largest start value of the common trainers
(DeepSpeed); below 1 a scale would shrink gradients, which is the job of gradient clipping or of the model."""
_LARGE_GRADIENT = 2.0**10
"""Gradients of a mean loss hardly reach this. An assumption, used only where the loss's own is not known."""


def suggest_loss_scale(headrooms: Sequence[Headroom]) -> LossScale:
    """Return the largest power of two that keeps all gradients of *headrooms* in range, with one margin.

    That is the largest S with ``peak * S * MARGIN <= maximum`` of the format, relative to the gradients as
    they were recorded. What the format loses at scale 1 and at S is counted over the gradients that were read
    element by element, exactly where the limits of the format lie within the histogram's exponents, as those
    of fp16 do; it is ``None`` where none was read.

    Raises
    ------
    ValueError
        If the headrooms were measured for different formats.
    """
    names = {headroom.format for headroom in headrooms} or {"float16"}
    if len(names) > 1:
        raise ValueError(f"headrooms for different formats: {sorted(names)}")
    limits = limits_of(DTYPES[names.pop()])
    peaks = [_peaks(headroom) for headroom in headrooms]
    slots, known = sum(map(len, peaks)), sum(int(np.count_nonzero(~np.isnan(item))) for item in peaks)
    found = [headroom.largest_gradient for headroom in headrooms]
    largest = max((item for item in found if item is not None), key=lambda item: item.magnitude, default=None)
    peak = largest.magnitude if largest is not None else float("nan")
    read = sum(headroom.gradients.read for headroom in headrooms)
    exponent = _exponent(peak, limits) if peak > 0 else None
    whole = _sum(headrooms) if read else None
    arrived = [item.loss_gradient for item in headrooms if not np.isnan(item.loss_gradient)]
    loss_gradient = max(arrived, default=float("nan"))
    return LossScale(
        limits.format,
        exponent,
        largest,
        slots,
        known,
        read,
        losses_at(whole, limits, 0) if whole else None,
        losses_at(whole, limits, exponent) if whole and exponent is not None else None,
        loss_gradient,
        tuple(_remarks(slots, known, read, peak, loss_gradient, exponent, limits)),
    )


def losses_at(gradients: GradientExponents, limits: Limits, exponent: int) -> Losses:
    """Return what the format loses of *gradients* at the loss scale 2**exponent."""
    _, zero = np.frexp(limits.vanishing)
    _, normal = np.frexp(limits.normal)
    vanishing = _below(gradients, int(zero) - 1 - exponent)
    vanishing += _at(gradients.powers, int(zero) - 1 - exponent)  # the tie goes to zero
    last = int(normal) - 1 - exponent
    tiny = _below(gradients, last) + _at(gradients.exponents, last) - _at(gradients.late, last)
    return Losses(vanishing, max(tiny - vanishing, 0), int(gradients.exponents.sum()))


def _below(gradients: GradientExponents, exponent: int) -> int:
    """Return how many elements have a smaller exponent; the first bin's are all taken to."""
    return int(gradients.exponents[: max(exponent - FIRST_EXPONENT, 0)].sum())


def _at(bins: Int64, exponent: int) -> int:
    position = exponent - FIRST_EXPONENT
    return int(bins[position]) if 0 < position < BINS else 0


def _peaks(headroom: Headroom) -> Float64:
    return np.asarray(headroom.rows.peak[headroom.rows.role == Role.GRADIENT])


def _exponent(peak: float, limits: Limits) -> int | None:
    """Return the largest k in range with peak * MARGIN * 2**k <= maximum; ``None`` if not even 0 is one."""
    for exponent in range(LARGEST_EXPONENT, SMALLEST_EXPONENT - 1, -1):
        if float(np.ldexp(peak, exponent)) * MARGIN <= limits.maximum:
            return exponent
    return None


def _sum(headrooms: Sequence[Headroom]) -> GradientExponents:
    parts = [headroom.gradients for headroom in headrooms]
    return GradientExponents(
        np.sum([part.exponents for part in parts], axis=0),
        np.sum([part.powers for part in parts], axis=0),
        np.sum([part.late for part in parts], axis=0),
        sum(part.slots for part in parts),
        sum(part.read for part in parts),
    )


def _remarks(
    slots: int,
    known: int,
    read: int,
    peak: float,
    loss_gradient: float,
    exponent: int | None,
    limits: Limits,
) -> list[Message]:
    if not slots:
        return [Message("loss_scale.no_gradients")]
    remarks = []
    said: dict[str, Parameter]
    if not known:
        remarks.append(Message("loss_scale.unknown", {"count": slots}))
    elif known < slots:
        remarks.append(Message("loss_scale.incomplete", {"count": slots - known, "slots": slots}))
    if known and peak == 0:
        remarks.append(Message("loss_scale.all_zero"))
    if exponent is not None:
        said = {"scale": 2.0**exponent, "exponent": exponent, "known": known, "slots": slots}
        code = "loss_scale.suggested" if known == slots else "loss_scale.suggested_of_known"
        remarks.append(Message(code, said))
    elif peak > 0:
        down = math.ceil(math.log2(peak * MARGIN / limits.maximum))
        said = {"peak": peak, "format": limits.format, "exponent": down}
        remarks.append(Message("loss_scale.too_large", said))
    if loss_gradient > 1:
        remarks.append(Message("loss_scale.scaled", {"scale": loss_gradient}))
    elif np.isnan(loss_gradient) and peak >= _LARGE_GRADIENT:
        remarks.append(Message("loss_scale.perhaps_scaled", {"peak": peak}))
    if exponent == SMALLEST_EXPONENT:
        remarks.append(Message("loss_scale.no_room", {"peak": peak}))
    if known and read < slots:
        remarks.append(Message("loss_scale.losses_unknown", {"count": slots - read, "slots": slots}))
    return remarks
