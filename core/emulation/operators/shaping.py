"""Operators that move, repeat or convert elements without computing."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import LAMBDA, Bounded, reduced_to
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed


def _register(names: str, arguments: str, move: Callable[[Call, Array], Array]) -> None:
    @reference(names, arguments)
    def forward(call: Call) -> Outputs:
        return Bounded(move(call, call.tensor("input").value))

    @gradient(names)
    def backward(call: Call, grads: Gradients) -> Gradients:
        # Where each element went: its place, moved as the element is.
        shape = call.tensor("input").shape
        count = prod(shape)
        came_from = move(call, np.arange(count).reshape(shape)).reshape(-1)
        grad = needed(grads).value.reshape(-1)
        value = np.bincount(came_from, grad, count)
        size = np.bincount(came_from, np.abs(grad), count)
        length = np.sqrt(np.bincount(came_from, np.square(grad), count))
        repeats = np.bincount(came_from, minlength=count)
        error = LAMBDA * (np.sqrt(repeats) * size + call.storing * length)
        return [Bounded(value.reshape(shape), np.where(repeats > 1, error, 0.0).reshape(shape))]


def _dump_shape(call: Call) -> tuple[int, ...] | None:
    output = call.outputs[0] if call.outputs else None
    return None if output is None else output.shape


def _view(call: Call, x: Array) -> Array:
    sizes = call["shape"]
    if isinstance(sizes, tuple) and any(not isinstance(item, (int, list, tuple, Tensor)) for item in sizes):
        return x  # view(dtype) keeps the bits; the same dtype is all that can be judged
    wanted = call.integers("shape")
    return x.reshape(wanted)


def _expand(call: Call, x: Array) -> Array:
    sizes = call.integers("shape")
    lead = len(sizes) - x.ndim
    wide = x.reshape((1,) * lead + x.shape)
    return np.broadcast_to(wide, [old if new == -1 else new for new, old in zip(sizes, wide.shape)])


def _squeeze(call: Call, x: Array) -> Array:
    if call["dim"] is None:
        return x.squeeze()
    axes = tuple(axis for axis in call.axes("dim", x.ndim) if x.shape[axis] == 1)
    return x.squeeze(axes)


def _unsqueeze(call: Call, x: Array) -> Array:
    return np.expand_dims(x, call.integer("dim"))


def _flatten(call: Call, x: Array) -> Array:
    if not x.ndim:
        return x.reshape(1)
    first, last = call.integer("start_dim") % x.ndim, call.integer("end_dim") % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :])


def _unflatten(call: Call, x: Array) -> Array:
    axis = call.integer("dim") % x.ndim
    return x.reshape(*x.shape[:axis], *call.integers("sizes"), *x.shape[axis + 1 :])


def _roll(call: Call, x: Array) -> Array:
    shifts, dims = call.integers("shifts"), call.integers("dims") if call.has("dims") else []
    return np.roll(x, tuple(shifts), tuple(dims)) if dims else np.roll(x, shifts[0])


def _repeat(call: Call, x: Array) -> Array:
    sizes = call.integers("sizes")
    wide = x.reshape((1,) * (len(sizes) - x.ndim) + x.shape)
    return np.tile(wide, sizes)


def _repeat_interleave(call: Call, x: Array) -> Array:
    repeats = call["repeats"]
    counts = repeats.array if isinstance(repeats, Tensor) else call.integer("repeats")
    return np.repeat(x, counts, call.integer("dim") if call.has("dim") else None)


def _narrow(call: Call, x: Array) -> Array:
    axis, start = call.integer("dim"), call.integer("start")
    start = start % x.shape[axis] if start < 0 else start
    return np.take(x, range(start, start + call.integer("length")), axis)


def _diagonal(call: Call, x: Array) -> Array:
    return np.diagonal(x, call.integer("offset"), call.integer("dim1"), call.integer("dim2"))


def _index(value: Any) -> Any:
    if isinstance(value, Tensor):
        if value.array.dtype.kind not in "iub":
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "index")
        return value.array
    if isinstance(value, list):
        return tuple(_index(item) for item in value)
    if value is None or isinstance(value, (int, slice)) or value is Ellipsis:
        return value
    raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "index")


def _getitem(call: Call, x: Array) -> Array:
    index = _index(call["index"])
    made = x[index]
    shape = _dump_shape(call)
    if isinstance(index, tuple) and shape is not None and made.shape != shape:
        # A list [0, 2] picks elements where a tuple (0, 2) names one; dumps write both alike.
        made = x[list(index)] if all(isinstance(item, int) for item in index) else made
    return np.asarray(made)


def _gather(call: Call, x: Array) -> Array:
    index = call.tensor("index").value
    axis = call.integer("dim")
    cut = tuple(slice(None) if i == axis % x.ndim else slice(0, n) for i, n in enumerate(index.shape))
    return np.take_along_axis(x[cut], index, axis)


_register("reshape view view_as _unsafe_view unsafe_view", "input, *shape", _view)
_register(
    "transpose swapaxes swapdims",
    "input, dim0, dim1",
    lambda c, x: x.swapaxes(c.integer("dim0"), c.integer("dim1")),
)
_register("t", "input", lambda c, x: x.T)
_register("permute", "input, *dims", lambda c, x: x.transpose(c.integers("dims")))
_register(
    "movedim moveaxis",
    "input, source, destination",
    lambda c, x: np.moveaxis(x, c.integers("source"), c.integers("destination")),
)
_register("expand broadcast_to", "input, *shape", _expand)
_register("squeeze", "input, dim=None", _squeeze)
_register("unsqueeze", "input, dim", _unsqueeze)
_register("flatten", "input, start_dim=0, end_dim=-1", _flatten)
_register("unflatten", "input, dim, sizes", _unflatten)
_register("flip", "input, *dims", lambda c, x: np.flip(x, tuple(c.integers("dims"))))
_register("roll", "input, shifts, dims=None", _roll)
_register("repeat", "input, *sizes", _repeat)
_register("tile", "input, *dims", lambda c, x: np.tile(x, c.integers("dims")))
_register("repeat_interleave", "input, repeats, dim=None, *, output_size=None", _repeat_interleave)
_register("narrow", "input, dim, start, length", _narrow)
_register("select", "input, dim, index", lambda c, x: np.take(x, c.integer("index"), c.integer("dim")))
_register("diagonal", "input, offset=0, dim1=0, dim2=1", _diagonal)
_register("getitem", "input, index", _getitem)
_register("gather", "input, dim, index, *, sparse_grad=False, out=None", _gather)
_register(
    "index_select",
    "input, dim, index, *, out=None",
    lambda c, x: np.take(x, c.tensor("index").value.reshape(-1), c.integer("dim")),
)
_register(
    "masked_select",
    "input, mask, *, out=None",
    lambda c, x: np.broadcast_to(x, np.broadcast_shapes(x.shape, c.tensor("mask").shape))[
        np.broadcast_to(
            c.tensor("mask").value.astype(bool), np.broadcast_shapes(x.shape, c.tensor("mask").shape)
        )
    ],
)


@reference("tril", "input, diagonal=0, *, out=None")
def tril(call: Call) -> Outputs:
    """Return the lower triangle."""
    return Bounded(np.tril(call.tensor("input").value, call.integer("diagonal")))


@reference("triu", "input, diagonal=0, *, out=None")
def triu(call: Call) -> Outputs:
    """Return the upper triangle."""
    return Bounded(np.triu(call.tensor("input").value, call.integer("diagonal")))


@gradient("tril")
def tril_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient's lower triangle."""
    return [Bounded(np.tril(needed(grads).value, call.integer("diagonal")))]


@gradient("triu")
def triu_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient's upper triangle."""
    return [Bounded(np.triu(needed(grads).value, call.integer("diagonal")))]


_CASTS = (
    "contiguous clone detach detach_ alias to type type_as float half bfloat16 double cpu npu cuda int long "
    "short bool byte char requires_grad_ npu_format_cast npu_dtype_cast _npu_dtype_cast _to_copy"
)


@reference(
    _CASTS, "input, *rest, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None"
)
def convert(call: Call) -> Outputs:
    """Return the same numbers; the format of the dumped output says how they were rounded."""
    x = call.tensor("input")
    output = call.outputs[0] if call.outputs else None
    if output is not None and output.array.dtype == np.bool_:
        return Bounded(x.value.astype(bool))
    if output is not None and output.array.dtype.kind in "iu" and x.value.dtype.kind == "f":
        inside = np.abs(x.value) < 2.0**62
        if not inside.all():  # what a number beyond the range becomes is not defined
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "range")
        return Bounded(np.trunc(x.value).astype(np.int64))
    return x


@gradient(_CASTS)
def convert_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient."""
    return [needed(grads)]


_LIKE = "input, *, dtype=None, device=None, layout=None, requires_grad=False, memory_format=None"


@reference("zeros_like", _LIKE)
def zeros_like(call: Call) -> Outputs:
    """Return zeros."""
    return Bounded(np.zeros(call.tensor("input").shape))


@reference("ones_like", _LIKE)
def ones_like(call: Call) -> Outputs:
    """Return ones."""
    return Bounded(np.ones(call.tensor("input").shape))


@reference("expand_as", "input, other")
def expand_as(call: Call) -> Outputs:
    """Return the input repeated to the other's shape."""
    return Bounded(np.broadcast_to(call.tensor("input").value, call.tensor("other").shape))


@gradient("expand_as")
def expand_as_backward(call: Call, grads: Gradients) -> Gradients:
    """Sum the gradient over what was repeated."""
    return [reduced_to(needed(grads), call.tensor("input").shape)]
