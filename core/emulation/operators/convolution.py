"""Convolutions in one to three dimensions, as matrix products of windows (im2col)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Matrix, Outputs, gradient, reference
from core.emulation.terms.bounded import Bounded, product_of
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array, Multiply
from core.emulation.terms.outcome import NotReplayable, NotReplayed

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Geometry:
    """How the windows of a convolution lie; one entry a spatial dimension."""

    kernel: Sizes
    stride: Sizes
    before: Sizes
    after: Sizes
    dilation: Sizes
    groups: int = 1

    def windows(self, x: Array, fill: float = 0.0) -> Array:
        """Return (batch, channels, *output, *kernel): a view of the padded *x*."""
        pads = [(0, 0), (0, 0), *zip(self.before, self.after)]
        padded = np.pad(x, pads, constant_values=fill) if any(map(any, pads)) else x
        spans = tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel))
        axes = tuple(range(2, x.ndim))
        if any(size < span for size, span in zip(padded.shape[2:], spans)):
            raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "kernel_size")
        view = sliding_window_view(padded, spans, axes)
        steps = tuple(slice(None, None, s) for s in self.stride)
        taps = tuple(slice(None, None, d) for d in self.dilation)
        return np.asarray(view[(slice(None), slice(None), *steps, *taps)])

    def scattered(self, windows: Array, spatial: Sizes) -> Array:
        """Add windows (batch, channels, *output, *kernel) back to where they came from."""
        count = len(self.kernel)
        padded = tuple(size + b + a for size, b, a in zip(spatial, self.before, self.after))
        out = np.zeros((*windows.shape[:2], *padded))
        outputs = windows.shape[2 : 2 + count]
        for tap in np.ndindex(*self.kernel):
            place = tuple(
                slice(t * d, t * d + s * (n - 1) + 1, s)
                for t, d, s, n in zip(tap, self.dilation, self.stride, outputs)
            )
            out[(slice(None), slice(None), *place)] += windows[(..., *tap)]
        inner = tuple(slice(b, b + size) for b, size in zip(self.before, spatial))
        return np.asarray(out[(slice(None), slice(None), *inner)])


def _convolve(x: Array, weight: Array, multiply: Multiply, geometry: Geometry) -> Array:
    groups, count = geometry.groups, len(geometry.kernel)
    windows = geometry.windows(x)
    batch, outputs = x.shape[0], windows.shape[2 : 2 + count]
    columns = np.moveaxis(windows, 1, 1 + count).reshape(batch * prod(outputs), groups, -1)
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    made = multiply(columns.transpose(1, 0, 2), matrix.transpose(0, 2, 1))
    made = made.reshape(groups, batch, *outputs, -1)
    joined = np.moveaxis(made, 0, -2).reshape(batch, *outputs, -1)
    return np.asarray(np.moveaxis(joined, -1, 1))


def _input_gradient(
    grad: Array, weight: Array, multiply: Multiply, geometry: Geometry, spatial: Sizes
) -> Array:
    groups, count = geometry.groups, len(geometry.kernel)
    batch, outputs = grad.shape[0], grad.shape[2:]
    rows = np.moveaxis(grad, 1, -1).reshape(batch * prod(outputs), groups, -1).transpose(1, 0, 2)
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    columns = multiply(rows, matrix).reshape(groups, batch, *outputs, weight.shape[1], *geometry.kernel)
    columns = np.moveaxis(np.moveaxis(columns, 0, 1), 2 + count, 2)
    return geometry.scattered(
        columns.reshape(batch, groups * weight.shape[1], *outputs, *geometry.kernel), spatial
    )


def _weight_gradient(x: Array, grad: Array, multiply: Multiply, geometry: Geometry) -> Array:
    groups, count = geometry.groups, len(geometry.kernel)
    windows = geometry.windows(x)
    batch, outputs = x.shape[0], grad.shape[2:]
    columns = np.moveaxis(windows, 1, 1 + count).reshape(batch * prod(outputs), groups, -1)
    rows = np.moveaxis(grad, 1, -1).reshape(batch * prod(outputs), groups, -1)
    made = multiply(rows.transpose(1, 2, 0), columns.transpose(1, 0, 2))
    return np.asarray(made.reshape(grad.shape[1], x.shape[1] // groups, *geometry.kernel))


def _geometry(call: Call, count: int) -> Geometry:
    kernel = call.tensor("weight").shape[2:]
    stride, dilation = call.tuple_of("stride", count), call.tuple_of("dilation", count)
    padding = call["padding"]
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        before = tuple(size // 2 for size in total)
        after = tuple(size - first for size, first in zip(total, before))
    elif padding == "valid":
        before = after = (0,) * count
    else:
        before = after = call.tuple_of("padding", count)
    return Geometry(kernel, stride, before, after, dilation, call.integer("groups"))


def _operands(call: Call) -> tuple[Bounded, Bounded, int, bool]:
    x, weight = call.tensor("input"), call.tensor("weight")
    count = weight.ndim - 2
    single = x.ndim == count + 1
    if single:
        x = x.moved(lambda a: a[None])
    groups = call.integer("groups")
    if count < 1 or x.ndim != count + 2 or groups < 1 or x.shape[1] != weight.shape[1] * groups:
        raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "weight")
    return x, weight, count, single


def _plus_bias(call: Call, made: Bounded, count: int) -> Bounded:
    bias = call.optional("bias")
    return made if bias is None else made + bias.reshape(1, -1, *(1,) * count)


def _windows(call: Call) -> int:
    """Return how many numbers the unfolded windows have, for values and bounds."""
    x, weight = call.tensor("input"), call.tensor("weight")
    return 4 * x.value.size * prod(weight.shape[2:])


@reference(
    "conv1d conv2d conv3d npu_conv2d",
    "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
    matrix=Matrix.CONVOLUTION,
    workspace=_windows,
)
def convolution(call: Call) -> Outputs:
    """Return the cross-correlation of input and weight."""
    x, weight, count, single = _operands(call)
    geometry = _geometry(call, count)
    made = product_of(
        x, weight, lambda a, b, multiply: _convolve(a, b, multiply, geometry), prod(weight.shape[1:])
    )
    made = _plus_bias(call, made, count)
    return made.moved(lambda a: a[0]) if single else made


@gradient("conv1d conv2d conv3d npu_conv2d")
def convolution_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, weight and bias."""
    x, weight, count, single = _operands(call)
    geometry = _geometry(call, count)
    grad = needed(grads)
    if single:
        grad = grad.moved(lambda a: a[None])
    by_input = call.product(
        grad,
        weight,
        lambda g, w, multiply: _input_gradient(g, w, multiply, geometry, x.shape[2:]),
        weight.shape[0] // geometry.groups * prod(geometry.kernel),
    )
    by_weight = call.product(
        x,
        grad,
        lambda a, g, multiply: _weight_gradient(a, g, multiply, geometry),
        grad.shape[0] * prod(grad.shape[2:]),
    )
    by_bias = call.total(grad, (0, *range(2, count + 2))) if call.has("bias") else None
    return [by_input.moved(lambda a: a[0]) if single else by_input, by_weight, by_bias]


@reference(
    "conv_transpose1d conv_transpose2d conv_transpose3d",
    "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1",
    matrix=Matrix.CONVOLUTION,
    workspace=_windows,
)
def transposed_convolution(call: Call) -> Outputs:
    """Return the input gradient of the convolution with the same weight."""
    x, weight = call.tensor("input"), call.tensor("weight")
    count = weight.ndim - 2
    if x.ndim != count + 2 or count < 1:
        raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "input")
    kernel, padding = weight.shape[2:], call.tuple_of("padding", count)
    stride, dilation = call.tuple_of("stride", count), call.tuple_of("dilation", count)
    extra = call.tuple_of("output_padding", count)
    # Without padding first: the far edge may need more than the padding there.
    geometry = Geometry(kernel, stride, (0,) * count, (0,) * count, dilation, call.integer("groups"))
    spatial = tuple(
        max((n - 1) * s + d * (k - 1) + 1, (n - 1) * s + d * (k - 1) + 1 + e - p)
        for n, s, d, k, e, p in zip(x.shape[2:], stride, dilation, kernel, extra, padding)
    )
    sizes = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, s, d, k, e, p in zip(x.shape[2:], stride, dilation, kernel, extra, padding)
    )
    cut = tuple(slice(p, p + size) for p, size in zip(padding, sizes))

    def contract(a: Array, b: Array, multiply: Multiply) -> Array:
        return _input_gradient(a, b, multiply, geometry, _room(spatial, a.shape[2:], geometry))[
            (slice(None), slice(None), *cut)
        ]

    terms = weight.shape[0] // geometry.groups * prod(kernel)
    return _plus_bias(call, call.product(x, weight, contract, terms), count)


def _room(spatial: Sizes, inputs: Sizes, geometry: Geometry) -> Sizes:
    reach = tuple(
        (n - 1) * s + d * (k - 1) + 1
        for n, s, d, k in zip(inputs, geometry.stride, geometry.dilation, geometry.kernel)
    )
    return tuple(max(first, second) for first, second in zip(spatial, reach))
