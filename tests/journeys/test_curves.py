"""From two logs to the step that is to be dumped, all of it real."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from builders import curves as logs
from builders.dumps import write_losses
from builders.monitors import Row, write_v1
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.records.curves import FindingName
from gui.application import make_window
from gui.main_window import MainWindow
from gui.pages.bar import CurvesTab, Page
from gui.processes.work_state import Stage

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    made = make_window(qapp)
    made.resize(1680, 1050)
    yield made
    made.close()
    made.deleteLater()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents()
        time.sleep(0.005)


def test_a_loss_that_drifts_leads_to_the_step_to_dump(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = logs.losses(500)
    target = logs.with_drift(golden, 250, end=0.05)
    target[399] = np.nan
    paths = (
        logs.write_log(tmp_path / "npu.log", target, again={120: 101}),
        logs.write_log(tmp_path / "gpu.log", golden),
    )
    window.start([str(path) for path in paths])
    state = window.session.curves
    until(lambda: state.stage is Stage.READY and not state.reader.busy and state.service.idle)
    assert window.pages.page is Page.CURVES
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    assert page.headline.words[0] == "failed"
    names = [finding.name for finding in state.findings]
    assert FindingName.NOT_FINITE in names
    assert FindingName.DRIFT in names or FindingName.OVER_LIMIT in names

    # Through the findings to the NaN, and what stands there.
    while state.chosen is None or state.chosen.name is not FindingName.NOT_FINITE:
        qtbot.keyClick(window, Qt.Key.Key_F8)
    first, last = page.picture.canvas.axis.seen
    assert first < 400 < last
    assert page.picture.canvas.cursor_place == 400.0

    # What to dump goes to a colleague, the picture into a report.
    qtbot.mouseClick(page.headline.copy, LEFT)
    assert '"step": [' in QGuiApplication.clipboard().text()
    output = tmp_path / "loss.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(output), "PNG (*.png)"))
    window.actions_registry["export"].trigger()
    assert output.read_bytes().startswith(b"\x89PNG")


def drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(10, 200), copy, data, LEFT, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(10, 200), copy, data, LEFT, none))


def see_losses(window: MainWindow, losses: list[list[float]]) -> None:
    """Go to the curves of the dumps that are open, and find their losses there, with where they come from."""
    until(lambda: window.session.cell is not None)
    window.actions_registry["page_curves"].trigger()
    state = window.session.curves
    until(lambda: state.stage is Stage.READY and not state.reader.busy and state.service.idle)
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    curves = page.picture.canvas.scene.curves
    assert [curve.raw.y.tolist() for curve in curves] == losses
    for run in state.runs:
        assert run.run is not None
        assert run.run.source is not None
        assert run.run.source.parameters["operator"] == "Functional.cross_entropy.0.forward"


def test_two_dropped_dumps_show_their_loss_and_so_does_their_result_alone(
    window: MainWindow, tmp_path: Path
) -> None:
    losses = [[4.0, 3.5, 3.25], [4.0, 3.5, 3.0]]
    dumps = [write_losses(tmp_path / side, loss) for side, loss in zip(("npu", "gpu"), losses)]
    window.start([])
    drop(window, *dumps)
    see_losses(window, losses)
    assert window.session.curves.report is not None
    assert window.session.curves.report.first_bad_step == 2

    result = tmp_path / "home" / "result.h5"
    result.parent.mkdir()
    assert main(["compare", *map(str, dumps), "-o", str(result), "--quiet"]) == 1
    for dump in dumps:
        shutil.rmtree(dump)
    drop(window, result)
    until(lambda: window.session.result_path == str(result))
    see_losses(window, losses)


def monitored(folder: Path, factor: float) -> Path:
    """Write the gradients' norms of three layers; from step 2 on those of the second are off by *factor*."""
    rows = []
    for step, layer in product(range(4), range(3)):
        norm = (layer + 1) * (factor if layer == 1 and step > 1 else 1.0)
        rows.append(Row("grad_reduced", f"layers.{layer}.weight", step, {"norm": norm}))
    return write_v1(folder, rows)


def test_two_dropped_monitors_show_the_layer_that_leaves_first(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.start([])
    drop(window, monitored(tmp_path / "npu_monitor", 1.5), monitored(tmp_path / "gpu_monitor", 1.0))
    until(lambda: window.pages.page is Page.CURVES)
    page = window.pages.curves
    assert page is not None
    assert page.tab is CurvesTab.TRENDS
    assert page.trends is not None
    state = page.trends.state
    until(lambda: state.stage is Stage.READY)
    assert state.report is not None
    first = state.report.first_bad
    assert first is not None
    assert (first.layer, first.step) == ("layers.1.weight", 2)
    assert page.trends.headline.words[0] == "failed"
    assert "npu_monitor" in window.windowTitle()
    window.actions_registry["tab_curves"].trigger()
    assert page.tab is CurvesTab.CURVES
