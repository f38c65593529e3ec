"""What may stand in one checkpoint alone: tied weights, and buffers that the model computes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from core.errors import InputError
from core.precheck.weights.keys import without_wrappers
from core.precheck.weights.rows import OpenFiles, WeightRow

_COMPUTED = re.compile(
    r"(?:.*\.)?(?:inv_freq|rotary_emb\.\w+|position_ids|masked_bias|num_batches_tracked|_extra_state)"
)
"""Buffers that the model computes itself; some trainers save them and some do not."""
_CAUSAL_MASK = re.compile(r"(?:.*\.)?attn\.bias")
_EMBEDDING = re.compile(r"(?:.*[./])?(?:\w*embed\w*|wte|shared)(?:\.\w+)?")
_HEAD = re.compile(
    r"(?:.*[./])?(?:lm_head|output_layer|embed_out|output|head|proj_out|decoder|predictions)(?:\.\w+)?"
)
"""Output layers that models tie to their embedding."""


def is_computed(row: WeightRow) -> bool:
    """Return whether *row* is no weight: the model computes it."""
    name = without_wrappers(row.key)
    if _CAUSAL_MASK.fullmatch(name):
        # GPT-2 keeps its mask so: (1, 1, length, length). Elsewhere the name is that of a bias.
        return row.shape is not None and len(row.shape) == 4
    return _COMPUTED.fullmatch(name) is not None


def is_tied(row: WeightRow, matched: Iterable[WeightRow], files: OpenFiles) -> bool:
    """Return whether *row* is an embedding or output layer, and a copy of an embedding, or of its head.

    Only those are tied by a model and then saved once. Others may be equal by chance: biases of zeros, norms
    of ones, layers or experts that begin as copies. Equal constants tell nothing.

    Parameters
    ----------
    row
        A tensor that the other side lacks.
    matched
        Tensors of the same side that the other side has.
    files
        The files of that side.
    """
    embedding = _EMBEDDING.fullmatch(row.key) is not None
    if not (embedding or _HEAD.fullmatch(row.key)):
        return False
    partners = (
        other
        for other in matched
        if _is_copy(row, other)
        and (_EMBEDDING.fullmatch(other.key) or (embedding and _HEAD.fullmatch(other.key)))
    )
    if next(partners, None) is None:
        return False
    try:
        largest, smallest = files.statistics(row)[:2].tolist()
    except InputError:
        return False
    return bool(largest > smallest)


def _is_copy(row: WeightRow, other: WeightRow) -> bool:
    if row.digest or other.digest:
        return row.digest == other.digest
    return not np.isnan(row.statistics).any() and np.array_equal(row.statistics, other.statistics)
