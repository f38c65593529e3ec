"""Softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, Rows, gradient, reference
from core.emulation.terms.bounded import Bounded, exp, log, rounding
from core.emulation.terms.call import Call


def softmax_of(x: Bounded, axis: int) -> Bounded:
    """Return softmax along *axis*, shifted by the maximum."""
    powers = exp(x - _shift(x, axis))
    return powers / powers.sum(axis, keepdims=True)


def log_softmax_of(x: Bounded, axis: int, storing: float = 0.0) -> Bounded:
    """Return log softmax along *axis*; *storing* as in :meth:`core.emulation.terms.call.Call.total`."""
    top = _shift(x, axis)
    shifted = x - top
    total = log(exp(shifted).sum(axis, keepdims=True))
    # Near 0 the result is a small difference of what may have been stored: the maximum with the
    # logarithm, or the input without the maximum.
    return shifted.widened(storing) - Bounded(
        total.value, total.widened(storing).error + storing * rounding(top.value)
    )


def _shift(x: Bounded, axis: int) -> Bounded:
    # A row that is masked as a whole gives NaN, as −Inf − (−Inf) does.
    return Bounded(np.max(x.value, axis=axis, keepdims=True, initial=-np.inf))


def softmax_gradient(y: Bounded, grad: Bounded, axis: int, storing: float = 0.0) -> Bounded:
    """Return y·(g − Σ g·y)."""
    total = (grad * y).sum(axis, keepdims=True)
    return y * (grad.widened(storing) - total.widened(storing))


def _dimension(call: Call, dimensions: int) -> int:
    if call["dim"] is None:  # torch's old default
        return 0 if dimensions in (0, 1, 3) else 1
    return call.integer("dim")


def _options(call: Call) -> Iterator[dict[str, object]]:
    for dim in range(-1, -1 - call.tensor("input").ndim, -1):
        yield {"dim": dim}


_ARGUMENTS = "input, dim=None, _stacklevel=3, dtype=None, *, half_to_float=False, out=None"


@reference("softmax", _ARGUMENTS, rows=Rows.FIRST, options=_options, exhaustive=True)
@reference("_softmax npu_softmax", "input, dim, half_to_float=False")
def softmax(call: Call) -> Outputs:
    """Return softmax along ``dim``."""
    x = _as_float(call.tensor("input"))
    return softmax_of(x, _dimension(call, x.ndim)) if x.ndim else Bounded(np.ones(()))


@gradient("softmax _softmax npu_softmax")
def softmax_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient by the stored output."""
    x = call.tensor("input")
    axis = _dimension(call, x.ndim)
    return [softmax_gradient(call.stored(softmax_of(x, axis)), needed(grads), axis, call.storing)]


@reference("log_softmax", _ARGUMENTS, rows=Rows.FIRST, options=_options, exhaustive=True)
@reference("_log_softmax", "input, dim, half_to_float=False")
def log_softmax(call: Call) -> Outputs:
    """Return the logarithm of softmax along ``dim``."""
    x = _as_float(call.tensor("input"))
    return log_softmax_of(x, _dimension(call, x.ndim), call.storing) if x.ndim else Bounded(np.zeros(()))


@gradient("log_softmax _log_softmax")
def log_softmax_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g − softmax·Σ g, where softmax is e to the stored output."""
    x, grad = call.tensor("input"), needed(grads)
    axis = _dimension(call, x.ndim)
    y = exp(call.stored(log_softmax_of(x, axis, call.storing)))
    return [grad - y * grad.sum(axis, keepdims=True)]


@reference("logsumexp", "input, dim, keepdim=False, *, out=None")
def logsumexp(call: Call) -> Outputs:
    """Return log Σ e**x along ``dim``."""
    x = _as_float(call.tensor("input"))
    axes = call.axes("dim", x.ndim)
    top = np.max(x.value, axis=axes, keepdims=True, initial=-np.inf)
    shift = Bounded(np.where(np.isfinite(top), top, 0.0))
    total = log(exp(x - shift).sum(axes, keepdims=True)) + shift
    return total if call.flag("keepdim") else total.moved(lambda a: np.squeeze(a, axes))


def _as_float(x: Bounded) -> Bounded:
    return Bounded(x.value.astype(np.float64), x.error)
