"""Target against golden, element by element, in the ways that pictures show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, Kind, coarser
from core.metrics.halves import float32_of
from core.metrics.pictures.kinds import Difference, PairClass, Part
from core.metrics.pictures.parts import part_of
from core.metrics.subtraction import has_wide_integers, subtract_wide
from core.metrics.ulps import ulp_of

FLOAT32_MAX = float(np.finfo(np.float32).max)

_EXPONENT = np.int32(0x7F800000)


class Subtraction:
    """Sets numbers of two formats against each other.

    Parameters
    ----------
    formats
        What the numbers of target and golden are stored in.
    dtypes
        What they are; decides what a ULP is.
    """

    def __init__(
        self,
        formats: tuple[DType, DType],
        dtypes: tuple[DType, DType],
        difference: Difference,
        part: Part = Part.MAGNITUDE,
    ) -> None:
        self._difference, self._part = difference, part
        self._unit = coarser(*dtypes)
        narrow = all(_narrow(dtype) for dtype in formats)
        self._kind = np.dtype(np.float32 if narrow else np.float64)
        result = {Difference.ABSOLUTE: self._kind.name, Difference.CLASSES: "uint8"}
        self.dtype = DTYPES[result.get(difference, "float32")]
        """Of what :meth:`of` returns."""
        self.limit = FLOAT32_MAX if difference in (Difference.RELATIVE, Difference.ULP) else None
        """The magnitude that stands for all that float32 cannot hold."""

    def of(self, target: NDArray[Any], golden: NDArray[Any]) -> NDArray[Any]:
        """Return the difference of *target* and *golden*, numbers of one shape, as ``dtype`` has them."""
        if self._difference is Difference.CLASSES:
            return pair_classes(target, golden)
        t, g = float32_of(target), float32_of(golden)
        with np.errstate(all="ignore"):
            if t.dtype.kind == "c" or g.dtype.kind == "c":
                t, g = t.astype(np.complex128, copy=False), g.astype(np.complex128, copy=False)
            if self._difference is Difference.SIGN:
                return self._signs(t, g)
            difference = self._subtract(t, g)
            if self._difference is Difference.RELATIVE:
                difference = _ratio(difference, np.abs(self._size(g)))
            elif self._difference is Difference.ULP:
                difference = _ratio(difference, self._units(self._size(g)))
            return _held(difference, self.dtype.storage)

    def nothing(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the difference of equal numbers, special ones among them or not."""
        return np.zeros(shape, self.dtype.storage)

    def _subtract(self, t: NDArray[Any], g: NDArray[Any]) -> NDArray[Any]:
        if t.dtype.kind != "c" or self._part in (Part.REAL, Part.IMAGINARY):
            return subtract(part_of(t, self._part), part_of(g, self._part), self._kind)
        difference: NDArray[Any] = np.abs(t - g)
        special = ~np.isfinite(difference)
        difference[special & np.isfinite(t) & np.isfinite(g)] = np.finfo(np.float64).max
        difference[special & ((t == g) | (np.isnan(t) & np.isnan(g)))] = 0
        if self._part is Part.PHASE:
            finite = np.isfinite(t) & np.isfinite(g)
            difference[finite] = _shorter_turn(np.angle(t[finite]) - np.angle(g[finite]))
        return difference

    def _signs(self, t: NDArray[Any], g: NDArray[Any]) -> NDArray[Any]:
        a, b = part_of(t, self._part), part_of(g, self._part)
        # Both are −1, 0 or 1, and never of opposite signs.
        positive = (a > 0).view(np.int8) - (b > 0).view(np.int8)
        signs = (positive | ((a >= 0).view(np.int8) - (b >= 0).view(np.int8))).astype(np.float32)
        finite = np.isfinite(a) & np.isfinite(b)
        if finite.all():
            return signs
        return _held(np.where(finite, signs, self._subtract(t, g)), self.dtype.storage)

    def _size(self, g: NDArray[Any]) -> NDArray[Any]:
        size = part_of(g, self._part)
        return size if size.dtype.kind == "f" and size.dtype == self._kind else size.astype(self._kind)

    def _units(self, size: NDArray[Any]) -> NDArray[Any]:
        """Return the ULP of the coarser dtype at each *size*; special or any where *size* is special."""
        dtype = self._unit
        if not dtype.precision:
            return np.ones(size.shape, self._kind)
        if dtype.itemsize > 4 or size.dtype != np.float32:
            return ulp_of(size, dtype)
        # With the fraction cleared a float32 is the power of two below it: many times faster than frexp.
        powers = (np.ascontiguousarray(size).view(np.int32) & _EXPONENT).view(np.float32)
        powers = np.maximum(powers, np.float32(dtype.smallest_normal))
        return powers * np.float32(2.0 ** (1 - dtype.precision))


def subtract(t: NDArray[Any], g: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Return real *t* − *g* in *kind*, or in float64 where float32 would overflow; equal special values: 0.

    Integers of 64 bits, from floats too, are subtracted exactly and rounded once. The difference of
    finite numbers is finite: at most float64's largest.
    """
    if has_wide_integers(t, g):
        difference: NDArray[Any] = subtract_wide(t, g)
    else:
        difference = np.subtract(t.astype(kind, copy=False), g.astype(kind, copy=False))
    special = ~np.isfinite(difference)
    if not special.any():
        return difference
    lost = special & np.isfinite(t) & np.isfinite(g)
    if lost.any():
        if difference.dtype != np.float64:
            return subtract(t, g, np.dtype(np.float64))
        difference[lost] = np.copysign(np.finfo(np.float64).max, difference[lost])
    difference[special & ((t == g) | ((t != t) & (g != g)))] = 0
    return difference


def pair_classes(target: NDArray[Any], golden: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the :class:`PairClass` of each pair of elements."""
    classes = np.zeros(target.shape, np.uint8)
    finite_t, finite_g = np.isfinite(target), np.isfinite(golden)
    if finite_t.all() and finite_g.all():
        return classes
    classes[finite_t & ~finite_g] = PairClass.GOLDEN_SPECIAL
    classes[~finite_t & finite_g] = PairClass.TARGET_INF
    nan_t, nan_g = np.isnan(target), np.isnan(golden)
    classes[nan_t & finite_g] = PairClass.TARGET_NAN
    both = ~finite_t & ~finite_g
    same = (target == golden) | (nan_t & nan_g)
    classes[both] = np.where(same[both], PairClass.SAME_SPECIAL, PairClass.OTHER_SPECIAL)
    return classes


def _narrow(dtype: DType) -> bool:
    small_integer = dtype.kind in (Kind.INTEGER, Kind.BOOL) and dtype.itemsize <= 2
    return small_integer or (dtype.kind is Kind.FLOAT and dtype.itemsize <= 4)


def _ratio(difference: NDArray[Any], size: NDArray[Any]) -> NDArray[Any]:
    """Return *difference* / *size* with special differences kept, and ±float32's largest over 0."""
    ratio: NDArray[Any] = np.divide(difference, size)
    special = ~np.isfinite(ratio)
    if special.any():
        found = difference[special]
        beyond = np.where(found == 0, 0, np.copysign(FLOAT32_MAX, found))
        ratio[special] = np.where(np.isfinite(found), beyond, found)
    return ratio


def _shorter_turn(angles: NDArray[Any]) -> NDArray[Any]:
    """Return *angles* from −π to π."""
    return np.asarray(angles - np.rint(angles / (2 * np.pi)) * (2 * np.pi))


def _held(values: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Return *values* in *kind*; finite ones stay finite."""
    if values.dtype == kind:
        return values
    if kind == np.float32:
        values = np.where(np.isfinite(values), np.clip(values, -FLOAT32_MAX, FLOAT32_MAX), values)
    return values.astype(kind)
