"""Loss functions."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.softmax import log_softmax_of
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded, exp, growth, square
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.terms.special_functions import sigmoid, softplus

_MOST_STORED = 8.0
"""Roundings of a running total to the stored format that a reduction may have."""


def _reduction(call: Call) -> str:
    """Return ``none``, ``mean`` or ``sum``, also from the two deprecated flags."""
    average, reduce = call.arguments.get("size_average"), call.arguments.get("reduce")
    if average is not None or reduce is not None:
        return "none" if reduce is False else "sum" if average is False else "mean"
    word = call["reduction"]
    if word in (0, 1, 2) and not isinstance(word, bool):
        word = ("none", "mean", "sum")[word]
    if word not in ("none", "mean", "sum"):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"reduction={word}")
    return str(word)


def _reduced(call: Call, losses: Bounded, weights: Bounded | None = None) -> Bounded:
    how = _reduction(call)
    if how == "none":
        return losses
    total = losses.sum()
    # Some kernels add up in the stored format, in several parts.
    total = total.widened(call.storing * min(growth(losses.value.size), _MOST_STORED))
    if how == "sum":
        return total
    return total / (call.stored(weights.sum()) if weights is not None else float(losses.value.size))


def _share(call: Call, grad: Bounded, count: Bounded) -> Bounded:
    """Return the gradient that reaches each element before its own derivative."""
    return call.stored(grad / call.stored(count)) if _reduction(call) == "mean" else grad


class _Classes:
    """Classes by index: the weight of each row, and where its class stands."""

    def __init__(self, call: Call, scores: Bounded) -> None:
        target = call["target"]
        if not isinstance(target, Tensor) or target.array.dtype.kind not in "iu":
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "target")
        self.axis = 1 if scores.ndim > 1 else 0
        classes = scores.shape[self.axis]
        ignored = call.integer("ignore_index")
        used = target.array != ignored
        index = np.where(used, target.array, 0)
        if index.size and (index.min() < 0 or index.max() >= classes):
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "target")
        self.index = np.expand_dims(index, self.axis)
        weight = call.optional("weight")
        self.class_weight = np.ones(classes) if weight is None else weight.value
        self.weight = Bounded(np.where(used, self.class_weight[index], 0.0))
        self.used = Bounded(used.astype(np.float64))

    def picked(self, values: Bounded) -> Bounded:
        """Return each row's value at its class."""
        return values.moved(lambda a: np.take_along_axis(a, self.index, self.axis).squeeze(self.axis))

    def one_hot(self, shape: tuple[int, ...]) -> Array:
        """Return ones where the classes stand."""
        made = np.zeros(shape)
        np.put_along_axis(made, self.index, 1.0, self.axis)
        return made

    def wide(self, rows: Bounded) -> Bounded:
        """Return a value a row with a dimension for the classes."""
        return rows.moved(lambda a: np.expand_dims(a, self.axis) if a.ndim else a)


_CROSS_ENTROPY = (
    "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean, "
    "label_smoothing=0.0"
)


@reference("cross_entropy", _CROSS_ENTROPY)
def cross_entropy(call: Call) -> Outputs:
    """Return −log softmax at the target, smoothed and weighted if so asked; or against probabilities."""
    x = call.tensor("input")
    axis = 1 if x.ndim > 1 else 0
    logs = call.stored(log_softmax_of(x, axis, call.storing))
    smoothing = call.number("label_smoothing")
    target = call["target"]
    if isinstance(target, Tensor) and target.array.shape == x.shape and target.array.dtype.kind == "f":
        weights = _by_class(call, x)
        wanted = Bounded(target.array * (1.0 - smoothing) + smoothing / x.shape[axis])
        losses = -(logs * wanted * weights).sum(axis)
        how = _reduction(call)
        if how == "none":
            return losses
        rows = x.value.size // x.shape[axis]
        return losses.sum() / float(rows) if how == "mean" else losses.sum()
    classes = _Classes(call, x)
    losses = -(classes.picked(logs) * classes.weight)
    plain = _reduced(call, losses, classes.weight)
    if not smoothing:
        return plain
    smooth = -((logs * _by_class(call, x)).sum(axis) * classes.used)
    spread = _reduced(call, smooth, classes.weight) * (smoothing / x.shape[axis])
    return plain * (1.0 - smoothing) + spread


def _by_class(call: Call, x: Bounded) -> Bounded:
    weight = call.optional("weight")
    if weight is None:
        return Bounded(np.ones(()))
    return weight.reshape(-1) if x.ndim == 1 else weight.reshape(1, -1, *(1,) * (x.ndim - 2))


@gradient("cross_entropy")
def cross_entropy_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient of the scores, and that of their log softmax, which composed kernels return."""
    x = call.tensor("input")
    if call.number("label_smoothing"):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "label_smoothing")
    classes = _Classes(call, x)
    logs = call.stored(log_softmax_of(x, classes.axis, call.storing))
    by_logs = _nll_gradient(call, needed(grads), classes, x.shape)
    by_scores = by_logs - exp(logs) * by_logs.sum(classes.axis, keepdims=True)
    return [by_scores, by_logs]


def _nll_gradient(call: Call, grad: Bounded, classes: _Classes, shape: tuple[int, ...]) -> Bounded:
    share = _share(call, grad, classes.weight.sum())
    return -(Bounded(classes.one_hot(shape)) * classes.wide(share * classes.weight))


@reference(
    "nll_loss nll_loss_nd",
    "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean",
)
def nll_loss(call: Call) -> Outputs:
    """Return minus the log probability at the target."""
    x = call.tensor("input")
    classes = _Classes(call, x)
    return _reduced(call, -(classes.picked(x) * classes.weight), classes.weight)


@gradient("nll_loss nll_loss_nd")
def nll_loss_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient of the log probabilities."""
    x = call.tensor("input")
    return [_nll_gradient(call, needed(grads), _Classes(call, x), x.shape)]


_PAIR = "input, target, size_average=None, reduce=None, reduction=mean, weight=None"


def _difference(call: Call) -> Bounded:
    return call.tensor("input") - call.tensor("target")


def _weighted(call: Call, losses: Bounded) -> Bounded:
    return losses * call.tensor("weight") if call.has("weight") else losses


@reference("mse_loss", _PAIR)
def mse_loss(call: Call) -> Outputs:
    """Return squared differences."""
    return _reduced(call, _weighted(call, call.stored(square(_difference(call)))))


@gradient("mse_loss")
def mse_loss_backward(call: Call, grads: Gradients) -> Gradients:
    """Return ±2·g·(input − target), divided by the count for the mean."""
    share = _share(call, needed(grads), Bounded(np.asarray(float(call.tensor("input").value.size))))
    gradient_ = _weighted(call, call.stored(share * 2.0) * _difference(call))
    return [gradient_, -gradient_]


@reference("l1_loss", _PAIR)
def l1_loss(call: Call) -> Outputs:
    """Return absolute differences."""
    return _reduced(call, _weighted(call, call.stored(_difference(call).moved(np.abs))))


@gradient("l1_loss")
def l1_loss_backward(call: Call, grads: Gradients) -> Gradients:
    """Return ±g·sign(input − target), divided by the count for the mean."""
    share = _share(call, needed(grads), Bounded(np.asarray(float(call.tensor("input").value.size))))
    gradient_ = share * Bounded(np.sign(_difference(call).value))
    return [gradient_, -gradient_]


@reference("smooth_l1_loss", "input, target, size_average=None, reduce=None, reduction=mean, beta=1.0")
def smooth_l1_loss(call: Call) -> Outputs:
    """Return squares below beta, absolute differences above."""
    beta = call.number("beta")
    size = _difference(call).moved(np.abs)
    value = np.where(size.value < beta, 0.5 * np.square(size.value) / (beta or 1.0), size.value - 0.5 * beta)
    return _reduced(call, call.stored(Bounded(value, size.error + 3.0 * size.value + 0.5 * beta)))


@reference(
    "binary_cross_entropy_with_logits",
    "input, target, weight=None, size_average=None, reduce=None, reduction=mean, pos_weight=None",
)
def bce_with_logits(call: Call) -> Outputs:
    """Return −w·(p·t·log σ(x) + (1 − t)·log σ(−x))."""
    x, target = call.tensor("input").value, call.tensor("target").value
    positive = call.tensor("pos_weight").value if call.has("pos_weight") else np.ones(())
    value = positive * target * softplus(-x) + (1.0 - target) * softplus(x)
    # The usual form (1 − t)·x + ... adds terms of the size of x.
    size = np.abs(positive * target) * (np.abs(x) + 1.0) + np.abs(1.0 - target) * (np.abs(x) + 1.0)
    return _reduced(call, _weighted(call, call.stored(Bounded(value, 4.0 * size))))


@gradient("binary_cross_entropy_with_logits")
def bce_with_logits_backward(call: Call, grads: Gradients) -> Gradients:
    """Return g·w·(σ(x)·(1 − t + p·t) − p·t)."""
    x, target = call.tensor("input").value, call.tensor("target").value
    positive = call.tensor("pos_weight").value if call.has("pos_weight") else np.ones(())
    share = _share(call, needed(grads), Bounded(np.asarray(float(x.size))))
    slope = sigmoid(x) * (1.0 - target + positive * target) - positive * target
    size = 4.0 * (np.abs(slope) + np.abs(positive * target) + sigmoid(x))
    return [_weighted(call, share * call.stored(Bounded(slope, size)))]


@reference(
    "binary_cross_entropy", "input, target, weight=None, size_average=None, reduce=None, reduction=mean"
)
def binary_cross_entropy(call: Call) -> Outputs:
    """Return −w·(t·log x + (1 − t)·log(1 − x)); logarithms are held above −100 as torch documents."""
    x, target = call.tensor("input").value, call.tensor("target").value
    first, second = (np.maximum(logs, -100.0) for logs in (np.log(x), np.log1p(-x)))
    value = -(target * first + (1.0 - target) * second)
    size = np.abs(target) * (np.abs(first) + 1.0) + np.abs(1.0 - target) * (np.abs(second) + 2.0)
    return _reduced(call, _weighted(call, call.stored(Bounded(value, 4.0 * size))))


@reference("kl_div", "input, target, size_average=None, reduce=None, reduction=mean, log_target=False")
def kl_div(call: Call) -> Outputs:
    """Return t·(log t − x); 0 where t is 0."""
    x, target = call.tensor("input").value, call.tensor("target").value
    logs = target if call.flag("log_target") else np.log(np.where(target > 0, target, 1.0))
    weight = np.exp(target) if call.flag("log_target") else target
    size = np.abs(weight) * (np.abs(logs) + np.abs(x)) * 4.0
    losses = call.stored(Bounded(weight * (logs - x), size))
    if call["reduction"] == "batchmean":
        return losses.sum() / float(max(x.shape[0], 1))
    return _reduced(call, losses)
