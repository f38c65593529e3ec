"""What a hand does over the pictures of tensors, in rows and columns."""

from __future__ import annotations

import numpy as np
from builders.tensor_pairs import tensors
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.metrics.pictures.plane import Region
from gui.pages.detail import DetailCard
from gui.views.tensors.pane import Pane

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


def spot(pane: Pane, row: int, column: int) -> QPoint:
    return pane.canvas.rect_of(Region(row, row + 1, column, column + 1)).center().toPoint()


def click(qtbot: QtBot, pane: Pane, row: int, column: int) -> None:
    qtbot.mouseClick(pane.canvas, LEFT, pos=spot(pane, row, column))


def sides_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    target, golden = tensors()[name]
    return np.asarray(target), np.asarray(golden)


def look_at(detail: DetailCard, name: str) -> None:
    """Select the output of a call."""
    focus = detail._focus
    assert focus.facts is not None
    at = focus.facts.operators.texts.index(f"Functional.{name}.0.forward")
    focus.select(int(np.flatnonzero(focus.facts.operator == at)[0]))
