"""Tensors in two windows, files that go while they are on show, and what a result keeps of large ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.tensor_gestures import LEFT
from builders.tensor_pairs import write_pair
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Region
from gui.main_window import MainWindow
from gui.pages.detail import DetailCard, Tab
from gui.pages.detail_window import DetailWindow
from gui.views.elements.view import ElementsView
from gui.views.tensors.view import TensorsView

Patience = Callable[[Callable[[], bool]], None]
Choose = Callable[[str], None]


# ---- two windows


@pytest.fixture
def other(window: MainWindow, tensors_view: TensorsView, choose: Choose, patience: Patience) -> TensorsView:
    """Return the tensors of a window of its own."""
    choose("flat")
    window.actions_registry["open_detail"].trigger()
    (detail,) = [made for made in QApplication.topLevelWidgets() if isinstance(made, DetailWindow)]
    detail.card.tabs.setCurrentIndex(Tab.TENSORS)
    made = detail.card.view_of(TensorsView)
    patience(lambda: made.pictures is not None and window.session.pictures.idle)
    return made


def kinds(view: TensorsView) -> tuple[object, object]:
    """Return what the chooser says, and what the picture is of."""
    assert view.pictures is not None
    return view.toolbar.kind.currentData(), view.pictures.request.difference


def test_a_choice_shows_in_all_windows(
    qtbot: QtBot, window: MainWindow, tensors_view: TensorsView, other: TensorsView, patience: Patience
) -> None:
    other.toolbar.kind.setFocus()
    qtbot.keyClicks(other.toolbar.kind, "r")  # Relative
    other.toolbar.kind.activated.emit(other.toolbar.kind.findData(Difference.RELATIVE))
    wanted = (Difference.RELATIVE, Difference.RELATIVE)
    patience(lambda: window.session.pictures.idle and kinds(other) == wanted)
    patience(lambda: kinds(tensors_view) == wanted)
    qtbot.mouseClick(tensors_view.toolbar.lock, LEFT)
    assert other.toolbar.lock.isChecked()
    ends = [
        (shades.low, shades.high)
        for view in (other, tensors_view)
        for shades in (view.maps.target.bar.shades, view.maps.difference.bar.shades)
        if shades is not None
    ]
    assert len(ends) == 4
    assert ends[:2] == ends[2:]
    qtbot.mouseClick(other.toolbar.lock, LEFT)
    assert not tensors_view.toolbar.lock.isChecked()


def test_a_tab_behind_another_follows_once_it_is_seen(
    window: MainWindow, tensors_view: TensorsView, other: TensorsView, patience: Patience
) -> None:
    assert window.workspace is not None
    tabs = window.workspace.detail.tabs
    tabs.setCurrentIndex(Tab.ELEMENTS)
    other.looks.set_difference(Difference.ULP)
    patience(lambda: window.session.pictures.idle and kinds(other)[1] == Difference.ULP)
    assert kinds(tensors_view) == (Difference.ULP, Difference.ABSOLUTE)
    tabs.setCurrentIndex(Tab.TENSORS)
    patience(lambda: kinds(tensors_view) == (Difference.ULP, Difference.ULP))


# ---- files that go


def large() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(3)
    golden, line = (random.standard_normal(shape, np.float32) for shape in ((700, 900), (300_000,)))
    target, curve = golden.copy(), line.copy()
    target[612, 77] += 4
    curve[123_456] += 8
    return {
        "wide": (target, golden),
        "line": (curve, line),
        "turned": (golden[:600], np.ascontiguousarray(golden[:600].T)),
    }


@pytest.fixture
def folder(window: MainWindow, tmp_path: Path) -> Path:
    dumps = write_pair(tmp_path, large())
    assert main(["compare", *map(str, dumps), "-o", str(tmp_path / "result.h5"), "--quiet"]) == 1
    return tmp_path


def opened(window: MainWindow, folder: Path, patience: Patience) -> DetailCard:
    window.session.open_paths([str(folder / "result.h5")])
    patience(lambda: window.session.row >= 0)
    assert window.workspace is not None
    return window.workspace.detail


def pick(window: MainWindow, patience: Patience, name: str) -> None:
    """Select the output of a call."""
    facts = window.session.facts
    assert facts is not None
    names = [facts.operators[int(operator)] for operator in facts.operator]
    window.session.select(len(names) - 1 - names[::-1].index(f"Functional.{name}.0.forward"))
    settle(window, patience)


def settle(window: MainWindow, patience: Patience) -> None:
    for _ in range(2):
        patience(lambda: window.session.pictures.idle)
        QTest.qWait(80)


@pytest.mark.parametrize("way", ["deleted", "shorter", "kept"])
def test_a_file_that_goes_is_told_when_more_of_it_is_wanted(
    window: MainWindow, folder: Path, patience: Patience, way: str
) -> None:
    detail = opened(window, folder, patience)
    detail.tabs.setCurrentIndex(Tab.TENSORS)
    view = detail.view_of(TensorsView)
    pick(window, patience, "wide")
    assert view.maps.golden.note == ""
    (path,) = (folder / "gpu").rglob("*wide*output*.npy")
    if way == "shorter":
        os.truncate(path, 1000)
    else:
        path.unlink()
    if way != "kept":
        (folder / "result.h5").unlink()
    view.maps.sight.look(100, 100, 50, 50)
    if way == "kept":
        patience(lambda: view.pictures is not None and view.pictures.kept)
        assert "from the result file" in view.telling.facts.words
        return
    patience(lambda: path.name in view.maps.golden.note)
    assert view.maps.target.note == ""


def test_each_side_that_is_lost_is_told(window: MainWindow, folder: Path, patience: Patience) -> None:
    detail = opened(window, folder, patience)
    detail.tabs.setCurrentIndex(Tab.TENSORS)
    view = detail.view_of(TensorsView)
    (target,) = (folder / "npu").rglob("*turned*output*.npy")
    (golden,) = (folder / "gpu").rglob("*turned*output*.npy")
    os.utime(target, (0, 0))
    golden.unlink()
    (folder / "result.h5").unlink()  # which keeps something of them
    pick(window, patience, "turned")
    patience(lambda: view.note.isVisible())
    assert "was written again" in view.note.sentence
    assert str(golden) in view.note.sentence


# ---- what a result keeps


def test_a_result_without_its_dumps_says_what_it_does_not_keep(
    window: MainWindow, folder: Path, patience: Patience
) -> None:
    for side in ("npu", "gpu"):
        (folder / side).rename(folder / f"{side} elsewhere")
    detail = opened(window, folder, patience)
    detail.tabs.setCurrentIndex(Tab.TENSORS)
    view = detail.view_of(TensorsView)
    pick(window, patience, "line")
    assert list(view.maps.shown) == [view.maps.curves, view.maps.curve_difference]
    assert [pane.note for pane in view.maps.shown] == ["", ""]
    view._pair.set_plane(view._pair.plane.__class__((), (0,), (0,), 1000))
    settle(window, patience)
    assert all("does not keep this slice" in pane.note for pane in view.maps.shown)
    detail.tabs.setCurrentIndex(Tab.ELEMENTS)
    elements = detail.view_of(ElementsView)
    pick(window, patience, "wide")
    assert elements.worst.rows.elements
    view._pair.select(Region(5, 20, 10, 30))
    patience(lambda: elements.statistics.reason.isVisible())
    assert "keeps no numbers" in elements.statistics.reason.text()
    pick(window, patience, "turned")
    assert not elements.said
    assert not elements.statistics.reason.isVisible()
    assert elements.statistics.sides.isVisible()
