"""Sums along axes in the order of a vector unit, rounded at every step.

Sources of the orders: CANN, Ascend C API documents of ReduceSum, WholeReduceSum and ReduceDataBlock: a binary
tree over neighbours, (1, 2), (3, 4) ..., and half rounded to half at every level; the results of repeats of
256 bytes are added one after the other by the first-n interface on Atlas A2/A3, and by a tree on 910A and
310P and by the interfaces for high dimensions.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.emulation.arithmetic.exact_sum import add_to_odd
from core.emulation.arithmetic.rounding import Conversion, Rounding, convert

Array = NDArray[Any]


class ReductionOrder(StrEnum):
    """In which order the terms of a sum are added."""

    TREE = "tree"
    TREE_THEN_SEQUENTIAL = "tree_then_sequential"
    """A tree inside each repeat; the repeats one after the other."""
    SEQUENTIAL = "sequential"
    PAIRWISE = "pairwise"
    """numpy's own: blocks of up to 128 elements, split in halves; rounded to the format only at the end."""


def reduce_sum(
    values: Array,
    axis: int | tuple[int, ...] | None,
    order: ReductionOrder,
    conversion: Conversion,
    repeat_bytes: int = 256,
) -> Array:
    """Add *values* along *axis*, as numpy's ``sum`` without ``keepdims``.

    Parameters
    ----------
    values : float32 or float64 array of any shape
        Numbers of the format of *conversion*.
    axis : int, tuple of int or None
        Several axes are taken as one, the last running fastest; ``None`` is all of them.
    order : ReductionOrder
    conversion : Conversion
        Rounds (and saturates) every partial sum; the first addend is not touched before it is added.
        In ``PAIRWISE`` order partial sums are float32, or float64 for float64 *values*.
    repeat_bytes : int
        Bytes of the format that one repeat of the instruction takes.

    Returns
    -------
    Array
        Of the dtype of *values*. The sum of nothing is 0; of one term, the term converted.

    Raises
    ------
    TypeError
        If *values* are neither float32 nor float64.
    numpy.exceptions.AxisError
        If *axis* is out of range.
    """
    terms = _last(np.asarray(values), axis)
    with np.errstate(all="ignore"):
        if order is ReductionOrder.PAIRWISE:
            return convert(np.asarray(terms.sum(axis=-1)), conversion)
        if terms.shape[-1] == 0:
            return np.zeros(terms.shape[:-1], terms.dtype)
        if terms.shape[-1] == 1:
            return convert(terms[..., 0], conversion)
        match order:
            case ReductionOrder.TREE:
                return _tree(terms, conversion)
            case ReductionOrder.SEQUENTIAL:
                return _sequential(terms, conversion)
            case _:
                repeat = max(repeat_bytes // conversion.format.itemsize, 1)
                return _sequential(_trees(terms, repeat, conversion), conversion)


def _last(values: Array, axis: int | tuple[int, ...] | None) -> Array:
    """Bring the axes that are added to the end, as one."""
    if axis is None:
        return values.reshape(-1)
    axes = []
    for one in (axis,) if isinstance(axis, int) else axis:
        if not -values.ndim <= one < values.ndim:
            raise np.exceptions.AxisError(one, values.ndim)
        axes.append(one % values.ndim)
    kept = tuple(one for one in range(values.ndim) if one not in axes)
    shape = tuple(values.shape[one] for one in kept)
    count = int(np.prod([values.shape[one] for one in axes], dtype=np.int64))
    return values.transpose(kept + tuple(sorted(axes))).reshape(*shape, count)


def _add(first: Array, second: Array, conversion: Conversion) -> Array:
    """Add and round once.

    To nearest, a sum of two p-bit numbers may be rounded to 2 p + 2 bits before without harm (Figueroa, When
    is double rounding innocuous?, 1995); in other directions it is rounded to odd before. The processor's own
    addition goes to nearest even.
    """
    bits, nearest = conversion.format.precision, (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY)
    held = 24 if first.dtype == np.float32 else 53
    own = held == bits and (conversion.rounding is Rounding.NEAREST_EVEN or held == 53)
    if own or (conversion.rounding in nearest and held >= 2 * bits + 2):
        return convert(first + second, conversion)
    total = add_to_odd(first.astype(np.float64), second.astype(np.float64))
    return convert(total, conversion).astype(first.dtype)


def _tree(terms: Array, conversion: Conversion) -> Array:
    """Add neighbours until one is left; an odd last term goes up as it is."""
    while terms.shape[-1] > 1:
        pairs = terms.shape[-1] // 2
        added = _add(terms[..., 0 : 2 * pairs : 2], terms[..., 1 : 2 * pairs : 2], conversion)
        odd = terms[..., 2 * pairs :]
        terms = np.concatenate((added, odd), axis=-1) if odd.shape[-1] else added
    return terms[..., 0]


def _trees(terms: Array, repeat: int, conversion: Conversion) -> Array:
    """Return the tree sums of consecutive runs of *repeat* terms; the last run may be shorter."""
    whole = terms.shape[-1] // repeat
    full = terms[..., : whole * repeat].reshape(*terms.shape[:-1], whole, repeat)
    sums = [_tree(full, conversion)] if whole else []
    if terms.shape[-1] % repeat:
        sums.append(_tree(terms[..., whole * repeat :], conversion)[..., np.newaxis])
    return np.concatenate(sums, axis=-1)


def _sequential(terms: Array, conversion: Conversion) -> Array:
    total = terms[..., 0]
    for index in range(1, terms.shape[-1]):
        total = _add(total, terms[..., index], conversion)
    return total
