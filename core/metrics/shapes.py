"""When two tensors may be compared element by element."""

from __future__ import annotations

Shape = tuple[int, ...]


def without_ones(shape: Shape) -> Shape:
    """Return *shape* without its dimensions of size 1."""
    return tuple(size for size in shape if size != 1)


def comparable(target: Shape, golden: Shape) -> bool:
    """Return whether the shapes are equal, or equal once dimensions of size 1 are dropped."""
    return target == golden or without_ones(target) == without_ones(golden)
