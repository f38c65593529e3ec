"""Headings of a small table whose words all stand at the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt


def heading(words: Sequence[str], section: int, orientation: Qt.Orientation, role: int) -> Any:
    """Return what a model answers for the heading of column *section*, by the *words* of all columns."""
    if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(words):
        return None
    if role == Qt.ItemDataRole.DisplayRole:
        return words[section]
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    return None
