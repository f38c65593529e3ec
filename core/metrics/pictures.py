"""Pictures of tensors: every pixel keeps the value of largest magnitude of its block, at any size.

A single outlier or NaN stays visible however far one is zoomed out. Tiles are reduced straight from the
mapped bytes, so memory does not grow with the tensor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, Kind
from core.formats.tensors.handle import TensorHandle
from core.metrics.extremes import MINUS_INF, NAN, OUTSIDE, PLUS_INF
from core.metrics.halves import float32_of
from core.metrics.plane import Plane, Region, take
from core.metrics.reduction import Picture, Reduction, Tile
from core.metrics.shapes import comparable

__all__ = ["MINUS_INF", "NAN", "OUTSIDE", "PLUS_INF", "Picture", "difference_picture", "picture"]


def picture(
    handle: TensorHandle, plane: Plane, region: Region | None, max_pixels: tuple[int, int]
) -> Picture:
    """Return *region* (``None``: all) of a tensor's *plane* in at most *max_pixels* (rows, columns).

    Complex numbers are shown by their magnitude.

    Raises
    ------
    ValueError
        If the plane does not exist in the tensor.
    """
    if not plane.fits(handle.shape):
        raise ValueError(f"no plane {plane} in shape {handle.shape}")
    view = plane.view(handle.bits())
    area = _area(region, plane.size(handle.shape))
    if handle.plain and view.dtype.isnative and handle.stored.kind is not Kind.COMPLEX:
        return _reduce(lambda part: take(view, part), handle.stored, area, max_pixels, _turned(view))

    def numbers(part: Region) -> tuple[NDArray[Any], int]:
        bits, fill = take(view, part)
        values = handle.numbers(bits)
        return np.abs(values) if values.dtype.kind == "c" else values, fill

    dtype = handle.stored
    if dtype.kind is Kind.COMPLEX:
        dtype = DTYPES["float32" if dtype.name == "complex64" else "float64"]
    elif not dtype.native:
        dtype = DTYPES["float32"]
    return _reduce(numbers, dtype, area, max_pixels, _turned(view))


def difference_picture(
    target: TensorHandle,
    golden: TensorHandle,
    plane: Plane,
    region: Region | None,
    max_pixels: tuple[int, int],
) -> Picture:
    """Return the picture of target − golden; *plane* is one of the target's.

    A difference is special where either side is and they are not the same; equal special values differ
    by 0. Formats up to float32 are subtracted in float32, others in float64; of complex numbers the
    magnitude of the difference is shown.

    Raises
    ------
    ValueError
        If the plane does not exist, or the shapes differ by more than dimensions of size 1.
    """
    if not plane.fits(target.shape) or not comparable(target.shape, golden.shape):
        raise ValueError(f"no common plane {plane} in {target.shape} and {golden.shape}")
    view_t = plane.view(target.bits())
    view_g = plane.view(golden.bits().reshape(target.shape))
    narrow = all(_narrow(side.stored) for side in (target, golden))
    kind = np.dtype(np.float32) if narrow else np.dtype(np.float64)
    same = target.plain and golden.plain and target.stored is golden.stored

    def difference(part: Region) -> tuple[NDArray[Any], int]:
        (bits_t, fill), (bits_g, _) = take(view_t, part), take(view_g, part)
        if same and np.array_equal(bits_t.view(_word(bits_t)), bits_g.view(_word(bits_g))):
            return np.zeros(bits_t.shape, kind), fill
        t, g = float32_of(target.numbers(bits_t)), float32_of(golden.numbers(bits_g))
        return _subtract(t, g, kind), fill

    with np.errstate(all="ignore"):
        area = _area(region, plane.size(target.shape))
        return _reduce(difference, DTYPES[kind.name], area, max_pixels, _turned(view_t))


def _narrow(dtype: DType) -> bool:
    small_integer = dtype.kind in (Kind.INTEGER, Kind.BOOL) and dtype.itemsize <= 2
    return small_integer or (dtype.kind is Kind.FLOAT and dtype.itemsize <= 4)


def _word(bits: NDArray[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{bits.dtype.itemsize}") if bits.dtype.itemsize <= 8 else bits.dtype


def _subtract(t: NDArray[Any], g: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    if t.dtype.kind == "c" or g.dtype.kind == "c":
        difference = np.abs(t.astype(np.complex128) - g.astype(np.complex128))
    elif {t.dtype.kind, g.dtype.kind} <= set("iu") and t.dtype.itemsize == g.dtype.itemsize == 8:
        # Neighbours beyond 2**53 must not look equal; longdouble holds 64 bits where the platform has it.
        difference = (t.astype(np.longdouble) - g.astype(np.longdouble)).astype(np.float64)
    else:
        difference = np.subtract(t.astype(kind, copy=False), g.astype(kind, copy=False))
    special = ~np.isfinite(difference)
    if special.any():
        same = special & ((t == g) | ((t != t) & (g != g)))
        difference[same] = 0
    return difference.astype(kind, copy=False)


def _turned(view: NDArray[Any]) -> bool:
    """Return whether columns lie closer in memory than rows do: then tiles are read the other way."""
    return view.ndim == 2 and abs(view.strides[0]) < abs(view.strides[1])


def _area(region: Region | None, size: tuple[int, int]) -> Region:
    return (region or Region(0, size[0], 0, size[1])).clipped(*size)


def _reduce(tile: Tile, dtype: DType, area: Region, max_pixels: tuple[int, int], turned: bool) -> Picture:
    """Reduce *area*; *turned* swaps rows and columns while reading, for the order in memory."""
    if not turned:
        return Reduction(tile, dtype, area, max_pixels).run()

    def other_way(part: Region) -> tuple[NDArray[Any], int]:
        bits, fill = tile(Region(part.left, part.right, part.top, part.bottom))
        return bits.T, fill

    swapped = Region(area.left, area.right, area.top, area.bottom)
    made = Reduction(other_way, dtype, swapped, max_pixels[::-1]).run()
    return replace(
        made,
        values=np.ascontiguousarray(made.values.T),
        classes=np.ascontiguousarray(made.classes.T),
        region=area,
        block=made.block[::-1],
    )
