"""Notes on calls: written beside the work, seen in the table, searched for, kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders.results import gpt_result, result_info
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.notes import Notes
from core.records.result import CellResult
from core.store.notes import load_notes, save_notes
from gui.main_window import MainWindow
from gui.models.pair.scopes import call_name
from gui.models.table.columns import COLUMNS
from gui.views.remarks.note import NoteDialog

LEFT = Qt.MouseButton.LeftButton
NOTE = [column.key for column in COLUMNS].index("note")


def _write(qtbot: QtBot, window: MainWindow, words: str) -> str:
    """Write *words* on the selected call; returns its name."""
    assert window.session.facts is not None
    name = call_name(window.session.facts, window.session.row)
    window.actions_registry["note"].trigger()
    dialog = window.remarks.dialogs[-1]
    assert isinstance(dialog, NoteDialog)
    assert dialog.operator == name
    dialog.words.clear()
    qtbot.keyClicks(dialog.words, words)
    qtbot.keyClick(dialog.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    if window.remarks.dialogs:  # offscreen no window is active, so that its shortcuts rest
        qtbot.mouseClick(dialog.save, LEFT)
    assert not window.remarks.dialogs
    return name


def _rows_shown(window: MainWindow) -> set[str]:
    session = window.session
    assert session.facts is not None
    return {call_name(session.facts, row) for row in session.mask.nonzero()[0].tolist()}


def test_a_note_is_written_seen_and_taken_away(qtbot: QtBot, loaded: MainWindow, cell: CellResult) -> None:
    session = loaded.session
    assert loaded.workspace is not None
    table = loaded.workspace.table
    assert NOTE not in table.columns.visible()
    row = session.row
    name = _write(qtbot, loaded, "Seen with CANN 8.0 only")
    assert session.row == row
    assert NOTE in table.columns.visible()
    model = table.model
    words = [str(model.index(at, NOTE).data() or "") for at in range(model.rowCount())]
    assert words[model.view_row(row)] == "Seen with CANN 8.0 only"
    info = result_info(cell)
    assert load_notes(info.target_path, info.golden_path).remarks == {name: "Seen with CANN 8.0 only"}

    loaded.actions_registry["note"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    assert isinstance(dialog, NoteDialog)
    assert dialog.words.toPlainText() == "Seen with CANN 8.0 only"
    qtbot.mouseClick(dialog.remove, LEFT)
    assert not session.suspects.notes.remarks
    assert NOTE not in table.columns.visible()


def test_the_dialog_stays_with_its_call(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.actions_registry["note"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    assert isinstance(dialog, NoteDialog)
    loaded.session.select(0)
    qtbot.keyClicks(dialog.words, "here")
    qtbot.mouseClick(dialog.save, LEFT)
    assert loaded.session.suspects.notes.remarks == {dialog.operator: "here"}


@pytest.mark.parametrize("text", ["note:cann", 'note:"CANN 8"', "note:any"])
def test_notes_are_searched_for(qtbot: QtBot, loaded: MainWindow, text: str) -> None:
    name = _write(qtbot, loaded, "Seen with CANN 8.0 only")
    loaded.session.set_filter(text=text)
    assert _rows_shown(loaded) == {name}


def test_reasons_are_searched_for_as_well(loaded: MainWindow) -> None:
    session = loaded.session
    session.suspects.ignore(IgnoreRule(IgnoreKind.TYPE, "gelu", "tanh on purpose"))
    session.set_filter(text="note:purpose")
    assert _rows_shown(loaded)
    assert all(".gelu." in name for name in _rows_shown(loaded))
    assert loaded.workspace is not None
    model = loaded.workspace.table.model
    assert model.index(0, NOTE).data() == "ignored: tanh on purpose"
    assert "tanh on purpose" in model.index(0, 3).data(Qt.ItemDataRole.ToolTipRole)
    session.set_filter(text="-note:any verdict:ignored")
    assert not _rows_shown(loaded)


def test_notes_of_another_pair_are_its_own(
    qtbot: QtBot, loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    name = _write(qtbot, loaded, "mine")
    loaded.actions_registry["note"].trigger()
    show(gpt_result(2, 1), golden="/another/golden")
    assert not loaded.remarks.dialogs  # it was about the other pair
    assert not loaded.session.suspects.notes.remarks
    show(cell)
    assert loaded.session.suspects.notes.remarks == {name: "mine"}


def test_notes_survive_the_file() -> None:
    rule = IgnoreRule(IgnoreKind.MODULE, "Module.h.3.Block", "frozen")
    notes = Notes().explain("a", "b").remark("x", " y ").ignore(rule)
    save_notes("/t", "/g", notes)
    assert load_notes("/t", "/g") == notes
    assert notes.remarks == {"x": "y"}
    assert notes.remark("x", " ").remarks == {}
    assert notes.ignore(IgnoreRule(rule.kind, rule.value, "again")).ignored[0].reason == "again"
    assert notes.heed(rule).ignored == ()
