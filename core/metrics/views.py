"""What the window asks of a pair of tensors, as plain functions that a service process can run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.formats.tensors.opening import open_tensor
from core.metrics.pictures import difference_picture, picture
from core.metrics.plane import Plane, Region, Shape
from core.metrics.reduction import Picture
from core.metrics.shapes import comparable


class TensorSource(Protocol):
    """Whatever can be pickled and opened: a :class:`TensorFile`, a slot's place in a run."""

    def open(self) -> TensorHandle:
        """Map the tensor; raises :class:`~core.errors.InputError`."""


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A tensor in a file, with what the dump knows of it; see :func:`core.formats.tensors.open_tensor`."""

    path: str
    dtype: str | None = None
    member: str | None = None
    size: int = -1
    mtime_ns: int = -1

    def open(self) -> TensorHandle:
        """Map the tensor; raises :class:`~core.formats.tensors.TensorError`."""
        return open_tensor(
            self.path, dtype=self.dtype, member=self.member, size=self.size, mtime_ns=self.mtime_ns
        )


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """Which tensors, which plane and region of them, in how many pixels (rows, columns)."""

    target: TensorSource | None
    golden: TensorSource | None
    plane: Plane | None = None
    """``None``: the last two axes."""
    region: Region | None = None
    """``None``: all of the plane."""
    max_pixels: tuple[int, int] = (1024, 1024)


@dataclass(frozen=True, slots=True)
class SideView:
    """One side: its picture, or the problem that stands in the way; neither where the side is missing."""

    shape: Shape | None = None
    dtype: str = ""
    stored: str = ""
    plane: Plane | None = None
    plane_size: tuple[int, int] = (0, 0)
    picture: Picture | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class TensorView:
    """The answer to a :class:`ViewRequest`. ``difference`` is target − golden where both have one shape."""

    target: SideView
    golden: SideView
    difference: Picture | None = None


@dataclass(frozen=True, slots=True)
class ValuePair:
    """Both exact values at one index; ``None`` where a side has no such element."""

    target: complex | None
    golden: complex | None


def tensor_view(request: ViewRequest) -> TensorView:
    """Return the pictures that *request* asks for; what is wrong with one side does not stop the other."""
    target, problem_t = _open(request.target)
    golden, problem_g = _open(request.golden)
    if target is not None and golden is not None and comparable(target.shape, golden.shape):
        golden = _shaped_as(golden, target)
        plane = _plane(request.plane, target)
        difference = difference_picture(target, golden, plane, request.region, request.max_pixels)
    else:
        difference = None
    return TensorView(_side(target, problem_t, request), _side(golden, problem_g, request), difference)


def values_at(request: ViewRequest, index: tuple[int, ...]) -> ValuePair:
    """Return both values at *index* of the target's shape (the golden's where there is no target).

    Raises
    ------
    InputError
        If a tensor cannot be opened.
    """
    target = request.target.open() if request.target is not None else None
    golden = request.golden.open() if request.golden is not None else None
    if target is not None and golden is not None and comparable(target.shape, golden.shape):
        golden = _shaped_as(golden, target)
    return ValuePair(_value(target, index), _value(golden, index))


def _open(source: TensorSource | None) -> tuple[TensorHandle | None, Problem | None]:
    if source is None:
        return None, None
    try:
        return source.open(), None
    except InputError as error:
        return None, error.problem


def _shaped_as(handle: TensorHandle, other: TensorHandle) -> TensorHandle:
    """Return *handle* with *other*'s shape, which holds the same elements in the same order."""
    return handle if handle.shape == other.shape else handle.reshaped(other.shape)


def _plane(wanted: Plane | None, handle: TensorHandle) -> Plane:
    return wanted if wanted is not None and wanted.fits(handle.shape) else Plane.of(handle.shape)


def _side(handle: TensorHandle | None, problem: Problem | None, request: ViewRequest) -> SideView:
    if handle is None:
        return SideView(problem=problem)
    plane = _plane(request.plane, handle)
    return SideView(
        shape=handle.shape,
        dtype=handle.dtype.name,
        stored=handle.stored.name,
        plane=plane,
        plane_size=plane.size(handle.shape),
        picture=picture(handle, plane, request.region, request.max_pixels),
    )


def _value(handle: TensorHandle | None, index: tuple[int, ...]) -> complex | None:
    if handle is None or len(index) != len(handle.shape):
        return None
    if any(not 0 <= at < size for at, size in zip(index, handle.shape)):
        return None
    value: complex = handle.read(index).item()
    return value
