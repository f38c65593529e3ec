"""Small parts of a plane as exact numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.metrics.elements.differences import signed_differences
from core.metrics.elements.records import ValueWindow
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.chunked_sheet import sheet_of
from core.metrics.pictures.plane import Plane, Region, Shape

_FITS = 2.0**62
"""Differences whose float64 is below this fit into int64."""


def exact_window(pair: HandlePair, plane: Plane, region: Region) -> ValueWindow:
    """Return the numbers of *region*, cut at the plane's edges; empty where the pair has no such plane."""
    shape = pair.shape
    if shape is None or not plane.fits(shape):
        empty = range(0)
        return ValueWindow(empty, empty, None, None, None, np.zeros((0, 0), np.bool_))
    area = region.clipped(*plane.size(shape))
    rows, columns = range(area.top, area.bottom), range(area.left, area.right)
    inside = np.ones((len(rows), len(columns)), np.bool_)
    fold = plane.fold(shape)
    if fold:
        inside = np.add.outer(np.array(rows, np.int64) * fold, np.array(columns, np.int64)) < shape[0]
    target = _numbers(pair.target, plane, area) if pair.target is not None else None
    golden, golden_inside = None, None
    if pair.golden is not None and pair.golden.shape == shape:
        golden = _numbers(pair.golden, plane, area)
    elif pair.golden is not None:
        golden, golden_inside = _same_indices(pair.golden, shape, plane, area)
    names = [
        handle.dtype.name if handle is not None and side is not None else ""
        for handle, side in zip((pair.target, pair.golden), (target, golden))
    ]
    difference = None
    if target is not None and golden is not None and golden_inside is None:
        difference = exact_difference(target, golden)
    return ValueWindow(rows, columns, target, golden, difference, inside, names[0], names[1], golden_inside)


def _numbers(handle: TensorHandle, plane: Plane, area: Region) -> NDArray[Any]:
    bits, _ = sheet_of(handle, plane).take(area)
    return np.array(handle.numbers(bits))


def _same_indices(
    handle: TensorHandle, shape: Shape, plane: Plane, area: Region
) -> tuple[NDArray[Any] | None, NDArray[np.bool_] | None]:
    """Return the elements of *handle* whose indices *area* of a tensor of *shape* shows, and where they are.

    ``None`` where the two have no indices in common, as of another rank.
    """
    rows, columns = range(area.top, area.bottom), range(area.left, area.right)
    if len(handle.shape) != len(shape) or not handle.size or not rows or not columns:
        return None, None
    index: list[NDArray[Any]]
    if fold := plane.fold(shape):
        index = [np.add.outer(np.array(rows, np.int64) * fold, np.array(columns, np.int64))]
    else:
        down = np.array([plane.index(shape, row, columns[0]) for row in rows], np.int64)
        across = np.array([plane.index(shape, rows[0], column) for column in columns], np.int64)
        index = [
            across[None, :, axis] if axis in plane.columns else down[:, None, axis]
            for axis in range(len(shape))
        ]
    every = np.broadcast_arrays(*index, np.zeros((len(rows), len(columns)), np.int64))[:-1]
    there = np.logical_and.reduce([at < min(sizes) for at, *sizes in zip(every, handle.shape, shape)])
    known = np.asarray(handle.read(tuple(at[there] for at in every)))
    found = np.zeros(there.shape, known.dtype)
    found[there] = known
    return found, there


def exact_difference(target: NDArray[Any], golden: NDArray[Any]) -> NDArray[Any]:
    """Return target − golden: of integers int64, or Python's integers; else float64 or complex128."""
    rounded = signed_differences(target, golden)
    if not {target.dtype.kind, golden.dtype.kind} <= set("iub"):
        return rounded
    if np.abs(rounded).max(initial=0.0) < _FITS:
        return integer_difference(target, golden)
    made: NDArray[Any] = target.astype(object) - golden.astype(object)
    return made


def integer_difference(target: NDArray[Any], golden: NDArray[Any]) -> NDArray[np.int64]:
    """Return target − golden of integers or booleans, which must fit into int64."""
    t, g = (
        side.astype(np.int64) if side.dtype.kind != "u" else side.astype(np.uint64)
        for side in (target, golden)
    )
    return np.asarray((t.view(np.uint64) - g.view(np.uint64)).view(np.int64))
