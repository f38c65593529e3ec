"""Formulas by which frameworks work out one setting from others. Numbers in, number and its spelling out.

Sources: Megatron-LM ``megatron/training/arguments.py`` (sizes of groups, batch, feed-forward width) and
``megatron/training/tokenizer/tokenizer.py`` (padding of the vocabulary), ``megatron/training/training.py``
(``get_optimizer_param_scheduler``: samples of the schedule); DeepSpeed ``runtime/config.py``
(``_batch_assertion``); transformers ``training_args.py`` (``get_warmup_steps``).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from core.records.evidence import Dialect


class Worked(NamedTuple):
    """A number and how it was worked out."""

    value: int | float
    """Whole, unless a framework counts parts of steps."""
    formula: str
    """With the numbers: ``16 / (4 × 2 × 1) = 2``."""


class Uneven(NamedTuple):
    """The numbers do not go into each other: no training can run with them."""

    formula: str


def world_size(nodes: int, processes: int) -> Worked:
    """Return the number of processes: nodes × processes a node."""
    return Worked(nodes * processes, f"{nodes} × {processes} = {nodes * processes}")


def data_parallel(world: int, tensor: int, pipeline: int, context: int) -> Worked | Uneven:
    """Return how many replicas of the model train: experts divide the replicas, not their number."""
    return _quotient(world, tensor, pipeline, context)


def global_batch(micro: int, accumulation: int, replicas: int) -> Worked:
    """Return the samples of one update."""
    return _product(micro, accumulation, replicas)


def accumulation(batch: int, micro: int, replicas: int) -> Worked | Uneven:
    """Return how many micro batches make an update."""
    return _quotient(batch, micro, replicas)


def replicas(batch: int, micro: int, accumulation: int) -> Worked | Uneven:
    """Return how many replicas of the model a batch needs."""
    return _quotient(batch, micro, accumulation)


def tokens_per_step(batch: int, length: int) -> Worked:
    """Return the tokens of one update."""
    return _product(batch, length)


def _quotient(whole: int, *parts: int) -> Worked | Uneven:
    formula = f"{whole} / ({' × '.join(map(str, parts))})"
    quotient, left = divmod(whole, math.prod(parts))
    return Uneven(formula) if left else Worked(quotient, f"{formula} = {quotient}")


def _product(*factors: int) -> Worked:
    value = math.prod(factors)
    return Worked(value, f"{' × '.join(map(str, factors))} = {value}")


def steps_of_samples(samples: int, batch: int, *, whole: bool) -> Worked:
    """Return the updates that *samples* make.

    Parameters
    ----------
    whole
        What is left over makes no update; else it counts as part of one, as Megatron-LM counts the samples
        of its schedule.
    """
    value = samples // batch if whole else _plain(Fraction(samples, batch))
    return Worked(value, f"{samples} / {batch} = {value}")


def warmup_of_fraction(fraction: float, steps: float, dialect: Dialect | None) -> Worked:
    """Return the steps of warm-up, in the arithmetic of the framework.

    transformers rounds the float64 product up and MindFormers down (``_get_warmup_steps``); Megatron-LM
    counts in samples, so that a step may lie partly in the warm-up.
    """
    if dialect is Dialect.HUGGING_FACE:
        value: int | float = math.ceil(steps * fraction)
    elif dialect is Dialect.MINDFORMERS:
        value = int(steps * fraction)
    else:
        value = _plain(Fraction(repr(fraction)) * Fraction(steps))
    return Worked(value, f"{fraction!r} × {_plain(Fraction(steps))} = {value}")


def _plain(exact: Fraction) -> int | float:
    return exact.numerator if exact.denominator == 1 else float(exact)


def padded_vocabulary(words: int, divisor: int, tensor: int) -> Worked:
    """Return the vocabulary filled up so that each rank has a whole multiple of *divisor* words."""
    multiple = divisor * tensor
    value = -(-words // multiple) * multiple
    return Worked(value, f"⌈{words} / ({divisor} × {tensor})⌉ × {multiple} = {value}")


def feed_forward_width(hidden: int, *, gated: bool) -> Worked:
    """Return Megatron-LM's width where none is said: 4 h, or 8/3 h in whole multiples of 64 with swiglu."""
    if not gated:
        return _product(4, hidden)
    value = int((4 * hidden * 2 / 3) / 64) * 64
    return Worked(value, f"⌊4 × {hidden} × 2/3 / 64⌋ × 64 = {value}")


class Decoder(NamedTuple):
    """The shape of a decoder transformer."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    ffn: int
    words: int
    """Vocabulary with its padding."""
    positions: int = 0
    """Rows of a learned table of positions; 0 without one."""
    gated: bool = False
    tied: bool = True
    linear_bias: bool = False
    query_key_value_bias: bool = False
    rms_norm: bool = False
    experts: int = 0


def parameters(shape: Decoder) -> Worked:
    """Return the number of parameters: embeddings, attention, feed-forward, norms, biases.

    Each layer has two norms and the model a last one; an RMS norm has a weight, a layer norm also a bias.
    """
    hidden, queries, keys = (
        shape.hidden,
        shape.heads * shape.head_size,
        2 * shape.kv_heads * shape.head_size,
    )
    norm = hidden * (1 if shape.rms_norm else 2)
    attention = hidden * (queries + keys) + queries * hidden
    if shape.linear_bias or shape.query_key_value_bias:
        attention += queries + keys
    if shape.linear_bias:
        attention += hidden
    inner = shape.ffn * (2 if shape.gated else 1)
    forward = hidden * inner + shape.ffn * hidden + ((inner + hidden) if shape.linear_bias else 0)
    forward = forward * shape.experts + hidden * shape.experts if shape.experts else forward
    layer = attention + forward + 2 * norm
    embeddings = shape.words * hidden * (1 if shape.tied else 2) + shape.positions * hidden
    total = shape.layers * layer + embeddings + norm
    return Worked(total, f"{shape.layers} × {layer} + {embeddings} + {norm} = {total}")
