"""One side of a pair, or the difference, as a ``.npy`` file that numpy opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, Kind
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.elements.blocks import Area, Box, Reader, Ticker
from core.metrics.elements.differences import signed_differences
from core.metrics.elements.window import integer_difference
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.plane import Plane, Region
from core.progress import Work
from core.store.places import finished_file

_FITS = 2.0**62
"""Differences whose float64 is below this fit into int64."""
_WHOLE = (Kind.INTEGER, Kind.BOOL)


def save_numbers(
    pair: HandlePair,
    side: str,
    path: Path,
    plane: Plane | None = None,
    rectangle: Region | None = None,
) -> Work[None]:
    """Write *side* to *path*, block by block; see :func:`core.metrics.inspection.elements.save_array`.

    Raises
    ------
    InputError
        The side's own problem, ``no_tensor_to_save``, ``no_difference_to_save`` or
        ``array_not_written``.
    """
    handles = _handles(pair, side)
    area = Area(handles[0].shape, plane, rectangle)
    readers = [Reader(handle, area) for handle in handles]
    ticker = Ticker(area.size, Message("progress.saving", {"path": path.name}))
    if len(handles) == 1:
        kind = _numpy_kind(handles[0].stored)
        numbers: Callable[[Box], NDArray[Any]] = readers[0].numbers
    else:
        kind = yield from _kind_of_difference(handles, readers, area, ticker)

        def numbers(box: Box) -> NDArray[Any]:
            sides = (reader.numbers(box) for reader in readers)
            with np.errstate(all="ignore"):
                return integer_difference(*sides) if kind == np.int64 else signed_differences(*sides)

    shape = area.shape if not area.beyond else (area.size - area.beyond,)
    try:
        with finished_file(path) as unfinished, unfinished.open("wb") as stream:
            header = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(stream, header)
            for box in area.boxes():
                stream.write(numbers(box).astype(kind, copy=False).tobytes())
                yield from ticker.progress(box.stop)
    except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
        detail = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem("array_not_written", str(path), {"detail": detail})) from None


def _handles(pair: HandlePair, side: str) -> list[TensorHandle]:
    if side == "difference":
        if pair.both is None:
            raise InputError(Problem("no_difference_to_save", ""))
        return list(pair.both)
    handle = {"target": pair.target, "golden": pair.golden}[side]
    if handle is None:
        raise InputError(Problem("no_tensor_to_save", ""))
    return [handle]


def _numpy_kind(stored: DType) -> np.dtype[Any]:
    """Return the dtype that *stored* is written as: its own, or float32 where numpy has none."""
    return stored.storage if stored.native else np.dtype("<f4")


def _kind_of_difference(
    handles: list[TensorHandle], readers: list[Reader], area: Area, ticker: Ticker
) -> Work[np.dtype[Any]]:
    stored = [handle.stored for handle in handles]
    if any(dtype.kind is Kind.COMPLEX for dtype in stored):
        return np.dtype("<c16")
    if not all(dtype.kind in _WHOLE for dtype in stored):
        return np.dtype("<f8")
    if any(dtype.itemsize == 8 for dtype in stored):
        for box in area.boxes():
            sizes = np.abs(signed_differences(*(reader.numbers(box) for reader in readers)))
            if sizes.max(initial=0.0) >= _FITS:
                return np.dtype("<f8")
            yield from ticker.progress(0)
    return np.dtype("<i8")
