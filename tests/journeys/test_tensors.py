"""Someone looks into the tensors of a pair: finds, marks, copies, saves, and comes back another day."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.tensor_pairs import tensors, write_pair
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Region
from gui.application import make_window
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.tensors.scales import Scale
from gui.views.tensors.pane import Pane
from gui.views.tensors.view import TensorsView

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
NAMES = ("deep", "flat", "special")


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    made = tensors()
    return write_pair(tmp_path, {name: made[name] for name in NAMES})


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Iterator[Callable[[tuple[Path, Path]], TensorsView]]:
    """Return a function that opens a pair in a new window, as on another day."""
    windows: list[MainWindow] = []

    def open_pair(pair: tuple[Path, Path]) -> TensorsView:
        while windows:
            close(windows.pop())
        window = make_window(qapp)
        windows.append(window)
        window.resize(1680, 1050)
        window.show()
        window.session.open_pair(*map(str, pair))
        qtbot.waitUntil(lambda: window.session.cell is not None and not window.session.busy, timeout=60_000)
        assert window.workspace is not None
        window.workspace.detail.tabs.setCurrentIndex(Tab.TENSORS)
        return window.workspace.detail.view_of(TensorsView)

    yield open_pair
    for window in windows:
        close(window)


def close(window: MainWindow) -> None:
    window.close()
    window.deleteLater()
    QApplication.processEvents()


def choose(qtbot: QtBot, view: TensorsView, name: str) -> None:
    session = view._context.session
    assert session.facts is not None
    names = [session.facts.operators[int(operator)] for operator in session.facts.operator]
    session.select(names.index(f"Functional.{name}.0.forward"))
    qtbot.waitUntil(lambda: session.pictures.idle, timeout=60_000)
    QApplication.processEvents()


def spot(pane: Pane, row: int, column: int) -> QPoint:
    return pane.canvas.rect_of(Region(row, row + 1, column, column + 1)).center().toPoint()


def mark(pane: Pane, top: int, left: int, bottom: int, right: int) -> None:
    QTest.mousePress(pane.canvas, LEFT, SHIFT, spot(pane, top, left))
    QTest.mouseMove(pane.canvas, spot(pane, bottom - 2, right - 2))
    QTest.mouseMove(pane.canvas, spot(pane, bottom - 1, right - 1))
    QTest.mouseRelease(pane.canvas, LEFT, SHIFT, spot(pane, bottom - 1, right - 1))


def test_looks_and_layout_survive_a_restart(
    qtbot: QtBot, pair: tuple[Path, Path], opened: Callable[[tuple[Path, Path]], TensorsView]
) -> None:
    view = opened(pair)
    choose(qtbot, view, "deep")
    view.looks.set_difference(Difference.ULP)
    view.looks.set_scale(Scale.SYMLOG)
    qtbot.waitUntil(lambda: view._context.session.pictures.idle, timeout=60_000)
    qtbot.mouseClick(view.toolbar.lock, LEFT)
    shades = [pane.bar.shades for pane in view.maps.shown]
    view.toolbar.axes.panel.flatten.click()
    assert view._pair.plane.rows == (0, 1, 2)

    view = opened(pair)
    choose(qtbot, view, "deep")
    assert view._pair.plane.rows == (0, 1, 2)
    assert view.toolbar.kind.currentText() == "In ULP"
    assert view.looks.locked
    for pane, before in zip(view.maps.shown, shades):
        assert pane.bar.shades is not None
        assert before is not None
        assert (pane.bar.shades.low, pane.bar.shades.high) == (before.low, before.high)
        assert pane.bar.shades.scale is Scale.SYMLOG


def test_values_and_pictures_are_copied_and_saved(
    qtbot: QtBot,
    pair: tuple[Path, Path],
    opened: Callable[[tuple[Path, Path]], TensorsView],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = opened(pair)
    session = view._context.session
    choose(qtbot, view, "deep")
    target, golden = tensors()["deep"]
    mark(view.maps.target, 5, 8, 9, 12)
    part = np.s_[1, 2, 5:9, 8:12]
    clipboard = QGuiApplication.clipboard()

    def copied(side: str, form: str) -> str:
        clipboard.setText("")
        view.output.menu.values_copied.emit(side, form)
        qtbot.waitUntil(lambda: bool(clipboard.text()), timeout=60_000)
        return clipboard.text()

    rows = [line.split("\t")[1:] for line in copied("target", "tsv").strip("\n").split("\n")[1:]]
    np.testing.assert_array_equal(np.array(rows, np.float32), target[part])
    values = json.loads(copied("golden", "json"))["values"]
    np.testing.assert_array_equal(np.array(values, np.float32), golden[part])
    assert copied("difference", "numpy").startswith("np.array(")

    def saving_to(path: Path) -> None:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))

    for side, marked, wanted in (
        ("target", False, target), ("golden", True, golden[part]),
        ("difference", True, np.asarray(target[part], float) - np.asarray(golden[part], float)),
    ):  # fmt: skip
        path = tmp_path / f"{side}.npy"
        saving_to(path)
        view.output.menu.array_saved.emit(side, marked)
        qtbot.waitUntil(lambda: not session.exports.running, timeout=60_000)
        np.testing.assert_array_equal(np.load(path), wanted)

    for name in ("picture.png", "picture.svg"):
        saving_to(tmp_path / name)
        view.output.menu.picture_saved.emit()
    drawn = QImage(str(tmp_path / "picture.png"))
    assert drawn.width() > 1200
    svg = (tmp_path / "picture.svg").read_text()
    assert "Functional.deep.0.forward output.0" in svg
    assert svg.count("<image") == 3
    clipboard.clear()
    view.output.menu.picture_copied.emit()
    assert not clipboard.image().isNull()
    view.output.menu.aboutToShow.emit()
    assert view.output.menu.reset.isEnabled() is False


def test_a_file_that_is_gone_is_told_in_its_pane(
    qtbot: QtBot, pair: tuple[Path, Path], opened: Callable[[tuple[Path, Path]], TensorsView]
) -> None:
    view = opened(pair)
    choose(qtbot, view, "flat")
    (pair[0] / "dump_tensor_data" / "Functional.deep.0.forward.output.0.npy").unlink()
    changed = pair[1] / "dump_tensor_data" / "Functional.special.0.forward.output.0.npy"
    changed.write_bytes(changed.read_bytes() + b"more")
    choose(qtbot, view, "deep")
    assert "Functional.deep.0.forward.output.0.npy" in view.maps.target.note
    assert view.maps.golden.note == ""
    assert view.maps.difference.note == "Both tensors are needed for a difference."
    golden = tensors()["deep"][1]
    qtbot.mouseMove(view.maps.golden.canvas, spot(view.maps.golden, 3, 4))
    qtbot.waitUntil(lambda: view.readout.startswith("[1, 2, 3, 4]"), timeout=60_000)
    assert "Target" not in view.readout
    assert str(np.asarray(golden)[1, 2, 3, 4]).removeprefix("-") in view.readout
    choose(qtbot, view, "special")
    assert view.maps.target.note == ""
    assert "Functional.special.0.forward.output.0.npy" in view.maps.golden.note
    choose(qtbot, view, "flat")
    assert [pane.note for pane in view.maps.shown] == ["", "", ""]


def test_the_view_is_usable_where_it_is_small(
    qtbot: QtBot, pair: tuple[Path, Path], opened: Callable[[tuple[Path, Path]], TensorsView]
) -> None:
    view = opened(pair)
    choose(qtbot, view, "deep")
    view.window().resize(860, 560)
    QApplication.processEvents()
    for pane in view.maps.shown:
        assert pane.canvas.height() >= 40
        assert pane.canvas.width() >= 100
    bar = view.toolbar

    def inside(widget: QWidget) -> bool:
        return bar.rect().contains(widget.rect().translated(widget.mapTo(bar, QPoint(0, 0))))

    for widget in (bar.kind, bar.colours, bar.lock, bar.worst, bar.fit, bar.more, *bar.axes.sliders[:2]):
        qtbot.waitUntil(lambda widget=widget: inside(widget), timeout=5_000)
