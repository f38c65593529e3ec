"""Functions of one operand, element by element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, Rows, gradient, reference
from core.emulation.terms.bounded import FUNCTION_COST, Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.special_functions import erf, erfc, normal_pdf, sigmoid

Function = Callable[[Array], Array]


def _register(
    names: str,
    function: Function,
    slope: Function | None,
    cost: float = FUNCTION_COST,
    terms: Function | None = None,
) -> None:
    """Register *function*; *slope* is its derivative, computed to a few roundings of its *terms*."""

    @reference(names, "input, *, out=None", rows=Rows.FIRST)
    def forward(call: Call) -> Outputs:
        x = call.tensor("input")
        numbers = x.value
        if numbers.dtype.kind in "iub" and cost:
            numbers = numbers.astype(np.float64)
        return Bounded(numbers, x.error).apply(function, slope or np.zeros_like, cost)

    if slope is None:
        return

    @gradient(names)
    def backward(call: Call, grads: Gradients) -> Gradients:
        # Kernels take the derivative from the stored output, whose rounding its steepness amplifies.
        x = call.tensor("input").value
        steepness = slope(x)
        error = np.abs(terms(x) if terms else steepness) * (FUNCTION_COST + 2.0 * call.unit_ratio)
        return [call.stored(needed(grads) * Bounded(steepness, np.where(np.isfinite(error), error, 0.0)))]


def _bell(x: Array) -> Array:
    """Return the derivative of erf; its exponent x² amplifies errors by itself."""
    return np.asarray(2.0 * np.sqrt(2.0) * normal_pdf(x * np.sqrt(2.0)))


_register("neg negative", np.negative, lambda x: np.full_like(x, -1.0), 0.0)
_register("pos positive", np.positive, np.ones_like, 0.0)
_register("abs absolute", np.abs, np.sign, 0.0)
_register("sign sgn", np.sign, np.zeros_like, 0.0)
_register("floor", np.floor, np.zeros_like, 0.0)
_register("ceil", np.ceil, np.zeros_like, 0.0)
_register("round", np.rint, np.zeros_like, 0.0)
_register("trunc fix", np.trunc, np.zeros_like, 0.0)
_register("isnan", np.isnan, None, 0.0)
_register("isinf", np.isinf, None, 0.0)
_register("isfinite", np.isfinite, None, 0.0)
_register("logical_not", np.logical_not, None, 0.0)
_register("bitwise_not invert", np.invert, None, 0.0)
_register("exp", np.exp, np.exp)
_register("exp2", np.exp2, lambda x: np.log(2.0) * np.exp2(x))
_register("expm1", np.expm1, np.exp, terms=lambda x: 1.0 + np.abs(np.expm1(x)))
_register("log", np.log, np.reciprocal)
_register("log2", np.log2, lambda x: 1.0 / (x * np.log(2.0)))
_register("log10", np.log10, lambda x: 1.0 / (x * np.log(10.0)))
_register("log1p", np.log1p, lambda x: 1.0 / (1.0 + x))
_register("sqrt", np.sqrt, lambda x: 0.5 / np.sqrt(x), 1.0)
_register("rsqrt", lambda x: 1.0 / np.sqrt(x), lambda x: -0.5 / (np.sqrt(x) * x))
_register("reciprocal", lambda x: 1.0 / x, lambda x: -1.0 / np.square(x))
_register("square", np.square, lambda x: 2.0 * x, 1.0)
_register("sin", np.sin, np.cos)
_register("cos", np.cos, lambda x: -np.sin(x))
_register("tan", np.tan, lambda x: 1.0 + np.square(np.tan(x)))
_register("asin arcsin", np.arcsin, lambda x: 1.0 / np.sqrt(1.0 - np.square(x)))
_register("acos arccos", np.arccos, lambda x: -1.0 / np.sqrt(1.0 - np.square(x)))
_register("atan arctan", np.arctan, lambda x: 1.0 / (1.0 + np.square(x)))
_register("sinh", np.sinh, np.cosh)
_register("cosh", np.cosh, np.sinh)
_register("erf", erf, _bell, terms=lambda x: _bell(x) * (1.0 + 2.0 * np.square(x)))
_register("erfc", erfc, lambda x: -_bell(x), terms=lambda x: _bell(x) * (1.0 + 2.0 * np.square(x)))


@reference("sigmoid", "input, *, out=None", rows=Rows.FIRST)
def sigmoid_(call: Call) -> Outputs:
    """Return 1/(1 + e**−x)."""
    return call.tensor("input").apply(sigmoid, _sigmoid_slope)


def _sigmoid_slope(x: Array) -> Array:
    return sigmoid(x) * sigmoid(-x)


@gradient("sigmoid")
def sigmoid_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·y·(1 − y), where y is the stored output: 1 − y has its absolute error."""
    y = sigmoid(call.tensor("input").value)
    error = y * (FUNCTION_COST + 2.0 * call.unit_ratio)
    return [call.stored(needed(grads) * Bounded(_sigmoid_slope(call.tensor("input").value), error))]


@reference("tanh", "input, *, out=None", rows=Rows.FIRST)
def tanh_(call: Call) -> Outputs:
    """Return the hyperbolic tangent."""
    return call.tensor("input").apply(np.tanh, lambda x: 1.0 / np.square(np.cosh(x)))


@gradient("tanh")
def tanh_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·(1 − y²), where y is the stored output."""
    y = np.tanh(call.tensor("input").value)
    error = np.square(y) * (2.0 * FUNCTION_COST + 2.0 * call.unit_ratio) + 1.0
    return [call.stored(needed(grads) * Bounded(1.0 - np.square(y), error))]


def _limits(call: Call) -> tuple[Bounded | None, Bounded | None]:
    return call.optional("min"), call.optional("max")


def _clamped(x: Bounded, low: Bounded | None, high: Bounded | None) -> Bounded:
    value, error = x.value, 0.0
    if low is not None:
        error = error + np.max(np.asarray(low.error), initial=0.0)
        value = np.maximum(value, low.value)
    if high is not None:
        error = error + np.max(np.asarray(high.error), initial=0.0)
        value = np.minimum(value, high.value)
    return Bounded(value, np.full(value.shape, error) if error else 0.0)


@reference("clamp clip", "input, min=None, max=None, *, out=None")
def clamp(call: Call) -> Outputs:
    """Return input held between two limits."""
    return _clamped(call.tensor("input"), *_limits(call))


@reference("clamp_min", "input, min, *, max=None, out=None")
def clamp_min(call: Call) -> Outputs:
    """Return input, at least *min*."""
    return _clamped(call.tensor("input"), call.tensor("min"), None)


@reference("clamp_max", "input, max, *, min=None, out=None")
def clamp_max(call: Call) -> Outputs:
    """Return input, at most *max*."""
    return _clamped(call.tensor("input"), None, call.tensor("max"))


@gradient("clamp clip clamp_min clamp_max")
def clamp_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient where no limit held the element."""
    x = call.tensor("input").value
    low, high = _limits(call)
    inside = np.ones(x.shape, bool)
    if low is not None:
        inside = inside & (x >= low.value)
    if high is not None:
        inside = inside & (x <= high.value)
    return [needed(grads) * Bounded(inside.astype(np.float64))]


@reference("nan_to_num", "input, nan=0.0, posinf=None, neginf=None, *, out=None")
def nan_to_num(call: Call) -> Outputs:
    """Replace what is not finite; without a number for infinity, by the format's largest."""
    x = call.tensor("input").value
    top = call.storage.maximum
    above = call.number("posinf") if call.has("posinf") else top
    below = call.number("neginf") if call.has("neginf") else -top
    nan = call.number("nan") if call.has("nan") else 0.0
    return Bounded(np.nan_to_num(x, nan=nan, posinf=above, neginf=below))
