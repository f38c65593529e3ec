"""Pooling."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from core.emulation.operators.convolution import Geometry, Sizes
from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.bounded import Bounded, growth
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed


def _geometry(call: Call, x: Bounded, count: int, dilated: bool) -> Geometry:
    kernel = call.tuple_of("kernel_size", count)
    # An empty list or None means a stride of the kernel's size.
    stride = call.tuple_of("stride", count) if call["stride"] not in (None, (), []) else kernel
    padding = call.tuple_of("padding", count)
    dilation = call.tuple_of("dilation", count) if dilated else (1,) * count
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    after = list(padding)
    if call.flag("ceil_mode"):
        for axis, (size, span) in enumerate(zip(x.shape[-count:], spans)):
            free = size + 2 * padding[axis] - span
            windows = -(-free // stride[axis]) + 1
            if (windows - 1) * stride[axis] >= size + padding[axis]:  # would start in the padding
                windows -= 1
            after[axis] = max((windows - 1) * stride[axis] + span - size - padding[axis], 0)
    return Geometry(kernel, stride, padding, tuple(after), dilation)


def _wide(count: int) -> list[Any]:
    return [None] * count


def _with_batch(x: Bounded, count: int) -> tuple[Bounded, Sizes]:
    """Return *x* with batch and channel dimensions, and those that were there."""
    lead = x.shape[: x.ndim - count]
    return x.reshape(1, prod(lead), *x.shape[x.ndim - count :]), lead


def _pool(count: int) -> None:
    @reference(
        f"max_pool{count}d max_pool{count}d_with_indices",
        "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False",
        temporaries=20.0,
    )
    def max_forward(call: Call) -> Outputs:
        x, lead = _with_batch(call.tensor("input"), count)
        windows = _geometry(call, x, count, True).windows(x.value.astype(np.float64), -np.inf)
        made = windows.max(axis=tuple(range(-count, 0)))
        value = Bounded(made.reshape(*lead, *made.shape[2:]))
        return [value, *(None for _ in call.outputs[1:])]

    @gradient(f"max_pool{count}d max_pool{count}d_with_indices")
    def max_backward(call: Call, grads: Gradients) -> Gradients:
        x, _ = _with_batch(call.tensor("input"), count)
        geometry = _geometry(call, x, count, True)
        windows = geometry.windows(x.value.astype(np.float64), -np.inf)
        flat = windows.reshape(*windows.shape[: 2 + count], -1)
        hit = np.arange(flat.shape[-1]) == flat.argmax(-1)[..., None]
        grad = needed(grads)
        grad = grad.reshape(1, -1, *grad.shape[grad.ndim - count :])
        return [_returned(call, grad, hit.reshape(windows.shape).astype(np.float64), geometry, count)]

    @reference(
        f"avg_pool{count}d",
        "input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
        "divisor_override=None",
        temporaries=20.0,
    )
    def average_forward(call: Call) -> Outputs:
        x, lead = _with_batch(call.tensor("input"), count)
        geometry = _geometry(call, x, count, False)
        axes = tuple(range(-count, 0))
        windows = geometry.windows(x.value.astype(np.float64))
        divisor = _divisor(call, x, geometry, count)
        total, size = windows.sum(axis=axes), np.abs(windows).sum(axis=axes)
        value = total / divisor
        error = growth(prod(geometry.kernel)) * np.where(np.isfinite(size), size, 0.0) / divisor + np.abs(
            value
        )
        return Bounded(value, error).reshape(*lead, *total.shape[2:])

    @gradient(f"avg_pool{count}d")
    def average_backward(call: Call, grads: Gradients) -> Gradients:
        x, _ = _with_batch(call.tensor("input"), count)
        geometry = _geometry(call, x, count, False)
        shape = geometry.windows(x.value).shape
        weight = np.broadcast_to(1.0 / _divisor(call, x, geometry, count)[..., *_wide(count)], shape)
        grad = needed(grads)
        return [
            _returned(call, grad.reshape(1, -1, *grad.shape[grad.ndim - count :]), weight, geometry, count)
        ]


def _divisor(call: Call, x: Bounded, geometry: Geometry, count: int) -> Array:
    """Return what each window's sum is divided by: cells of input, and of padding where it counts."""
    axes = tuple(range(-count, 0))
    if call.has("divisor_override"):
        return np.full((1, 1, *(1,) * count), call.number("divisor_override"))
    ones = np.ones((1, 1, *x.shape[2:]))
    if call.flag("count_include_pad"):
        pads = [(0, 0), (0, 0), *((b, b) for b in geometry.before)]
        padded = np.pad(ones, pads, constant_values=1.0)
        after = tuple(max(a - b, 0) for a, b in zip(geometry.after, geometry.before))
        inner = Geometry(geometry.kernel, geometry.stride, (0,) * count, after, geometry.dilation)
        return np.asarray(inner.windows(padded).sum(axis=axes))
    return np.asarray(geometry.windows(ones).sum(axis=axes))


def _returned(call: Call, grad: Bounded, weight: Array, geometry: Geometry, count: int) -> Bounded:
    """Give each window's gradient back to its elements by *weight*."""
    shape = call.tensor("input").shape
    spatial = shape[len(shape) - count :]
    grad_wide = grad.value[..., *_wide(count)]
    value = geometry.scattered(grad_wide * weight, spatial)
    size = geometry.scattered(np.abs(grad_wide) * weight, spatial)
    # A kernel may round each addition to the stored format.
    units = prod(geometry.kernel) * (call.unit_ratio if call.storage.precision < 24 else 1.0)
    return Bounded(value, units * np.where(np.isfinite(size), size, 0.0)).reshape(*shape)


for _count in (1, 2, 3):
    _pool(_count)


def _bounds(size: int, cells: int) -> list[tuple[int, int]]:
    return [(i * size // cells, -(-(i + 1) * size // cells)) for i in range(cells)]


def _adaptive(call: Call, count: int) -> tuple[Bounded, Sizes, Sizes]:
    x, lead = _with_batch(call.tensor("input"), count)
    wanted = call["output_size"]
    if isinstance(wanted, (int, float)):
        wanted = [wanted] * count
    if len(wanted) == 1:
        wanted = list(wanted) * count
    if len(wanted) != count:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "output_size")
    return x, lead, tuple(x.shape[2 + i] if size is None else int(size) for i, size in enumerate(wanted))


def _cells(x: Bounded, sizes: Sizes) -> list[tuple[Any, Any]]:
    bounds = [_bounds(size, cells) for size, cells in zip(x.shape[2:], sizes)]
    return [
        (tuple(index), tuple(slice(*bounds[axis][i]) for axis, i in enumerate(index)))
        for index in product(*(range(cells) for cells in sizes))
    ]


def _adaptive_pool(count: int) -> None:
    @reference(f"adaptive_avg_pool{count}d", "input, output_size")
    def average(call: Call) -> Outputs:
        x, lead, sizes = _adaptive(call, count)
        value, error = np.zeros((2, *x.shape[:2], *sizes))
        axes = tuple(range(2, 2 + count))
        for index, place in _cells(x, sizes):
            part = Bounded(x.value[(..., *place)]).mean(axes)
            value[(..., *index)] = part.value
            error[(..., *index)] = part.error
        return Bounded(value, error).reshape(*lead, *sizes)

    @gradient(f"adaptive_avg_pool{count}d")
    def average_backward(call: Call, grads: Gradients) -> Gradients:
        x, _, sizes = _adaptive(call, count)
        grad = needed(grads)
        grad_value: Array = grad.value.reshape(1, -1, *sizes)
        made, size = np.zeros((2, *x.shape))
        for index, place in _cells(x, sizes):
            cells = prod(x.value[0, 0][place].shape)
            chosen = grad_value[(..., *index)]
            share = chosen[..., *_wide(count)] / cells
            made[(..., *place)] += share
            size[(..., *place)] += np.abs(share)
        units = 4.0 * call.unit_ratio
        return [Bounded(made, units * size).reshape(*call.tensor("input").shape)]

    @reference(f"adaptive_max_pool{count}d", "input, output_size, return_indices=False")
    def largest(call: Call) -> Outputs:
        x, lead, sizes = _adaptive(call, count)
        value = np.zeros((*x.shape[:2], *sizes))
        axes = tuple(range(2, 2 + count))
        for index, place in _cells(x, sizes):
            value[(..., *index)] = x.value[(..., *place)].max(axes)
        return [Bounded(value).reshape(*lead, *sizes), *(None for _ in call.outputs[1:])]


for _count in (1, 2, 3):
    _adaptive_pool(_count)
