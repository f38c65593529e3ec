"""Arithmetic of two operands, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, Rows, gradient, reference
from core.emulation.terms.bounded import Bounded, reduced_to, where
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array, computing
from core.emulation.terms.outcome import NotReplayable, NotReplayed


def _shapes(call: Call) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return call.tensor("input").shape, call.tensor("other").shape


def _other(call: Call) -> Bounded:
    other = call.tensor("other")
    alpha = call["alpha"]
    return other if alpha == 1 else other * call.operand(alpha, "alpha")


@reference("add", "input, other, *, alpha=1, out=None", rows=Rows.ALL)
def add(call: Call) -> Outputs:
    """Return input + alpha · other."""
    return call.tensor("input") + _other(call)


@gradient("add")
def add_backward(call: Call, grads: Gradients) -> Gradients:
    """Pass the gradient on to both."""
    grad = needed(grads)
    left, right = _shapes(call)
    scaled = grad if call["alpha"] == 1 else grad * call.operand(call["alpha"], "alpha")
    return [reduced_to(grad, left), reduced_to(scaled, right)]


@reference("sub subtract", "input, other, *, alpha=1, out=None", rows=Rows.ALL)
def sub(call: Call) -> Outputs:
    """Return input − alpha · other."""
    return call.tensor("input") - _other(call)


@reference("rsub", "input, other, *, alpha=1")
def rsub(call: Call) -> Outputs:
    """Return other − alpha · input."""
    left = call.tensor("input")
    alpha = call["alpha"]
    return call.tensor("other") - (left if alpha == 1 else left * call.operand(alpha, "alpha"))


@gradient("sub subtract")
def sub_backward(call: Call, grads: Gradients) -> Gradients:
    """Pass the gradient on, negated for the second."""
    first, second = add_backward(call, grads)
    return [first, None if second is None else -second]


@gradient("rsub")
def rsub_backward(call: Call, grads: Gradients) -> Gradients:
    """Pass the gradient on, negated for the first."""
    left, right = _shapes(call)
    grad = needed(grads)
    scaled = grad if call["alpha"] == 1 else grad * call.operand(call["alpha"], "alpha")
    return [-reduced_to(scaled, left), reduced_to(grad, right)]


@reference("mul multiply", "input, other, *, out=None", rows=Rows.ALL)
def mul(call: Call) -> Outputs:
    """Return input · other."""
    left, right = call.tensor("input"), call.tensor("other")
    if left.value.dtype == right.value.dtype == np.bool_:
        return Bounded(left.value & right.value)
    return left * right


@gradient("mul multiply")
def mul_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient times the other operand."""
    grad = needed(grads)
    left, right = call.tensor("input"), call.tensor("other")
    conj = np.conj
    return [
        reduced_to(call.stored(grad * right.moved(conj)), left.shape),
        reduced_to(call.stored(grad * left.moved(conj)), right.shape),
    ]


def _divide(left: Bounded, right: Bounded, mode: object) -> Bounded:
    if mode is None:
        return left / right
    whole = np.floor if mode == "floor" else np.trunc
    integer = left.value.dtype.kind in "iub" and right.value.dtype.kind in "iub"
    if integer:
        quotient = np.floor_divide(left.value, right.value)
        if mode == "trunc":
            quotient = np.where(
                (quotient < 0) & (quotient * right.value != left.value), quotient + 1, quotient
            )
        return Bounded(quotient)
    quotient = left.value / right.value
    # At a whole number the rounding of the quotient decides between two neighbours.
    slack = np.abs(quotient) * 2.0**-8
    unsure = whole(quotient + slack) != whole(quotient - slack)
    return Bounded(whole(quotient), np.where(unsure, 2.0**24, 0.0))


@reference("div divide truediv true_divide", "input, other, *, rounding_mode=None, out=None", rows=Rows.ALL)
def div(call: Call) -> Outputs:
    """Return input / other, rounded to a whole number if so asked."""
    return _divide(call.tensor("input"), call.tensor("other"), call["rounding_mode"])


@reference("rdiv rtruediv", "input, other")
def rdiv(call: Call) -> Outputs:
    """Return other / input."""
    return _divide(call.tensor("other"), call.tensor("input"), None)


@reference("floordiv floor_divide", "input, other, *, out=None")
def floordiv(call: Call) -> Outputs:
    """Return the floor of input / other."""
    return _divide(call.tensor("input"), call.tensor("other"), "floor")


@reference("rfloordiv", "input, other")
def rfloordiv(call: Call) -> Outputs:
    """Return the floor of other / input."""
    return _divide(call.tensor("other"), call.tensor("input"), "floor")


def _quotient_gradients(
    call: Call, grads: Gradients, top: Bounded, bottom: Bounded
) -> tuple[Bounded, Bounded]:
    if call.arguments.get("rounding_mode") is not None:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "rounding_mode")
    grad = needed(grads)
    by_top = call.stored(grad / bottom)
    by_bottom = call.stored(-(call.stored(grad * call.stored(call.stored(top / bottom) / bottom))))
    return reduced_to(by_top, top.shape), reduced_to(by_bottom, bottom.shape)


@gradient("div divide truediv true_divide")
def div_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g/b and −g·a/b²."""
    return [*_quotient_gradients(call, grads, call.tensor("input"), call.tensor("other"))]


@gradient("rdiv rtruediv")
def rdiv_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the same with the operands exchanged."""
    by_other, by_input = _quotient_gradients(call, grads, call.tensor("other"), call.tensor("input"))
    return [by_input, by_other]


def _power(base: Bounded, exponent: Bounded) -> Bounded:
    if base.value.dtype.kind in "iub" and exponent.value.dtype.kind in "iub":
        return Bounded(np.power(base.value.astype(np.int64), exponent.value))
    x, p = base.value.astype(np.float64), exponent.value.astype(np.float64)
    value = np.power(x, p)
    size = np.abs(value)
    # x**p = exp(p·log x): the error of the logarithm is amplified by p·log x.
    logarithm = np.abs(p * np.log(np.where(x == 0, 1.0, np.abs(x))))
    error = size * (4.0 + 2.0 * np.nan_to_num(logarithm))
    if not exponent.exact:
        error = error + size * logarithm * exponent.error / np.maximum(np.abs(p), 1e-300)
    return Bounded(value, np.where(np.isfinite(error), error, 0.0))


@reference("pow float_power", "input, exponent, *, out=None")
def pow_(call: Call) -> Outputs:
    """Return input ** exponent."""
    return _power(call.tensor("input"), call.tensor("exponent"))


@reference("rpow", "input, exponent")
def rpow(call: Call) -> Outputs:
    """Return exponent ** input, the reversed operator."""
    return _power(call.tensor("exponent"), call.tensor("input"))


@gradient("pow")
def pow_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·p·x**(p−1) and g·x**p·log x."""
    grad = needed(grads)
    x, p = call.tensor("input"), call.tensor("exponent")
    flat = Bounded(np.where(p.value == 0, 0.0, p.value))
    lower = call.stored(_power(x, Bounded(p.value - 1.0, p.error)))
    by_x = call.stored(grad * call.stored(flat * lower))
    gradients: Gradients = [reduced_to(by_x, x.shape)]
    if p.ndim:
        logarithm = Bounded(np.log(np.where(x.value > 0, x.value, 1.0)))
        gradients.append(reduced_to(call.stored(grad * _power(x, p) * logarithm.widened(4.0)), p.shape))
    return gradients


def _select(name: str, first_wins: Callable[[Array, Array], Array]) -> None:
    """Register maximum or minimum; at a tie both get half of the gradient."""

    @reference(name, "input, other, *, out=None")
    def forward(call: Call) -> Outputs:
        left, right = call.tensor("input"), call.tensor("other")
        nan = np.isnan(left.value) | np.isnan(right.value)
        chosen = np.where(first_wins(left.value, right.value), left.value, right.value)
        return Bounded(np.where(nan, np.nan, chosen) if nan.any() else chosen)

    @gradient(name)
    def backward(call: Call, grads: Gradients) -> Gradients:
        grad = needed(grads)
        left, right = call.tensor("input"), call.tensor("other")
        tie = left.value == right.value
        share = np.where(tie, 0.5, np.where(first_wins(left.value, right.value), 1.0, 0.0))
        return [
            reduced_to(grad * Bounded(share), left.shape),
            reduced_to(grad * Bounded(1.0 - share), right.shape),
        ]


_select("maximum", np.greater_equal)
_select("minimum", np.less_equal)


def _comparison(names: str, function: Callable[[Array, Array], Array]) -> None:
    @reference(names, "input, other, *, out=None")
    def forward(call: Call) -> Outputs:
        left, right = call.tensor("input"), call.tensor("other")
        made = computing().compared(function, left.value, right.value)
        if left.exact and right.exact:
            return Bounded(made)
        # A number that was rounded may lie on the other side of an element it nearly equals.
        near = np.abs(left.value - right.value) <= 2.0**-22 * (left.error + right.error)
        return Bounded(made, np.where(near, 2.0**30, 0.0))


_comparison("eq", np.equal)
_comparison("ne not_equal", np.not_equal)
_comparison("lt less", np.less)
_comparison("le less_equal", np.less_equal)
_comparison("gt greater", np.greater)
_comparison("ge greater_equal", np.greater_equal)
_comparison("logical_and", np.logical_and)
_comparison("logical_or", np.logical_or)
_comparison("logical_xor", np.logical_xor)


def _bitwise(names: str, function: Callable[[Array, Array], Array]) -> None:
    @reference(names, "input, other, *, out=None")
    def forward(call: Call) -> Outputs:
        return Bounded(function(call.tensor("input").value, call.tensor("other").value))


_bitwise("bitwise_and and rand", np.bitwise_and)
_bitwise("bitwise_or or ror", np.bitwise_or)
_bitwise("bitwise_xor xor rxor", np.bitwise_xor)


@reference("where", "condition, input, other, *, out=None")
def where_(call: Call) -> Outputs:
    """Return input where the condition holds, else other."""
    return where(call.tensor("condition").value.astype(bool), call.tensor("input"), call.tensor("other"))


@reference("tensor_where", "input, condition, other")
def tensor_where(call: Call) -> Outputs:
    """Return the same; the tensor's method takes the condition second."""
    return where_(call)


@gradient("where tensor_where")
def where_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient on each side of the condition."""
    grad = needed(grads)
    condition = call.tensor("condition").value.astype(bool)
    zero = Bounded(np.zeros(()))
    left, right = _shapes(call)
    return [
        reduced_to(where(condition, grad, zero), left),
        reduced_to(where(condition, zero, grad), right),
    ]


@reference("masked_fill", "input, mask, value", rows=Rows.ALL)
def masked_fill(call: Call) -> Outputs:
    """Return input with *value* where the mask is set."""
    return where(call.tensor("mask").value.astype(bool), call.tensor("value"), call.tensor("input"))


@gradient("masked_fill")
def masked_fill_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient with zero where the mask is set."""
    mask = call.tensor("mask").value.astype(bool)
    kept = where(mask, Bounded(np.zeros(())), needed(grads))
    return [reduced_to(kept, call.tensor("input").shape)]
