"""The list of runs on the curves page: roles, more runs, one run alone, lines not read, failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import curves as logs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.models.curves.roles import Role
from gui.pages.bar import Page
from gui.processes.work_state import Stage
from gui.views.curves.view import CurvesView

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CurvesView:
    return logs.shown_with(window, monkeypatch, *logs.pair(tmp_path))


def test_roles_are_chosen_and_exchanged(page: CurvesView, window: MainWindow) -> None:
    target, golden = page.state.runs
    before = page.state.report
    page.runs.rows[golden.number].role.menu().actions()[0].trigger()
    assert (target.role, golden.role) == (Role.GOLDEN, Role.TARGET)
    report = page.state.report
    assert report is not None
    assert before is not None
    assert report.target_path == before.golden_path
    window.actions_registry["swap"].trigger()
    assert (target.role, golden.role) == (Role.TARGET, Role.GOLDEN)
    page.headline.swap.click()
    assert page.state.judged_paths == (golden.path, target.path)


def test_a_run_is_hidden_added_and_removed(
    window: MainWindow, page: CurvesView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = page.state.runs[0]
    page.runs.rows[target.number].check.click()
    assert [curve.name for curve in page.picture.canvas.scene.curves] == ["gpu_train.log"]
    page.runs.rows[target.number].check.click()
    third = logs.write_log(tmp_path / "长名称的训练日志.log", logs.losses(600, seed=4))
    window.session.arrivals.logs_found.emit([str(third)])  # dropped while the page is on show
    assert [run.role for run in page.state.runs] == [Role.TARGET, Role.GOLDEN, Role.OTHER]
    assert len(page.picture.canvas.scene.curves) == 3
    page.state.set_role(page.state.runs[2].number, Role.REPEAT)
    assert page.state.report is not None
    assert page.state.report.repeat_paths == (str(third),)
    assert page.picture.canvas.scene.band is not None
    for run in list(page.state.runs):
        page.state.remove(run.number)
    assert page.start.isVisible()
    assert page.state.stage is Stage.NOTHING
    assert window.page_bar.button(Page.CURVES).badge == ""


def test_one_log_tells_what_it_can(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logs.write_log(tmp_path / "train.log", logs.losses(100), again={60: 41})
    page = logs.shown_with(window, monkeypatch, log)
    scene = page.picture.canvas.scene
    assert scene.difference is None
    assert len(scene.resumes) == 1
    assert scene.resumes[0][0] == 41.0
    assert page.headline.words[0] == "not judged"
    assert "1 resume" in page.runs.rows[page.state.runs[0].number].facts.text()
    assert not page.picture.grab().isNull()


def test_lines_that_were_not_read_are_listed(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    junk = [" iteration        1/     100 | lm loss: what |", "a line of something else"]
    log = logs.write_log(tmp_path / "train.log", logs.losses(100), junk=junk)
    page = logs.shown_with(window, monkeypatch, log)
    row = page.runs.rows[page.state.runs[0].number]
    assert row.unread.text() == "1 line not read"
    row.unread.click()
    assert page.findings.tabs.currentIndex() == 2
    assert "lm loss: what" in page.findings.unread.toPlainText()
    assert page.findings.tabs.tabText(2) == "Not read  1"


def test_what_cannot_be_read_says_why(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "missing.log"
    page = logs.shown_with(window, monkeypatch, path)
    assert page.note.isVisible()
    assert "missing.log" in page.note.sentences[1]
    qtbot.mouseClick(page.note.button, LEFT)
    assert page.start.isVisible()
    log = logs.write_log(tmp_path / "train.log", logs.losses(50))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(log)], ""))
    page.start.open.click()
    assert page.state.readable
