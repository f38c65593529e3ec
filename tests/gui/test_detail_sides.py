"""Arguments and call stacks of both sides beside each other, and the source around a frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.models.call.arguments import ArgumentRole
from gui.models.call.stack_table import FrameRole
from gui.pages.detail import DetailCard, Tab
from gui.views.arguments.view import ArgumentsView
from gui.views.stack.view import StackView

Patience = Callable[[Callable[[], bool]], None]
ARGUMENTS, STACK = Tab.ARGUMENTS, Tab.STACK
MODEL = ["import torch", "", "def forward(x):", "    h = F.gelu(x, approximate='tanh')", "    return h"]
LIBRARY = (
    "File /opt/lib/python3.11/site-packages/torch/nn/modules/module.py, line {line}, in _call_impl, \n {code}"
)


def frame(folder: str, line: int, function: str, code: str) -> str:
    return f"File {folder}/job/model.py, line {line}, in {function}, \n {code}"


def make_side(folder: Path, target: bool) -> Path:
    values = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)
    given: dict[str, object] = {"approximate": "tanh" if target else "none"}
    given |= {"shape": [1, 2, 3] if target else [1, 2, 4]}
    if target:
        given["inplace"] = False
    made = values * (1.25 if target else 1) - 0.5
    calls = {
        "Functional.gelu.0.forward": call([values], [made if target else made.reshape(2, 12)], given),
        "Functional.relu.0.forward": call([values.astype(np.float16 if target else np.float32)], [values]),
    }
    where = "/root/npu" if target else "/home/gpu"
    middle = [frame(where, 20, "checkpoint", "return run(forward, x)")] if target else []
    stacks = [
        frame(where, 4, "forward", "h = F.gelu(x, approximate='tanh')" if target else "h = F.gelu(x)"),
        LIBRARY.format(line=1884 if target else 1750, code="return inner()"),
        *middle,
        frame(where, 9, "step", "loss = model(batch)"),
    ]
    return write_dump(
        folder / ("target" if target else "golden") / "step0" / "rank0", calls,
        stacks={"Functional.gelu.0.forward": stacks},
    ).parents[1]  # fmt: skip


@pytest.fixture
def card(window: MainWindow, tmp_path: Path, patience: Patience) -> DetailCard:
    pair = [str(make_side(tmp_path, target)) for target in (True, False)]
    window.session.open_pair(*pair)
    patience(lambda: bool(window.session.result_path) and window.session.row >= 0)
    select(window, "Functional.gelu.0.forward")
    assert window.workspace is not None
    return window.workspace.detail


def select(window: MainWindow, operator: str) -> None:
    facts = window.session.facts
    assert facts is not None
    window.session.select(int(np.flatnonzero(facts.operator == facts.operators.texts.index(operator))[0]))


# ---- arguments


def parts(view: ArgumentsView, slot: str, column: int) -> list[tuple[str, bool]]:
    row = [item.slot for item in view.model.arguments].index(slot)
    return [tuple(part) for part in view.model.index(row, column).data(ArgumentRole.PARTS)]


def test_only_the_part_that_differs_is_marked(card: DetailCard, window: MainWindow) -> None:
    card.tabs.setCurrentIndex(ARGUMENTS)
    view = card.view_of(ArgumentsView)
    assert parts(view, "input.approximate", 1) == [('"', False), ("tanh", True), ('"', False)]
    assert parts(view, "input.approximate", 2) == [('"', False), ("none", True), ('"', False)]
    assert parts(view, "output.0", 1) == [("float32  2 × ", False), ("3 × 4", True)]
    assert parts(view, "output.0", 2) == [("float32  2 × ", False), ("12", True)]
    assert parts(view, "input.0", 1) == [("float32  2 × 3 × 4", False)]
    assert any(differs for _, differs in parts(view, "output.0", 3))
    select(window, "Functional.relu.0.forward")
    assert parts(view, "input.0", 1)[0] == ("float16", True)
    assert parts(view, "input.0", 2)[0] == ("float32", True)


def test_what_one_side_was_not_given_is_said_and_no_default_is_made_up(card: DetailCard) -> None:
    card.tabs.setCurrentIndex(ARGUMENTS)
    model = card.view_of(ArgumentsView).model
    row = [item.slot for item in model.arguments].index("input.inplace")
    assert model.index(row, 1).data() == "false"
    assert model.index(row, 2).data() == "not given"
    assert model.index(row, 2).data(ArgumentRole.ABSENT)
    assert "default" in model.index(row, 2).data(Qt.ItemDataRole.ToolTipRole)
    assert "input.inplace\tfalse\tnot given" in card.view_of(ArgumentsView).copied_text()


def test_a_call_that_only_one_side_has_says_so(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    assert loaded.session.cell is not None
    loaded.workspace.detail.tabs.setCurrentIndex(ARGUMENTS)
    loaded.session.select(int(np.flatnonzero(loaded.session.cell.rows.golden_operator < 0)[0]))
    model = loaded.workspace.detail.view_of(ArgumentsView).model
    assert model.index(0, 2).data() == "no such call"


# ---- stacks


def signs(view: StackView) -> list[tuple[str, str]]:
    model = view.model
    return [
        (model.index(row, 0).data(FrameRole.SIGN), model.index(row, 1).data(FrameRole.SIGN))
        for row in range(model.rowCount())
    ]


def test_frames_are_paired_and_what_differs_has_a_sign(card: DetailCard) -> None:
    card.tabs.setCurrentIndex(STACK)
    view = card.view_of(StackView)
    assert signs(view) == [("≠", "≠"), ("~", "~"), ("−", ""), ("", "")]
    assert view.model.index(2, 1).data() is None
    assert view.frames.currentIndex().row() == 0
    assert view.model.index(0, 0).data(FrameRole.CALLED_HERE)
    assert view.model.index(1, 0).data(FrameRole.FOREIGN)
    assert "Other code on the other side." in view.model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)


def test_the_frames_of_the_framework_can_be_left_out(
    qtbot: QtBot, card: DetailCard, window: MainWindow
) -> None:
    card.tabs.setCurrentIndex(STACK)
    qtbot.mouseClick(card.view_of(StackView).own_button, Qt.MouseButton.LeftButton)
    assert signs(card.view_of(StackView)) == [("≠", "≠"), ("−", ""), ("", "")]
    assert window.context.settings.own_frames_only
    qtbot.mouseClick(card.view_of(StackView).own_button, Qt.MouseButton.LeftButton)
    assert card.view_of(StackView).model.rowCount() == 4


def test_the_stack_of_the_side_that_is_looked_at_is_copied(qtbot: QtBot, card: DetailCard) -> None:
    card.tabs.setCurrentIndex(STACK)
    frames = card.view_of(StackView).frames
    frames.setFocus()
    qtbot.keyClick(frames, Qt.Key.Key_Right)
    copied = card.view_of(StackView).copied_text().split("\n")
    assert copied[:2] == ["/home/gpu/job/model.py:4 forward", "    h = F.gelu(x)"]
    assert len(copied) == 6


def test_a_call_without_a_stack_says_so(card: DetailCard, window: MainWindow) -> None:
    card.tabs.setCurrentIndex(STACK)
    select(window, "Functional.relu.0.forward")
    assert not card.view_of(StackView).frames.isVisible()
    select(window, "Functional.gelu.0.forward")
    assert card.view_of(StackView).frames.isVisible()


# ---- source


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """Where the target's sources lie now."""
    job = tmp_path / "here" / "job"
    job.mkdir(parents=True)
    (job / "model.py").write_text("\n".join(MODEL))
    return job.parent


def test_without_the_file_there_is_the_line_of_the_dump(card: DetailCard, patience: Patience) -> None:
    card.tabs.setCurrentIndex(STACK)
    source = card.view_of(StackView).source
    patience(lambda: "not on this machine" in source.words.text())
    assert source.lines.toPlainText() == "4  h = F.gelu(x, approximate='tanh')"
    assert source.file == ""


def test_sources_that_were_moved_are_found_by_their_folder(
    qtbot: QtBot, card: DetailCard, window: MainWindow, moved: Path, patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    card.tabs.setCurrentIndex(STACK)
    source = card.view_of(StackView).source
    monkeypatch.setattr("gui.views.stack.source.QFileDialog.getExistingDirectory", lambda *_: str(moved))
    qtbot.mouseClick(source.locate_button, Qt.MouseButton.LeftButton)
    assert window.context.settings.source_folders == [["/root/npu", str(moved)]]
    patience(lambda: bool(source.file))
    assert source.lines.toPlainText().split("\n")[3] == "4      h = F.gelu(x, approximate='tanh')"
    assert str(moved) in source.words.text()
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    source.open_file()
    assert opened == [str(moved / "job" / "model.py")]
    # the same folder holds for the other frames, which lie below it too
    card.view_of(StackView).frames.setCurrentIndex(card.view_of(StackView).model.index(3, 0))
    patience(lambda: "has changed" in source.words.text())


def test_a_file_that_changed_since_is_not_taken_for_what_ran(
    card: DetailCard, window: MainWindow, moved: Path, patience: Patience
) -> None:
    (moved / "job" / "model.py").write_text("\n".join(["# a new line", *MODEL]))
    card.tabs.setCurrentIndex(STACK)
    source = card.view_of(StackView).source
    source.locate(str(moved))
    patience(lambda: bool(source.file))
    assert source.words.text() == "The file has changed since the dump: line 4 is now line 5."


def test_a_folder_chosen_in_vain_changes_nothing(
    card: DetailCard, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    card.tabs.setCurrentIndex(STACK)
    source = card.view_of(StackView).source
    patience(lambda: "not on this machine" in source.words.text())
    source.locate(str(tmp_path))
    assert "holds nothing of" in source.words.text()
    assert window.context.settings.source_folders == []
