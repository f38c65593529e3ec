"""Pictures of the selected pair of tensors; these functions run in the service process. Imports no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from core.errors import InputError, Problem
from core.messages import Message
from core.records.dump import Dump, SlotKind
from gui.models.call.details import pool_text

if TYPE_CHECKING:
    from core.formats.tensors.handle import TensorHandle
    from core.metrics.pictures import Picture
    from core.metrics.plane import Plane

_OPEN_HANDLES = 8


@dataclass(frozen=True)
class Source:
    """Where one side's tensor lies, and what its file was when the dump was read."""

    folder: str
    file: str
    dtype: str
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class Question:
    """What to draw. ``fixed`` is an index for every axis, of which the last two are shown."""

    target: Source | None
    golden: Source | None
    fixed: tuple[int, ...]
    region: tuple[int, int, int, int] | None
    """Rows from, to, columns from, to; ``None`` shows the whole plane."""
    pixels: tuple[int, int]


@dataclass(frozen=True)
class Answer:
    """The pictures there are, and why the others are missing."""

    question: Question
    target: Picture | None
    golden: Picture | None
    difference: Picture | None
    shape: tuple[int, ...]
    plane: tuple[int, int]
    """Rows and columns of the whole plane."""
    fixed: tuple[int, ...]
    problems: tuple[Problem, ...] = ()
    no_difference: Message | None = None


@dataclass(frozen=True)
class Values:
    """One element on both sides; NaN where a side has none."""

    index: tuple[int, ...]
    target: float | None
    golden: float | None
    difference: float | None
    ulps: float | None
    """Distance in units of the coarser dtype's last place at the golden's magnitude."""


def source_of(dump: Dump, slot: int) -> Source | None:
    """Return where the tensor in row *slot* of *dump* lies; ``None`` when the dump has no bytes of it."""
    if slot < 0 or dump.slots.kind[slot] != SlotKind.TENSOR or dump.slots.file_size[slot] < 0:
        return None
    return Source(
        dump.data_dir,
        pool_text(dump.strings, int(dump.slots.file[slot])),
        pool_text(dump.strings, int(dump.slots.dtype[slot])),
        int(dump.slots.file_size[slot]),
        int(dump.slots.file_mtime_ns[slot]),
    )


@lru_cache(maxsize=_OPEN_HANDLES)
def _open(source: Source) -> TensorHandle:
    from core.store.tensor_bytes import TensorPlace

    return TensorPlace(source.folder, source.file, source.dtype, source.size, source.mtime_ns).open()


def draw(question: Question) -> Answer:
    """Return the pictures that *question* asks for."""
    from core.metrics.pictures import difference_picture, picture
    from core.metrics.plane import Region

    handles: list[TensorHandle | None] = []
    problems = []
    for source in (question.target, question.golden):
        try:
            handles.append(_open(source) if source is not None else None)
        except InputError as error:
            handles.append(None)
            problems.append(error.problem)
    first = handles[0] or handles[1]
    if first is None:
        return Answer(question, None, None, None, (), (0, 0), (), tuple(problems))
    plane, fixed = _plane(first.shape, question.fixed)
    region = Region(*question.region) if question.region is not None else None
    shown: list[Picture | None] = []
    for handle in handles:
        if handle is None:
            shown.append(None)
        elif handle.shape == first.shape:
            shown.append(picture(handle, plane, region, question.pixels))
        else:
            own, _ = _plane(handle.shape, question.fixed)
            shown.append(picture(handle, own, None, question.pixels))
    difference, why_not = None, None
    target, golden = handles
    if target is not None and golden is not None:
        if target.size == golden.size and _without_ones(target.shape) == _without_ones(golden.shape):
            difference = difference_picture(target, golden, plane, region, question.pixels)
        else:
            why_not = Message(
                "gui.tensors.shapes_differ",
                {"target": _label(target.shape), "golden": _label(golden.shape)},
            )
    return Answer(
        question, shown[0], shown[1], difference, first.shape, plane.size(first.shape), fixed,
        tuple(problems), why_not,
    )  # fmt: skip


def value_at(question: Question, row: int, column: int) -> Values | None:
    """Return the element at *row*, *column* of the plane that *question* shows, on both sides."""
    handles: list[TensorHandle | None] = []
    for source in (question.target, question.golden):
        try:
            handles.append(_open(source) if source is not None else None)
        except InputError:
            handles.append(None)
    first = handles[0] or handles[1]
    if first is None:
        return None
    plane, _ = _plane(first.shape, question.fixed)
    rows, columns = plane.size(first.shape)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    index = plane.index(first.shape, row, column)
    if index is None:
        return None
    found = [_element(handle, first.shape, index) for handle in handles]
    target, golden = found
    if target is None or golden is None:
        return Values(index, target, golden, None, None)
    with np.errstate(all="ignore"):
        difference = float(np.float64(target) - np.float64(golden))
    return Values(index, target, golden, difference, _ulps(handles, golden, difference))


def _element(handle: TensorHandle | None, shape: tuple[int, ...], index: tuple[int, ...]) -> float | None:
    if handle is None:
        return None
    if handle.shape != shape:
        if handle.size != math.prod(shape):
            return None
        flat = int(np.ravel_multi_index(index, shape)) if shape else 0
        index = tuple(int(at) for at in np.unravel_index(flat, handle.shape)) if handle.shape else ()
    value = handle.read(index)
    number = np.abs(value) if value.dtype.kind == "c" else value
    return float(np.asarray(number).reshape(-1)[0])


def _ulps(handles: list[TensorHandle | None], golden: float, difference: float) -> float | None:
    from core.dtypes import coarser

    target, reference = handles
    if target is None or reference is None or not math.isfinite(difference) or not math.isfinite(golden):
        return None
    dtype = coarser(target.dtype, reference.dtype)
    if not dtype.precision:
        return None
    magnitude = max(abs(golden), dtype.smallest_normal)
    unit = 2.0 ** (math.floor(math.log2(magnitude)) - dtype.precision + 1)
    return abs(difference) / unit


def _plane(shape: tuple[int, ...], wish: tuple[int, ...]) -> tuple[Plane, tuple[int, ...]]:
    """Return the plane of the last two axes at the indices *wish*, as far as they exist."""
    from core.metrics.plane import Plane

    if len(shape) < 2:
        return Plane(), ()
    fixed = tuple(
        min(max(wish[axis] if axis < len(wish) else 0, 0), max(size - 1, 0))
        for axis, size in enumerate(shape)
    )
    return Plane(len(shape) - 2, len(shape) - 1, fixed), fixed


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _label(shape: tuple[int, ...]) -> str:
    from gui.models.pair.facts import shape_label

    return shape_label(shape)
