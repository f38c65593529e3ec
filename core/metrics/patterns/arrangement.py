"""A hypothesis that the target holds the golden's elements in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.halves import float32_of
from core.metrics.patterns.limits import AGREE, CHUNK
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Mark, Number, PatternName
from core.metrics.patterns.trial import Trial
from core.metrics.pictures.plane import Shape
from core.progress import Work

Bits = NDArray[np.generic]
Index = tuple[NDArray[np.int64], ...]

_TILE = 256
"""Longest side of a tile, so that turned tensors are read with neighbours in the cache."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Views of stored bits of one shape: the target, the golden beside it, and where it should come from."""

    target: Bits
    beside: Bits | None
    source: Bits
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One order.

    ``sources`` maps indices of target elements to indices of the golden, whether these exist, and signs.
    """

    name: PatternName
    message: Message
    numbers: dict[str, Number]
    sources: Callable[[Index], tuple[Index, NDArray[np.bool_], NDArray[np.int64] | int]]
    pieces: Callable[[], Iterable[Piece]]
    """Called once the probes agree: all elements that it says something of."""
    parameters: int = 0
    """Free choices it stands for, as elements that prove nothing."""
    marks: tuple[Mark, ...] = field(default=())


def everywhere(index: Index) -> NDArray[np.bool_]:
    """Return that each of *index* exists."""
    return np.ones(len(index[0]), np.bool_)


def numbers_of(handle: TensorHandle, bits: Bits, pair: Pair) -> Values:
    """Return stored *bits* as numbers to compute with."""
    return float32_of(handle.numbers(np.asarray(bits))).astype(pair.working, copy=False)


def tried(pair: Pair, arrangement: Arrangement, target: TensorHandle, golden: TensorHandle) -> Work[Trial]:
    """Try *arrangement* on all elements; every piece of it must agree, or the trial explains nothing."""
    trial = Trial(pair)
    done = 0
    for piece in arrangement.pieces():
        total, agreeing = trial.total, trial.agreeing
        for tile in _tiles(piece.target.shape):
            t = numbers_of(target, piece.target[tile], pair)
            source = numbers_of(golden, piece.source[tile], pair)
            expected = source if piece.sign > 0 else -source
            g = np.zeros_like(t) if piece.beside is None else numbers_of(golden, piece.beside[tile], pair)
            trial.add(t, g, expected)
            done += t.size
            yield pair.progress(done)
        if trial.agreeing - agreeing < AGREE * (trial.total - total):
            return Trial(pair)
    return trial


def _tiles(shape: Shape) -> Iterator[tuple[slice, ...]]:
    """Yield slices that cover *shape*, of at most CHUNK elements, as square as can be in the long axes."""
    sides = [min(length, _TILE) for length in shape]
    for axis in range(len(sides)):  # the outer ones give way first
        others = prod(sides) // max(sides[axis], 1)
        sides[axis] = max(1, min(sides[axis], CHUNK // max(others, 1)))
    for axis in reversed(range(len(sides))):  # what is left over goes to the inner ones
        others = prod(sides) // max(sides[axis], 1)
        sides[axis] = max(sides[axis], min(shape[axis], CHUNK // max(others, 1)))
    ranges = [range(0, length, side) for length, side in zip(shape, sides)]
    for starts in product(*ranges):
        yield tuple(slice(start, start + side) for start, side in zip(starts, sides))
