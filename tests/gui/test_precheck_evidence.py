"""Bringing evidence: by drop, by button, as another kind, to the other side, and away with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import precheck_reports as made
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.messages import text
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Entry, Outcome
from core.store.prechecks import load_table
from gui.main_window import MainWindow
from gui.pages.bar import Page
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.processes.work_state import Stage
from gui.views.precheck.view import PrecheckView

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[[Callable[[], bool]], None]


@pytest.fixture
def page(window: MainWindow) -> PrecheckView:
    window.session.precheck.work = made.answers
    window.actions_registry["page_precheck"].trigger()
    QApplication.processEvents()
    assert window.pages.precheck is not None
    return window.pages.precheck.checklist


@pytest.fixture
def state(window: MainWindow) -> PrecheckState:
    return window.session.precheck


def drop(window: MainWindow, *paths: str, right: bool = False) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    at = QPoint(window.width() * (3 if right else 1) // 4, 300)
    QApplication.sendEvent(window, QDragEnterEvent(at, copy, data, LEFT, none))
    assert window.overlay.isVisible()
    window.grab()  # the halves are drawn
    QApplication.sendEvent(window, QDropEvent(QPointF(at), copy, data, LEFT, none))


def test_each_half_of_the_page_is_a_side(
    window: MainWindow, page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    drop(window, "/r/a.sh", "/r/pip.txt")
    assert [given.path for given in state.target] == ["/r/a.sh", "/r/pip.txt"]
    assert state.golden == ()
    assert state.working
    drop(window, "/r/b.sh", right=True)
    assert [given.path for given in state.golden] == ["/r/b.sh"]
    patience(lambda: state.stage is Stage.READY)
    assert [line.path for line in page.target.lines] == ["/r/a.sh", "/r/pip.txt"]
    assert page.golden.lines[0].kinds == (EvidenceKind.SCRIPT,)
    assert window.pages.page is Page.PRECHECK


def test_two_dumps_on_the_page_are_compared_and_are_no_evidence(
    window: MainWindow, page: PrecheckView, state: PrecheckState, tmp_path: Path
) -> None:
    dumps = []
    for side in ("npu", "gpu"):
        place = tmp_path / side
        place.mkdir()
        (place / "dump.json").write_text("{}", "utf-8")
        dumps.append(str(place))
    drop(window, *dumps)
    assert window.session.opening == (dumps[0], dumps[1])
    assert state.target == ()
    window.session.cancel()


def test_files_and_folders_by_the_buttons_and_the_commands(
    qtbot: QtBot,
    window: MainWindow,
    page: PrecheckView,
    state: PrecheckState,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (["/x/a.yaml"], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/x/code")
    qtbot.mouseClick(page.target.add_files, LEFT)
    qtbot.mouseClick(page.golden.add_folder, LEFT)
    window.actions_registry["add_golden_evidence"].trigger()
    # a path stands on one side: the golden's is no longer the target's
    assert state.target == ()
    assert [given.path for given in state.golden] == ["/x/code", "/x/a.yaml"]
    assert window.context.settings.last_folder == "/x"


def test_kind_side_and_removal_are_chosen_in_the_row(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    state.add(Side.TARGET, ["/r/train.log", "/r/bad.bin"])
    patience(lambda: state.stage is Stage.READY)
    log, bad = page.target.rows[:2]
    assert bad.warning.isVisible()
    assert text("gui.precheck.refused") in bad.warning.toolTip()
    assert not log.warning.isVisible()
    assert text("gui.precheck.troubled", count=1) in page.target.header.subtitle
    at = log.kind.findData(EvidenceKind.REPEAT_LOG)
    log.kind.setCurrentIndex(at)
    log.kind.activated.emit(at)
    assert state.target[0] == Given("/r/train.log", EvidenceKind.REPEAT_LOG)
    patience(lambda: state.stage is Stage.READY)
    assert page.target.lines[0].kinds == (EvidenceKind.REPEAT_LOG,)
    log.more.menu().actions()[0].trigger()
    assert state.golden == (Given("/r/train.log", EvidenceKind.REPEAT_LOG),)
    qtbot.mouseClick(page.target.rows[0].away, LEFT)
    assert state.target == ()
    patience(lambda: state.stage is Stage.READY)
    qtbot.mouseClick(page.golden.rows[0].away, LEFT)
    assert state.stage is Stage.NOTHING
    assert state.report is None
    assert page.bring.isVisible()


def test_rows_fit_into_a_narrow_page(window: MainWindow, page: PrecheckView, state: PrecheckState) -> None:
    target, _ = made.evidence()
    state.target = (Given(made.TARGET),)
    state.show_report(made.report())
    row = page.target.rows[0]
    assert row.chips.words[:2] == [text("precheck.kind.script"), text("precheck.kind.environment")]
    assert row.kind.currentText() == text("gui.precheck.by_content")
    window.resize(860, 560)
    QApplication.processEvents()
    assert row.chips.words == []
    assert text("precheck.kind.script") in row.kind.currentText()
    assert row.width() <= page.target.width()
    assert {line.path for line in page.target.lines} >= {each.path for each in target if each.found}


def test_evidence_and_entries_come_back_with_the_same_files(
    window: MainWindow, page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    state.add(Side.TARGET, ["/r/a.sh"])
    state.add(Side.GOLDEN, ["/r/b.sh"])
    patience(lambda: state.stage is Stage.READY)
    state.add(Side.TARGET, ["/r/pip.txt"])
    patience(lambda: state.stage is Stage.READY)
    state.enter(made.RATE, Entry(Outcome.PASS, "as planned", name="Li", date="2026-01-02"))
    kept = load_table("/r/a.sh", "/r/b.sh")
    assert [given.path for given in kept.target] == ["/r/a.sh", "/r/pip.txt"]
    assert kept.entries[made.RATE].remark == "as planned"
    fresh = PrecheckState(window.session)
    fresh.work = made.answers
    fresh.add(Side.TARGET, ["/r/a.sh"])
    fresh.add(Side.GOLDEN, ["/r/b.sh"])
    patience(lambda: fresh.stage is Stage.READY)
    assert [given.path for given in fresh.target] == ["/r/a.sh", "/r/pip.txt"]
    assert fresh.entries == state.entries
    assert fresh.failures == 1
    fresh.close()


def test_what_is_taken_away_meanwhile_does_not_come_back(
    page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    state.add(Side.TARGET, ["/r/a.sh", "/r/b.sh"])
    patience(lambda: state.working)
    state.remove(Side.TARGET, "/r/b.sh")
    patience(lambda: state.stage is Stage.READY)
    assert [given.path for given in state.target] == ["/r/a.sh"]


def test_working_can_be_stopped_and_a_crash_says_so(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    state.work = made.never
    state.add(Side.TARGET, ["/r/a.sh"])
    patience(lambda: page.note.isVisible() and state.progress is not None)
    qtbot.mouseClick(page.note.progress.cancel, LEFT)
    assert state.stage is Stage.STOPPED
    state.work = made.breaks
    qtbot.mouseClick(page.note.button, LEFT)
    patience(lambda: state.stage is Stage.FAILED)
    assert text("gui.precheck.failed") in page.note.sentences
    state.work = made.answers
    qtbot.mouseClick(page.note.button, LEFT)
    patience(lambda: state.stage is Stage.READY)
    assert page.checks.isVisible()
    state.work = made.never
    qtbot.mouseClick(page.headline.again, LEFT)
    assert page.checks.isVisible()  # the answer before stays meanwhile
    patience(lambda: state.progress is not None)
    qtbot.mouseClick(page.headline.cancel, LEFT)
    assert state.stage is Stage.READY


def test_a_table_is_saved_and_opened_again(
    window: MainWindow, page: PrecheckView, state: PrecheckState, patience: Patience, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    state.add(Side.TARGET, ["/r/a.sh"])
    state.enter(made.BATCH, Entry(Outcome.PASS, "ok"))
    patience(lambda: state.stage is Stage.READY)
    place = tmp_path / "table"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    window.actions_registry["save_table"].trigger()
    patience(lambda: not state.exports.running)
    saved = place.with_suffix(".json")
    assert saved.is_file()
    state.remove(Side.TARGET, "/r/a.sh")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(saved), ""))
    window.actions_registry["open_table"].trigger()
    patience(lambda: state.stage is Stage.READY and state.report is not None)
    assert [given.path for given in state.target] == ["/r/a.sh"]
    assert state.entries[made.BATCH].remark == "ok"
    broken = tmp_path / "broken.json"
    broken.write_text("{}", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(broken), ""))
    window.actions_registry["open_table"].trigger()
    patience(lambda: window.notice.isVisible() and str(broken) in window.notice.sentence)


def test_a_script_dropped_on_a_comparison_is_evidence_of_its_half(
    loaded: MainWindow, state: PrecheckState, patience: Patience, tmp_path: Path
) -> None:
    state.work = made.answers
    script = tmp_path / "train.sh"
    script.write_text("#!/bin/bash\ntorchrun train.py --lr 1e-4 --micro-batch-size 2\n", "utf-8")
    drop(loaded, str(script), right=True)
    patience(lambda: loaded.pages.page is Page.PRECHECK)
    assert [given.path for given in state.golden] == [str(script)]
    assert loaded.session.cell is not None  # the comparison stays open
    patience(lambda: state.stage is Stage.READY)


def test_what_is_brought_is_kept_though_nobody_waits_for_the_answer(
    page: PrecheckView, state: PrecheckState
) -> None:
    state.work = made.never
    state.add(Side.TARGET, ["/r/a.sh"])
    state.enter(made.RATE, Entry(Outcome.PASS, "known"))
    assert load_table("/r/a.sh", "").entries == {}  # what was kept before is not here yet
    state.close()
    kept = load_table("/r/a.sh", "")
    assert [given.path for given in kept.target] == ["/r/a.sh"]
    assert kept.entries[made.RATE].remark == "known"


def test_thousands_of_files_are_listed_by_parts_what_is_wrong_first(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState, patience: Patience
) -> None:
    paths = [f"/r/{number:04}.sh" for number in range(2000)]
    state.add(Side.TARGET, [*paths, "/r/bad.bin"])
    patience(lambda: state.stage is Stage.READY)
    card = page.target
    assert len(card.rows) == len(card.lines) < 100
    assert card.lines[0].path == "/r/bad.bin"
    assert text("gui.precheck.files", count=2001) in card.header.subtitle
    listed = len(card.lines)
    assert card.more.text() == text("gui.precheck.show_more", count=2001 - listed)
    qtbot.mouseClick(card.more, LEFT)
    assert [line.path for line in card.lines[1:]] == paths[: 2 * listed - 1]
    assert card.rows[listed].kind.hasFocus()
    state.target = state.target[:10]
    state.evidence_changed.emit()
    assert [line.path for line in card.lines] == paths[:10]
    assert card.more.isHidden()
