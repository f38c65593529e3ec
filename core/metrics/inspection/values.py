"""One element of a pair, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.ulps import ulp_errors

Value = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class ElementPair:
    """Both exact values at one index; ``None`` where a side has no such element."""

    index: tuple[int, ...]
    target: Value | None
    golden: Value | None
    difference: Value | None = None
    """target − golden; ``None`` where one is missing or shapes differ. Integers are subtracted exactly."""
    ulps: float | None = None
    """Distance in units of the coarser dtype at the golden's magnitude; ``None`` for exact formats."""
    kept: bool = False
    """Whether the values come from what a result keeps; where it does not keep these, there are none."""


def values_at(sources: PairSources, index: tuple[int, ...]) -> ElementPair:
    """Return both values at *index* of the pair's shape."""
    pair = open_pair(sources)
    dtype, kept = pair.coarser, pair.kept is not None
    target, golden = (_value(handle, index) for handle in (pair.target, pair.golden))
    if pair.condensed is not None:
        held, dtype = pair.condensed.element(index), pair.condensed.coarser
        target, golden = (number.item() for number in held) if held is not None else (target, golden)
    if target is None or golden is None or (pair.both is None and pair.condensed is None):
        return ElementPair(index, target, golden, kept=kept)
    difference: Value = target - golden
    ulps = None
    if dtype is not None and dtype.precision:
        found = float(ulp_errors(np.asarray(target), np.asarray(golden), dtype))
        ulps = abs(found) if found == found else None
    return ElementPair(index, target, golden, difference, ulps, kept)


def _value(handle: TensorHandle | None, index: tuple[int, ...]) -> Value | None:
    if handle is None or len(index) != len(handle.shape):
        return None
    if any(not 0 <= at < size for at, size in zip(index, handle.shape)):
        return None
    value: Value = handle.read(index).item()
    return value
