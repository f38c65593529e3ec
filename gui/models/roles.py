"""Roles of our own that several models answer to; delegates draw by them."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import Qt

from gui.models.pair.categories import Category


class Role(IntEnum):
    """Beyond Qt's own roles."""

    CATEGORY = Qt.ItemDataRole.UserRole + 1
    """:class:`gui.models.pair.categories.Category` to draw as an icon, or None."""
    FACE = Qt.ItemDataRole.UserRole + 2
    DETAIL = Qt.ItemDataRole.UserRole + 4
    """A second, dim text."""
    CHANGED = Qt.ItemDataRole.UserRole + 5
    """Whether both sides disagree here."""
    COUNT = Qt.ItemDataRole.UserRole + 6
    LEVEL = Qt.ItemDataRole.UserRole + 7
    """Steps of the tint behind a number, see :mod:`gui.models.table.shading`; None for no tint."""
    TINT = Qt.ItemDataRole.UserRole + 8
    """The category whose colour that tint has."""


def shown_category(value: object) -> Category | None:
    """Return what a model answered for :attr:`Role.CATEGORY`."""
    return None if value is None else Category(int(value))  # type: ignore[call-overload]
