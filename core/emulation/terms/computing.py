"""The arithmetic that references run in, chosen by context as Python's ``decimal`` does.

References are written once, over :class:`core.emulation.terms.bounded.Bounded`. By default they run in
float64 and carry a bound of the error that a correct implementation may make; within
:func:`computing_in` the same code runs in another arithmetic, such as that of a chip
(:mod:`core.emulation.chips.chip`), and carries none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType

Array = NDArray[Any]
Axis = int | tuple[int, ...] | None
Multiply = Callable[[Array, Array], Array]
"""A matrix product (..., M, K) · (..., K, N) with broadcast batches."""
Contract = Callable[[Array, Array, Multiply], Array]
"""A sum of products of two operands, bilinear with coefficients 0 and 1, made of matrix products alone."""


class Computing:
    """Float64, exact for our purposes; the base of every other arithmetic."""

    tracks_errors = True
    """Whether numbers carry an error bound in this arithmetic."""

    def entered(self, values: Array) -> Array:
        """Return dumped numbers, or a constant, as operands of this arithmetic."""
        return values

    def rounded(self, values: Array) -> Array:
        """Return the result of one elementwise operation as this arithmetic keeps it."""
        return values

    def product_operand(self, values: Array) -> Array:
        """Return what of *values* enters a matrix unit."""
        return values if values.dtype.kind == "c" else values.astype(np.float64)

    def product(self, left: Array, right: Array, contract: Contract) -> Array:
        """Return the sums of products of two operands of :meth:`product_operand`."""
        return contract(left, right, np.matmul)

    def product_growth(self, terms: int, random: float) -> float:
        """Return how many roundings of the size |A||B| a sum of *terms* products may be off.

        *random* is that of roundings to nearest.
        """
        return max(random, 1.0)

    def operand_roundings(self) -> float:
        """Return the unit roundoffs by which an operand may be rounded otherwise than it was here."""
        return 0.0

    def observe_product(self, sizes: Array, value: Array) -> None:
        """Take note of |A||B| beside the product A·B of a reference."""

    def total(self, values: Array, axis: Axis, keepdims: bool) -> Array:
        """Return sums of floating-point numbers along *axis*."""
        return np.asarray(np.sum(values, axis=axis, keepdims=keepdims))

    def stored(self, values: Array, storage: DType) -> Array:
        """Return *values* as a composite implementation keeps them between its steps."""
        return values

    def compared(self, function: Callable[[Array, Array], Any], left: Array, right: Array) -> Array:
        """Return a comparison of each element."""
        return np.asarray(function(left, right))


FLOAT64_COMPUTING = Computing()
_current: ContextVar[Computing] = ContextVar("computing", default=FLOAT64_COMPUTING)


def computing() -> Computing:
    """Return the arithmetic of this context."""
    return _current.get()


@contextmanager
def computing_in(arithmetic: Computing) -> Iterator[None]:
    """Run references in *arithmetic* within the ``with`` block."""
    token = _current.set(arithmetic)
    try:
        yield
    finally:
        _current.reset(token)
