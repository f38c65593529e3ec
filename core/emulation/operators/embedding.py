"""Embedding tables and one-hot vectors."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.bounded import Bounded, growth
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed


def _indices(call: Call, limit: int) -> Array:
    indices = call.tensor("input").value
    if indices.dtype.kind not in "iub":
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "input")
    if indices.size and (indices.min() < 0 or indices.max() >= limit):
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "input")
    return indices


@reference(
    "embedding",
    "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
)
def embedding(call: Call) -> Outputs:
    """Return the rows of the weight that the indices name."""
    weight = call.tensor("weight").value
    if call.has("max_norm"):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "max_norm")
    return Bounded(weight[_indices(call, len(weight))])


@reference(
    "torch_embedding",
    "weight, input|indices, padding_idx=None, scale_grad_by_freq=False, sparse=False, *, max_norm=None",
)
def torch_embedding(call: Call) -> Outputs:
    """Return the same; torch's own function takes the weight first."""
    return embedding(call)


@gradient("embedding torch_embedding")
def embedding_backward(call: Call, grads: Gradients) -> Gradients:
    """Return, for each row of the weight, the sum of the gradients where it was used."""
    grad, weight = needed(grads), call.tensor("weight").value
    indices = _indices(call, len(weight)).reshape(-1)
    rows = grad.value.reshape(len(indices), -1)
    total, size = np.zeros((2, *weight.shape))
    kept = np.ones(len(indices), bool)
    padding = call["padding_idx"]
    if isinstance(padding, int):
        kept = indices != padding % len(weight)
    np.add.at(total, indices[kept], rows[kept])
    np.add.at(size, indices[kept], np.abs(rows[kept]))
    counts = np.bincount(indices, minlength=len(weight))
    if call["scale_grad_by_freq"]:
        total /= np.maximum(counts, 1)[:, None]
        size /= np.maximum(counts, 1)[:, None]
    units = np.array([growth(int(count)) for count in counts])[:, None]
    if call.storage.precision < 24:  # kernels may add in the stored format
        units = units * call.unit_ratio
    return [Bounded(total, units * np.where(np.isfinite(size), size, 0.0))]


@reference("one_hot", "input|tensor, num_classes=-1")
def one_hot(call: Call) -> Outputs:
    """Return vectors with a one where the index points."""
    indices = call.tensor("input").value
    count = call.integer("num_classes")
    count = int(indices.max()) + 1 if count < 0 else count
    return Bounded((indices[..., None] == np.arange(count)).astype(np.int64))
