"""Numbers that carry the error a correct implementation may have made so far (running error analysis).

Each value is computed in float64; in another arithmetic (:mod:`core.emulation.terms.computing`) it has no
error. Beside it stands a bound of the error that the same computation has in a coarser *computing format*, in
unit roundoffs of that format and to first order, so that a reference written with these numbers says by
itself how much it amplifies (Wilkinson's running error analysis; Higham, Accuracy and Stability of
Numerical Algorithms, 2nd ed., section 3.3). Sums of n terms use the probabilistic growth with the square
root of n (Higham and Mary 2019) times a factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.emulation.terms.computing import Array, Axis, Contract, Multiply, computing

LAMBDA = 3.0
"""The probability that a sum of random roundings leaves 3 standard deviations is below 0.3 %."""

FUNCTION_COST = 4.0
"""Unit roundoffs that an implementation of exp, log, erf ... may be off; vendors state 1 to 4 ulp."""


def growth(terms: int) -> float:
    """Return how many roundings of full size a sum of *terms* numbers may add up to, in any order."""
    return min(max(terms - 1.0, 0.0), LAMBDA * math.sqrt(max(terms, 1)))


def rounding(value: Array) -> Array | float:
    """Return the error of rounding *value* once, in unit roundoffs: its magnitude; nothing if exact."""
    if value.dtype.kind not in "fc":
        return 0.0
    size = np.abs(value)
    return size if np.isfinite(size).all() else np.where(np.isfinite(size), size, 0.0)


def _is_zero(error: Array | float) -> bool:
    return isinstance(error, float) and error == 0.0


def _clean(error: Array | float) -> Array | float:
    """Infinite operands give no rounding of their own: what became undefined counts nothing."""
    if isinstance(error, float) or np.isfinite(error).all():
        return error
    return np.where(np.isfinite(error), error, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """A float64 (or integer, bool, complex) array and the bound of its error.

    ``error`` has the shape of ``value`` or is 0.0: exact.
    """

    value: Array
    error: Array | float = 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.value.ndim

    @property
    def exact(self) -> bool:
        """Whether no error has been made yet."""
        return _is_zero(self.error)

    def __add__(self, other: Bounded | float) -> Bounded:
        right = bounded(other)
        value = _computed(np.add, self.value, right.value)
        if not computing().tracks_errors:
            return Bounded(value)
        return Bounded(value, self.error + right.error + rounding(value))

    def __sub__(self, other: Bounded | float) -> Bounded:
        right = bounded(other)
        left = self.value
        if left.dtype == right.value.dtype == np.bool_:
            left = left.astype(np.int64)
        value = _computed(np.subtract, left, right.value)
        if not computing().tracks_errors:
            return Bounded(value)
        return Bounded(value, self.error + right.error + rounding(value))

    def __mul__(self, other: Bounded | float) -> Bounded:
        right = bounded(other)
        value = _computed(np.multiply, self.value, right.value)
        if not computing().tracks_errors:
            return Bounded(value)
        error = rounding(value)
        if not self.exact:
            error = error + self.error * np.abs(right.value)
        if not right.exact:
            error = error + right.error * np.abs(self.value)
        return Bounded(value, _clean(error))

    def __truediv__(self, other: Bounded | float) -> Bounded:
        right = bounded(other)
        value = _computed(np.divide, self.value, right.value)
        if not computing().tracks_errors:
            return Bounded(value)
        error = rounding(value)
        if not self.exact:
            error = error + self.error / np.abs(right.value)
        if not right.exact:
            error = error + right.error * np.abs(value) / np.abs(right.value)
        return Bounded(value, _clean(error))

    def __neg__(self) -> Bounded:
        return Bounded(np.negative(self.value), self.error)

    def __matmul__(self, other: Bounded) -> Bounded:
        return product_of(self, other, _matrices, self.value.shape[-1])

    def spread_product(self, other: Bounded) -> Bounded:
        """Return the matrix product of operands whose errors are independent from element to element."""
        return product_of(self, other, _matrices, self.value.shape[-1], independent=True)

    def apply(
        self,
        function: Callable[[Array], Array],
        slope: Callable[[Array], Array],
        cost: float = FUNCTION_COST,
    ) -> Bounded:
        """Return *function* of each element; *slope* is its derivative, *cost* its own error."""
        value = _computed(function, self.value)
        if not computing().tracks_errors:
            return Bounded(value)
        error = rounding(value) * cost
        if not self.exact:
            error = error + np.abs(slope(self.value)) * self.error
        return Bounded(value, _clean(error))

    def moved(self, move: Callable[[Array], Array]) -> Bounded:
        """Return the elements in another place or number: *move* reshapes, permutes, selects."""
        value = move(self.value)
        if isinstance(self.error, float):
            return Bounded(value, self.error)
        return Bounded(value, move(np.broadcast_to(self.error, self.value.shape)))

    def reshape(self, *shape: int) -> Bounded:
        """Return the elements in another shape."""
        return self.moved(lambda array: array.reshape(shape))

    def swapaxes(self, first: int, second: int) -> Bounded:
        """Return two dimensions exchanged."""
        return self.moved(lambda array: np.swapaxes(array, first, second))

    def sum(self, axis: Axis = None, keepdims: bool = False, independent: bool = False) -> Bounded:
        """Return sums along *axis*; integers are summed exactly.

        Errors that are *independent* from element to element add up to LAMBDA times their Euclidean norm.
        """
        if self.value.dtype.kind not in "fc":
            return Bounded(np.asarray(np.sum(self.value, axis=axis, keepdims=keepdims)))
        value = computing().total(self.value, axis, keepdims)
        if not computing().tracks_errors:
            return Bounded(value)
        terms = self.value.size // max(value.size, 1)
        error = growth(terms) * np.asarray(np.sum(np.abs(self.value), axis=axis, keepdims=keepdims))
        if not isinstance(self.error, float):
            whole = np.broadcast_to(self.error, self.value.shape)
            worst = np.sum(whole, axis=axis, keepdims=keepdims)
            if independent:
                squares = np.sum(np.square(whole), axis=axis, keepdims=keepdims)
                worst = np.minimum(worst, LAMBDA * np.sqrt(squares))
            error = error + worst
        return Bounded(np.asarray(value), _clean(error))

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Bounded:
        """Return means along *axis*."""
        total = self.sum(axis, keepdims)
        return total / float(max(self.value.size // max(total.value.size, 1), 1))

    def widened(self, units: float, normal: float = 0.0) -> Bounded:
        """Return the same with *units* more roundings: stored once in a coarser format.

        Below *normal*, the smallest normal number of that format, the error of a rounding is absolute.
        """
        if units == 0.0 or not computing().tracks_errors:
            return self
        size = np.where(self.value == 0, 0.0, np.maximum(rounding(self.value), normal))
        return Bounded(self.value, self.error + size * units)


def _computed(function: Callable[..., Array], *operands: Array) -> Array:
    """Return one elementwise operation in the arithmetic of this context."""
    arithmetic = computing()
    return arithmetic.rounded(function(*(arithmetic.entered(operand) for operand in operands)))


def bounded(value: Bounded | Array | float) -> Bounded:
    """Return *value* as it is, or as an exact number."""
    return value if isinstance(value, Bounded) else Bounded(np.asarray(value))


def _matrices(a: Array, b: Array, multiply: Multiply) -> Array:
    """Return a · b as numpy's matmul has it: a vector is a row, or a column, that disappears again."""
    made = multiply(a[None, :] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b)
    if b.ndim == 1:
        made = made[..., 0]
    return made[..., 0, :] if a.ndim == 1 and b.ndim > 1 else made[..., 0] if a.ndim == 1 else made


def product_of(
    left: Bounded,
    right: Bounded,
    contract: Contract,
    terms: int,
    storing: float = 0.0,
    independent: bool = False,
) -> Bounded:
    """Return a sum of products of two operands: matrix product, convolution, contraction.

    *contract* sums *terms* products an element. The error is growth · contract(|left|, |right|), the bound
    γ|A||B| (products of half formats are exact in the accumulator, on an NPU and elsewhere). *storing* are
    the units of storing partial sums, whose roundings add up as the terms' Euclidean norm: about their
    sum / √terms. Errors that operands bring add up to their sum, or, if they are *independent* from element
    to element as those of stored intermediates are, to LAMBDA times their norm.
    """
    arithmetic = computing()
    a, b = (arithmetic.product_operand(item.value) for item in (left, right))
    value = arithmetic.product(a, b, contract)
    if not arithmetic.tracks_errors:
        return Bounded(value)
    size_a, size_b = _sizes(a, b, terms)
    units = arithmetic.product_growth(terms, growth(terms)) + LAMBDA * storing / math.sqrt(max(terms, 1))
    sizes = contract(size_a, size_b, np.matmul).astype(np.float64)
    arithmetic.observe_product(sizes, value)
    error = units * sizes
    for brought, size, swap in ((left.error, size_b, False), (right.error, size_a, True)):
        rounded = arithmetic.operand_roundings()
        if _is_zero(brought) and not rounded:
            continue
        own = b if swap else a
        whole = np.broadcast_to(np.asarray(brought), own.shape)
        if rounded:
            whole = whole + rounded * _finite_size(own)
        error = error + _brought(whole, size, contract, swap, independent)
    return Bounded(value, _clean(error))


def _brought(errors: Array, sizes: Array, contract: Contract, swap: bool, independent: bool) -> Array:
    """Return what the errors of one operand make of the products with the other's *sizes*."""

    def products(first: Array, second: Array) -> Array:
        return contract(second, first, np.matmul) if swap else contract(first, second, np.matmul)

    worst = products(errors, sizes)
    if not independent:
        return worst
    squares = products(np.square(errors), np.square(sizes.astype(np.float64)))
    return np.minimum(worst, LAMBDA * np.sqrt(squares))


_SAFE = 1e37
"""Sums of products below this stay within float32."""


def _sizes(a: Array, b: Array, terms: int) -> tuple[Array, Array]:
    """Return |A| and |B|, in float32 if their product stays in its range: a bound needs no more digits."""
    size_a, size_b = _finite_size(a), _finite_size(b)
    largest = float(size_a.max(initial=0.0)) * float(size_b.max(initial=0.0)) * terms
    if largest < _SAFE:
        return size_a.astype(np.float32), size_b.astype(np.float32)
    return size_a, size_b


def _finite_size(array: Array) -> Array:
    size = np.abs(array)
    return size if np.isfinite(size).all() else np.where(np.isfinite(size), size, 0.0)


def reduced_to(gradient: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Sum *gradient* over the dimensions along which an operand of *shape* was broadcast."""
    extra = gradient.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        extra + index for index, size in enumerate(shape) if size == 1 and gradient.shape[extra + index] != 1
    )
    return gradient.sum(axes).reshape(*shape) if axes else gradient.moved(lambda a: a.reshape(shape))


def where(condition: Array, first: Bounded, second: Bounded) -> Bounded:
    """Return *first* where *condition* holds, else *second*."""
    value = np.where(condition, first.value, second.value)
    if first.exact and second.exact:
        return Bounded(value)
    return Bounded(value, np.where(condition, first.error, second.error))


def exp(x: Bounded) -> Bounded:
    """Return e**x."""
    return x.apply(np.exp, np.exp)


def log(x: Bounded) -> Bounded:
    """Return the natural logarithm; near 1 its relative error is that of the argument."""
    return x.apply(np.log, np.reciprocal)


def sqrt(x: Bounded) -> Bounded:
    """Return the square root."""
    return x.apply(np.sqrt, lambda a: 0.5 / np.sqrt(a), 1.0)


def rsqrt(x: Bounded) -> Bounded:
    """Return 1/sqrt(x)."""
    return x.apply(lambda a: 1.0 / np.sqrt(a), lambda a: 0.5 / (np.sqrt(a) * a))


def square(x: Bounded) -> Bounded:
    """Return x², whose error counts each operand's once."""
    return x.apply(np.square, lambda a: 2.0 * a, 1.0)
