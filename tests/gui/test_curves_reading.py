"""Logs that reach the curves page in every way there is, read in real worker processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import curves as logs
from builders.rooms import megatron_log, network
from builders.window_work import endless
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.progress import Work, run_to_end
from gui.curves import work as curves_work
from gui.curves.state import CurvesState
from gui.main_window import MainWindow
from gui.models.curves.roles import Role
from gui.pages.bar import Page
from gui.processes.work_state import Stage

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[..., None]


def drop(window: MainWindow, *paths: Path) -> None:
    """Drag *paths* over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(10, 200), copy, data, LEFT, none))
    assert not window.overlay.grab().isNull()
    QApplication.sendEvent(window, QDropEvent(QPointF(10, 200), copy, data, LEFT, none))


def settled(state: CurvesState) -> bool:
    """Whether all that was asked for is there."""
    ended = state.stage not in (Stage.WORKING, Stage.NOTHING)
    return ended and not state.reader.busy and state.service.idle


def endless_reading(*_arguments: object) -> Work[object]:
    yield from endless()
    raise AssertionError


def broken_judgement(*_arguments: object) -> Work[object]:
    yield from ()
    raise RuntimeError("planted")


def test_two_dropped_logs_are_a_pair_and_a_third_is_added(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    target, golden = logs.pair(tmp_path)
    drop(window, golden, target)
    state = window.session.curves
    patience(lambda: settled(state))
    assert window.pages.page is Page.CURVES
    assert state.judged_paths == (str(target), str(golden))
    assert state.report is not None
    assert state.report.target_path == str(target)
    kept = len(list(Path(state.folder).iterdir()))
    third = logs.write_log(tmp_path / "third.log", logs.losses(600, seed=3))
    drop(window, third)
    patience(lambda: len(state.runs) == 3 and settled(state))
    assert [run.role for run in state.runs] == [Role.TARGET, Role.GOLDEN, Role.OTHER]
    state.remove(state.runs[2].number)
    patience(lambda: settled(state))
    state.picture.smooth(5.0)
    patience(lambda: settled(state))
    assert len(list(Path(state.folder).iterdir())) <= kept  # what nobody looks at any more is gone
    folder = state.folder
    window.close()
    assert not Path(folder).exists()


def test_many_logs_come_at_once(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    names = ("gpu_a", "npu", "gpu_b")
    paths = [
        logs.write_log(tmp_path / f"{name}.log", logs.losses(80, seed=seed))
        for seed, name in enumerate(names)
    ]
    window.start([str(path) for path in paths])
    state = window.session.curves
    patience(lambda: len(state.runs) == 3 and settled(state))
    assert [run.role for run in state.runs] == [Role.GOLDEN, Role.TARGET, Role.REPEAT]
    assert state.report is not None
    assert state.report.repeat_paths == (str(paths[2]),)


def test_a_growing_log_is_read_on(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    values = logs.losses(400)
    log = logs.write_log(tmp_path / "train.log", values[:200])
    window.session.open_paths([str(log)])
    state = window.session.curves
    patience(lambda: settled(state))
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    canvas = page.picture.canvas
    assert canvas.scene.bounds()[1] == 200.0
    row = page.runs.rows[state.runs[0].number]
    assert not row.live.isVisible()
    canvas.look_at(150.0, 201.0)
    logs.append(log, values[200:], 201)
    state.watch.look()
    patience(lambda: canvas.scene.bounds()[1] == 400.0)
    assert row.live.isVisible()
    assert canvas.axis.seen[1] > 399  # it was at the end, and still is
    assert canvas.axis.span < 60
    canvas.look_at(10.0, 50.0)
    logs.append(log, values[:50], 401)
    state.watch.look()
    patience(lambda: canvas.scene.bounds()[1] == 450.0)
    assert canvas.axis.seen == pytest.approx((10.0, 50.0), abs=1.0)


def test_reading_is_stopped_and_taken_up_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    log = logs.write_log(tmp_path / "train.log", logs.losses(60))
    state = window.session.curves
    state.reader.work = endless_reading
    window.session.open_paths([str(log)])
    patience(lambda: window.pages.curves is not None)
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    patience(page.note.isVisible)
    assert page is not None
    assert page.working
    assert window.actions_registry["cancel"].isEnabled()
    qtbot.mouseClick(page.note.progress.cancel, LEFT)
    assert state.stage is Stage.STOPPED
    assert state.runs[0].stage is Stage.STOPPED
    state.reader.work = curves_work.read
    window.actions_registry["rerun"].trigger()
    patience(lambda: settled(state))
    assert state.readable


def test_a_judgement_that_breaks_leaves_the_curves(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    state = window.session.curves
    state.judging = broken_judgement
    state.open([str(path) for path in logs.pair(tmp_path)])
    window.pages.show_curves()
    patience(lambda: settled(state))
    assert state.stage is Stage.FAILED
    assert "planted" in state.details
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    assert page.picture.isVisible()
    assert len(page.picture.canvas.scene.curves) == 2
    assert page.headline.words[0] == "not judged"


def test_a_dump_pair_fills_the_page_with_the_logs_beside_it(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    for side in ("npu", "gpu"):
        network(tmp_path / side / "dump", tensors=False)
        logs.write_log(tmp_path / side / f"{side}_train.log", logs.losses(90))
    window.session.open_pair(str(tmp_path / "npu" / "dump"), str(tmp_path / "gpu" / "dump"))
    patience(lambda: window.session.cell is not None)
    window.actions_registry["page_curves"].trigger()
    state = window.session.curves
    patience(lambda: settled(state))
    assert state.judged_paths == (
        str(tmp_path / "npu" / "npu_train.log"), str(tmp_path / "gpu" / "gpu_train.log"),
    )  # fmt: skip
    assert all(run.offered for run in state.runs)
    # another pair without logs: those of the first one go, and it says what it misses
    other = network(tmp_path / "other" / "deep" / "dump", tensors=False)
    window.session.open_pair(str(other), "")
    patience(lambda: window.session.target_path == str(other))
    assert state.runs == []
    window.actions_registry["page_curves"].trigger()
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    patience(lambda: page.start.isVisible() and bool(page.start.sentence))
    assert state.stage is Stage.NOTHING


def test_logs_in_one_folder_are_told_apart_by_name(tmp_path: Path) -> None:
    for side in ("npu", "gpu"):
        network(tmp_path / f"{side}_dump", tensors=False)
        megatron_log(tmp_path / f"{side}_train.log", steps=30)
    found = run_to_end(curves_work.find_logs(str(tmp_path / "npu_dump"), str(tmp_path / "gpu_dump")))
    assert found.target == str(tmp_path / "npu_train.log")
    assert found.golden == str(tmp_path / "gpu_train.log")
    assert len(found.every) == 2


def test_numbers_are_exported(
    window: MainWindow, tmp_path: Path, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = window.session.curves
    window.session.open_paths([str(path) for path in logs.pair(tmp_path, 100)])
    patience(lambda: settled(state))
    output = tmp_path / "curves"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(output), "CSV (*.csv)"))
    window.actions_registry["export"].trigger()
    patience(lambda: not state.exports.running)
    assert str(output) in window.notice.sentence
    assert len(output.with_suffix(".csv").read_text("utf-8").splitlines()) > 100


@pytest.mark.parametrize("path", ["missing", "file"])
def test_sizes_of_logs_and_folders(tmp_path: Path, path: str) -> None:
    place = tmp_path / path
    if path == "missing":
        assert curves_work.size_of(str(place)) == (-1, 0)
        return
    place.write_bytes(b"12345")
    size, time = curves_work.size_of(str(place))
    assert size == 5
    assert time > 0
    (tmp_path / "second").write_bytes(b"123")
    assert curves_work.size_of(str(tmp_path))[0] == 8
