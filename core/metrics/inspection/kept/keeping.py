"""Takes a pair along for a result file: all of it where it is small, else what the window would ask for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.metrics.inspection.kept.pair import WHOLE_BYTES, KeptPair, KeptSide
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.pictures.plane import Shape
from core.progress import Work


def keep_pair(sources: PairSources, worst: int, only_seen: bool = False) -> Work[KeptPair | None]:
    """Return what to keep of the pair, ``None`` where a side cannot be opened.

    Parameters
    ----------
    worst
        The flat index of the largest difference; negative: it is not known.
    only_seen
        Of large tensors keep only pictures, and exact numbers around the largest difference. The rest takes
        thirty times as long: on one core 8 s for a pair of 128 MiB each.
    """
    pair = open_pair(sources)
    if pair.target is None or pair.golden is None:
        return None
    kept = KeptPair(_side(pair.target, pair.target.shape), _side(pair.golden, pair.golden_shape))
    if pair.target.nbytes + pair.golden.nbytes <= WHOLE_BYTES:
        return KeptPair(_whole(pair.target, kept.target), _whole(pair.golden, kept.golden))
    from core.metrics.inspection.kept.condensing import (
        condense,  # all that draws and counts; few tensors need it
    )

    return (yield from condense(sources, kept, worst, only_seen))


def _side(handle: TensorHandle, shape: Shape) -> KeptSide:
    return KeptSide(shape, handle.dtype.name, handle.stored.name)


def _whole(handle: TensorHandle, side: KeptSide) -> KeptSide:
    if handle.plain:
        return replace(side, bits=np.ascontiguousarray(handle.bits()).reshape(side.shape))
    numbers = np.ascontiguousarray(handle.read()).reshape(side.shape)
    return replace(side, stored=numbers.dtype.name, bits=numbers)
