"""Pairs of different shapes that hold the same elements: reshaped, transposed, or both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.patterns.arrangement import Bits
from core.metrics.patterns.limits import AGREE, BITS, CHUNK, FIRST_PROBES, LOOSE, PROBES
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Pattern, PatternName
from core.metrics.patterns.transposes import ALL_ORDERS, orders
from core.metrics.patterns.trial import Trial, chance_of
from core.metrics.pictures.plane import Shape
from core.metrics.shapes import without_ones
from core.progress import Work


def find_other_shape(target: TensorHandle, golden: TensorHandle) -> Work[list[Pattern]]:
    """Return how the golden's elements lie in the target's other shape, where both have as many of them."""
    shapes = without_ones(target.shape), without_ones(golden.shape)
    if target.size != golden.size or not target.size:
        return []
    left, right = (handle.reshaped(shape) for handle, shape in zip((target, golden), shapes))
    for pair in (Pair(left, right), Pair(left, right, relative=LOOSE)):
        found = yield from _search(pair, shapes)
        # Where nothing can be compared element by element, noise of its own cannot be measured first.
        if found or pair.exact:
            return found
    return []


def _search(pair: Pair, shapes: tuple[Shape, Shape]) -> Work[list[Pattern]]:
    left, right = pair.target, pair.golden
    here, beside = (_Turned(handle, tuple(range(len(handle.shape)))) for handle in (left, right))
    random = np.random.default_rng(left.size)
    at = np.sort(random.integers(0, left.size, PROBES)) if left.size > PROBES else np.arange(left.size)
    t = here.at(at, pair.sample.t.dtype)
    chance = chance_of(pair, t, beside.at(at, pair.sample.t.dtype))
    middle = np.median(t[np.isfinite(t)].real) if np.isfinite(t).any() else 0.0
    plain: list[tuple[int, ...]] = [tuple(range(len(shapes[1])))]
    tried = [*plain, *orders(len(shapes[1]))] if len(shapes[1]) <= ALL_ORDERS else plain
    for order in tried:
        turned = _Turned(right, order)
        first = _trial(pair, t[:FIRST_PROBES], turned.at(at[:FIRST_PROBES], t.dtype))
        if not _holds(first) or not _holds(_trial(pair, t, turned.at(at, t.dtype))):
            continue
        whole = Trial(pair)
        for start, stop, expected in turned.chunks():
            values = left.flat(start, stop).astype(pair.working)
            whole.add(values, np.full_like(values, middle), expected.astype(pair.working))
            yield pair.progress(stop)
        proven = chance < 1.0 and whole.agreeing * -np.log2(chance) >= BITS
        # Noise of any size must be far below the spread of the values.
        if _holds(whole) and proven and (pair.relative < LOOSE or whole.convincing(chance)):
            return [_told(order, shapes)]
    return []


class _Turned:
    """A tensor with its axes in another order, read flat."""

    def __init__(self, handle: TensorHandle, order: tuple[int, ...]) -> None:
        self._handle = handle
        self._bits: Bits = handle.bits().transpose(order)

    def at(self, flat: NDArray[np.int64], dtype: np.dtype[np.generic]) -> Values:
        """Return the elements with the numbers *flat* in C order."""
        index = np.unravel_index(flat, self._bits.shape)
        return self._handle.numbers(np.asarray(self._bits[index])).astype(dtype)

    def chunks(self) -> Iterator[tuple[int, int, Values]]:
        """Yield start, stop and elements in C order."""
        view = TensorHandle(self._bits.view(), self._handle.stored)
        for start in range(0, view.size, CHUNK):
            stop = min(start + CHUNK, view.size)
            yield start, stop, self._handle.numbers(view.flat_bits(start, stop))


def _trial(pair: Pair, t: Values, expected: Values) -> Trial:
    trial = Trial(pair)
    trial.add(t, t, expected)
    return trial


def _holds(trial: Trial) -> bool:
    return trial.total > 0 and trial.agreeing >= AGREE * trial.total


def _told(order: tuple[int, ...], shapes: tuple[Shape, Shape]) -> Pattern:
    words = [f"[{', '.join(map(str, shape))}]" for shape in shapes]
    numbers = {"target_shape": list(shapes[0]), "golden_shape": list(shapes[1])}
    parameters = {"target": words[0], "golden": words[1]}
    if order == tuple(range(len(order))):
        return Pattern(PatternName.RESHAPE, Message("pattern.reshape", parameters), numbers)
    turned = tuple(shapes[1][axis] for axis in order)
    kind = "turned" if turned == shapes[0] else "reshaped"
    message = Message(f"pattern.transpose.{kind}", {**parameters, "axes": ", ".join(map(str, order))})
    return Pattern(PatternName.TRANSPOSE, message, {**numbers, "axes": list(order)})
