"""Finer pictures are drawn one pane a turn, never over those of another pair; which ranges are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.inspection.pictures import PairPictures, PictureRequest, SidePicture
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.drawing import difference_picture, picture
from core.metrics.pictures.plane import Plane
from gui.looks.theme import Theme
from gui.settings import Settings
from gui.tensors.looks import HeatLooks
from gui.views.tensors.maps_page import MapsPage
from gui.widgets.quiet_progress import QuietProgress

SHAPE = (90, 120)


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> MapsPage:
    holder = QObject()
    made = MapsPage(qapp.findChild(Theme) or Theme(qapp), HeatLooks(Settings(), holder), QuietProgress())
    made.holder = holder  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.resize(1200, 300)
    made.show()
    return made


def pictures(pixels: tuple[int, int], seed: int = 0) -> PairPictures:
    random = np.random.default_rng(seed)
    sides = [TensorHandle(random.normal(size=SHAPE).astype(np.float32), DTYPES["float32"]) for _ in range(2)]
    plane = Plane.of(SHAPE)
    target, golden = (
        SidePicture(SHAPE, "float32", "float32", plane, SHAPE, picture(side, plane, None, pixels))
        for side in sides
    )
    difference = difference_picture(*sides, plane, None, pixels)
    return PairPictures(
        PictureRequest(PairSources(None, None), plane), target, golden, difference, whole=True
    )


def drawn(page: MapsPage) -> list[QImage]:
    return [pane.canvas.bare(1.0) for pane in page.panes[:3]]


def test_a_finer_part_comes_pane_by_pane(page: MapsPage, qtbot: QtBot) -> None:
    coarse, fine = pictures((9, 12)), pictures(SHAPE)
    page.show_pictures(coarse)
    page.recolour(coarse)
    before = drawn(page)
    page.show_part(fine)
    now = drawn(page)
    assert [one != other for one, other in zip(before, now)] == [True, False, False]
    qtbot.waitUntil(lambda: all(one != other for one, other in zip(before, drawn(page))))


@pytest.mark.parametrize("ends", [(0.0, np.inf), (-np.inf, 1.0), (np.nan, 1.0), (2.0, 2.0), (3.0, 2.0)])
def test_a_range_without_ends_is_not_kept(page: MapsPage, ends: tuple[float, float]) -> None:
    page.looks.keep("values", *ends)
    assert not page.looks.locked


def test_what_is_still_to_come_of_a_part_is_left_out_over_other_pictures(
    page: MapsPage, qtbot: QtBot
) -> None:
    first, fine, other = pictures((9, 12)), pictures(SHAPE), pictures((9, 12), seed=1)
    page.show_pictures(first)
    page.recolour(first)
    page.show_part(fine)
    page.show_pictures(other)
    page.recolour(other)
    wanted = drawn(page)
    qtbot.wait(30)
    assert drawn(page) == wanted
    page.show_part(replace(fine, difference=None))
    page.empty()
    qtbot.wait(30)
    assert all(pane.canvas.filled is False for pane in page.panes[:3])
