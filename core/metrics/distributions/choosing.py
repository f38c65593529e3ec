"""Which bins suit the values of a pair."""

from __future__ import annotations

import numpy as np

from core.dtypes import DTYPES, Kind, coarser
from core.formats.tensors.handle import TensorHandle
from core.metrics.distributions import bins as binning
from core.metrics.distributions.bins import Binning, Extent
from core.metrics.distributions.magnitudes import Magnitudes
from core.metrics.distributions.records import Bins
from core.metrics.ulps import ulp_of


def in_float32(handles: list[TensorHandle]) -> bool:
    """Return whether float32 holds the numbers of all *handles*."""
    return all(
        handle.stored.kind is not Kind.COMPLEX
        and (handle.stored.itemsize <= 2 or handle.stored.name == "float32")
        for handle in handles
    )


def chosen_bins(handles: list[TensorHandle], found: list[Magnitudes], bins: Bins) -> Binning:
    """Return bins that hold all finite numbers of *handles*, of which the first pass *found* the range.

    Whole numbers of exact formats that span few values have a bin each, whatever *bins* asks for.
    """
    low, high = min(side.low for side in found), max(side.high for side in found)
    if all(handle.stored.kind is Kind.BOOL for handle in handles):
        low, high = 0.0, 1.0
    elif low > high:
        return binning.unit()
    narrow = in_float32(handles)
    whole = all(handle.stored.kind in (Kind.INTEGER, Kind.BOOL) for handle in handles)
    few = whole and high - low < binning.MOST
    if bins is Bins.SYMLOG and not few and (low or high):
        exponents = [(side.first, side.exponents) for side in found]
        top, threshold = binning.threshold_of(exponents, narrow, (low < 0) + (high > 0))
        return binning.logarithmic(low, high, top, threshold, narrow=narrow)
    return binning.linear(Extent(low, high, whole, _finest(handles, low, high)), narrow=narrow)


def _finest(handles: list[TensorHandle], low: float, high: float) -> float:
    dtype = handles[0].stored if len(handles) == 1 else coarser(handles[0].stored, handles[1].stored)
    if not dtype.precision:
        dtype = DTYPES["float64"]
    return float(ulp_of(np.array(max(abs(low), abs(high))), dtype))
