"""A result goes home without the dumps: the tensors that matter can be looked into there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Plane
from gui.application import make_window
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.views.tensors.view import TensorsView

SMALL, LARGE = "Functional.relu.0.forward", "Functional.gelu.0.forward"
SHAPE = (2, 500, 600)
WORST = (1, 123, 456)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a result; the dumps it was made of are gone."""
    draw = np.random.default_rng(0)
    golden = {
        SMALL: draw.standard_normal((4, 9), np.float32),
        LARGE: draw.standard_normal(SHAPE, np.float32),
    }
    target = {name: array.copy() for name, array in golden.items()}
    target[SMALL][2, 5] = 7
    target[LARGE][1] *= 1.25
    target[LARGE][WORST] = 1000
    server = tmp_path / "server"
    for side, outputs in (("t", target), ("g", golden)):
        calls = {name: call([golden[name]], [array]) for name, array in outputs.items()}
        write_dump(server / side, calls, tensors=True)
    result = tmp_path / "home.h5"
    sides = [str(server / side) for side in "tg"]
    assert main(["compare", *sides, "-o", str(result), "--quiet"]) == 1
    shutil.rmtree(server)
    return result


@pytest.fixture
def tensors(qtbot: QtBot, qapp: QApplication, home: Path) -> Iterator[TensorsView]:
    """Return the tensors of the detail card, with the result open in the window."""
    window = make_window(qapp)
    window.resize(1680, 1050)
    window.show()
    window.session.open_paths([str(home)])
    qtbot.waitUntil(lambda: window.session.cell is not None and not window.session.busy, timeout=60_000)
    assert window.workspace is not None
    window.workspace.detail.tabs.setCurrentIndex(Tab.TENSORS)
    yield window.workspace.detail.view_of(TensorsView)
    window.close()
    window.deleteLater()


def _look_at(qtbot: QtBot, tensors: TensorsView, operator: str) -> MainWindow:
    """Select the output of *operator*, and wait for its pictures."""
    window = tensors.window()
    assert isinstance(window, MainWindow)
    cell = window.session.cell
    assert cell is not None
    names = [cell.target.operator_name(at) for at in cell.rows.target_operator.tolist()]
    slots = [cell.target.slot_name(at) for at in cell.rows.target_slot.tolist()]
    window.session.select(list(zip(names, slots)).index((operator, "output.0")))
    _wait(qtbot, window, tensors)
    return window


def _wait(qtbot: QtBot, window: MainWindow, tensors: TensorsView) -> None:
    qtbot.waitUntil(lambda: tensors.pictures is not None and tensors.pictures.whole, timeout=60_000)
    qtbot.waitUntil(lambda: window.session.pictures.idle, timeout=60_000)


def test_a_large_tensor(qtbot: QtBot, tensors: TensorsView) -> None:
    window = _look_at(qtbot, tensors, LARGE)
    pictures = tensors.pictures
    assert pictures is not None
    assert pictures.kept
    assert "from the result file" in tensors.telling.facts.words
    assert "without the dumps" in window.status._file.text()
    for picture in (pictures.target.picture, pictures.golden.picture, pictures.difference):
        assert picture is not None
        assert picture.region == (0, 500, 0, 600)
    assert pictures.target.picture is not None
    assert pictures.target.picture.maximum == 1000
    assert "1,000" in tensors.readout or "1000" in tensors.readout
    assert "[1, 123, 456]" in tensors.readout
    pair = tensors._pair

    pair.go_to((1, 400, 17))  # too far from the largest difference to have been kept
    qtbot.waitUntil(lambda: "only in the dumps" in tensors.readout, timeout=20_000)

    tensors.looks.set_difference(Difference.ULP)
    qtbot.waitUntil(lambda: tensors.pictures is not None and tensors.pictures.difference is None)
    assert "target − golden only" in tensors.maps.difference.note
    tensors.looks.set_difference(Difference.ABSOLUTE)

    pair.set_plane(Plane.whole(SHAPE))
    qtbot.waitUntil(lambda: tensors.pictures is not None and tensors.pictures.target.plane_size[0] == 1000)
    _wait(qtbot, window, tensors)
    pair.set_plane(Plane.of(SHAPE, (0, 0, 0)))
    qtbot.waitUntil(lambda: "not keep this slice" in tensors.maps.target.note, timeout=20_000)


def test_a_small_tensor_as_ever(qtbot: QtBot, tensors: TensorsView) -> None:
    _look_at(qtbot, tensors, SMALL)
    assert "from the result file" in tensors.telling.facts.words
    assert "[2, 5]" in tensors.readout
    tensors._pair.go_to((0, 0))
    qtbot.waitUntil(lambda: "[0, 0]" in tensors.readout and "Golden" in tensors.readout, timeout=20_000)
