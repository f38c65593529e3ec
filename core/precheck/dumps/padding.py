"""On which side a batch of ids or masks is padded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.precheck.dumps.agreement import is_whole
from core.records.dump import Dump
from core.store.tensor_bytes import place_of

_MOST_ELEMENTS = 1 << 20
"""Elements of a batch that are looked through."""


def padding_in(dump: Dump, slot: int) -> str:
    """Return on which side the batch of whole numbers in *slot* is padded; empty where that does not show."""
    place, shape = place_of(dump, slot), dump.shape(slot)
    if place is None or shape is None or not is_whole(dump, slot):
        return ""
    if len(shape) != 2 or not 0 < shape[0] * shape[1] <= _MOST_ELEMENTS:
        return ""
    try:
        with place.open() as handle:
            values = np.array(handle.read())
    except InputError:
        return ""
    return padding_of(values) if values.ndim == 2 else ""


def padding_of(batch: NDArray[np.generic]) -> str:
    """Return ``left`` or ``right`` where rows of *batch* begin, or end, with a run of one padding value.

    *batch* has shape (samples, positions). The run must be at least two long, of the same value in all rows
    that have one, and only on one side. In a mask of 0 and 1 the padding is 0.
    """
    mask = set(np.unique(batch).tolist()) <= {0, 1}
    sides = []
    for name, seen in (("left", batch), ("right", batch[:, ::-1])):
        pads = np.unique(seen[:, 0][seen[:, 0] == seen[:, 1]]) if seen.shape[1] > 1 else seen[:0, 0]
        if (len(pads) == 1 and not (mask and pads[0])) or (mask and 0 in pads):
            sides.append(name)
    return sides[0] if len(sides) == 1 else ""
