"""Matrix products as a matrix unit adds them up: block after block of K, each rounded once.

The model is the generic one of the literature: the products of a block are exact, they are aligned to the
largest exponent among them and the accumulator, what lies below the last guard bit is cut off, the sum is
an integer one, and only the result is normalised and rounded (Fasi, Higham, Mikaitis and Pranesh, Numerical
behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021; Khattak and Mikaitis, Accurate models of
NVIDIA tensor cores). With the parameters published for six GPUs it gives the bits these GPUs gave; for
Ascend chips guard bits and rounding are not published, so their parameters are assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from core.dtypes import DTYPES, DType
from core.emulation.arithmetic.block_steps import AlignedStep, BlasStep, BlockStep, Closing, ExactStep
from core.emulation.arithmetic.rounding import Array, Rounding

MOST_GUARD_BITS = 20
LARGEST_BLOCK = 256

_TILE = 1 << 16
"""Elements of a tile: float32 accumulators and a block's products stay in the second level cache."""


@dataclass(frozen=True, slots=True)
class BlockFma:
    """How a matrix unit adds up the products along K.

    Attributes
    ----------
    block : int
        Products that are added in one step, 1 to 256.
    guard_bits : int or None
        Bits kept below the 23 fraction bits of the largest addend, 0 to 20; ``None``: all bits. Only for
        ``fused``.
    accumulate : Rounding
        ``NEAREST_EVEN`` or ``TOWARD_ZERO``, of each step's result.
    accumulator : DType
        float32 or float16.
    splits : int
        Parts of K, in whole blocks, that are added up apart; their sums are then added in order, to nearest.
    reverse : bool
        Blocks from the last to the first.
    fused : bool
        The block is added together with the accumulator and rounded once. Otherwise the block is summed in
        float32 by BLAS in an order of its own, and then added.
    """

    block: int = 16
    guard_bits: int | None = None
    accumulate: Rounding = Rounding.NEAREST_EVEN
    accumulator: DType = field(default=DTYPES["float32"])
    splits: int = 1
    reverse: bool = False
    fused: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.block <= LARGEST_BLOCK:
            raise ValueError(f"a block has 1 to {LARGEST_BLOCK} products, not {self.block}")
        if self.guard_bits is not None and not 0 <= self.guard_bits <= MOST_GUARD_BITS:
            raise ValueError(f"0 to {MOST_GUARD_BITS} guard bits, not {self.guard_bits}")
        if self.guard_bits is not None and not self.fused:
            raise ValueError("only a fused block is aligned, so only there do guard bits mean anything")
        if self.accumulate not in (Rounding.NEAREST_EVEN, Rounding.TOWARD_ZERO):
            raise ValueError(f"sums are rounded to nearest even or toward zero, not {self.accumulate}")
        if self.accumulator.name not in ("float32", "float16"):
            raise ValueError(f"sums are kept in float32 or float16, not {self.accumulator.name}")
        if self.splits < 1:
            raise ValueError(f"K has at least one part, not {self.splits}")


def multiply(a: Array, b: Array, parameters: BlockFma, start: Array | None = None) -> Array:
    """Multiply matrices, adding up the products as *parameters* say.

    Parameters
    ----------
    a : float array (..., M, K)
    b : float array (..., K, N)
        Numbers of any format of at most float32's range and 24 bits; batches broadcast as numpy's.
    parameters : BlockFma
        Fused: the result is exact to them, bit for bit. Not fused: each block's sum has the rounding errors
        of a float32 product of BLAS, in less than twice its time. For N(0, 1) numbers of float16, K = 1024
        and blocks of 16, a fifth of the results then have the bits of the fused ones, and 99.9 % once both
        are rounded to float16 (``benchmarks/emulation.py`` prints shares and speeds).
    start : array that broadcasts to (..., M, N), optional
        What the accumulators hold at first, numbers of their format; 0 if not given.

    Returns
    -------
    Array
        float32, (..., M, N), numbers of the accumulator's format. Beyond its range they are infinite, in
        every rounding; infinity times 0 and infinity less infinity are NaN. Special values of a row of *a*
        or a column of *b* reach no other row or column.

    Raises
    ------
    ValueError
        If shapes do not fit, or an operand is no number of float32.
    """
    a, b = _float32(a), _float32(b)
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{a.shape} and {b.shape} are no matrices that can be multiplied")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    if start is not None:
        start = np.broadcast_to(_float32(start), shape)
    count = math.prod(batch)
    if b.size == math.prod(b.shape[-2:]):  # one right operand for all: the batch is rows
        a = np.broadcast_to(a, (*batch, *a.shape[-2:])).reshape(1, count * a.shape[-2], a.shape[-1])
        b = b.reshape(1, *b.shape[-2:])
    else:
        a = np.broadcast_to(a, (*batch, *a.shape[-2:])).reshape(count, *a.shape[-2:])
        b = np.broadcast_to(b, (*batch, *b.shape[-2:])).reshape(count, *b.shape[-2:])
    result = np.zeros((a.shape[0], a.shape[1], b.shape[2]), np.float32)
    if start is not None:
        result[...] = start.reshape(result.shape)
    if result.size and a.shape[-1]:
        with np.errstate(all="ignore"):
            _accumulate(a, b, parameters, result)
    return result.reshape(shape)


def _float32(values: Array) -> Array:
    values = np.asarray(values)
    if values.dtype == np.float32:
        return values
    with np.errstate(all="ignore"):
        narrow = values.astype(np.float32)
    if values.dtype != np.float16 and not np.array_equal(narrow, values, equal_nan=True):
        raise ValueError("an operand holds numbers that float32 does not have")
    return narrow


def _accumulate(a: Array, b: Array, parameters: BlockFma, result: Array) -> None:
    """Add the products to *result*, tile by tile."""
    closing = Closing(parameters.accumulator, parameters.accumulate)
    parts = _parts(a.shape[-1], parameters)
    if parameters.fused:
        a, b = a.astype(np.float64), b.astype(np.float64)
    for stack, rows, columns in _tiles(result.shape):
        left, right = a[stack, rows], b[stack, :, columns]
        step = _step(left, right, parameters, closing)
        result[stack, rows, columns] = _tile(step, result[stack, rows, columns], parts, closing)


def _tile(step: BlockStep, start: Array, parts: list[list[slice]], closing: Closing) -> Array:
    """Return one tile of the product: the parts of K, then their sum."""
    total: Array | None = None
    for part in parts:
        sums = start.astype(step.holder) if total is None else np.zeros(start.shape, step.holder)
        step.begin(sums)
        for block in part:
            sums = step.add(sums, block)
        total = sums if total is None else closing.combine(total, sums)
    return start if total is None else total


def _step(a: Array, b: Array, parameters: BlockFma, closing: Closing) -> BlockStep:
    if not parameters.fused:
        return BlasStep(a, b, closing)
    if parameters.guard_bits is None:
        return ExactStep(a, b, closing)
    return AlignedStep(a, b, closing, 23 + parameters.guard_bits)


def _parts(length: int, parameters: BlockFma) -> list[list[slice]]:
    """Return the blocks of each part of K, in the order in which they are added."""
    blocks = [slice(k, min(k + parameters.block, length)) for k in range(0, length, parameters.block)]
    share = -(-len(blocks) // parameters.splits)
    parts = [blocks[first : first + share] for first in range(0, len(blocks), share)]
    return [part[::-1] for part in parts] if parameters.reverse else parts


def _tiles(shape: tuple[int, ...]) -> Iterator[tuple[slice, slice, slice]]:
    """Cut (stack, M, N) into tiles of at most `_TILE` elements, as wide as can be."""
    stack, rows, columns = shape
    width = min(columns, _TILE // 64)
    height = min(rows, _TILE // width)
    depth = min(stack, _TILE // (width * height))
    for first in range(0, stack, depth):
        for top in range(0, rows, height):
            for left in range(0, columns, width):
                yield slice(first, first + depth), slice(top, top + height), slice(left, left + width)
