"""Dumps of a small training step, made by hand: weights, a batch, dropout, attention in parts or fused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from builders.dumps import call, write_dump

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SmallStep:
    """What one side's step is made of; :func:`replace` plants a difference."""

    seed: int = 0
    noise: float = 0.0
    """Relative noise of what operators give out, as another device has it."""
    ids: Array = field(default_factory=lambda: np.random.default_rng(7).integers(3, 90, (2, 6)))
    weights: Mapping[str, Array] = field(default_factory=dict)
    """Weights instead of the seed's: ``embedding``, ``linear``, ``bias``."""
    dropout: tuple[float, bool] | None = None
    """Probability and training mode of a call of dropout."""
    dtype: type | np.dtype[Any] = np.float32
    """In which the linear layer computes."""
    fused: bool = False
    """Attention is one call."""
    extra: bool = False
    """One more call."""
    loss: float = 2.5

    def weight(self, name: str) -> Array:
        """Return a weight."""
        random = np.random.default_rng(self.seed)
        shapes = {"embedding": (90, 8), "linear": (8, 8), "bias": (8,)}
        made = {key: random.normal(size=shape).astype(np.float32) for key, shape in shapes.items()}
        return np.asarray(self.weights.get(name, made[name]))


def write_step(
    folder: Path, step: SmallStep | None = None, *, tensors: bool = True, checksums: bool = False
) -> Path:
    """Write the dump of *step* into *folder*."""
    step = step or SmallStep()
    noise = np.random.default_rng(3)

    def out(value: Array) -> Array:
        return (value * (1 + step.noise * noise.normal(size=value.shape))).astype(value.dtype)

    embedded = out(step.weight("embedding")[step.ids])
    calls = {"Functional.embedding.0.forward": call([step.ids, step.weight("embedding")], [embedded])}
    hidden = out((embedded @ step.weight("linear").T + step.weight("bias")).astype(step.dtype))
    calls["Functional.linear.0.forward"] = call(
        [embedded, step.weight("linear"), step.weight("bias")], [hidden]
    )
    hidden = hidden.astype(np.float32)
    if step.dropout is not None:
        rate, training = step.dropout
        kept = np.random.default_rng(11).random(hidden.shape) >= rate
        dropped = hidden * kept / (1 - rate) if training and rate else hidden
        dropped = dropped.astype(np.float32)
        calls["Functional.dropout.0.forward"] = call([hidden, rate, training, False], [dropped])
        hidden = dropped
    keys = np.swapaxes(hidden, -1, -2).copy()
    scores = out(hidden @ keys)
    exp = np.exp(scores - scores.max(-1, keepdims=True))
    shares = out(exp / exp.sum(-1, keepdims=True))
    mixed = out(shares @ hidden)
    if step.fused:
        calls["Functional.scaled_dot_product_attention.0.forward"] = call([hidden, hidden, hidden], [mixed])
    else:
        calls["Torch.matmul.0.forward"] = call([hidden, keys], [scores])
        calls["Functional.softmax.0.forward"] = call([scores, -1], [shares])
        calls["Torch.matmul.1.forward"] = call([shares, hidden], [mixed])
    if step.extra:
        calls["Torch.tanh.0.forward"] = call([mixed], [np.tanh(mixed)])
    normed = out(mixed / np.abs(mixed).max())
    calls["Torch.div.0.forward"] = call([mixed], [normed])
    loss = np.array(step.loss, np.float32)
    calls["Functional.cross_entropy.0.forward"] = call([normed, np.roll(step.ids, -1, axis=1)], [loss])
    return write_dump(folder, calls, tensors=tensors, checksums=checksums)


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

__all__ = ["BFLOAT16", "SmallStep", "replace", "write_step"]
