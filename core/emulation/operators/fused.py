"""Fused operators of the NPU beside attention and RMS norm."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.activation import gelu_curve
from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.softmax import softmax_of
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.bounded import FUNCTION_COST, Bounded, reduced_to
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.terms.special_functions import sigmoid


def _halves(call: Call) -> tuple[Bounded, Bounded, int]:
    x, axis = call.tensor("input"), call.integer("dim")
    if x.shape[axis] % 2:
        raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "dim")
    first, second = np.split(x.value, 2, axis)
    return Bounded(first), Bounded(second), axis


@reference("npu_swiglu swiglu", "input, dim=-1")
def swiglu(call: Call) -> Outputs:
    """Return silu(first half) · second half."""
    first, second, _ = _halves(call)
    gate = first.apply(lambda a: a * sigmoid(a), np.ones_like)
    return call.stored(gate) * second


@gradient("npu_swiglu swiglu")
def swiglu_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of both halves, joined."""
    grad = needed(grads)
    first, second, axis = _halves(call)
    rising = sigmoid(first.value)
    slope = rising * (1.0 + first.value * sigmoid(-first.value))
    size = FUNCTION_COST * 2.0 * (np.abs(slope) + rising * (1.0 + np.abs(first.value)))
    by_first = call.stored(grad * second) * Bounded(slope, size)
    gate = first.value * rising
    by_second = grad * call.stored(Bounded(gate, FUNCTION_COST * np.abs(gate)))
    return [_joined(by_first, by_second, axis)]


def _joined(first: Bounded, second: Bounded, axis: int) -> Bounded:
    errors = [np.broadcast_to(item.error, item.shape) for item in (first, second)]
    return Bounded(np.concatenate([first.value, second.value], axis), np.concatenate(errors, axis))


@reference("npu_geglu", "input, dim=-1, approximate=1, activate_left=False")
def geglu(call: Call) -> Outputs:
    """Return one half times the GELU of the other, and that GELU.

    ``approximate`` 1 is the tanh form, 0 the exact one; the right half is activated unless asked otherwise.
    """
    first, second, _ = _halves(call)
    left = call.flag("activate_left")
    active, passive = (first, second) if left else (second, first)
    value, _, size = gelu_curve(active.value, "tanh" if call.integer("approximate") == 1 else "none")
    gate = Bounded(value, FUNCTION_COST * size)
    return [call.stored(gate) * passive, gate][: max(len(call.outputs), 1)]


def _rotated(x: Array) -> Array:
    first, second = np.split(x, 2, -1)
    return np.concatenate([-second, first], -1)


def _rotated_back(x: Array) -> Array:
    first, second = np.split(x, 2, -1)
    return np.concatenate([second, -first], -1)


def _interleaved(x: Array, sign: float) -> Array:
    made = np.empty_like(x)
    made[..., ::2], made[..., 1::2] = -sign * x[..., 1::2], sign * x[..., ::2]
    return made


@reference("npu_rotary_mul npu_rotary_position_embedding", "input|x, r1|cos, r2|sin, rotary_mode|mode=half")
def rotary_mul(call: Call) -> Outputs:
    """Return x·cos + rotate(x)·sin, halves or neighbours rotated."""
    x, cosine, sine = call.tensor("input"), call.tensor("r1"), call.tensor("r2")
    turned = x.moved(lambda a: _turn(call, a))
    return call.stored(x * cosine) + call.stored(turned * sine)


def _turn(call: Call, x: Array) -> Array:
    mode = call["rotary_mode"]
    if mode in ("half", "rotated_half", 0):
        return _rotated(x)
    if mode in ("interleave", "rotated_interleaved", 1):
        return _interleaved(x, 1.0)
    raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "rotary_mode")


@gradient("npu_rotary_mul npu_rotary_position_embedding")
def rotary_mul_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of x, cos and sin."""
    grad = needed(grads)
    x, cosine, sine = call.tensor("input"), call.tensor("r1"), call.tensor("r2")
    turned = x.moved(lambda a: _turn(call, a))
    mode = call["rotary_mode"]
    back = call.stored(grad * sine).moved(
        _rotated_back if mode in ("half", "rotated_half", 0) else lambda a: _interleaved(a, -1.0)
    )
    return [
        call.stored(grad * cosine) + back,
        reduced_to(call.stored(grad * x), cosine.shape),
        reduced_to(call.stored(grad * turned), sine.shape),
    ]


@reference("npu_confusion_transpose", "input, perm, shape, transpose_first")
def confusion_transpose(call: Call) -> Outputs:
    """Return the input permuted and reshaped, in the order asked for."""
    axes, shape = call.integers("perm"), call.integers("shape")
    x = call.tensor("input").value
    if call.flag("transpose_first"):
        return Bounded(x.transpose(axes).reshape(shape))
    return Bounded(x.reshape(shape).transpose(axes))


@reference("npu_scaled_masked_softmax", "input|x, mask, scale=1.0, fixed_triu_mask=False")
def scaled_masked_softmax(call: Call) -> Outputs:
    """Return softmax(x·scale) over the last dimension; masked scores become −10000."""
    x = call.tensor("input") * call.operand(call["scale"], "scale")
    mask = call.tensor("mask").value.astype(bool)
    if call.flag("fixed_triu_mask"):
        mask = np.triu(np.ones(x.shape[-2:], bool), 1)
    masked = np.where(mask, -10000.0, x.value)
    error = np.where(mask, 0.0, np.broadcast_to(x.error, x.shape))
    return softmax_of(Bounded(masked, error), -1)
