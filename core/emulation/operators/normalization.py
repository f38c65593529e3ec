"""Normalizations: over the last dimensions, over groups, over the batch."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.reduction import norm_of
from core.emulation.operators.table import Outputs, Rows, gradient, reference
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded, rsqrt, square
from core.emulation.terms.call import Call
from core.emulation.terms.outcome import NotReplayable, NotReplayed

Axes = tuple[int, ...]


def normalized(x: Bounded, axes: Axes, eps: Bounded, storing: float = 0.0) -> tuple[Bounded, Bounded]:
    """Return (x − mean)/sqrt(var + eps) along *axes*, and 1/sqrt(var + eps).

    *storing* are the units of storing the statistics, as a forward call does for its backward.
    """
    mean = x.mean(axes, keepdims=True)
    scale = rsqrt(square(x - mean).mean(axes, keepdims=True) + eps).widened(storing)
    return (x - mean.widened(storing)) * scale, scale


def normalized_gradient(hat: Bounded, scale: Bounded, grad: Bounded, axes: Axes, storing: float) -> Bounded:
    """Return the gradient through :func:`normalized`: s·(g − mean g − x̂·mean(g·x̂))."""
    mean = grad.mean(axes, keepdims=True).widened(storing)
    projection = (grad * hat).mean(axes, keepdims=True).widened(storing)
    return scale * (grad.widened(storing) - mean - (hat * projection).widened(storing))


def _affine(call: Call, hat: Bounded, weight: Bounded | None, bias: Bounded | None) -> Bounded:
    if weight is not None:
        hat = hat * weight
    return hat if bias is None else hat + bias


def _last_axes(call: Call, x: Bounded) -> Axes:
    """Return the dimensions of ``normalized_shape``, which legacy dumps may leave to the weight's."""
    given = call["normalized_shape"]
    if given is None and call.has("weight"):
        count = call.tensor("weight").ndim
    elif given is None:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "normalized_shape")
    else:
        sizes = call.integers("normalized_shape")
        count = len(sizes)
        if x.shape[x.ndim - count :] != tuple(sizes):
            raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "normalized_shape")
    return tuple(range(x.ndim - count, x.ndim))


def _eps(call: Call, usual: float | None = None) -> Bounded:
    if not call.has("eps"):
        if usual is None:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "eps")
        return Bounded(np.asarray(usual))
    value = call.number("eps")
    return Bounded(np.asarray(value), np.asarray(abs(value)))


@reference(
    "layer_norm",
    "input, normalized_shape=None, weight=None, bias=None, eps=1e-5, cudnn_enable=True",
    rows=Rows.FIRST,
)
@reference("native_layer_norm", "input, normalized_shape, weight, bias, eps")
def layer_norm(call: Call) -> Outputs:
    """Return the input normalized over its last dimensions; statistics too where asked for."""
    x = call.tensor("input")
    hat, scale = normalized(x, axes := _last_axes(call, x), _eps(call))
    out = _affine(call, hat, call.optional("weight"), call.optional("bias"))
    return [out, x.mean(axes, keepdims=True), scale] if len(call.outputs) == 3 else out


def _summed(call: Call, terms: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Sum *terms* over all dimensions before those of *shape*."""
    return call.total(terms, tuple(range(terms.ndim - len(shape)))).reshape(*shape)


@gradient("layer_norm native_layer_norm")
def layer_norm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, weight and bias."""
    grad, x = needed(grads), call.tensor("input")
    axes = _last_axes(call, x)
    hat, scale = normalized(x, axes, _eps(call), call.storing)
    weight, bias = call.optional("weight"), call.optional("bias")
    through = grad if weight is None else grad * weight
    return [
        normalized_gradient(hat, scale, through, axes, call.storing),
        None if weight is None else _summed(call, grad * hat, weight.shape),
        None if bias is None else _summed(call, grad, bias.shape),
    ]


_RMS_EPS = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52}


def _rms(call: Call, x: Bounded, axes: Axes) -> tuple[Bounded, Bounded]:
    format_of = call["input"]
    usual = _RMS_EPS.get(format_of.dtype.name) if isinstance(format_of, Tensor) else None
    # Composed of small operators, each step is stored.
    mean = call.stored(square(x).mean(axes, keepdims=True))
    scale = call.stored(rsqrt(mean + _eps(call, usual)))
    return call.stored(x * scale), scale


@reference("rms_norm", "input, normalized_shape=None, weight=None, eps=None", rows=Rows.FIRST)
def rms_norm(call: Call) -> Outputs:
    """Return x/sqrt(mean x² + eps)·weight over the last dimensions."""
    x = call.tensor("input")
    hat, _ = _rms(call, x, _last_axes(call, x))
    return _affine(call, hat, call.optional("weight"), None)


@reference("npu_rms_norm", "input, weight|gamma, eps|epsilon=1e-6", rows=Rows.FIRST)
def npu_rms_norm(call: Call) -> Outputs:
    """Return the normalized input, and 1/rms in float32 where it is dumped."""
    hat, scale = _rms(call, x := call.tensor("input"), _weight_axes(call, x))
    return [_affine(call, hat, call.tensor("weight"), None), scale][: max(len(call.outputs), 1)]


def _weight_axes(call: Call, x: Bounded) -> Axes:
    return tuple(range(x.ndim - call.tensor("weight").ndim, x.ndim))


@gradient("rms_norm npu_rms_norm")
def rms_norm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return s·(g·w − x̂·mean(g·w·x̂)) and the weight's gradient."""
    grad, x = needed(grads), call.tensor("input")
    axes = _last_axes(call, x) if "normalized_shape" in call.arguments else _weight_axes(call, x)
    hat, scale = _rms(call, x, axes)
    weight = call.optional("weight")
    through = call.stored(grad if weight is None else grad * weight)
    by_x = scale * (through - hat * (through * hat).mean(axes, keepdims=True))
    return [call.stored(by_x), None if weight is None else _summed(call, grad * hat, weight.shape)]


def _grouped(call: Call, x: Bounded, groups: int) -> Bounded:
    if x.ndim < 2 or groups < 1 or x.shape[1] % groups:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "num_groups")
    return x.reshape(x.shape[0], groups, -1)


def _by_channel(value: Bounded | None, dimensions: int) -> Bounded | None:
    return None if value is None else value.reshape(1, -1, *(1,) * (dimensions - 2))


@reference("group_norm", "input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True")
def group_norm(call: Call) -> Outputs:
    """Return the input normalized over groups of channels."""
    x = call.tensor("input")
    hat, _ = normalized(_grouped(call, x, call.integer("num_groups")), (2,), _eps(call))
    weight, bias = (_by_channel(call.optional(name), x.ndim) for name in ("weight", "bias"))
    return _affine(call, hat.reshape(*x.shape), weight, bias)


@gradient("group_norm")
def group_norm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, weight and bias."""
    grad, x = needed(grads), call.tensor("input")
    hat, scale = normalized(_grouped(call, x, call.integer("num_groups")), (2,), _eps(call), call.storing)
    weight = _by_channel(call.optional("weight"), x.ndim)
    through = grad if weight is None else grad * weight
    by_x = normalized_gradient(hat, scale, through.reshape(*hat.shape), (2,), call.storing).reshape(*x.shape)
    return [by_x, *_channel_gradients(call, grad, hat.reshape(*x.shape))]


def _channel_gradients(call: Call, grad: Bounded, hat: Bounded) -> Gradients:
    axes = (0, *range(2, grad.ndim))
    return [
        call.total(grad * hat, axes) if call.has("weight") else None,
        call.total(grad, axes) if call.has("bias") else None,
    ]


_BATCH_NORM = (
    "input, running_mean=None, running_var=None, weight=None, bias=None, training=False, momentum=0.1, "
    "eps=1e-5"
)


def _batch_normalized(call: Call) -> tuple[Bounded, Bounded, bool]:
    x = call.tensor("input")
    axes = (0, *range(2, x.ndim))
    if call.flag("training"):
        return *normalized(x, axes, _eps(call), call.storing), True
    mean = _by_channel(call.tensor("running_mean"), x.ndim)
    variance = _by_channel(call.tensor("running_var"), x.ndim)
    if mean is None or variance is None:
        raise NotReplayable(NotReplayed.MISSING_TENSOR, "running_var")
    scale = rsqrt(variance + _eps(call))
    return (x - mean) * scale, scale, False


@reference("batch_norm", _BATCH_NORM)
@reference(
    "torch_batch_norm",
    "input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True",
)
def batch_norm(call: Call) -> Outputs:
    """Return the input normalized over the batch (training) or by the running statistics.

    The biased variance of the batch normalizes; the folded form x·(s·w) + (b − mean·s·w) that kernels
    use cancels where the mean is large, so its terms count as roundings.
    """
    x = call.tensor("input")
    hat, scale, _ = _batch_normalized(call)
    weight, bias = (_by_channel(call.optional(name), x.ndim) for name in ("weight", "bias"))
    folded = np.abs(x.value * scale.value) + np.abs(x.value * scale.value - hat.value)
    units = 1.0 + call.storing
    hat = Bounded(hat.value, hat.error + units * np.where(np.isfinite(folded), folded, 0.0))
    return _affine(call, hat, weight, bias)


@gradient("batch_norm torch_batch_norm")
def batch_norm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, weight and bias."""
    grad, x = needed(grads), call.tensor("input")
    hat, scale, training = _batch_normalized(call)
    weight = _by_channel(call.optional("weight"), x.ndim)
    through = grad if weight is None else grad * weight
    axes = (0, *range(2, x.ndim))
    by_x = normalized_gradient(hat, scale, through, axes, call.storing) if training else through * scale
    return [by_x, *_channel_gradients(call, grad, hat)]


@reference("instance_norm", f"{_BATCH_NORM.replace('training=False', 'use_input_stats=True')}")
def instance_norm(call: Call) -> Outputs:
    """Return the input normalized over each sample's channels."""
    x = call.tensor("input")
    if not call.flag("use_input_stats"):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "use_input_stats")
    hat, scale = normalized(x, tuple(range(2, x.ndim)), _eps(call), call.storing)
    folded = np.abs(x.value * scale.value) + np.abs(x.value * scale.value - hat.value)
    hat = Bounded(hat.value, hat.error + call.storing * np.where(np.isfinite(folded), folded, 0.0))
    weight, bias = (_by_channel(call.optional(name), x.ndim) for name in ("weight", "bias"))
    return _affine(call, hat, weight, bias)


@reference("normalize", "input, p=2.0, dim=1, eps=1e-12, out=None")
def normalize(call: Call) -> Outputs:
    """Return x/max(‖x‖, eps)."""
    x = call.tensor("input")
    length = call.stored(norm_of(x, call.number("p"), call.axes("dim", x.ndim), True))
    floor = call.number("eps")
    return x / Bounded(np.maximum(length.value, floor), length.error)
