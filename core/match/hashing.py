"""64-bit keys of many facts at once: equal facts, equal keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
"""One key a call or slot. Two different ones collide with probability 2**-64; none is stored anywhere."""

_STEP = np.uint64(0x9E3779B97F4A7C15)


def combine(*facts: NDArray[np.generic]) -> Keys:
    """Return a key for each row of *facts*, columns of integers of equal length (order matters).

    The mixing step is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
    generators, 2014).
    """
    key = np.full(len(facts[0]), _STEP, np.uint64)
    for fact in facts:
        key = _mixed(key + _mixed(fact.astype(np.int64, copy=False).view(np.uint64) + _STEP))
    return key


def grams(keys: Keys, length: int) -> Keys:
    """Return a key for each run of *length* neighbours; ``len(keys) - length + 1`` of them, or none."""
    if length == 1 or not len(keys):
        return keys
    half = length // 2
    first, second = grams(keys, half), grams(keys, length - half)
    count = max(len(keys) - length + 1, 0)
    return _mixed(_mixed(first[:count]) + second[half : half + count])


def _mixed(key: Keys) -> Keys:
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = key ^ (key >> np.uint64(31))
    return mixed


def multiset_overlap(left: Keys, right: Keys) -> int:
    """Return how many keys both sides hold, counted as often as both hold them."""
    _, inverse = np.unique(np.concatenate([left, right]), return_inverse=True)
    count = int(inverse.max(initial=-1)) + 1
    return int(
        np.minimum(
            np.bincount(inverse[: len(left)], minlength=count),
            np.bincount(inverse[len(left) :], minlength=count),
        ).sum()
    )


def ranks(keys: Keys) -> NDArray[np.int64]:
    """Return for each row how many rows before it have the same key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else np.empty(0, int)
    lengths = np.diff(np.append(starts, len(keys)))
    ranked = np.empty(len(keys), np.int64)
    ranked[order] = np.arange(len(keys)) - np.repeat(starts, lengths)
    return ranked


def join_unique(left: Keys, right: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows whose keys agree, the first of a key with the first, the second with the second ..."""
    both = combine(left.view(np.int64), ranks(left)), combine(right.view(np.int64), ranks(right))
    _, at_left, at_right = np.intersect1d(*both, assume_unique=True, return_indices=True)
    return at_left.astype(np.int64), at_right.astype(np.int64)
