"""Two tensors of one shape as the search for patterns sees them: blocks, a sample, and what is noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind, coarser
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.halves import float32_of
from core.metrics.noise import NoiseTable, shipped_noise
from core.metrics.patterns.limits import CHUNK, LOOSE, MOST_NOISE, OWN_NOISE, SAMPLE
from core.metrics.pictures.plane import Shape
from core.progress import Progress

Values = NDArray[Any]


class Block(NamedTuple):
    """Rows *top* to *bottom* and columns *left* to *right* of the matrix of all elements."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Even pieces of both tensors, all of them where they are small.

    *flat* int64[n] indices in C order, ascending; *t* and *g* float64[n] (complex128 of complex tensors).
    """

    flat: NDArray[np.int64]
    t: Values
    g: Values

    def finite(self) -> tuple[NDArray[np.int64], Values, Values]:
        """Return indices and values where both sides are finite."""
        keep = np.isfinite(self.t) & np.isfinite(self.g)
        return self.flat[keep], self.t[keep], self.g[keep]


class Pair:
    """A pair of equal shape, at least one element."""

    def __init__(
        self,
        target: TensorHandle,
        golden: TensorHandle,
        noise: NoiseTable | None = None,
        relative: float | None = None,
    ) -> None:
        self.target, self.golden = target, golden
        self.shape: Shape = target.shape
        self.size = target.size
        self.columns = self.shape[-1] if self.shape else 1
        self.rows = self.size // self.columns
        self.noise = noise or shipped_noise()
        self._relative = relative
        kinds = {target.dtype.kind, golden.dtype.kind}
        self.exact = kinds <= {Kind.INTEGER, Kind.BOOL}
        self.complex = Kind.COMPLEX in kinds
        halves = max(target.stored.itemsize, golden.stored.itemsize) <= 2 and not self.exact
        self.working: np.dtype[Any] = np.dtype("c16" if self.complex else "f4" if halves else "f8")

    @property
    def axes(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def raw(self, start: int, stop: int) -> tuple[Values, Values]:
        """Return elements *start* to *stop* of both sides in their own formats (16-bit ones as float32)."""
        return float32_of(self.target.flat(start, stop)), float32_of(self.golden.flat(start, stop))

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks that make up the matrix, of at most CHUNK elements each, in C order."""
        if self.columns >= CHUNK:
            for row in range(self.rows):
                for left in range(0, self.columns, CHUNK):
                    yield Block(row, row + 1, left, min(left + CHUNK, self.columns))
            return
        height = max(CHUNK // self.columns, 1)
        for top in range(0, self.rows, height):
            yield Block(top, min(top + height, self.rows), 0, self.columns)

    def block(self, block: Block) -> tuple[Values, Values]:
        """Return both sides of *block*, of equal shape (rows, columns), see :meth:`raw`."""
        start = block.top * self.columns + block.left
        stop = (block.bottom - 1) * self.columns + block.right
        t, g = self.raw(start, stop)
        shape = (block.bottom - block.top, block.right - block.left)
        return t.reshape(shape), g.reshape(shape)

    def progress(self, done: int) -> Progress:
        """Return how far a pass over all elements is."""
        return Progress(done, self.size, Message("progress.patterns"))

    @cached_property
    def sample(self) -> Sample:
        """Even whole rows, or pieces of rows where they are long."""
        pieces = list(self._pieces())
        flat = np.concatenate([np.arange(start, stop, dtype=np.int64) for start, stop in pieces])
        loaded = [self.raw(start, stop) for start, stop in pieces]
        wide = np.complex128 if self.complex else np.float64
        t, g = (np.concatenate([side[at] for side in loaded]).astype(wide) for at in (0, 1))
        return Sample(flat, t, g)

    def _pieces(self) -> Iterator[tuple[int, int]]:
        if self.size <= SAMPLE:
            yield 0, self.size
            return
        length = min(self.columns, SAMPLE // 16)
        number = self.size // length
        wanted = max(SAMPLE // length, 1)
        for index in range(min(wanted, number)):
            piece = (2 * index + 1) * number // (2 * min(wanted, number))
            yield piece * length, (piece + 1) * length

    @cached_property
    def scale(self) -> float:
        """Typical magnitude of the golden, and of the target where the golden is all zero.

        Root mean square, unless a few elements make it: then eight times the median.
        """
        _, t, g = self.sample.finite()
        for side in (g, t):
            size = np.abs(side[side != 0])
            if size.size:
                largest = float(size.max())
                root = largest * float(np.sqrt(np.mean((size / largest) ** 2)))
                return min(root, 8.0 * float(np.median(size)))
        return 0.0

    @cached_property
    def relative(self) -> float:
        """Relative error that is noise: as given, else half of what a verdict allows the coarser format."""
        if self._relative is not None:
            return self._relative
        if self.exact:
            return 0.0
        dtype = coarser(self.target.dtype, self.golden.dtype)
        if bool(self.target.dtype.precision) != bool(self.golden.dtype.precision):
            return dtype.unit_roundoff
        return 0.5 * self.noise.allowed_relative_l2(dtype) or 16.0 * dtype.unit_roundoff

    @cached_property
    def floor(self) -> float:
        """Absolute error that rounding leaves near zero."""
        return max(self.target.dtype.smallest_subnormal, self.golden.dtype.smallest_subnormal)

    def tolerance(self, values: Values, factor: float | Values = 1.0) -> Values:
        """Return the differences from expected *values* that are noise; *factor* scales the golden's size."""
        if self.exact:
            return np.zeros(values.shape)
        sizes: Values = np.abs(values)
        sizes = sizes + np.asarray(self.scale * factor, sizes.dtype)
        sizes *= sizes.dtype.type(self.relative)
        sizes += sizes.dtype.type(self.floor)
        return sizes

    def noisier(self) -> Pair | None:
        """Return the pair judged by noise of its own, where that is larger than what the formats explain.

        Half of the elements or more must show it. Where they differ by more than noise, some is allowed for.
        """
        _, t, g = self.sample.finite()
        if self.exact or not self.scale or not t.size:
            return None
        own = OWN_NOISE * float(np.median(np.abs(t - g) / (np.abs(g) + self.scale)))
        level = own if own <= MOST_NOISE else LOOSE
        return Pair(self.target, self.golden, self.noise, level) if level > self.relative else None

    def place(self, flat: int) -> tuple[int, ...]:
        """Return the index of the element with number *flat* in C order."""
        return tuple(int(at) for at in np.unravel_index(flat, self.shape)) if self.shape else ()

    def length(self, axis: int) -> int:
        """Return how many elements a slice at one index of *axis* has."""
        return prod(self.shape) // self.shape[axis]
