"""A device's numbers beside the bench's, in pieces small enough to hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, Kind
from core.emulation.standards.numbers import Variant, numbers_of

Array = NDArray[Any]
Float64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

CHUNK = 1 << 20
"""Elements that are worked on at once: a dozen float64 temporaries of 8 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A stretch of both tensors, flat.

    ``rounded`` is the bench in the format that holds the device's numbers in the tool: float16 for
    float16, float32 for bfloat16 and the eight-bit formats. What that format cannot hold is infinite.
    """

    device: Float64
    bench: Float64
    rounded: Float64
    absolute: Float64
    relative: Float64
    finite: Mask


def container_of(dtype: DType) -> np.dtype[Any]:
    """Return the numpy format in which the tool holds numbers of *dtype*."""
    return dtype.storage if dtype.native else np.dtype(np.float32)


def require_pair(device: Array, bench: Array, dtype: DType) -> None:
    """Check that two tensors may be compared.

    Raises
    ------
    ValueError
        If the shapes differ, or for a complex format, which the tool's standards do not cover.
    """
    if device.shape != bench.shape:
        raise ValueError(f"shapes {device.shape} and {bench.shape}")
    if dtype.kind is Kind.COMPLEX:
        raise ValueError(f"no standard for {dtype.name}")


def pieces(device: Array, bench: Array, dtype: DType, variant: Variant) -> Iterator[Piece]:
    """Yield the pair piece by piece; warnings about special values are the caller's to silence."""
    flat_device, flat_bench = np.ravel(device), np.ravel(bench)
    epsilon = numbers_of(dtype, variant).relative_epsilon
    container = container_of(dtype)
    for start in range(0, flat_device.size, CHUNK):
        d = flat_device[start : start + CHUNK].astype(np.float64)
        b = flat_bench[start : start + CHUNK].astype(np.float64)
        rounded = b.astype(container).astype(np.float64)
        absolute = np.abs(d - b)
        relative = absolute / (np.abs(b) + epsilon)
        yield Piece(d, b, rounded, absolute, relative, np.isfinite(d) & np.isfinite(rounded))


def special_errors(piece: Piece, dtype: DType, tolerance: float, variant: Variant) -> Mask:
    """Return where NaN and infinities of the two do not agree, among elements that are not finite.

    Both are clipped to the range of the format; they agree if the rest is within *tolerance* of the bench,
    or both are NaN. The code divides by the bench as it was: beside an infinite one, every finite device
    whose distance the format holds is taken to agree. The guide's words ask for the infinity.
    """
    container = container_of(dtype).type
    limit = dtype.maximum if dtype.itemsize > 1 else float(np.finfo(container).max)
    device = np.clip(piece.device, -limit, limit)
    bench = np.clip(piece.rounded, -limit, limit)
    distance = np.abs(device - bench)
    size = np.abs(piece.bench)
    if variant is Variant.CODE:
        distance = distance.astype(container).astype(np.float64)
    else:
        size = np.minimum(size, limit)
    agrees = distance / (size + numbers_of(dtype, variant).relative_epsilon) <= tolerance
    agrees |= np.isnan(piece.device) & np.isnan(piece.rounded)
    return ~agrees & ~piece.finite
