"""A result taken home: the dumps stay behind, come after, and the pictures are there again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.records.rounds import RoundStatus
from core.store.moved import load_moved
from gui.application import make_window
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.processes.work_state import Stage
from gui.views.tensors.view import TensorsView

LEFT = Qt.MouseButton.LeftButton
Until = Callable[[Callable[[], bool]], None]
Copy = Callable[[str, str], object]


@pytest.fixture
def server(tmp_path: Path, demo_pair: tuple[Path, Path]) -> Path:
    """Return a folder with both dumps and the result of comparing them."""
    place = tmp_path / "server"
    for side, name in zip(demo_pair, ("npu_dump", "gpu_dump")):
        shutil.copytree(side, place / name)
    status = main(
        ["compare", str(place / "npu_dump"), str(place / "gpu_dump"), "-o", str(place / "out.h5"), "--quiet"]
    )
    assert status == 1
    return place


@pytest.fixture
def window(qtbot: QtBot, qapp: object) -> MainWindow:
    made = make_window(qapp)  # type: ignore[arg-type]
    made.resize(1680, 1050)
    made.show()
    qtbot.addWidget(made)
    return made


def _open(qtbot: QtBot, window: MainWindow, result: Path) -> None:
    window.session.open_paths([str(result)])
    qtbot.waitUntil(lambda: window.session.cell is not None and not window.session.busy, timeout=60_000)


def _select_tensor(window: MainWindow) -> None:
    session = window.session
    assert session.cell is not None
    slots = session.cell.target.slots
    rows = session.cell.rows
    for row in range(len(rows)):
        slot = int(rows.target_slot[row])
        if slot >= 0 and int(rows.golden_slot[row]) >= 0 and slots.file_size[slot] >= 0:
            session.select(row)
            return
    raise AssertionError("no tensors")


def _sees_pictures(qtbot: QtBot, window: MainWindow) -> bool:
    """Whether the tensors tab shows the target's picture."""
    assert window.workspace is not None
    tabs = window.workspace.detail.tabs
    tensors = window.workspace.detail.view_of(TensorsView)
    tabs.setCurrentIndex(Tab.TENSORS)
    qtbot.waitUntil(lambda: window.session.pictures.idle, timeout=60_000)
    pictures = tensors.pictures
    return pictures is not None and None not in (pictures.target.picture, pictures.golden.picture)


def _point_at(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    assert window.workspace is not None
    qtbot.mouseClick(window.workspace.reconnect.locate_button, LEFT)
    qtbot.waitUntil(lambda: window.session.pictures.idle, timeout=60_000)


def test_dumps_are_located(
    qtbot: QtBot, window: MainWindow, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shutil.move(server / "out.h5", home / "out.h5")
    shutil.move(server, tmp_path / "elsewhere")
    _open(qtbot, window, home / "out.h5")
    assert window.workspace is not None
    bar = window.workspace.reconnect
    assert bar.isVisible()
    assert "The dumps are not here" in bar.sentence
    assert "without the dumps" in window.status._file.text()
    assert window.actions_registry["locate"].isEnabled()
    _select_tensor(window)
    assert not _sees_pictures(qtbot, window)
    row = window.session.row

    (tmp_path / "empty").mkdir()
    _point_at(monkeypatch, qtbot, window, tmp_path / "empty")
    assert "None of the tensors" in bar.sentence

    _point_at(monkeypatch, qtbot, window, tmp_path / "elsewhere" / "npu_dump")
    assert "golden's dump is not at" in bar.sentence
    _point_at(monkeypatch, qtbot, window, tmp_path / "elsewhere")
    assert not bar.isVisible()
    assert "found" in window.notice.sentence
    assert window.session.row == row
    assert _sees_pictures(qtbot, window)

    # in other steps and ranks as well, and they can be replayed
    assert window.session.info is not None
    window.session.choose_cell(window.session.info.cells[1])
    qtbot.waitUntil(lambda: not window.session.busy, timeout=60_000)
    assert not bar.isVisible()
    _select_tensor(window)
    assert _sees_pictures(qtbot, window)
    assert "without the dumps" not in window.status._file.text()

    # a dump made after a fix is compared with the golden where that lies now
    state = window.session.rounds
    state.next_round(str(tmp_path / "elsewhere" / "gpu_dump"))
    qtbot.waitUntil(lambda: state.stage is Stage.READY, timeout=60_000)
    assert state.found is not None
    assert state.found.counts[RoundStatus.FIXED] > 0
    assert not bar.isVisible()


def test_dumps_beside_the_result_are_found_by_themselves(
    qtbot: QtBot, window: MainWindow, server: Path, tmp_path: Path
) -> None:
    shutil.move(server, tmp_path / "home")
    _open(qtbot, window, tmp_path / "home" / "out.h5")
    assert window.workspace is not None
    assert not window.workspace.reconnect.isVisible()
    _select_tensor(window)
    assert _sees_pictures(qtbot, window)


def test_a_copy_with_new_times_is_taken_only_when_told(
    qtbot: QtBot, window: MainWindow, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(server, copy, copy_function=shutil.copyfile)
    shutil.rmtree(server)
    _open(qtbot, window, copy / "out.h5")
    assert window.workspace is not None
    bar = window.workspace.reconnect
    assert bar.isVisible()
    assert not bar.anyway.isVisible()
    _point_at(monkeypatch, qtbot, window, copy)
    assert "same names and sizes, but other times" in bar.sentence
    assert bar.anyway.isVisible()
    qtbot.mouseClick(bar.anyway, LEFT)
    assert not bar.isVisible()
    assert not any(rule.exact for rule in load_moved())
    _select_tensor(window)
    assert _sees_pictures(qtbot, window)


def test_another_dump_is_refused(
    qtbot: QtBot, window: MainWindow, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    shutil.copytree(server, other)
    for file in (other / "npu_dump").rglob("*.pt"):
        file.write_bytes(file.read_bytes() + b"\0")
    shutil.move(server / "out.h5", tmp_path / "out.h5")
    shutil.rmtree(server)
    _open(qtbot, window, tmp_path / "out.h5")
    _point_at(monkeypatch, qtbot, window, other / "npu_dump")
    assert window.workspace is not None
    bar = window.workspace.reconnect
    assert bar.isVisible()
    assert "is another dump" in bar.sentence
    assert not bar.anyway.isVisible()
