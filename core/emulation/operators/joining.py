"""Operators that join tensors, take them apart, or write one into another."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed


@reference("cat concat concatenate", "tensors, dim|axis=0, *, out=None")
def cat(call: Call) -> Outputs:
    """Return tensors joined along a dimension; empty vectors are left out as torch does."""
    parts = [item.value for item in call.tensors("tensors")]
    kept = [part for part in parts if part.shape != (0,)] or parts
    return Bounded(np.concatenate(kept, call.integer("dim")))


@gradient("cat concat concatenate")
def cat_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient's parts."""
    parts = call.tensors("tensors")
    axis = call.integer("dim")
    ends = np.cumsum([part.shape[axis] for part in parts])[:-1]
    return [Bounded(part) for part in np.split(needed(grads).value, ends, axis)]


@reference("stack", "tensors, dim|axis=0, *, out=None")
def stack(call: Call) -> Outputs:
    """Return tensors joined along a new dimension."""
    return Bounded(np.stack([item.value for item in call.tensors("tensors")], call.integer("dim")))


@gradient("stack")
def stack_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient's slices."""
    moved = np.moveaxis(needed(grads).value, call.integer("dim"), 0)
    return [Bounded(part) for part in moved]


def _pieces(x: Bounded, ends: list[int], axis: int) -> list[Bounded | None]:
    return [Bounded(part) for part in np.split(x.value, ends, axis)]


@reference("chunk", "input, chunks, dim=0")
def chunk(call: Call) -> Outputs:
    """Return about *chunks* pieces of equal size."""
    x, axis = call.tensor("input"), call.integer("dim")
    step = max(-(-x.shape[axis] // call.integer("chunks")), 1)
    return _pieces(x, list(range(step, x.shape[axis], step)), axis)


@reference("split split_with_sizes", "input, split_size_or_sections|split_size|split_sizes, dim=0")
def split(call: Call) -> Outputs:
    """Return pieces of one size, or of the sizes given."""
    x, axis = call.tensor("input"), call.integer("dim")
    sizes = call["split_size_or_sections"]
    if isinstance(sizes, (list, tuple)):
        ends = np.cumsum(call.integers("split_size_or_sections"))[:-1].tolist()
    else:
        step = max(call.integer("split_size_or_sections"), 1)
        ends = list(range(step, x.shape[axis], step))
    return _pieces(x, ends, axis)


@reference("unbind", "input, dim=0")
def unbind(call: Call) -> Outputs:
    """Return the slices along a dimension."""
    return [Bounded(part) for part in np.moveaxis(call.tensor("input").value, call.integer("dim"), 0)]


@gradient("chunk split split_with_sizes")
def pieces_backward(call: Call, grads: Gradients) -> Gradients:
    """Join the gradients of the pieces; where one is missing it was zero."""
    if any(grad is None for grad in grads):
        raise NotReplayable(NotReplayed.MISSING_TENSOR, "input")
    return [Bounded(np.concatenate([needed([grad]).value for grad in grads], call.integer("dim")))]


@reference("pad constant_pad_nd", "input, pad, mode=constant, value=None")
def pad(call: Call) -> Outputs:
    """Return the input with constants around it, given from the last dimension on."""
    x, sizes = call.tensor("input").value, call.integers("pad")
    if call["mode"] != "constant" or len(sizes) % 2 or any(size < 0 for size in sizes):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "mode")
    pairs = list(zip(sizes[::2], sizes[1::2]))
    widths = [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]
    return Bounded(np.pad(x, widths, constant_values=call.number("value") if call.has("value") else 0))


@reference("scatter", "input, dim, index, src|value, *, reduce=None")
def scatter(call: Call) -> Outputs:
    """Return the input with elements of the source written where the indices point."""
    x, index = call.tensor("input").value.copy(), call.tensor("index").value
    if call["reduce"] is not None:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "reduce")
    source = (
        np.broadcast_to(call.tensor("src").value, index.shape)
        if not call.tensor("src").ndim
        else (call.tensor("src").value[tuple(slice(0, n) for n in index.shape)])
    )
    axis = call.integer("dim") % x.ndim
    if np.sort(index, axis).shape[axis] > 1 and (np.diff(np.sort(index, axis), axis=axis) == 0).any():
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "index")  # the last writer is not defined
    places: list[Array] = list(np.indices(index.shape))
    places[axis] = index
    x[tuple(places)] = source
    return Bounded(x)
