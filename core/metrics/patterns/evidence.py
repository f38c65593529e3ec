"""What one pass over a pair gathers for all hypotheses, in memory that does not grow with the tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.patterns.limits import AXIS, FEW
from core.metrics.patterns.pair import Block, Pair, Values
from core.metrics.patterns.specials import SpecialCounts
from core.progress import Work

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]

_COUNTS = ("bad", "special", "missing", "extra")
_SUMS = ("dd", "tt", "gg", "tg")


@dataclass(frozen=True, slots=True)
class AxisSums:
    """Sums over all elements at each index of one axis, arrays as long as the axis."""

    bad: Counts
    special: Counts
    """Elements that are NaN or Inf on one side in another way than on the other."""
    missing: Counts
    """Target zero, golden not."""
    extra: Counts
    """Golden zero, target not."""
    dd: Sums
    tt: Sums
    gg: Sums
    tg: Sums
    """Sums of difference², target², golden² and target × golden, over what is finite on both sides."""

    @classmethod
    def zeros(cls, length: int) -> AxisSums:
        """Return empty sums."""
        bad, special, missing, extra = np.zeros((len(_COUNTS), length), np.int64)
        dd, tt, gg, tg = np.zeros((len(_SUMS), length))
        return cls(bad, special, missing, extra, dd, tt, gg, tg)

    def counts(self, name: str) -> Counts:
        """Return the counts called *name*; ``finite`` are those that are bad and not special."""
        found: Counts = self.bad - self.special if name == "finite" else getattr(self, name)
        return found


@dataclass(slots=True)
class Extent:
    """How many elements a mask has, and where the first and the last of them lie."""

    count: int = 0
    first: int = -1
    last: int = -1
    places: list[int] = field(default_factory=list)
    """Flat indices of the first FEW + 1."""

    def take(self, mask: NDArray[np.bool_], flat: int) -> None:
        """Take in the mask of elements from *flat* on."""
        there = mask.reshape(-1)
        number = int(np.count_nonzero(there))
        if not number:
            return
        if self.count == 0:
            self.first = flat + int(there.argmax())
        self.last = flat + there.size - 1 - int(there[::-1].argmax())
        self.count += number
        if len(self.places) <= FEW:
            found = np.flatnonzero(there)[: FEW + 1 - len(self.places)]
            self.places += [flat + int(at) for at in found]


@dataclass(slots=True)
class Evidence:
    """The sums of a pair. *bad* elements differ by more than noise, *different* ones at all."""

    axes: list[AxisSums | None]
    """Of each axis; ``None`` for one that is longer than AXIS."""
    extents: dict[str, Extent]
    specials: SpecialCounts
    different: int = 0
    signed_zeros: int = 0
    target_nonzero: int = 0
    golden_nonzero: int = 0
    dd: float = 0.0
    tt: float = 0.0
    gg: float = 0.0
    target_bits: int = 0
    golden_bits: int = 0
    """All stored bits of a float32 side or'ed together; 0 where the format hides no other."""

    @property
    def bad(self) -> int:
        """Elements that differ by more than noise."""
        return self.extents["bad"].count


def gather(pair: Pair) -> Work[Evidence]:
    """Return the evidence of *pair*, from one pass over all elements."""
    axes = [AxisSums.zeros(length) if length <= AXIS else None for length in pair.shape]
    evidence = Evidence(axes, {name: Extent() for name in (*_COUNTS, "finite")}, SpecialCounts())
    for block in pair.blocks():
        _take(pair, evidence, block)
        yield pair.progress(block.top * pair.columns + block.right)
    return evidence


def _take(pair: Pair, evidence: Evidence, block: Block) -> None:
    raw_t, raw_g = pair.block(block)
    flat = block.top * pair.columns + block.left
    for side, raw in (("target_bits", raw_t), ("golden_bits", raw_g)):
        if raw.dtype == np.float32 and getattr(pair, side[:6]).stored.itemsize == 4:
            words = np.bitwise_or.reduce(np.ascontiguousarray(raw).view(np.uint32), axis=None)
            setattr(evidence, side, getattr(evidence, side) | int(words))
    t, g = raw_t.astype(pair.working, copy=False), raw_g.astype(pair.working, copy=False)
    total = float(np.abs(t).max()) + float(np.abs(g).max())
    if pair.working == np.float32 and 1e15 < total < np.inf:
        # Squares would leave the range of float32.
        t, g = t.astype(np.float64), g.astype(np.float64)
    different = np.not_equal(raw_t, raw_g)
    special = None
    if not total < np.inf:
        t, g, special = evidence.specials.take(t, g, flat)
        different &= ~(np.isnan(raw_t) & np.isnan(raw_g))
    number = int(np.count_nonzero(different))
    evidence.different += number
    _zeros(evidence, raw_t, raw_g, number)
    masks: dict[str, NDArray[np.bool_] | None] = dict.fromkeys(_COUNTS)
    d = t - g
    size_d = np.abs(d)
    if number:
        bad = different.copy() if pair.exact else size_d > pair.tolerance(g)
        masks["bad"] = bad if special is None else bad | special
        masks["special"] = special
        zero_t, zero_g = np.equal(t, 0), np.equal(g, 0)
        if special is not None:
            both = np.isfinite(raw_t) & np.isfinite(raw_g)
            zero_t, zero_g = zero_t & both, zero_g & both
        if zero_t.any() or zero_g.any():
            masks["missing"], masks["extra"] = zero_t & ~zero_g, zero_g & ~zero_t
        for name, mask in masks.items():
            if mask is not None:
                evidence.extents[name].take(mask, flat)
        evidence.extents["finite"].take(bad if special is None else bad & ~special, flat)
    squares = {"dd": _square(d), "tt": _square(t), "gg": _square(g), "tg": np.multiply(t, np.conj(g)).real}
    _add(pair, evidence, block, masks, squares)


def _square(values: Values) -> Values:
    return (values.real**2 + values.imag**2) if values.dtype.kind == "c" else values * values


def _zeros(evidence: Evidence, t: Values, g: Values, different: int) -> None:
    """Count non-zero elements, and zeros whose signs differ."""
    nonzero_t, nonzero_g = int(np.count_nonzero(t)), int(np.count_nonzero(g))
    evidence.target_nonzero += nonzero_t
    evidence.golden_nonzero += nonzero_g
    if t.dtype.kind == g.dtype.kind == "f" and nonzero_t < t.size and nonzero_g < g.size:
        flipped = (np.signbit(t) != np.signbit(g)) & (t == 0) & (g == 0)
        evidence.signed_zeros += int(np.count_nonzero(flipped))


def _add(
    pair: Pair,
    evidence: Evidence,
    block: Block,
    masks: dict[str, NDArray[np.bool_] | None],
    squares: dict[str, Values],
) -> None:
    """Add what a block holds to the sums of each axis."""
    parts: dict[str, Any] = {name: mask for name, mask in masks.items() if mask is not None}
    parts |= squares
    by_row = {name: part.sum(axis=1, dtype=_wide(part)) for name, part in parts.items()}
    for name in ("dd", "tt", "gg"):
        setattr(evidence, name, getattr(evidence, name) + float(by_row[name].sum(dtype=np.float64)))
    if not pair.shape:
        axis = None
    elif (axis := evidence.axes[-1]) is not None:
        for name, part in parts.items():
            getattr(axis, name)[block.left : block.right] += part.sum(axis=0, dtype=_wide(part))
    inner = 1
    for number in range(pair.axes - 2, -1, -1):
        length = pair.shape[number]
        sums = evidence.axes[number]
        if sums is not None:
            _spread(sums, by_row, block, inner, length)
        inner *= length


def _spread(sums: AxisSums, by_row: dict[str, Any], block: Block, inner: int, length: int) -> None:
    """Add sums of whole rows to the index of one axis that each row has."""
    if block.bottom - block.top == 1:
        at = block.top // inner % length
        for name, values in by_row.items():
            getattr(sums, name)[at] += values[0]
        return
    index = np.arange(block.top, block.bottom) // inner % length
    for name, values in by_row.items():
        array = getattr(sums, name)
        array += np.bincount(index, weights=values, minlength=length).astype(array.dtype)


def _wide(part: Values) -> type:
    """Return the type to add up in: float32 within a block of 16-bit values, where 2^-24 is plenty."""
    return np.int32 if part.dtype == bool else np.float32 if part.dtype == np.float32 else np.float64
