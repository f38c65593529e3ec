"""What comes to the curves page together, and in which roles: logs, texts of no known form, monitors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import curves as logs
from builders.monitors import Row, write_v1
from builders.rooms import network
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.models.curves.roles import Role
from gui.opening import guess_order, logs_inside
from gui.pages.bar import Page
from gui.processes.work_state import Stage
from gui.training.work import is_text
from gui.views.curves.pattern_dialog import PatternDialog
from gui.views.curves.view import CurvesView

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[..., None]


def drop(window: MainWindow, *paths: Path) -> None:
    """Drag *paths* over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(10, 200), copy, data, LEFT, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(10, 200), copy, data, LEFT, none))


def settled(window: MainWindow) -> bool:
    state = window.session.curves
    ended = state.stage not in (Stage.WORKING, Stage.NOTHING)
    return ended and not state.reader.busy and state.service.idle


def page_of(window: MainWindow) -> CurvesView:
    assert window.pages.curves is not None
    assert window.pages.curves.curves is not None
    return window.pages.curves.curves


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    """Return a log of a form that is not known."""
    path = tmp_path / "own_npu.log"
    path.write_text("".join(f"<{step}> L~{10 / step:.4f} ok\n" for step in range(1, 61)), "utf-8")
    return path


def test_a_log_that_is_not_understood_keeps_its_place_in_a_pair(
    window: MainWindow, tmp_path: Path, unknown: Path, patience: Patience
) -> None:
    golden = logs.write_log(tmp_path / "gpu.log", logs.losses(60))
    drop(window, golden, unknown)
    patience(lambda: settled(window))
    state, page = window.session.curves, page_of(window)
    assert window.pages.page is Page.CURVES
    assert window.notice.isHidden()
    assert {run.path: run.role for run in state.runs} == {
        str(unknown): Role.TARGET, str(golden): Role.GOLDEN,
    }  # fmt: skip
    failed = next(run for run in state.runs if run.path == str(unknown))
    row = page.runs.rows[failed.number]
    assert row.facts.text().startswith("No training log")
    assert str(tmp_path) in row.facts.toolTip()
    assert row.pattern.isVisible()
    assert not page.runs.rows[next(run.number for run in state.runs if run is not failed)].pattern.isVisible()
    row.pattern.click()
    dialog = page.findChild(QDialog)
    assert isinstance(dialog, PatternDialog)
    dialog.expression.setText(r"<(?P<step>\d+)> L~(?P<loss>[\d.]+)")
    patience(dialog.use.isEnabled)
    dialog.use.click()
    patience(lambda: state.report is not None and bool(state.report.golden_path))
    assert state.report is not None
    assert (state.report.target_path, state.report.golden_path) == (str(unknown), str(golden))
    assert not row.pattern.isVisible()


def test_two_texts_that_say_nothing_are_offered_a_pattern(
    window: MainWindow, tmp_path: Path, unknown: Path, patience: Patience
) -> None:
    other = tmp_path / "gpu.txt"
    other.write_text("milk\nbread\n", "utf-8")
    drop(window, other, unknown)
    patience(lambda: settled(window))
    page = page_of(window)
    assert [run.role for run in window.session.curves.runs] == [Role.TARGET, Role.GOLDEN]
    assert all(row.pattern.isVisible() for row in page.runs.rows.values())
    assert page.headline.words[1].startswith("None of these logs")
    assert not page.picture.canvas.grab().isNull()
    third = tmp_path / "third.txt"
    third.write_text("eggs\n", "utf-8")
    drop(window, third)  # one alone too, where others are on show
    patience(lambda: len(window.session.curves.runs) == 3)


def test_what_is_no_text_is_refused_as_before(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, unknown: Path
) -> None:
    binary, facts = tmp_path / "weights.bin", tmp_path / "facts.json"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    facts.write_text('{"a": 1}', "utf-8")
    for path in (binary, facts):
        assert not is_text(str(path))
        with qtbot.waitSignal(window.session.noticed, timeout=60_000):
            drop(window, unknown, path)
        assert window.session.curves.runs == []
    assert is_text(str(unknown))
    assert not is_text(str(tmp_path / "missing"))


def test_a_path_that_is_not_there_is_a_row_beside_a_log(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    log = logs.write_log(tmp_path / "npu.log", logs.losses(50))
    window.start([str(log), str(tmp_path / "gpu.log")])
    patience(lambda: settled(window))
    runs, page = window.session.curves.runs, page_of(window)
    assert [run.stage for run in runs] == [Stage.READY, Stage.FAILED]
    row = page.runs.rows[runs[1].number]
    assert row.facts.text().startswith("It cannot be read")
    assert not row.pattern.isVisible()


def test_a_dump_beside_a_log_is_still_opened(
    window: MainWindow, tmp_path: Path, unknown: Path, patience: Patience
) -> None:
    run = network(tmp_path / "run", tensors=False)
    log = logs.write_log(tmp_path / "train.log", logs.losses(50))
    window.session.open_paths([str(run), str(log), str(unknown)])
    patience(lambda: window.session.cell is not None)
    assert window.session.target_path == str(run)
    assert [each.path for each in window.session.curves.runs] == [str(log), str(unknown)]


def test_the_fields_take_logs_in_the_roles_they_say(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    paths = [logs.write_log(tmp_path / f"{name}.log", logs.losses(60, seed=at))
             for at, name in enumerate(("gpu", "npu"))]  # fmt: skip
    welcome = window.welcome
    assert "training log" in welcome.target.field.placeholderText()
    assert "Curves page" in welcome.golden.toolTip()
    welcome.target.field.setText(str(paths[0]))
    welcome.golden.field.setText(str(paths[1]))
    qtbot.mouseClick(welcome.open_button, LEFT)
    patience(lambda: settled(window))
    assert window.session.curves.judged_paths == (str(paths[0]), str(paths[1]))
    assert window.session.arrivals.log == str(paths[0])


def monitored(folder: Path, factor: float) -> Path:
    rows = [
        Row("grad_reduced", f"layers.{layer}.weight", step, {"norm": factor if layer and step > 1 else 1.0})
        for step in range(4)
        for layer in range(3)
    ]
    return write_v1(folder, rows)


def test_findings_of_trends_are_gone_through_from_the_top_bar(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    target, golden = monitored(tmp_path / "gpu_run", 1.5), monitored(tmp_path / "npu_run", 1.0)
    window.session.open_pair(str(target), str(golden))
    patience(lambda: window.pages.curves is not None and window.pages.curves.trends is not None)
    assert window.pages.curves is not None
    assert window.pages.curves.trends is not None
    state = window.pages.curves.trends.state
    patience(lambda: state.stage is Stage.READY)
    assert (state.target, state.golden) == (str(target), str(golden))  # as told, whatever their names say
    assert state.findings
    assert window.top._next.isVisible()
    qtbot.mouseClick(window.top._next, LEFT)
    assert state.finding == 0
    window.actions_registry["tab_curves"].trigger()
    assert not window.top._next.isVisible()


def test_a_pair_is_told_apart_by_its_folders_too() -> None:
    assert guess_order("/gpu/train.log", "/npu/train.log") == ("/npu/train.log", "/gpu/train.log")
    assert guess_order("/npu/gpu.log", "/npu/npu.log") == ("/npu/npu.log", "/npu/gpu.log")


@pytest.mark.parametrize("way", ["drop", "start"])
def test_folders_with_logs_alone_show_the_logs_in_them(
    window: MainWindow, tmp_path: Path, patience: Patience, way: str
) -> None:
    pair = []
    for side in ("npu_run", "gpu_run"):
        (tmp_path / side / "checkpoints").mkdir(parents=True)
        (tmp_path / side / "config.yaml").write_text("lr: 1\n", "utf-8")
        pair.append(logs.write_log(tmp_path / side / "train.log", logs.losses(60)))
    folders = [path.parent for path in pair]
    if way == "drop":
        drop(window, *folders)
    else:
        window.start([str(folder) for folder in folders])
    patience(lambda: settled(window))
    assert window.pages.page is Page.CURVES
    assert {run.path: run.role for run in window.session.curves.runs} == {
        str(pair[0]): Role.TARGET, str(pair[1]): Role.GOLDEN,
    }  # fmt: skip
    assert window.notice.isHidden()


def test_a_folder_with_both_logs_of_a_pair(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    golden, target = (
        logs.write_log(tmp_path / name, logs.losses(60)) for name in ("gpu_train.log", "npu_train.log")
    )
    drop(window, tmp_path)
    patience(lambda: settled(window))
    assert {run.path: run.role for run in window.session.curves.runs} == {
        str(target): Role.TARGET, str(golden): Role.GOLDEN,
    }  # fmt: skip


def test_a_dump_with_a_log_beside_it_stays_a_dump(tmp_path: Path) -> None:
    run = tmp_path / "run"
    network(run / "a" / "b" / "c", tensors=False)
    logs.write_log(run / "train.log", logs.losses(60))
    assert logs_inside(str(run)) == []
    assert logs_inside(str(run / "train.log")) == []
    (tmp_path / "empty").mkdir()
    assert logs_inside(str(tmp_path / "empty")) == []


def evidence_folder(place: Path, rate: str) -> Path:
    """Return a folder with what people have of a run: script, log, list."""
    place.mkdir()
    logs.write_log(place / "train.log", logs.losses(50))
    (place / "run.sh").write_text(
        f"#!/bin/bash\ntorchrun train.py --lr {rate} --micro-batch-size 2 --num-layers 2\n", "utf-8"
    )
    return place


def source_folder(place: Path) -> Path:
    """Return a folder with a little code and nothing else."""
    place.mkdir()
    (place / "train.py").write_text("print(1)\n", "utf-8")
    return place


def test_folders_of_evidence_go_to_the_pre_check_and_their_logs_to_the_curves(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    npu, gpu = evidence_folder(tmp_path / "npu", "1e-3"), evidence_folder(tmp_path / "gpu", "2e-3")
    drop(window, gpu, npu)
    state = window.session.precheck
    patience(lambda: window.pages.page is Page.PRECHECK)
    assert [given.path for given in state.target] == [str(npu)]
    assert [given.path for given in state.golden] == [str(gpu)]
    roles = {run.path: run.role for run in window.session.curves.runs}
    assert roles == {str(npu / "train.log"): Role.TARGET, str(gpu / "train.log"): Role.GOLDEN}
    assert window.notice.isHidden()


def test_the_fields_say_whose_evidence_a_folder_is(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    first, second = evidence_folder(tmp_path / "gpu", "1e-3"), evidence_folder(tmp_path / "npu", "2e-3")
    logs.write_log(second / "more.log", logs.losses(50))  # whose each log is, nobody told
    window.session.open_pair(str(first), str(second))
    patience(lambda: window.pages.page is Page.PRECHECK)
    state = window.session.precheck
    assert [given.path for given in (*state.target, *state.golden)] == [str(first), str(second)]
    assert window.session.curves.runs == []


def test_a_folder_of_source_is_evidence_among_other_files(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    source = source_folder(tmp_path / "src")
    script = evidence_folder(tmp_path / "npu", "1e-3") / "run.sh"
    window.start([str(source), str(script)])
    patience(lambda: window.pages.page is Page.PRECHECK)
    state = window.session.precheck
    assert {given.path for given in (*state.target, *state.golden)} == {str(source), str(script)}
    assert window.notice.isHidden()


def test_a_folder_of_logs_alone_is_no_evidence(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    for side in ("npu", "gpu"):
        (tmp_path / side).mkdir()
        logs.write_log(tmp_path / side / "train.log", logs.losses(50))
    drop(window, tmp_path / "npu", tmp_path / "gpu")
    patience(lambda: window.pages.page is Page.CURVES)
    assert window.session.precheck.target == ()
