"""Pairs of tensors of any dtype, rank and layout, for tests of what looks at their elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.inspection.sources import PairSources

_NUMPY = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
LAYOUTS = ("plain", "transposed", "strided", "big")


class Given:
    """A source that gives a tensor made beforehand; each one is itself only."""

    def __init__(self, handle: TensorHandle) -> None:
        self.handle = handle

    def open(self) -> TensorHandle:
        return self.handle


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return the numpy or ml_dtypes dtype of a format."""
    return np.dtype(_NUMPY.get(name, DTYPES[name].storage))


def handle_of(array: np.ndarray, layout: str = "plain") -> TensorHandle:
    """Return *array* as a tensor whose bits lie in memory as *layout* says."""
    dtype = DTYPES[array.dtype.name]
    bits = np.asarray(array.view(dtype.storage) if not dtype.native else array)
    if layout == "transposed" and bits.ndim:
        bits = np.ascontiguousarray(bits.T).T
    elif layout == "strided" and bits.ndim:
        room = np.zeros((*bits.shape[:-1], 2 * bits.shape[-1] + 1), bits.dtype)
        view = room[..., 1::2] if bits.shape[-1] else room[..., :0]
        view[...] = bits
        bits = view
    elif layout == "big":
        bits = bits.astype(bits.dtype.newbyteorder(">"))
    return TensorHandle(np.asarray(bits).view(), dtype)


def sources_of(target: TensorHandle | None, golden: TensorHandle | None) -> PairSources:
    """Return both as a pair that the inspection opens."""
    return PairSources(
        Given(target) if target is not None else None, Given(golden) if golden is not None else None
    )


def wide(array: np.ndarray) -> np.ndarray:
    """Return *array* as float64, complex128, or as it is where it is exact."""
    if array.dtype.kind in "iub":
        return array
    with np.errstate(invalid="ignore"):
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def numbers(random: np.random.Generator, shape: tuple[int, ...], name: str, scale: int) -> np.ndarray:
    """Return random numbers of a format, special ones, zeros, subnormals and extremes among them."""
    dtype = DTYPES[name]
    kind = numpy_dtype(name)
    if dtype.kind.value in ("integer", "bool"):
        if kind == np.bool_:
            return np.asarray(random.integers(0, 2, shape), bool)
        info = np.iinfo(kind)
        low, high = (max(info.min, -5), min(info.max, 9)) if scale < 2 else (info.min, info.max)
        return np.asarray(random.integers(low, high, shape, dtype=kind, endpoint=True))
    if scale == 3:  # any bits
        words = random.integers(0, 256, (*shape, kind.itemsize), dtype=np.uint8)
        return words.view(kind).reshape(shape)
    values = np.asarray(random.standard_normal(shape) * 10.0 ** (scale - 1))
    if kind.kind == "c":
        values = values + 1j * random.standard_normal(shape)
    made = np.asarray(values.astype(kind))
    flat = made.reshape(-1)
    if scale and flat.size:
        tiny = dtype.smallest_subnormal
        special = [np.nan, 0.0, -0.0, tiny, -tiny, dtype.maximum, -dtype.maximum, 1.0, 2.0, -1.0]
        if name != "float8_e4m3fn":
            special += [np.inf, -np.inf]
        for value in special:
            if random.random() < 0.4:
                flat[random.integers(flat.size)] = kind.type(value)
    return made


@st.composite
def pairs(draw: st.DrawFn, names: tuple[str, ...] = tuple(DTYPES)) -> tuple[np.ndarray, np.ndarray, str, str]:
    """Draw target, golden and their layouts."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=5)))
    if draw(st.booleans()):
        shape = tuple(size or 1 for size in shape)
    first, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    second = first if draw(st.booleans()) else other
    scale = draw(st.integers(0, 3))
    target = numbers(random, shape, first, scale)
    golden = numbers(random, shape, second, scale)
    if first == second and draw(st.booleans()):
        golden = np.where(random.random(shape) < 0.7, target, golden).astype(target.dtype)
    return target, golden, draw(st.sampled_from(LAYOUTS)), draw(st.sampled_from(LAYOUTS))
