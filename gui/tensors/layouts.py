"""How tensors of a kind of call are laid out, as the user chose and the settings remember."""

from __future__ import annotations

from typing import Any

from core.metrics.pictures.plane import Plane, Shape
from core.records.names import Direction, parse_operator_name
from gui.settings import Settings

_MOST = 200
"""Kinds that are remembered; the oldest are forgotten."""


def layout_key(operator: str, slot: str, rank: int) -> str:
    """Return what tells kinds of tensors apart: the operator without its count, the slot, the dimensions."""
    name = parse_operator_name(operator)
    way = name.direction.name.lower() if name.direction is not Direction.NONE else ""
    return f"{name.stem} {way} {slot} {rank}"


class Layouts:
    """Axes of rows and columns, and the width of a fold, by kind of tensor."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def keep(self, key: str, plane: Plane, shape: Shape) -> None:
        """Remember the axes of *plane* for *key*; a single row of a 1-d tensor is no width."""
        kept = self._settings.tensor_layouts
        kept.pop(key, None)
        line = len(shape) == 1 and plane.size(shape)[0] == 1
        kept[key] = [list(plane.rows), list(plane.columns), -1 if line else plane.width]
        for old in list(kept)[:-_MOST]:
            del kept[old]

    def forget(self, key: str) -> None:
        """Lay tensors of *key* out as at first."""
        self._settings.tensor_layouts.pop(key, None)

    def known(self, key: str) -> bool:
        """Whether the user chose a layout for *key*."""
        return key in self._settings.tensor_layouts

    def plane(self, key: str, shape: Shape, at: tuple[int, ...] = ()) -> Plane:
        """Return how to lay a tensor of *key* out, its other axes fixed at *at*."""
        plain = first_plane(shape, at)
        entry: Any = self._settings.tensor_layouts.get(key)
        if entry is None:
            return plain
        try:
            rows, columns, width = entry
            if width < 0:
                return Plane.line(shape) if len(shape) == 1 else plain
            made = Plane(tuple(rows), tuple(columns), plain.fixed, width)
            return made if made.fits(shape) else plain
        except (TypeError, ValueError):  # a settings file that somebody changed
            return plain


def first_plane(shape: Shape, at: tuple[int, ...] = ()) -> Plane:
    """Return how a tensor is laid out before anything is chosen: a curve if 1-d, else its last two axes."""
    return Plane.line(shape) if len(shape) == 1 else Plane.of(shape, at)
