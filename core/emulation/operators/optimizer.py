"""Operators that optimizers and gradient clipping are made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.emulation.operators.reduction import norm_of
from core.emulation.operators.table import Outputs, reference
from core.emulation.terms.bounded import Bounded, sqrt
from core.emulation.terms.call import Call


@reference("addcmul", "input, tensor1, tensor2, *, value=1, out=None")
def addcmul(call: Call) -> Outputs:
    """Return input + value · tensor1 · tensor2."""
    product = call.stored(call.tensor("tensor1") * call.tensor("tensor2")) * call.operand(
        call["value"], "value"
    )
    return call.tensor("input") + call.stored(product)


@reference("addcdiv", "input, tensor1, tensor2, *, value=1, out=None")
def addcdiv(call: Call) -> Outputs:
    """Return input + value · tensor1 / tensor2."""
    ratio = call.stored(call.tensor("tensor1") / call.tensor("tensor2")) * call.operand(
        call["value"], "value"
    )
    return call.tensor("input") + call.stored(ratio)


@reference("lerp", "input, end, weight, *, out=None")
def lerp(call: Call) -> Outputs:
    """Return input + weight · (end − input)."""
    start, end = call.tensor("input"), call.tensor("end")
    return start + call.stored(call.stored(end - start) * call.tensor("weight"))


def _each(name: str, function: Callable[[Bounded, Bounded], Bounded]) -> None:
    """Register ``_foreach_*`` of a list and a number, a tensor or a list."""

    @reference(f"_foreach_{name}", "input, other|scalar|scalars|tensors, *, alpha=1")
    def forward(call: Call) -> Outputs:
        items = call.tensors("input")
        given = call["other"]
        others = call.tensors("other") if isinstance(given, list) else [call.tensor("other")] * len(items)
        alpha = call["alpha"]
        if alpha != 1:
            others = [other * call.operand(alpha, "alpha") for other in others]
        return [function(item, other) for item, other in zip(items, others)]


_each("add", Bounded.__add__)
_each("sub", Bounded.__sub__)
_each("mul", Bounded.__mul__)
_each("div", Bounded.__truediv__)


@reference("_foreach_norm", "input, ord=2, dtype=None")
def foreach_norm(call: Call) -> Outputs:
    """Return the norm of each tensor."""
    order = call.number("ord")
    return [norm_of(item, order, tuple(range(item.ndim)), False) for item in call.tensors("input")]


@reference("_foreach_sqrt", "input")
def foreach_sqrt(call: Call) -> Outputs:
    """Return square roots."""
    return [sqrt(item) for item in call.tensors("input")]


@reference("_foreach_neg", "input")
def foreach_neg(call: Call) -> Outputs:
    """Return the numbers with the other sign."""
    return [-item for item in call.tensors("input")]


@reference("zero", "input")
def zero(call: Call) -> Outputs:
    """Return zeros."""
    return Bounded(np.zeros(call.tensor("input").shape))


@reference("fill", "input, value")
def fill(call: Call) -> Outputs:
    """Return one number everywhere."""
    value = call.tensor("value")
    shape = call.tensor("input").shape
    return value.moved(lambda a: np.broadcast_to(a, shape))


@reference("copy", "input, src|other, non_blocking=False")
def copy(call: Call) -> Outputs:
    """Return the source, broadcast."""
    shape = call.tensor("input").shape
    return call.tensor("src").moved(lambda a: np.broadcast_to(a, shape))
