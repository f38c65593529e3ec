"""Are the two runs the same experiment? From what people have lying about, and from two dumps alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.messages import set_language, text
from core.records.precheck import Outcome
from core.store.notes import DIRECTORY_VARIABLE
from gui.application import make_window
from gui.main_window import MainWindow
from gui.pages.bar import Page
from gui.processes.work_state import Stage
from gui.views.precheck.export_dialog import PrecheckExportDialog
from gui.views.precheck.view import PrecheckView

LEFT = Qt.MouseButton.LeftButton
DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
SCRIPT = """#!/bin/bash
export HCCL_DETERMINISTIC=true
torchrun --nproc_per_node 8 pretrain_gpt.py \\
    --micro-batch-size 2 --global-batch-size {batch} \\
    --lr {rate} --min-lr 1e-6 --weight-decay 0.1 --clip-grad 1.0 \\
    --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 \\
    --hidden-dropout 0 --attention-dropout 0 --seed 1234 --bf16 --use-flash-attn
"""
PACKAGES = (
    "Package    Version\n---------- -------\ntorch      {torch}\nnumpy      1.26.4\ntransformers 4.40.1\n"
)
RATE, VERSIONS = "hyper_parameters.learning_rate", "versions.packages"


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "kept"))
    made = make_window(qapp)
    made.resize(1680, 1050)
    yield made
    made.close()
    made.deleteLater()
    set_language("en")


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents()
        time.sleep(0.005)


def drop(window: MainWindow, *paths: Path, right: bool = False) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    at = QPoint(window.width() * (3 if right else 1) // 4, 300)
    QApplication.sendEvent(window, QDragEnterEvent(at, copy, data, LEFT, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(at), copy, data, LEFT, none))


def page_of(window: MainWindow) -> PrecheckView:
    assert window.pages.precheck is not None
    return window.pages.precheck.checklist


def results(window: MainWindow) -> dict[str, Outcome]:
    report = window.session.precheck.report
    assert report is not None
    return {check.id: check.result for check in report.checks}


def test_scripts_and_package_lists_tell_what_differs_before_anything_is_dumped(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side, rate, torch in (("npu", "2e-3", "2.1.0+cpu"), ("gpu", "0.001", "2.1.0+cu121")):
        (tmp_path / f"{side}_train.sh").write_text(SCRIPT.format(rate=rate, batch=64), "utf-8")
        (tmp_path / f"{side}_pip.txt").write_text(PACKAGES.format(torch=torch), "utf-8")
    window.start([])
    state = window.session.precheck

    # Two scripts on the empty window: their names tell which is which, and the page opens.
    drop(window, tmp_path / "gpu_train.sh", tmp_path / "npu_train.sh")
    until(lambda: window.pages.page is Page.PRECHECK and state.stage is Stage.READY)
    page = page_of(window)
    assert [line.path for line in page.target.lines] == [str(tmp_path / "npu_train.sh")]
    assert [line.path for line in page.golden.lines] == [str(tmp_path / "gpu_train.sh")]
    assert results(window)[VERSIONS] is Outcome.NOT_DONE

    # The package lists, each on its half.
    drop(window, tmp_path / "npu_pip.txt")
    drop(window, tmp_path / "gpu_pip.txt", right=True)
    until(lambda: state.stage is Stage.READY)
    assert results(window)[VERSIONS] is Outcome.PASS  # a local suffix is no difference
    assert results(window)[RATE] is Outcome.FAIL
    cause = page.headline.sentences[1]
    assert "0.002" in cause
    assert "0.001" in cause
    left = list(results(window).values()).count(Outcome.NOT_DONE)
    assert str(left) in page.headline.sentences[0]  # said loudly, never left out

    # What it is about, in the details of the check that fails first.
    qtbot.keyClick(window, Qt.Key.Key_F8)
    assert page.details.check is not None
    item = page.details.check.items[0]
    assert (item.target, item.golden) == ("0.002", "0.001")
    assert item.target_place is not None
    assert item.target_place.line > 1
    assert page.details.sentences[1:]

    # A person knows better: the result counts with a remark, a name and a date.
    failures = state.failures
    state.choice.choose(RATE)
    form = page.details.entry
    qtbot.keyClicks(form.remark, "scaled for twice the devices")
    qtbot.keyClicks(form.name, "Li")
    qtbot.mouseClick(form.result.buttons["pass"], LEFT)
    assert results(window)[RATE] is Outcome.PASS
    assert state.failures == failures - 1

    # Signed, as a page for whoever asked.
    place = tmp_path / "precheck.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    window.actions_registry["export"].trigger()
    (dialog,) = window.findChildren(PrecheckExportDialog)
    qtbot.mouseClick(dialog.format.buttons["html"], LEFT)
    assert dialog.signer.text() == ""  # nobody signs unasked
    dialog.signer.insert("Li")
    qtbot.mouseClick(dialog.save, LEFT)
    until(lambda: not state.exports.running)
    words = place.read_text("utf-8")
    assert "scaled for twice the devices" in words
    assert str(tmp_path / "npu_train.sh") in words

    # The same in Chinese.
    window.actions_registry["language_zh_CN"].trigger()
    assert text("precheck.outcome.not_done", "zh_CN") in page.headline.sentences[0]


def test_two_dumps_alone_tell_what_they_can(window: MainWindow) -> None:
    window.start([str(DEMO / "target"), str(DEMO / "golden")])
    state = window.session.precheck
    until(lambda: window.session.cell is not None)
    assert window.pages.page is Page.COMPARE  # the comparison comes first
    until(lambda: state.stage is Stage.READY)
    assert window.pages.page is Page.COMPARE  # and stays
    window.actions_registry["page_precheck"].trigger()
    page = page_of(window)
    found = results(window)
    assert found["weights.in_dumps"] is Outcome.PASS
    assert found[RATE] is Outcome.NOT_DONE
    assert Outcome.PASS in found.values()
    assert [line.path for line in page.target.lines] == [str(DEMO / "target")]
    assert page.checks.isVisible()


def test_two_scripts_on_the_command_line_open_the_page(window: MainWindow, tmp_path: Path) -> None:
    paths = []
    for name, batch in (("first.sh", 32), ("second.sh", 64)):
        (tmp_path / name).write_text(SCRIPT.format(rate="1e-4", batch=batch), "utf-8")
        paths.append(str(tmp_path / name))
    window.start(paths)
    state = window.session.precheck
    until(lambda: state.stage is Stage.READY)
    assert window.pages.page is Page.PRECHECK
    assert [given.path for given in state.target] == [paths[0]]
    assert [given.path for given in state.golden] == [paths[1]]
    assert results(window)["hyper_parameters.batch"] is Outcome.FAIL
