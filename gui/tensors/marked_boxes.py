"""Where in a plane lies what a pattern speaks of."""

from __future__ import annotations

import math

import numpy as np

from core.metrics.patterns.pattern import Mark
from core.metrics.pictures.plane import Plane, Region, Shape


def first_place(mark: Mark, shape: Shape) -> tuple[int, ...] | None:
    """Return the first element of *mark* in a tensor of *shape*; ``None`` where there is none."""
    if mark.box is not None and len(mark.box) == len(shape):
        place = tuple(start for start, _ in mark.box)
        return place if all(0 <= at < size for at, size in zip(place, shape)) else None
    if mark.flat is not None and 0 <= mark.flat[0] < math.prod(shape):
        return tuple(int(at) for at in np.unravel_index(mark.flat[0], shape))
    return None


def boxes_of(mark: Mark, shape: Shape, plane: Plane) -> tuple[Region, ...]:
    """Return the regions of *plane* that hold the elements of *mark*; none where it lies on other slices."""
    if mark.box is not None and len(mark.box) == len(shape):
        return _boxes_of_box(mark.box, shape, plane)
    if mark.flat is not None:
        return _boxes_of_range(*mark.flat, shape, plane)
    return ()


def _boxes_of_box(box: tuple[tuple[int, int], ...], shape: Shape, plane: Plane) -> tuple[Region, ...]:
    if plane.fold(shape):
        return _boxes_of_range(*box[0], shape, plane)
    if any(not box[axis][0] <= plane.fixed[axis] < box[axis][1] for axis in plane.free):
        return ()
    rows, columns = (_runs(axes, box, shape) for axes in (plane.rows, plane.columns))
    return (Region(rows[0], rows[1], columns[0], columns[1]),) if rows[1] > rows[0] else ()


def _runs(axes: tuple[int, ...], box: tuple[tuple[int, int], ...], shape: Shape) -> tuple[int, int]:
    """Return from where to where the box reaches along merged *axes*."""
    first = last = 0
    for axis in axes:
        start, stop = max(box[axis][0], 0), min(box[axis][1], shape[axis])
        first, last = first * shape[axis] + start, last * shape[axis] + stop - 1
    return first, last + 1


def _boxes_of_range(start: int, stop: int, shape: Shape, plane: Plane) -> tuple[Region, ...]:
    """Return a run of elements in C order: part of a row, whole rows, part of a row."""
    rows, columns = plane.size(shape)
    order = plane.rows + plane.columns
    if not rows or not columns:
        return ()
    if not plane.fold(shape):
        if order != tuple(range(len(shape) - len(order), len(shape))):
            return ()  # neighbours in the file are no neighbours here
        leading = shape[: len(shape) - len(order)]
        offset = int(np.ravel_multi_index(plane.fixed[: len(leading)], leading)) if leading else 0
        start, stop = start - offset * rows * columns, stop - offset * rows * columns
    start, stop = max(start, 0), min(stop, rows * columns)
    if start >= stop:
        return ()
    (top, left), (bottom, right) = divmod(start, columns), divmod(stop - 1, columns)
    if top == bottom:
        return (Region(top, top + 1, left, right + 1),)
    boxes = []
    if left:
        boxes.append(Region(top, top + 1, left, columns))
        top += 1
    end = bottom + 1 if right + 1 == columns else bottom
    if end > top:
        boxes.append(Region(top, end, 0, columns))
    if end == bottom:
        boxes.append(Region(bottom, bottom + 1, 0, right + 1))
    return tuple(boxes)
