"""The next round of a target: compared, kept, shown, and left."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.records.rounds import RoundStatus
from core.store.rounds import Round, load_rounds, save_rounds
from gui.main_window import MainWindow
from gui.paths import told_apart
from gui.processes.work_state import Stage

LEFT = Qt.MouseButton.LeftButton
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def runs(tmp_path: Path, demo_pair: tuple[Path, Path]) -> dict[str, str]:
    """Return a target, the same after its fault was mended, and the golden."""
    target, golden = demo_pair
    made = {}
    for name, side in (("first", target), ("mended", golden), ("golden", golden)):
        made[name] = str(tmp_path / name)
        shutil.copytree(side, made[name])
    return made


@pytest.fixture
def two_rounds(
    qtbot: QtBot, window: MainWindow, runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    """Return a window in which the mended run was compared as the next round."""
    window.session.open_pair(runs["first"], runs["golden"])
    qtbot.waitUntil(lambda: window.session.cell is not None, timeout=60_000)
    assert window.workspace is not None
    assert window.workspace.docks["rounds"].isHidden()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: runs["mended"])
    window.actions_registry["next_round"].trigger()
    qtbot.waitUntil(lambda: window.session.rounds.stage is Stage.READY, timeout=60_000)
    return window


def test_the_next_round_tells_what_was_mended(
    qtbot: QtBot, two_rounds: MainWindow, runs: dict[str, str]
) -> None:
    assert two_rounds.workspace is not None
    view, state = two_rounds.workspace.rounds, two_rounds.session.rounds
    assert two_rounds.workspace.docks["rounds"].isVisible()
    assert two_rounds.session.target_path == runs["mended"]
    assert view.summary.sentence.text().endswith("0 better, 0 unchanged, 0 worse, 0 new.")
    assert "No longer introduces an error: Functional.gelu.1.forward" in view.summary.origins.text()
    fixed = view.summary.chips[RoundStatus.FIXED].count
    assert fixed > 0
    assert view.summary.chips[RoundStatus.NEW].isVisible()
    assert not view.summary.chips[RoundStatus.WORSE].isVisible()
    assert view.model.rowCount() == fixed + view.summary.chips[RoundStatus.NOT_COMPARABLE].count
    assert [view.choice.rounds.itemText(at) for at in range(2)] == ["R1 · first", "R2 · mended"]
    assert view.choice.rounds.currentIndex() == 1
    assert state.found is not None

    # a row leads to its call, also by the keyboard
    view.table.setFocus()
    view.table.setCurrentIndex(view.model.index(0, 1))
    name = view.model.index(0, 1).data()
    facts, session = two_rounds.session.facts, two_rounds.session
    assert facts is not None
    assert facts.operators[int(facts.operator[session.row])] == name
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: not session.busy)
    assert session.facts is not None
    shown = session.facts.operators[int(session.facts.operator[session.row])]
    assert shown == view.model.index(1, 1).data()

    qtbot.mouseClick(view.summary.chips[RoundStatus.CLEAN], LEFT)
    assert view.model.rowCount() == view.summary.chips[RoundStatus.CLEAN].count
    view.table.selectRow(0)
    assert view.copied_text().split("\n")[1].startswith("clean\t")


def test_rounds_are_there_again(
    qtbot: QtBot, two_rounds: MainWindow, runs: dict[str, str], patience: Until
) -> None:
    session, state = two_rounds.session, two_rounds.session.rounds
    session.open_pair(runs["first"], runs["golden"])
    patience(lambda: session.target_path == runs["first"])
    assert (state.at, state.base, state.stage) == (0, -1, Stage.NOTHING)
    assert [one.target for one in state.rounds] == [runs["first"], runs["mended"]]
    assert two_rounds.workspace is not None
    view = two_rounds.workspace.rounds
    assert view.note.sentences[0] == "This is the first round"
    view.choice.rounds.setCurrentIndex(1)
    view.choice.rounds.activated.emit(1)
    patience(lambda: state.stage is Stage.READY)
    assert session.target_path == runs["mended"]
    # the other way round: what a change that is taken back would break
    session.open_pair(runs["first"], runs["golden"])
    patience(lambda: session.target_path == runs["first"] and not session.busy)
    view.choice.base.activated.emit(0)
    patience(lambda: state.stage is Stage.READY)
    assert state.found is not None
    assert state.found.counts[RoundStatus.NEW] > 0
    assert "Introduces an error now: Functional.gelu.1.forward" in view.summary.origins.text()


def test_the_earlier_result_is_made_again_where_it_is_gone(
    qtbot: QtBot, two_rounds: MainWindow, runs: dict[str, str], patience: Until
) -> None:
    session, state = two_rounds.session, two_rounds.session.rounds
    kept = load_rounds(session.golden_path)
    save_rounds(session.golden_path, [Round(kept[0].target, "/gone.h5", kept[0].created), kept[1]])
    Path(kept[0].result).unlink()
    session.rerun()
    patience(lambda: state.stage is Stage.STOPPED)
    assert two_rounds.workspace is not None
    note = two_rounds.workspace.rounds.note
    assert note.sentences[0] == "The earlier round's result is gone, or was not waited for"
    qtbot.mouseClick(note.button, LEFT)
    patience(lambda: state.stage is Stage.READY)
    assert state.found is not None
    assert state.found.counts[RoundStatus.FIXED] > 0
    shutil.rmtree(runs["first"])
    for path in Path(kept[0].result).parent.glob("*.h5"):
        if str(path) != session.result_path:
            path.unlink()
    state.start()
    patience(lambda: state.stage is Stage.FAILED)
    assert note.sentences[0] == "The rounds cannot be compared"


def test_leaving_the_list(two_rounds: MainWindow) -> None:
    session = two_rounds.session
    session.rounds.leave()
    assert len(load_rounds(session.golden_path)) == 1
    assert session.rounds.stage is Stage.NOTHING


def test_another_golden_has_other_rounds(
    two_rounds: MainWindow, runs: dict[str, str], patience: Until
) -> None:
    session = two_rounds.session
    session.open_pair(runs["golden"], runs["mended"])
    patience(lambda: session.golden_path == runs["mended"])
    assert session.rounds.rounds == ()
    assert session.rounds.at == -1


def test_names_tell_rounds_apart() -> None:
    assert told_apart(["/a/npu/step0", "/b/npu/step0", "/a/new"]) == ["a/npu/step0", "b/npu/step0", "new"]
    assert told_apart(["/a/x", "/a/x"]) == ["x", "x"]
    assert told_apart([]) == []


@pytest.mark.parametrize(("height", "round_wanted"), [(0.85, True), (0.3, False)])
def test_one_run_dropped_below_is_the_next_round(
    qtbot: QtBot, loaded: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    height: float, round_wanted: bool,
) -> None:  # fmt: skip
    asked: list[str] = []
    monkeypatch.setattr(loaded.session.rounds, "next_round", asked.append)
    monkeypatch.setattr(loaded.session, "open_side", lambda path, as_golden: None)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    point = QPointF(200, loaded.height() * height)
    action, button, none = Qt.DropAction.CopyAction, LEFT, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(loaded, QDragEnterEvent(point.toPoint(), action, data, button, none))
    assert loaded.overlay.isVisible()
    loaded.grab()
    QApplication.sendEvent(loaded, QDropEvent(point, action, data, button, none))
    assert asked == ([str(tmp_path)] if round_wanted else [])
