"""Reductions and running sums."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded, growth, sqrt, square
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed

_DIMS = "input, dim|axis=None, keepdim|keepdims=False, *, dtype=None, out=None"


def _spread(call: Call, grad: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Repeat the gradient of a reduction over the dimensions that were reduced."""
    axes = call.axes("dim", len(shape))
    kept = tuple(1 if index in axes else size for index, size in enumerate(shape))
    return grad.moved(lambda a: np.broadcast_to(a.reshape(kept), shape))


@reference("sum nansum", _DIMS)
def sum_(call: Call) -> Outputs:
    """Return sums."""
    x = call.tensor("input")
    numbers = x.value.astype(np.int64) if x.value.dtype == np.bool_ else x.value
    return Bounded(numbers, x.error).sum(call.axes("dim", x.ndim), call.flag("keepdim"))


@gradient("sum")
def sum_backward(call: Call, grads: Gradients) -> Gradients:
    """Repeat the gradient."""
    return [_spread(call, needed(grads), call.tensor("input").shape)]


@reference("mean", _DIMS)
def mean(call: Call) -> Outputs:
    """Return means."""
    x = call.tensor("input")
    return Bounded(x.value.astype(np.float64)).mean(call.axes("dim", x.ndim), call.flag("keepdim"))


@gradient("mean")
def mean_backward(call: Call, grads: Gradients) -> Gradients:
    """Repeat the gradient, divided by the count."""
    grad, shape = needed(grads), call.tensor("input").shape
    whole = _spread(call, grad, shape)
    return [whole / float(max(whole.value.size // max(grad.value.size, 1), 1))]


def _variance(call: Call, backward: bool = False) -> tuple[Bounded, Bounded, tuple[int, ...], float]:
    x = call.tensor("input")
    # var(input, unbiased) has a truth value where var(input, dim) has dimensions.
    if isinstance(call["dim"], bool):
        call = call.with_arguments(dim=None, unbiased=call["dim"])
    axes = call.axes("dim", x.ndim)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    correction = call.number("correction") if call.has("correction") else float(call.flag("unbiased"))
    mean = x.mean(axes, keepdims=True)
    centred = x - (call.stored(mean) if backward else mean)
    divisor = max(count - correction, 0.0)
    total = square(centred).sum(axes, keepdims=True)
    return total / divisor, centred, axes, divisor


_VARIANCE = "input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None"


def _kept(call: Call, value: Bounded, axes: tuple[int, ...]) -> Bounded:
    return value if call.flag("keepdim") else value.moved(lambda a: np.squeeze(a, axes))


@reference("var", _VARIANCE)
def var(call: Call) -> Outputs:
    """Return variances."""
    value, _, axes, _ = _variance(call)
    return _kept(call, value, axes)


@reference("std", _VARIANCE)
def std(call: Call) -> Outputs:
    """Return standard deviations."""
    value, _, axes, _ = _variance(call)
    return _kept(call, sqrt(value), axes)


@reference("var_mean", _VARIANCE)
def var_mean(call: Call) -> Outputs:
    """Return variances and means."""
    value, _, axes, _ = _variance(call)
    return [_kept(call, value, axes), _kept(call, call.tensor("input").mean(axes, keepdims=True), axes)]


@gradient("var")
def var_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·2(x − mean)/(n − correction)."""
    _, centred, axes, divisor = _variance(call, True)
    grad = needed(grads).moved(lambda a: _unsqueezed(a, axes, centred.ndim))
    return [call.stored(grad * centred) * (2.0 / divisor)]


@gradient("std")
def std_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·(x − mean)/((n − correction)·std)."""
    value, centred, axes, divisor = _variance(call, True)
    grad = needed(grads).moved(lambda a: _unsqueezed(a, axes, centred.ndim))
    return [call.stored(grad * centred) / call.stored(call.stored(sqrt(value)) * divisor)]


def _unsqueezed(array: Array, axes: tuple[int, ...], dimensions: int) -> Array:
    return array if array.ndim == dimensions else np.expand_dims(array, axes)


@reference("prod", _DIMS)
def prod(call: Call) -> Outputs:
    """Return products."""
    x = call.tensor("input")
    axes = call.axes("dim", x.ndim)
    value = np.asarray(np.prod(x.value, axis=axes, keepdims=call.flag("keepdim")))
    if value.dtype.kind in "iub":
        return Bounded(value)
    terms = x.value.size // max(value.size, 1)
    size = np.abs(value)
    return Bounded(
        value, np.where(np.isfinite(size), size, 0.0) * (max(growth(terms), 1.0) * max(call.storing, 1.0))
    )


def _extreme(names: str, largest: bool) -> None:
    pick, locate = (np.max, np.argmax) if largest else (np.min, np.argmin)
    pairwise = np.maximum if largest else np.minimum

    @reference(names, "input, dim|axis|other=None, keepdim|keepdims=False, *, out=None")
    def forward(call: Call) -> Outputs:
        x = call.tensor("input")
        second = call["dim"]
        if isinstance(second, Tensor):
            return Bounded(pairwise(x.value, second.array))
        if second is None:
            return Bounded(np.asarray(pick(x.value)))
        axis, kept = call.integer("dim"), call.flag("keepdim")
        values = np.asarray(pick(x.value, axis=axis, keepdims=kept))
        indices = np.asarray(locate(x.value, axis=axis, keepdims=kept))
        chosen = np.asarray(pick(x.value, axis=axis, keepdims=True))
        # Which of several equal elements is named is not defined.
        tied = (x.value == chosen).sum(axis=axis, keepdims=kept) > 1
        return [Bounded(values), Bounded(indices, np.where(tied, 2.0**60, 0.0))]

    @gradient(names)
    def backward(call: Call, grads: Gradients) -> Gradients:
        x = call.tensor("input")
        if isinstance(call["dim"], Tensor):
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "max.backward")
        axes = call.axes("dim", x.ndim)
        hit = x.value == np.asarray(pick(x.value, axis=axes, keepdims=True))
        count = hit.sum(axis=axes, keepdims=True)
        if call["dim"] is not None and (count > 1).any():
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "indices")
        return [_spread(call, needed(grads), x.shape) * Bounded(hit / count)]


_extreme("max", True)
_extreme("min", False)


@reference("amax", "input, dim|axis=None, keepdim|keepdims=False, *, out=None")
def amax(call: Call) -> Outputs:
    """Return the largest elements."""
    x = call.tensor("input").value
    return Bounded(np.asarray(np.max(x, axis=call.axes("dim", x.ndim), keepdims=call.flag("keepdim"))))


@reference("amin", "input, dim|axis=None, keepdim|keepdims=False, *, out=None")
def amin(call: Call) -> Outputs:
    """Return the smallest elements."""
    x = call.tensor("input").value
    return Bounded(np.asarray(np.min(x, axis=call.axes("dim", x.ndim), keepdims=call.flag("keepdim"))))


def _located(name: str, largest: bool) -> None:
    pick, locate = (np.max, np.argmax) if largest else (np.min, np.argmin)

    @reference(name, "input, dim|axis=None, keepdim|keepdims=False, *, out=None")
    def forward(call: Call) -> Outputs:
        x = call.tensor("input").value
        axis = None if call["dim"] is None else call.integer("dim")
        kept = call.flag("keepdim")
        tied = (x == np.asarray(pick(x, axis=axis, keepdims=True))).sum(axis=axis, keepdims=kept) > 1
        return Bounded(np.asarray(locate(x, axis=axis, keepdims=kept)), np.where(tied, 2.0**60, 0.0))


_located("argmax", True)
_located("argmin", False)


@reference("all", "input, dim|axis=None, keepdim|keepdims=False, *, out=None")
def all_(call: Call) -> Outputs:
    """Return whether all elements are true."""
    x = call.tensor("input").value
    return Bounded(np.asarray(np.all(x, axis=call.axes("dim", x.ndim), keepdims=call.flag("keepdim"))))


@reference("any", "input, dim|axis=None, keepdim|keepdims=False, *, out=None")
def any_(call: Call) -> Outputs:
    """Return whether any element is true."""
    x = call.tensor("input").value
    return Bounded(np.asarray(np.any(x, axis=call.axes("dim", x.ndim), keepdims=call.flag("keepdim"))))


def norm_of(x: Bounded, order: float, axes: tuple[int, ...], keepdims: bool) -> Bounded:
    """Return vector norms of *order* along *axes*."""
    size = x.moved(np.abs)
    if order == 2.0:
        return sqrt(square(size).sum(axes, keepdims))
    if order == 1.0:
        return size.sum(axes, keepdims)
    if order == np.inf:
        return Bounded(np.asarray(np.max(size.value, axis=axes, keepdims=keepdims, initial=0.0)))
    if order == -np.inf:
        return Bounded(np.asarray(np.min(size.value, axis=axes, keepdims=keepdims)))
    if order == 0.0:
        return Bounded(np.count_nonzero(size.value, axis=axes, keepdims=keepdims).astype(np.float64))
    total = size.apply(lambda a: a**order, np.zeros_like).sum(axes, keepdims)
    return total.apply(lambda a: a ** (1.0 / order), lambda a: a ** (1.0 / order - 1.0) / order)


@reference("norm linalg_norm", "input, p|ord=fro, dim=None, keepdim=False, dtype=None, *, out=None")
@reference(
    "vector_norm linalg_vector_norm", "input|x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None"
)
def norm(call: Call) -> Outputs:
    """Return vector norms; matrix norms other than Frobenius' are not replayed."""
    x = call.tensor("input")
    order = call.arguments.get("p", call.arguments.get("ord"))
    axes = call.axes("dim", x.ndim)
    if order in ("fro", None):
        order = 2.0
    elif order in ("inf", "-inf"):
        order = float(order)
    if not isinstance(order, (int, float)):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, str(order))
    return norm_of(x, float(order), axes, call.flag("keepdim"))


@gradient("norm")
def norm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·x/‖x‖ of the Euclidean norm, 0 where the norm is."""
    x = call.tensor("input")
    if call.arguments["p"] not in ("fro", None, 2, 2.0):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "norm.backward")
    axes = call.axes("dim", x.ndim)
    length = call.stored(norm_of(x, 2.0, axes, True))
    grad = needed(grads)
    safe = Bounded(np.where(length.value == 0, 1.0, length.value), length.error).reshape(*grad.shape)
    first = x * _spread(call, call.stored(call.stored(grad / safe)), x.shape)
    # Divided first and multiplied then, other numbers are stored on the way.
    wide = _spread(call, safe, x.shape)
    second = call.stored(x / wide) * _spread(call, grad, x.shape)
    return [Bounded(first.value, first.error + second.error)]


@reference("cumsum", "input, dim|axis, *, dtype=None, out=None")
def cumsum(call: Call) -> Outputs:
    """Return running sums."""
    x = call.tensor("input")
    numbers = x.value.astype(np.int64) if x.value.dtype == np.bool_ else x.value
    axis = call.integer("dim")
    value = np.cumsum(numbers, axis=axis)
    if value.dtype.kind in "iub":
        return Bounded(value)
    terms = x.shape[axis] if x.ndim else 1
    # Kernels that keep the running sum in the stored format round it at every step.
    units = growth(terms) * (call.unit_ratio if call.storage.precision < 24 else 1.0)
    size = np.cumsum(np.abs(numbers), axis=axis)
    return Bounded(value, units * np.where(np.isfinite(size), size, 0.0))


@gradient("cumsum")
def cumsum_backward(call: Call, grads: Gradients) -> Gradients:
    """Return running sums from the end."""
    axis = call.integer("dim")
    grad = needed(grads)
    value = np.flip(np.cumsum(np.flip(grad.value, axis), axis=axis), axis)
    size = np.flip(np.cumsum(np.flip(np.abs(grad.value), axis), axis=axis), axis)
    units = growth(grad.shape[axis]) * (call.unit_ratio if call.storage.precision < 24 else 1.0)
    return [Bounded(value, units * np.where(np.isfinite(size), size, 0.0))]
