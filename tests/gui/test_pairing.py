"""Pairing calls by hand as a person does: choose two, add, compare again; remove; save as a mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from core.match.mapping_files import load_mapping
from core.messages import set_language
from core.records.result import CellResult
from core.store.notes import load_notes
from gui.main_window import MainWindow
from gui.models.call.partners import partners_in
from gui.views.pairing.dialog import PairingDialog

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[[Callable[[], bool]], None]


def open_dialog(window: MainWindow) -> PairingDialog:
    window.actions_registry["pair"].trigger()
    return window.findChildren(PairingDialog)[-1]


def partner_of(window: MainWindow, name: str) -> str:
    assert window.session.cell is not None
    return partners_in(window.session.cell).target[name]


def add(qtbot: QtBot, dialog: PairingDialog, target: str, golden: str) -> None:
    for side, name in ((dialog.target, target), (dialog.golden, golden)):
        side.search.setFocus()
        qtbot.keyClicks(side.search, name)
        assert side.shown.rowCount() == 1
        side.list.setCurrentIndex(side.shown.index(0, 0))
    qtbot.mouseClick(dialog.add, LEFT)


def test_partners_are_those_of_the_rows(cell: CellResult) -> None:
    found = partners_in(cell)
    assert len(found.target) == len(cell.target.operators)
    assert len(found.golden) == len(cell.golden.operators)
    assert all(found.golden[theirs] == ours for ours, theirs in found.target.items() if theirs)
    assert any(found.target.values())
    assert not all(found.golden.values())


def test_a_pair_made_by_hand_counts_until_it_is_removed(
    window: MainWindow, demo_pair: tuple[Path, Path], patience: Patience, qtbot: QtBot
) -> None:
    target, golden = map(str, demo_pair)
    window.session.open_pair(target, golden)
    patience(lambda: window.session.cell is not None and not window.session.busy)
    assert window.session.cell is not None
    first, second = [
        name
        for name in partners_in(window.session.cell).target
        if name.startswith("Functional.linear") and name.endswith("forward")
    ][:2]
    assert partner_of(window, first) == first
    dialog = open_dialog(window)
    dialog.only_alone.setChecked(False)
    assert not dialog.compare.isEnabled()
    add(qtbot, dialog, first, second)
    assert dialog.chosen_pairs() == {first: second}
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        qtbot.mouseClick(dialog.compare, LEFT)
    assert partner_of(window, first) == second
    assert load_notes(target, golden).pairs == {first: second}

    dialog = open_dialog(window)
    dialog.pairs.setCurrentRow(0)
    qtbot.mouseClick(dialog.remove, LEFT)
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        qtbot.mouseClick(dialog.compare, LEFT)
    assert partner_of(window, first) == first
    assert not load_notes(target, golden).pairs


def test_the_dialog_starts_at_the_selected_call(loaded: MainWindow, cell: CellResult) -> None:
    paired = next(row for row in range(len(cell.rows)) if cell.rows.golden_operator[row] >= 0)
    loaded.session.select(paired)
    dialog = open_dialog(loaded)
    name = cell.target.operator_name(int(cell.rows.target_operator[paired]))
    assert not dialog.only_alone.isChecked()
    assert dialog.target.current() == name
    assert dialog.add.isEnabled()
    dialog.reject()


def test_calls_with_a_partner_can_be_left_out(loaded: MainWindow, cell: CellResult) -> None:
    dialog = open_dialog(loaded)
    dialog.only_alone.setChecked(True)
    alone = [name for name, partner in partners_in(cell).golden.items() if not partner]
    assert [
        dialog.golden.shown.index(row, 0).data() for row in range(dialog.golden.shown.rowCount())
    ] == alone
    dialog.reject()


def test_a_call_stands_in_one_pair_only(loaded: MainWindow, qtbot: QtBot) -> None:
    dialog = open_dialog(loaded)
    dialog.only_alone.setChecked(False)
    names = [dialog.target.shown.index(row, 0).data() for row in range(3)]
    for ours, theirs in ((0, 1), (1, 1), (1, 2)):
        dialog.target.choose(names[ours])
        dialog.golden.choose(names[theirs])
        qtbot.mouseClick(dialog.add, LEFT)
    assert dialog.chosen_pairs() == {names[1]: names[2]}
    dialog.reject()


def test_pairs_are_saved_as_a_mapping_of_the_command_line(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "配对 pairs.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    dialog = open_dialog(loaded)
    dialog.only_alone.setChecked(False)
    names = [dialog.target.shown.index(row, 0).data() for row in range(2)]
    dialog.target.choose(names[0])
    dialog.golden.choose(names[1])
    qtbot.mouseClick(dialog.add, LEFT)
    qtbot.mouseClick(dialog.save, LEFT)
    assert load_mapping([place]).operators == {names[0]: names[1]}
    dialog.reject()


def test_the_dialog_speaks_the_language_of_the_window(loaded: MainWindow) -> None:
    set_language("zh_CN")
    dialog = open_dialog(loaded)
    assert dialog.windowTitle() == "手工配对调用"
    dialog.reject()
