"""How far a dumped output may be from its float64 reference: rounding, and what the operator makes of it.

For an element with reference y and error bound e (:mod:`core.emulation.terms.bounded`, unit roundoffs of the
computing format u_c), stored in a format of unit roundoff u::

    allowed = OUTPUT_ROUNDINGS · u · |y|  +  MODEL_FACTOR · u_c · e  +  smallest subnormal

Two output roundings cover any rounding mode (truncation is one ulp), the model factor covers constants
that a first-order bound leaves out. No fixed cosine, no fixed tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from core.dtypes import DType, Kind, coarser
from core.emulation.arithmetic.rounding import Overflow
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.computing import Array
from core.emulation.terms.formats import FLOAT32, computing_format, is_float
from core.emulation.terms.outcome import NotReplayable, NotReplayed, ReplayVerdict, SlotReplay

OUTPUT_ROUNDINGS = 2.0
MODEL_FACTOR = 2.0
TINY = 128 * FLOAT32.smallest_normal
"""An error so small accuses no one: near the end of float32's range kernels flush to zero, round partial
sums to a fixed grid, or let an exponential overflow first (1.5e-36)."""
LAST_BITS = 8.0
"""Unit roundoffs by which a call may be wrong on its own inputs without being accused. Over 15 kinds of
operators every innocent call stayed below 8, every planted fault was beyond 3 000."""


def judge(slot: int, dumped: Tensor, reference: Bounded, format_: DType) -> SlotReplay:
    """Compare a dumped output with its reference.

    Parameters
    ----------
    slot
        Row of the output in the slot table.
    dumped
        The output.
    reference
        What it should be; same shape but for dimensions of size 1.
    format_
        The coarsest format that the result passed through: the dumped one, or a coarser one before it.

    Raises
    ------
    NotReplayable
        SHAPE_MISMATCH.
    """
    shape = dumped.array.shape
    if reference.shape != shape:
        if tuple(n for n in reference.shape if n != 1) != tuple(n for n in shape if n != 1):
            raise NotReplayable(NotReplayed.SHAPE_MISMATCH, f"{list(reference.shape)} {list(shape)}")
        reference = reference.reshape(*shape)
    if dumped.array.size == 0:
        return SlotReplay(slot, ReplayVerdict.RIGHT, 0.0, 0.0, 0.0, dtype=dumped.dtype.name)
    if not is_float(dumped.dtype):
        return _judge_whole(slot, dumped, reference)
    return _judge_float(slot, dumped, reference, format_)


def _judge_whole(slot: int, dumped: Tensor, reference: Bounded) -> SlotReplay:
    """Integers and truth values are exact, except where the reference says that they are not defined."""
    differs = dumped.array != reference.value
    if not reference.exact:
        differs &= np.asarray(reference.error) == 0.0
    wrong = int(np.count_nonzero(differs))
    return SlotReplay(
        slot,
        ReplayVerdict.WRONG if wrong else ReplayVerdict.RIGHT,
        inf if wrong else 0.0,
        worst_index=int(np.argmax(differs)) if wrong else -1,
        special_differences=0,
        dtype=dumped.dtype.name,
    )


def _allowed(size: Array, reference: Bounded, format_: DType) -> Array:
    error = np.asarray(reference.error)
    if not np.isfinite(error).all():
        error = np.nan_to_num(error, nan=0.0, posinf=0.0)
    u = computing_format(format_).unit_roundoff
    made = OUTPUT_ROUNDINGS * format_.unit_roundoff * size + MODEL_FACTOR * u * error
    return np.asarray(made + max(format_.smallest_subnormal, TINY))


def _judge_float(slot: int, dumped: Tensor, reference: Bounded, format_: DType) -> SlotReplay:
    found = fit(dumped, reference, format_)
    worst = int(np.argmax(found.ratio))
    with np.errstate(all="ignore"):
        largest = float(np.max(found.size, where=found.plain, initial=0.0))
        u = format_.unit_roundoff
        norm = float(np.sqrt(np.sum(np.square(np.where(found.plain, found.size, 0.0)))))
        away = float(np.sqrt(np.sum(np.square(found.distance))))
        far = float(found.distance.max())
    return SlotReplay(
        slot,
        ReplayVerdict.WRONG if found.ratio.flat[worst] > 1.0 else ReplayVerdict.RIGHT,
        error=float(found.ratio.flat[worst]),
        relative_l2=away / norm if norm else (inf if away else 0.0),
        units=far / (u * largest) if largest else (inf if far else 0.0),
        worst_index=worst,
        special_differences=int(np.count_nonzero(found.special)),
        overflowed=int(np.count_nonzero(found.infinite)),
        saturated=int(np.count_nonzero(found.saturated)),
        dtype=format_.name,
    )


@dataclass(frozen=True)
class Fit:
    """How each element of a dumped output fits its reference; all arrays have its shape.

    Attributes
    ----------
    ratio
        |dumped − reference| over what is allowed; infinite where ``special``.
    allowed
        How far from the reference each element may be.
    distance
        |dumped − reference| where both are finite, else 0.
    size
        |reference|.
    plain
        Both are finite and neither stands for a number beyond the range.
    special
        NaN or infinite on one side only, though the format holds the reference.
    infinite
        Infinite, as the finite reference leaves the range.
    saturated
        At the largest finite value, as the reference leaves the range.
    """

    ratio: Array
    allowed: Array
    distance: Array
    size: Array
    plain: Array
    special: Array
    infinite: Array
    saturated: Array


def fit(dumped: Tensor, reference: Bounded, format_: DType, overflow: Overflow | None = None) -> Fit:
    """Compare each element with its reference and what that allows.

    Parameters
    ----------
    dumped, reference
        Float or complex, of one shape.
    format_
        The coarsest format that the result passed through.
    overflow
        What must stand where the reference leaves the range: infinity, or the largest finite value and 0
        for NaN. By default either may.
    """
    with np.errstate(all="ignore"):
        complex_ = dumped.dtype.kind is Kind.COMPLEX or reference.value.dtype.kind == "c"
        exact = reference.value.astype(np.complex128 if complex_ else np.float64)
        given = dumped.array.astype(exact.dtype)
        size = np.abs(exact)
        finite = np.isfinite(exact)
        limit = dumped.dtype.maximum * (1.0 + dumped.dtype.unit_roundoff)
        if finite.all() and np.isfinite(given).all():
            allowed = _allowed(size, reference, format_)
            if float(np.max(size + allowed, initial=0.0)) <= limit:
                return _plain_fit(np.abs(given - exact), allowed, size)
        allowed = _allowed(np.where(finite, size, 0.0), reference, format_)
        beyond = np.isinf(exact) | (finite & (size + allowed > limit))
        same_sign = np.asarray(np.sign(given) == np.sign(exact))
        infinite = np.isinf(given) & beyond & same_sign
        saturated = beyond & same_sign & (np.abs(given) == dumped.dtype.maximum)
        undefined = np.isnan(exact)
        both_nan = np.isnan(given) & undefined
        if overflow is Overflow.SATURATE:
            infinite = np.zeros_like(infinite)
            both_nan = undefined & (given == 0)
        elif overflow is Overflow.INF_NAN:
            saturated = np.zeros_like(saturated)
        accepted = infinite | saturated | both_nan
        special = ~accepted & ~(finite & np.isfinite(given))
        plain = ~accepted & ~special
        distance = np.where(plain, np.abs(given - exact), 0.0)
        ratio = np.where(special, inf, distance / allowed)
    return Fit(ratio, allowed, distance, size, plain, special, infinite & finite, saturated)


def _plain_fit(distance: Array, allowed: Array, size: Array) -> Fit:
    """Return the fit of numbers that are all finite and within the range."""
    every, none = (np.broadcast_to(np.asarray(value), size.shape) for value in (True, False))
    return Fit(distance / allowed, allowed, distance, size, every, none, none, none)


def passed_through(dumped: DType, others: DType | None) -> DType:
    """Return the coarser of an output's format and one that its computation may have used before."""
    if not is_float(dumped):
        return FLOAT32
    return dumped if others is None else coarser(dumped, others)
