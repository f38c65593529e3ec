"""The running sums of tier 1 for floating point numbers, real or complex."""

from __future__ import annotations

import threading
from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.metrics.subtraction import has_wide_integers, subtract_wide
from core.metrics.tensor_metrics import TensorMetrics

Numbers = NDArray[Any]

_MAXIMA = tuple({dtype.maximum for dtype in DTYPES.values() if dtype.precision})
"""Where a saturating unit stops: the largest finite number of each format."""
_LARGEST = float(np.finfo(np.float64).max)
_BOTH_FINITE = 0


class Scales(NamedTuple):
    """Powers of two that numbers are multiplied by where they are summed, so that they can be squared.

    One for each: a mask of 1e308 that both sides share says nothing of how small their difference is.
    """

    values: float = 1.0
    """Of the numbers themselves, as they are loaded; at least 1, which loses no digit."""
    target: float = 1.0
    golden: float = 1.0
    difference: float = 1.0


class Accumulator:
    """Takes chunks in order, gives :class:`TensorMetrics`.

    *kind* is float64 or complex128. The difference of finite numbers is finite, and so is the magnitude of a
    complex one: at most float64's largest.
    """

    def __init__(self, kind: np.dtype[Any], chunk: int, scales: Scales | None = None) -> None:
        self.complex = kind.kind == "c"
        self.scales = scales or Scales()
        self._kind = kind
        self._t, self._g, self._d, self._a, self._b, self._spare, self._mask = _kept.of(kind.char, chunk)
        self.tt = self.gg = self.dd = self.tg = self.dg = self.d = self.ad = 0.0
        self.max_abs, self.max_abs_index = 0.0, -1
        self.max_rel, self.max_rel_index = -1.0, -1
        self.max_t = self.max_g = 0.0
        self.below_1e3 = self.below_5e3 = self.flips = 0
        self.zeros_t = self.zeros_g = self.equal = 0
        self.first = -1
        self.saturated = 0
        self.counts = np.zeros(16, np.int64)

    def add_equal(self, values: Numbers, start: int) -> None:
        """Take in a chunk whose bytes are the same on both sides."""
        n = len(values)
        g = self._load(self._g, values)
        scaled_g = _scaled(g, self.scales.golden)
        gg = _dot(scaled_g, scaled_g)
        if not gg < inf:
            self._add_special(values, values, start)
            return
        self.counts[_BOTH_FINITE] += n
        self.gg += gg
        if self.scales.target == self.scales.golden:
            self.tt += gg
            self.tg += gg
        else:
            scaled_t = _scaled(g, self.scales.target)
            self.tt += _dot(scaled_t, scaled_t)
            self.tg += _dot(scaled_t, scaled_g)
        zero = np.equal(values, 0, out=self._mask[:n])
        zeros = int(np.count_nonzero(zero))
        self.zeros_t += zeros
        self.zeros_g += zeros
        self.equal += n
        self.below_1e3 += n
        self.below_5e3 += n
        largest = self._largest(values, g)
        self.max_t, self.max_g = max(self.max_t, largest), max(self.max_g, largest)
        if zeros < n and self.max_rel < 0:
            self.max_rel, self.max_rel_index = 0.0, start + int(zero.argmin())

    def add(self, target: Numbers, golden: Numbers, start: int, places: NDArray[Any] | None = None) -> None:
        """Take in a chunk; element *i* has index ``start + i``, or ``start + places[i]`` where given."""
        n = len(golden)
        if not n:
            return
        t, g = self._load(self._t, target), self._load(self._g, golden)
        scaled_t, scaled_g = _scaled(t, self.scales.target), _scaled(g, self.scales.golden)
        tt, gg = _dot(scaled_t, scaled_t), _dot(scaled_g, scaled_g)
        if places is None and not tt + gg < inf:
            self._add_special(target, golden, start)
            return
        d = np.subtract(t, g, out=self._d[:n])
        if target.dtype.kind != golden.dtype.kind and has_wide_integers(target, golden):
            np.multiply(subtract_wide(target, golden), self.scales.values, out=d)
        self.counts[_BOTH_FINITE] += n
        self.tt += tt
        self.gg += gg
        size_d, size_g = np.abs(d, out=self._a[:n]), np.abs(g, out=self._b[:n])
        scaled = _scaled(d, self.scales.difference)
        if not size_d.max() < inf:
            # Beyond float64 before it is scaled: what a scaled difference loses is nothing beside these.
            beyond = np.isinf(size_d)
            small = min(self.scales.difference, 0.5)
            scaled = scaled.copy()
            scaled[beyond] = t[beyond] * small - g[beyond] * small
            np.minimum(size_d, _LARGEST, out=size_d)
        if self.complex:
            np.minimum(size_g, _LARGEST, out=size_g)
        self.tg += _dot(scaled_t, scaled_g)
        self.dd += _dot(scaled, scaled)
        self.dg += _dot(scaled, scaled_g)
        self.d += float(scaled.sum().real)
        self.ad += float(_scaled(size_d, self.scales.difference).sum())
        self.max_g = max(self.max_g, float(size_g.max()))
        self.max_t = max(self.max_t, self._largest(target, t))
        zeros = self._zeros(target, golden, size_d, places, start)
        at = int(size_d.argmax())
        if size_d[at] > self.max_abs or self.max_abs_index < 0:
            self.max_abs, self.max_abs_index = float(size_d[at]), _place(at, places, start)
        self._relative(size_d, size_g, zeros, places, start)

    def _load(self, buffer: Numbers, values: Numbers) -> Numbers:
        if values.dtype == self._kind and self.scales.values == 1.0:
            return values
        loaded = buffer[: len(values)]
        loaded[...] = values
        if self.scales.values != 1.0:
            loaded *= self.scales.values
        return loaded

    def _largest(self, values: Numbers, loaded: Numbers) -> float:
        """Return the largest magnitude, from the narrow *values* where that is cheaper."""
        if self.complex:
            return min(float(np.abs(loaded).max()), _LARGEST)
        return max(float(values.max()), -float(values.min())) * self.scales.values

    def _zeros(
        self, target: Numbers, golden: Numbers, size_d: Numbers, places: NDArray[Any] | None, start: int
    ) -> tuple[int, int]:
        """Count zeros, equal elements and sign flips; return golden zeros, and those with no difference."""
        n = len(golden)
        mask = self._mask[:n]
        equal = int(np.count_nonzero(np.equal(size_d, 0.0, out=mask)))
        self.equal += equal
        if self.first < 0 and equal < n:
            self.first = _place(int(mask.argmin()), places, start)
        both = 0
        zeros_t = int(np.count_nonzero(np.equal(target, 0, out=mask)))
        self.zeros_t += zeros_t
        zero_g = np.equal(golden, 0)
        zeros_g = int(np.count_nonzero(zero_g))
        self.zeros_g += zeros_g
        if zeros_t and zeros_g:
            both = int(np.count_nonzero(np.logical_and(mask, zero_g)))
        if not self.complex:
            nonzero = ~(mask | zero_g) if zeros_t or zeros_g else None
            flipped = np.not_equal(np.less(target, 0, out=mask), np.less(golden, 0), out=mask)
            if nonzero is not None:
                flipped &= nonzero
            self.flips += int(np.count_nonzero(flipped))
        return zeros_g, both

    def _relative(
        self,
        size_d: Numbers,
        size_g: Numbers,
        zeros: tuple[int, int],
        places: NDArray[Any] | None,
        start: int,
    ) -> None:
        """Update the largest relative error and the shares below 1e-3 and 5e-3."""
        n = len(size_d)
        mask = self._mask[:n]
        spare = self._spare[:n]
        if self.max_rel < 0:
            np.greater(size_g, 0.0, out=mask)
        else:
            np.greater(size_d, np.multiply(size_g, self.max_rel, out=spare), out=mask)
        # Few elements beat the largest so far, so few are divided.
        better = np.flatnonzero(mask)
        if zeros[0] and better.size:
            better = better[size_g[better] > 0.0]
        if better.size:
            relative = size_d[better] / size_g[better]
            best = int(relative.argmax())
            if relative[best] > self.max_rel:
                self.max_rel = float(relative[best])
                self.max_rel_index = _place(int(better[best]), places, start)
        if self.max_rel < 1e-3 and zeros[0] == zeros[1]:
            self.below_1e3 += n
            self.below_5e3 += n
            return
        for name, bound in (("below_1e3", 1e-3), ("below_5e3", 5e-3)):
            below = np.less(size_d, np.multiply(size_g, bound, out=spare), out=mask)
            setattr(self, name, getattr(self, name) + int(np.count_nonzero(below)) + zeros[1])

    def _add_special(self, target: Numbers, golden: Numbers, start: int) -> None:
        """Sort a chunk that may hold NaN or Inf by class, and take in what is finite on both sides."""
        class_t, class_g = _classes(target), _classes(golden)
        pairs = class_t * 4 + class_g
        counts = np.bincount(pairs, minlength=16)
        shared = int(counts[5] + counts[10] + counts[15])
        self.equal += shared
        counts[_BOTH_FINITE] = 0  # counted by add()
        self.counts += counts
        infinite = (class_g >= 2) & (class_t == 0)
        if infinite.any():
            self.saturated += int(np.count_nonzero(np.isin(np.abs(target[infinite]).astype(float), _MAXIMA)))
        unequal = np.flatnonzero(class_t != class_g)
        places = np.flatnonzero(pairs == _BOTH_FINITE)
        before = self.first
        self.add(target[places], golden[places], start, places)
        if unequal.size and before < 0:
            first = start + int(unequal[0])
            self.first = first if self.first < 0 else min(self.first, first)

    def metrics(self, **known: Any) -> TensorMetrics:
        """Return the numbers of all chunks; *known* fields come from the caller."""
        finite = int(self.counts[_BOTH_FINITE])
        total = int(self.counts.sum())
        common: dict[str, Any] = {
            "count": total,
            "equal_count": self.equal,
            "class_counts": tuple(int(number) for number in self.counts),
            "saturated": self.saturated,
            "first_different_index": self.first,
            **known,
        }
        if not finite:
            return TensorMetrics(**common)
        scales = self.scales
        back = 1.0 / scales.values
        norm_t, norm_g = sqrt(self.tt), sqrt(self.gg)
        # Squares of tiny differences may underflow to 0; their root is never below the largest of them.
        norm_d = max(sqrt(self.dd), self.max_abs * scales.difference)
        different = self.max_abs > 0.0
        if not different:  # also two tensors of zeros: equal comes before any formula
            cosine = 1.0
        elif not norm_t or not norm_g:
            cosine = nan
        else:
            cosine = max(-1.0, min(1.0, self.tg / norm_t / norm_g))
        back_d = back / scales.difference
        return TensorMetrics(
            cosine=cosine,
            max_abs=self.max_abs * back,
            max_abs_index=self.max_abs_index if different else -1,
            rmse=norm_d / sqrt(finite) * back_d,
            mae=self.ad / finite * back_d,
            euclidean=norm_d * back_d,
            relative_l2=_quotient(norm_d, norm_g, scales) if different else 0.0,
            max_rel=self.max_rel if self.max_rel >= 0 else nan if different else 0.0,
            max_rel_index=self.max_rel_index,
            share_below_1e3=self.below_1e3 / finite,
            share_below_5e3=self.below_5e3 / finite,
            sign_flips=-1 if self.complex else self.flips,
            target_zeros=self.zeros_t,
            golden_zeros=self.zeros_g,
            target_norm=norm_t * (back / scales.target),
            golden_norm=norm_g * (back / scales.golden),
            target_max_abs=self.max_t * back,
            golden_max_abs=self.max_g * back,
            difference_mean=self.d / finite * back_d,
            difference_cosine=self.dg / norm_d / norm_g if different and norm_g else 0.0,
            **common,
        )


class _Kept(threading.local):
    """Buffers of a thread: thousands of small tensors must not each pay for fresh pages."""

    def __init__(self) -> None:
        self.key = ("", 0)
        self.buffers: tuple[NDArray[Any], ...] = ()

    def of(self, kind: str, chunk: int) -> tuple[NDArray[Any], ...]:
        if self.key != (kind, chunk):
            wide = [np.empty(chunk, kind) for _ in range(3)]
            self.buffers = (*wide, *(np.empty(chunk) for _ in range(3)), np.empty(chunk, bool))
            self.key = (kind, chunk)
        return self.buffers


_kept = _Kept()


def _scaled(numbers: Numbers, scale: float) -> Numbers:
    return numbers if scale == 1.0 else numbers * scale


def _quotient(norm_d: float, norm_g: float, scales: Scales) -> float:
    """Return the unscaled *norm_d* / *norm_g*; one factor of the scales after the other stays in range."""
    if not norm_g:
        return nan
    return norm_d / norm_g * scales.golden / scales.difference


def _dot(first: Numbers, second: Numbers) -> float:
    """Return the real part of the inner product."""
    return float(np.vdot(first, second).real)


def _place(at: int, places: NDArray[Any] | None, start: int) -> int:
    return start + (at if places is None else int(places[at]))


def _classes(values: Numbers) -> NDArray[np.int64]:
    """Return 0 for finite numbers, 1 NaN, 2 +Inf, 3 −Inf; an infinite complex number counts as +Inf."""
    classes = np.zeros(len(values), np.int64)
    if values.dtype.kind in "fc":
        classes[np.isinf(values)] = 2
        if values.dtype.kind == "f":
            classes[np.isneginf(values)] = 3
        classes[np.isnan(values)] = 1
    return classes
