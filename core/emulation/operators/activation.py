"""Activations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, Rows, gradient, reference
from core.emulation.terms.bounded import FUNCTION_COST, Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.terms.special_functions import normal_cdf, normal_pdf, sigmoid, softplus

_TANH_SCALE = math.sqrt(2.0 / math.pi)
_TANH_CUBIC = 0.044715

Curve = tuple[Array, Array, Array]
"""Value, slope, and the size of the terms that cancel in either."""


def _pointwise(call: Call, curve: Callable[[Call, Array], Curve]) -> Bounded:
    x = call.tensor("input").value.astype(np.float64)
    value, _, size = curve(call, x)
    return Bounded(value, np.where(np.isfinite(size), size, 0.0) * FUNCTION_COST)


def _slope(
    call: Call, grads: Gradients, curve: Callable[[Call, Array], Curve], steps: float = 1.0
) -> Bounded:
    x = call.tensor("input").value.astype(np.float64)
    _, slope, size = curve(call, x)
    terms = np.abs(slope) + np.minimum(np.where(np.isfinite(size), size, 0.0), 2.0)
    error = 2.0 * (FUNCTION_COST * terms + steps * call.storing * np.abs(slope))
    return call.stored(needed(grads) * Bounded(slope, error))


def _register(names: str, arguments: str, curve: Callable[[Call, Array], Curve], steps: float = 1.0) -> None:
    """Register a curve; *steps* count the tensors that a composed backward stores on its way."""

    @reference(names, arguments, rows=Rows.FIRST)
    def forward(call: Call) -> Outputs:
        return _pointwise(call, curve)

    @gradient(names)
    def backward(call: Call, grads: Gradients) -> Gradients:
        return [_slope(call, grads, curve, steps)]


def gelu_curve(x: Array, approximate: str) -> Curve:
    """Return the GELU of *x*: x·Φ(x) for ``none``, the tanh approximation for ``tanh``."""
    size = np.abs(x)
    if approximate == "none":
        bell = size * normal_pdf(x) * np.square(x)  # e**(−x²/2) amplifies the error of its exponent
        return x * normal_cdf(x), normal_cdf(x) + x * normal_pdf(x), size + np.where(size < 40, bell, 0.0)
    if approximate != "tanh":
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "approximate")
    inner = _TANH_SCALE * (x + _TANH_CUBIC * x * x * x)
    half = sigmoid(2.0 * inner)
    inner_slope = _TANH_SCALE * (1.0 + 3.0 * _TANH_CUBIC * x * x)
    slope = half + 2.0 * x * sigmoid(2.0 * inner) * sigmoid(-2.0 * inner) * inner_slope
    return x * half, slope, size


def _gelu_options(call: Call) -> Iterator[dict[str, object]]:
    yield {"approximate": "none"}
    yield {"approximate": "tanh"}


@reference(
    "gelu npu_gelu", "input, approximate=none", rows=Rows.FIRST, options=_gelu_options, exhaustive=True
)
def gelu(call: Call) -> Outputs:
    """Return x·Φ(x), or its tanh approximation; 1 + erf cancels for negative x."""
    approximate = call.word("approximate")
    return _pointwise(call, lambda _, x: gelu_curve(x, approximate))


@gradient("gelu npu_gelu")
def gelu_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·(Φ(x) + x·φ(x)) or the derivative of the approximation."""
    approximate = call.word("approximate")
    return [_slope(call, grads, lambda _, x: gelu_curve(x, approximate))]


def _relu(call: Call, x: Array) -> Curve:
    return np.maximum(x, 0.0), (x > 0).astype(np.float64), np.zeros_like(x)


def _relu6(call: Call, x: Array) -> Curve:
    return np.clip(x, 0.0, 6.0), ((x > 0) & (x < 6)).astype(np.float64), np.zeros_like(x)


def _silu(call: Call, x: Array) -> Curve:
    rising = sigmoid(x)
    return x * rising, rising * (1.0 + x * sigmoid(-x)), np.abs(x * rising)


def _fast_gelu(call: Call, x: Array) -> Curve:
    # x·σ(1.702 x): the definition of FastGelu in CANN's operator documentation.
    rising = sigmoid(1.702 * x)
    size = np.abs(x) * (1.0 + 1.702 * np.abs(x)) * rising
    return x * rising, rising * (1.0 + 1.702 * x * sigmoid(-1.702 * x)), size


def _leaky_relu(call: Call, x: Array) -> Curve:
    factor = call.operand(call["negative_slope"], "negative_slope")
    below = x < 0
    size = np.where(below, np.abs(x) * (abs(float(factor.value)) + np.asarray(factor.error)), 0.0)
    return np.where(below, x * factor.value, x), np.where(below, factor.value, 1.0), size


def _elu(call: Call, x: Array) -> Curve:
    alpha, scale, inner = call.number("alpha"), call.number("scale"), call.number("input_scale")
    falling = np.expm1(np.minimum(inner * x, 0.0))
    value = scale * np.where(x > 0, x, alpha * falling)
    slope = scale * np.where(x > 0, 1.0, alpha * inner * (falling + 1.0))
    # exp(x) − 1 instead of expm1 has the absolute error of 1.
    return value, slope, scale * np.where(x > 0, np.abs(x), abs(alpha) * (1.0 + np.abs(x)))


def _selu(call: Call, x: Array) -> Curve:
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    falling = np.expm1(np.minimum(x, 0.0))
    value = scale * np.where(x > 0, x, alpha * falling)
    return value, scale * np.where(x > 0, 1.0, alpha * (falling + 1.0)), np.abs(value) + 1.0


def _hardtanh(call: Call, x: Array) -> Curve:
    low, high = call.number("min_val"), call.number("max_val")
    return np.clip(x, low, high), ((x > low) & (x < high)).astype(np.float64), np.full_like(x, abs(low))


def _hardsigmoid(call: Call, x: Array) -> Curve:
    inside = (x > -3) & (x < 3)
    return np.clip(x + 3.0, 0.0, 6.0) / 6.0, np.where(inside, 1.0 / 6.0, 0.0), np.ones_like(x)


def _hardswish(call: Call, x: Array) -> Curve:
    value = x * np.clip(x + 3.0, 0.0, 6.0) / 6.0
    slope = np.where(x <= -3, 0.0, np.where(x < 3, x / 3.0 + 0.5, 1.0))
    return value, slope, np.abs(x)


def _softplus(call: Call, x: Array) -> Curve:
    beta, threshold = call.number("beta"), call.number("threshold")
    scaled = beta * x
    linear = scaled > threshold
    value = np.where(linear, x, softplus(scaled) / beta)
    # log(1 + exp) instead of log1p has the absolute error of 1.
    return value, np.where(linear, 1.0, sigmoid(scaled)), np.abs(value) + 1.0 / abs(beta)


def _mish(call: Call, x: Array) -> Curve:
    curved = np.tanh(softplus(x))
    slope = curved + x * sigmoid(x) * (1.0 - np.square(curved))
    return x * curved, slope, np.abs(x)


def _logsigmoid(call: Call, x: Array) -> Curve:
    value = -softplus(-x)
    return value, sigmoid(-x), np.abs(value) + np.exp(-np.abs(x))


def _softsign(call: Call, x: Array) -> Curve:
    value = x / (1.0 + np.abs(x))
    return value, 1.0 / np.square(1.0 + np.abs(x)), np.abs(value)


_register("relu npu_relu", "input, inplace=False", _relu)
_register("relu6", "input, inplace=False", _relu6)
_register("silu npu_silu swish", "input, inplace=False", _silu)
_register("fast_gelu npu_fast_gelu quick_gelu", "input", _fast_gelu)

_register("leaky_relu", "input, negative_slope=0.01, inplace=False", _leaky_relu)
_register("elu", "input, alpha=1.0, inplace=False, *, scale=1.0, input_scale=1.0", _elu)
_register("selu", "input, inplace=False", _selu)
_register("hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False", _hardtanh)
_register("hardsigmoid", "input, inplace=False", _hardsigmoid)
_register("hardswish", "input, inplace=False", _hardswish)
_register("softplus", "input, beta=1.0, threshold=20.0", _softplus)
_register("mish npu_mish", "input, inplace=False", _mish)
_register("logsigmoid", "input", _logsigmoid)
_register("softsign", "input", _softsign, 4.0)
