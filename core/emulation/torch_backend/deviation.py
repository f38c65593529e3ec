"""A bound for references without running error analysis: how far float32 runs stray from float64.

Torch's functions are closed: nothing says how an error grows inside. What can be seen is how far the same
function in float32, and on operands that differ in their last bit, comes out from its float64 result. So::

    allowed = OUTPUT_ROUNDINGS · u · |y|  +  DEVIATIONS · d · m

with m the larger of the element and the root mean square of its row, and d the largest deviation relative to
m, but at least one rounding of a step. Where steps may have been stored coarsely, the last bits that differ
are those of that format, and float32's own deviation is scaled to it; for a computation in float64 all is.
Where a row cancels to little more than its own deviation, that stands for d · m. This is weaker than a
running error bound: it is an estimate from a few runs on one machine, one element in a bad condition widens
it for all, and a fault below it goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.dtypes import DType
from core.emulation.terms.allowance import MODEL_FACTOR
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.computing import Array
from core.emulation.terms.formats import FLOAT32, computing_format

DEVIATIONS = 16.0
"""Times the largest deviation seen in a few runs that another implementation may come to. Torch's own kernels
for three formats, on random operands, stayed within it but for one of 46 000 calls."""

CANCELLED = 4.0
"""A row that is not this many times its deviation has cancelled."""

_SHORT_ROW = 4
"""Rows below this length say little about the magnitude around an element; the whole tensor does."""


@dataclass(frozen=True)
class Run:
    """A result in float32, and how many times its deviation counts."""

    result: Array | None
    factor: float = 1.0


@dataclass(frozen=True)
class Step:
    """What storing a step in between costs.

    Attributes
    ----------
    units
        Unit roundoffs of the computing format in one of the format it is stored in.
    floor
        Magnitude below which the error of a rounding is absolute.
    """

    units: float = 1.0
    floor: float = 0.0

    @classmethod
    def of(cls, storage: DType) -> Step:
        """Return the cost of storing in *storage*."""
        computing = computing_format(storage).unit_roundoff
        return cls(storage.unit_roundoff / computing, storage.smallest_normal)


def bounded_by_runs(exact: Array, runs: Sequence[Run], step: Step) -> Bounded:
    """Return *exact* with an error bound from runs in float32.

    Parameters
    ----------
    exact
        The float64 (or complex128) result; whole numbers and truth values have no error.
    runs
        Results of the same call in float32; one of another shape says nothing.
    step
        What is allowed at least: one such rounding.

    Returns
    -------
    Bounded
        Its error counts unit roundoffs of the computing format, so that
        :func:`core.emulation.terms.allowance.judge` allows what this module's formula says.
    """
    if exact.dtype.kind not in "fc" or not exact.size:
        return Bounded(exact)
    u = FLOAT32.unit_roundoff
    with np.errstate(all="ignore"):
        distance = np.zeros(exact.shape)
        for run in runs:
            if run.result is not None and run.result.shape == exact.shape:
                away = run.factor * np.abs(run.result - exact)
                distance = np.maximum(distance, np.where(np.isfinite(away), away, 0.0))
        size = np.abs(exact)
        magnitude = _around(np.where(np.isfinite(size), size, 0.0))
        noise = _around(distance)
        says = magnitude > CANCELLED * noise
        relative = float(np.max(distance / magnitude, where=says, initial=0.0))
        allowed = np.maximum(relative * magnitude, np.where(says, 0.0, noise))
        allowed = np.maximum(allowed, step.units * u * np.maximum(magnitude, step.floor))
    return Bounded(exact, DEVIATIONS / MODEL_FACTOR / u * allowed)


def _around(size: Array) -> Array:
    """Return the larger of each element and the root mean square of its row."""
    squares = np.square(size)
    if size.ndim and size.shape[-1] >= _SHORT_ROW:
        return np.asarray(np.maximum(size, np.sqrt(np.mean(squares, axis=-1, keepdims=True))))
    return np.asarray(np.maximum(size, np.sqrt(np.mean(squares))))
