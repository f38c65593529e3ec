"""Scaled dot-product attention: torch's, and the fused one of the NPU."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Matrix, Outputs, gradient, reference
from core.emulation.terms.bounded import LAMBDA, Bounded, exp, reduced_to, where
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array, computing
from core.emulation.terms.outcome import NotReplayable, NotReplayed


@dataclass(frozen=True)
class Attention:
    """Operands in the layout batch, head, sequence, width, with as many heads of keys as of queries."""

    query: Bounded
    key: Bounded
    value: Bounded
    scale: float
    bias: Bounded | None = None
    """Added to the scores."""
    keep: Array | None = None
    """Where it is false, nothing is attended to."""

    def weights(self, call: Call) -> tuple[Bounded, Array]:
        """Return the attention weights, and the relative error that those of a row have in common.

        0 in rows where all is masked. Errors of stored scores are independent from element to element, but
        for the sum by which a row is divided.
        """
        scaled = call.stored(self.query * Bounded(np.asarray(math.sqrt(abs(self.scale)))))
        other = call.stored(
            self.key * Bounded(np.asarray(math.copysign(math.sqrt(abs(self.scale)), self.scale)))
        )
        scores = call.stored(scaled.spread_product(other.swapaxes(-1, -2)))
        if self.bias is not None:
            scores = call.stored(scores + self.bias)
        if self.keep is not None:
            scores = where(self.keep, scores, Bounded(np.asarray(-np.inf)))
        top = np.max(scores.value, axis=-1, keepdims=True, initial=-np.inf)
        powers = exp(scores - Bounded(np.where(np.isneginf(top), 0.0, top)))
        total = powers.sum(-1, keepdims=True, independent=True)
        safe = np.where(total.value == 0, 1.0, total.value)
        return call.stored(powers / Bounded(safe)), np.asarray(total.error / safe)

    def output(self, call: Call) -> Bounded:
        """Return the weighted values."""
        weights, common = self.weights(call)
        return _with_common(weights.spread_product(self.value), common)

    def gradients(self, call: Call, grad: Bounded) -> tuple[Bounded, Bounded, Bounded]:
        """Return the gradients of query, key and value."""
        weights, common = self.weights(call)
        whole = _with_common(weights, common)
        by_value = whole.swapaxes(-1, -2).spread_product(grad)
        by_weights = call.stored(grad @ self.value.swapaxes(-1, -2))
        total = (by_weights * whole).sum(-1, keepdims=True, independent=True).widened(call.storing)
        total = self._by_stored_output(call, total, weights, grad)
        scale = Bounded(np.asarray(self.scale), np.asarray(abs(self.scale) * call.unit_ratio))
        # What the rows have in common adds up over keys, and is independent over queries.
        own = weights * (by_weights.widened(call.storing) - Bounded(total.value))
        by_scores = call.stored(call.stored(own) * scale)
        drift = abs(self.scale) * (total.error + common * np.abs(total.value))
        by_query = _with_common(by_scores.spread_product(self.key), common)
        along_keys = np.abs(np.matmul(weights.value, _finite(self.key.value)))
        by_query = Bounded(by_query.value, by_query.error + _finite(drift * along_keys))
        across = _with_common(by_scores, common)
        across = Bounded(across.value, across.error + _finite(drift * np.abs(weights.value)))
        return by_query, across.swapaxes(-1, -2).spread_product(self.query), by_value

    def _by_stored_output(self, call: Call, total: Bounded, weights: Bounded, grad: Bounded) -> Bounded:
        """Return *total*, the sums of P·dP, as kernels may compute them too: of dO·O with the O stored."""
        if not computing().tracks_errors or not call.storing:
            return total
        terms = grad.value * np.matmul(weights.value, _finite(self.value.value))
        rounded = LAMBDA * call.storing * np.sqrt(np.sum(np.square(terms), axis=-1, keepdims=True))
        return Bounded(total.value, total.error + _finite(rounded))


def _with_common(value: Bounded, common: Array) -> Bounded:
    """Return *value* with a relative error that each row has in common beside its own."""
    if not computing().tracks_errors:
        return value
    return Bounded(value.value, value.error + _finite(np.abs(value.value) * common))


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, 0.0)


def _lower(rows: int, columns: int) -> Array:
    return np.tril(np.ones((rows, columns), bool))


def _repeated(value: Bounded, heads: int) -> Bounded:
    """Repeat key or value heads so that groups of query heads share one."""
    if value.ndim < 3 or value.shape[-3] == heads or heads % value.shape[-3]:
        return value
    return value.moved(lambda a: np.repeat(a, heads // a.shape[-3], axis=-3))


def _gathered(gradient_: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Sum the gradients of heads that were one."""
    if gradient_.ndim >= 3 and gradient_.shape[-3] != shape[-3]:
        group = gradient_.shape[-3] // shape[-3]
        gradient_ = gradient_.reshape(*gradient_.shape[:-3], shape[-3], group, *gradient_.shape[-2:]).sum(-3)
    return reduced_to(gradient_, shape)


def _options(call: Call) -> Iterator[dict[str, object]]:
    yield {"is_causal": False}
    yield {"is_causal": True}


def _scores(call: Call) -> int:
    """Return how many numbers the score matrices and their bounds have."""
    query, key = call.tensor("query"), call.tensor("key")
    if query.ndim == 4 and call.arguments.get("input_layout", "BNSD") == "BNSD":
        rows, columns = query.shape[-2], key.shape[-2]
        return 12 * prod(query.shape[:-2]) * rows * columns
    heads = call.arguments.get("head_num", 1)
    rows, columns = max(query.shape[0:2]), max(key.shape[0:2])
    return 12 * int(heads) * min(query.shape[0:2]) * rows * columns


_SDPA = "query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False"


def _torch_attention(call: Call) -> Attention:
    if call.number("dropout_p") != 0.0:
        raise NotReplayable(NotReplayed.RANDOM, "dropout_p")
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    if call.flag("enable_gqa"):
        key, value = _repeated(key, query.shape[-3]), _repeated(value, query.shape[-3])
    keep, bias = None, None
    if call.flag("is_causal"):
        keep = _lower(query.shape[-2], key.shape[-2])
    mask = call.optional("attn_mask")
    if mask is not None:
        if mask.value.dtype == np.bool_:
            keep = mask.value if keep is None else keep & mask.value
        else:
            bias = mask
    scale = call.number("scale") if call.has("scale") else 1.0 / math.sqrt(query.shape[-1])
    return Attention(query, key, value, scale, bias, keep)


@reference("scaled_dot_product_attention", _SDPA, matrix=Matrix.CHAIN, options=_options, workspace=_scores)
def scaled_dot_product_attention(call: Call) -> Outputs:
    """Return softmax(q·kᵀ·scale + mask)·v."""
    return _torch_attention(call).output(call)


@gradient("scaled_dot_product_attention")
def scaled_dot_product_attention_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of query, key and value."""
    made = _torch_attention(call).gradients(call, needed(grads))
    return [_gathered(item, call.tensor(name).shape) for item, name in zip(made, ("query", "key", "value"))]


_LAYOUTS = ("BNSD", "BSND", "SBH", "BSH")


def _to_heads(x: Bounded, layout: str, heads: int) -> Bounded:
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.moved(lambda a: a.transpose(0, 2, 1, 3))
    axes = (0, 2, 1, 3) if layout == "BSH" else (1, 2, 0, 3)
    if x.ndim != 3 or heads < 1 or x.shape[-1] % heads:
        raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "head_num")
    return x.moved(lambda a: a.reshape(a.shape[0], a.shape[1], heads, -1).transpose(axes))


def _from_heads(x: Bounded, layout: str) -> Bounded:
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.moved(lambda a: a.transpose(0, 2, 1, 3))
    axes = (0, 2, 1, 3) if layout == "BSH" else (2, 0, 1, 3)
    return x.moved(lambda a: (b := a.transpose(axes)).reshape(*b.shape[:2], -1))


_FUSED = (
    "query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, "
    "scale|scale_value=1.0, keep_prob=1.0, pre_tockens|pre_tokens=2147483647, "
    "next_tockens|next_tokens=2147483647, inner_precise=0, prefix=None, actual_seq_qlen=None, "
    "actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False"
)


def _fused_attention(call: Call) -> tuple[Attention, str, int, int]:
    layout = call.word("input_layout")
    undefined = [name for name in ("pse", "padding_mask", "prefix", "actual_seq_qlen") if call.has(name)]
    if layout not in _LAYOUTS or undefined:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, layout if not undefined else undefined[0])
    if call.number("keep_prob") != 1.0:
        raise NotReplayable(NotReplayed.RANDOM, "keep_prob")
    heads = call.integer("head_num")
    query = _to_heads(call.tensor("query"), layout, heads)
    width = query.shape[-1]
    raw_key = call.tensor("key")
    key_heads = raw_key.shape[-1] // width if layout in ("BSH", "SBH") else heads
    key = _to_heads(raw_key, layout, key_heads)
    value = _to_heads(call.tensor("value"), layout, key_heads)
    keep = _fused_mask(call, query.shape[-2], key.shape[-2])
    attention = Attention(
        query,
        _repeated(key, query.shape[1]),
        _repeated(value, query.shape[1]),
        call.number("scale"),
        None,
        keep,
    )
    return attention, layout, key.shape[1], value.shape[1]


def _fused_mask(call: Call, rows: int, columns: int) -> Array | None:
    """Return where attention may go: the mask (1 hides), or the band that the sparse mode describes.

    Modes as in the operator's documentation: 0 mask and band from the upper left, 1 mask alone,
    2 causal from the upper left, 3 causal from the lower right, 4 band from the lower right.
    """
    mode = call.integer("sparse_mode")
    mask = call.optional("atten_mask")
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    if mode == 2:
        return np.asarray(distance <= 0)
    if mode == 3:
        return np.asarray(distance <= columns - rows)
    before, after = call.integer("pre_tockens"), call.integer("next_tockens")
    if mode == 4:
        shifted = distance - (columns - rows)
        return np.asarray((shifted >= -before) & (shifted <= after))
    if mode not in (0, 1):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"sparse_mode={mode}")
    if mask is None:
        return None
    keep = np.logical_not(mask.value.astype(bool))
    if keep.shape[-2:] != (rows, columns):
        raise NotReplayable(NotReplayed.SHAPE_MISMATCH, "atten_mask")
    if mode == 0:
        keep = keep & (distance >= -before) & (distance <= after)
    return np.asarray(keep)


@reference("npu_fusion_attention npu_flash_attention", _FUSED, matrix=Matrix.CHAIN, workspace=_scores)
def npu_fusion_attention(call: Call) -> Outputs:
    """Return the attention output; softmax maximum and sum beside it are not judged."""
    attention, layout, _, _ = _fused_attention(call)
    output = _from_heads(attention.output(call), layout)
    return [output, *(None for _ in call.outputs[1:])]


@gradient("npu_fusion_attention npu_flash_attention")
def npu_fusion_attention_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of query, key and value in the layout of the call."""
    attention, layout, key_heads, value_heads = _fused_attention(call)
    grad = _to_heads(needed(grads), layout, attention.query.shape[1])
    by_query, by_key, by_value = attention.gradients(call, grad)

    def heads_of(gradient_: Bounded, heads: int) -> Bounded:
        batch, _, rows, width = gradient_.shape
        return _from_heads(_gathered(gradient_, (batch, heads, rows, width)), layout)

    return [_from_heads(by_query, layout), heads_of(by_key, key_heads), heads_of(by_value, value_heads)]
