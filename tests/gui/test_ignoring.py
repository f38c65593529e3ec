"""Leaving calls out of account: with a reason, in sight, and not counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.cell_results import write_cells
from builders.diagnoses import suspect
from builders.results import gpt_result, result_info
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.match.ignored import ignored_rows
from core.records.diagnosis import Diagnosis
from core.records.ignoring import IgnoreKind, IgnoreRule, operator_type
from core.records.result import CellResult, Origin
from core.records.run import CellKey
from core.store.notes import load_notes
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts, build_facts
from gui.models.pair.ignoring import rows_taken, with_ignored
from gui.models.pair.scopes import call_name
from gui.models.pair.suspects import outcome_of
from gui.models.tree.hierarchy import build_hierarchy
from gui.views.remarks.ignore import IgnoreDialog
from gui.views.remarks.ignored import IgnoredDialog

LEFT = Qt.MouseButton.LeftButton


def _rules(facts: Facts) -> list[IgnoreRule]:
    introduced = int(np.flatnonzero(facts.category == Category.INTRODUCED)[0])
    name = facts.operators[int(facts.operator[introduced])]
    return [
        IgnoreRule(IgnoreKind.CALL, name, "known"),
        IgnoreRule(IgnoreKind.TYPE, "linear", "another kernel"),
        IgnoreRule(IgnoreKind.MODULE, "Module.model.transformer.h.1.Block", "not trained"),
        IgnoreRule(IgnoreKind.MODULE, "Module.model.GPT", "all of it"),
        IgnoreRule(IgnoreKind.CALL, "no.such.call.0.forward", "nothing"),
    ]


@pytest.mark.parametrize("chosen", [(0,), (1,), (2,), (3,), (4,), (0, 1, 2), (2, 1), (0, 3)])
def test_the_tree_is_what_it_would_be_if_made_of_what_is_left(
    cell: CellResult, facts: Facts, chosen: tuple[int, ...]
) -> None:
    rules = [_rules(facts)[at] for at in chosen]
    found = with_ignored(facts, rules)
    anew = build_hierarchy(cell, facts.calls.first_row, facts.call_of_row, found.category)
    for name in ("category", "counts", "worst_row"):
        assert np.array_equal(getattr(found.hierarchy, name), getattr(anew, name)), name
    assert np.array_equal(found.calls.category, np.maximum.reduceat(found.category, facts.calls.first_row))
    gone = found.category == Category.IGNORED
    assert np.array_equal(found.category[~gone], facts.category[~gone])
    assert [bool(found.why_ignored(row)) for row in range(len(found))] == gone.tolist()


@pytest.mark.parametrize("chosen", range(5))
def test_the_window_ignores_what_the_command_line_does(cell: CellResult, facts: Facts, chosen: int) -> None:
    rule = _rules(facts)[chosen]
    assert np.array_equal(rows_taken(facts, rule), ignored_rows(cell, [rule]))


def test_rules_take_what_their_words_say(facts: Facts) -> None:
    linear = with_ignored(facts, [IgnoreRule(IgnoreKind.TYPE, "linear", "x")])
    for row in range(len(facts)):
        name = facts.operators[int(facts.operator[row])]
        assert (linear.category[row] == Category.IGNORED) == (operator_type(name) == "linear"), name


def test_the_earlier_rule_gives_the_reason(facts: Facts) -> None:
    call, kind = _rules(facts)[0], IgnoreRule(IgnoreKind.TYPE, "gelu", "all")
    found = with_ignored(facts, [kind, call])
    row = int(np.flatnonzero(facts.category == Category.INTRODUCED)[0])
    assert found.why_ignored(row) == "all"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Functional.gelu.1.forward", "gelu"), ("Module.h.3.mlp.MLP.backward.0", "MLP"),
        ("Torch_conv2d_0_forward", "conv2d"), ("Module.a.LayerNorm.parameters_grad", "LayerNorm"),
        ("odd", "odd"),
    ],
)  # fmt: skip
def test_the_type_of_a_call(name: str, word: str) -> None:
    assert operator_type(name) == word


@pytest.mark.parametrize(
    ("name", "module", "taken"),
    [
        ("Functional.gelu.1.forward", "Module.h.3.mlp.MLP.forward.0", True),
        ("Module.h.3.mlp.MLP.forward.0", "Module.h.3.Block.forward.0", True),
        ("Module.h.3.Block.forward.0", "Module.GPT.forward.0", True),
        ("Functional.gelu.1.forward", "Module.h.31.mlp.MLP.forward.0", False),
        ("Functional.gelu.1.forward", "", False),
    ],
)
def test_a_module_takes_what_lies_in_it(name: str, module: str, taken: bool) -> None:
    assert IgnoreRule(IgnoreKind.MODULE, "Module.h.3.Block", "x").takes_call(name, module) is taken


def _ignore(qtbot: QtBot, window: MainWindow, reason: str, kind: IgnoreKind = IgnoreKind.CALL) -> None:
    window.actions_registry["ignore"].trigger()
    dialog = window.remarks.dialogs[-1]
    assert isinstance(dialog, IgnoreDialog)
    assert not dialog.ignore.isEnabled()
    qtbot.mouseClick(dialog.choices[kind], LEFT)
    qtbot.keyClicks(dialog.reason, reason)
    qtbot.mouseClick(dialog.ignore, LEFT)


def test_a_call_is_ignored_with_a_reason_and_counts_again(qtbot: QtBot, loaded: MainWindow) -> None:
    session = loaded.session
    row, before = session.row, session.category_counts()
    assert session.facts is not None
    assert session.facts.category[row] == Category.INTRODUCED
    _ignore(qtbot, loaded, "tanh on purpose")
    assert session.row == row
    assert session.facts.category[row] == Category.IGNORED
    assert session.facts.why_ignored(row) == "tanh on purpose"
    counts = session.category_counts()
    assert counts[Category.INTRODUCED] < before[Category.INTRODUCED]
    assert counts.sum() == before.sum()
    assert loaded.workspace is not None
    chip = loaded.workspace.verdicts.chips[Category.IGNORED]
    assert chip.isVisible()
    assert chip.text() == f"{counts[Category.IGNORED]} ignored"
    qtbot.mouseClick(chip, LEFT)
    assert loaded.workspace.table.model.rowCount() == counts[Category.IGNORED]
    qtbot.mouseClick(chip, LEFT)
    session.step(True)
    assert session.row != row
    assert session.info is not None
    kept = load_notes(session.info.target_path, session.info.golden_path).ignored
    assert [rule.reason for rule in kept] == ["tanh on purpose"]
    session.select(row)
    loaded.actions_registry["ignore"].trigger()
    assert np.array_equal(session.category_counts(), before)
    assert "counts again" in loaded.notice.sentence


def test_all_calls_of_a_type_and_a_module(qtbot: QtBot, loaded: MainWindow) -> None:
    session = loaded.session
    _ignore(qtbot, loaded, "another kernel", IgnoreKind.TYPE)
    assert session.suspects.notes.ignored[0].kind is IgnoreKind.TYPE
    session.step(True)
    _ignore(qtbot, loaded, "frozen", IgnoreKind.MODULE)
    assert session.suspects.notes.ignored[1].kind is IgnoreKind.MODULE
    loaded.actions_registry["ignored"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    assert isinstance(dialog, IgnoredDialog)
    assert dialog.table.rowCount() == 2
    assert [dialog.table.item(line, 3).text() for line in range(2)] == ["another kernel", "frozen"]
    qtbot.mouseClick(dialog.stop, LEFT)
    assert [rule.reason for rule in session.suspects.notes.ignored] == ["frozen"]
    qtbot.mouseClick(dialog.stop, LEFT)
    assert dialog.table.rowCount() == 0
    assert session.facts is not None
    assert session.facts.ignored is None


def test_without_a_reason_nothing_is_ignored(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.actions_registry["ignore"].trigger()
    dialog = loaded.remarks.dialogs[-1]
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert not loaded.session.suspects.notes.ignored


def test_what_is_ignored_is_so_in_the_next_comparison(
    qtbot: QtBot, loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    _ignore(qtbot, loaded, "known")
    show(cell)
    assert loaded.session.category_counts()[Category.IGNORED] > 0
    info = result_info(cell)
    assert info.golden_path
    show(gpt_result(2, 1), golden="/another/golden")
    assert loaded.session.category_counts()[Category.IGNORED] == 0


def test_a_suspect_whose_call_is_ignored_is_explained(
    qtbot: QtBot, window: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    facts = build_facts(cell)
    row = int(np.flatnonzero(facts.category == Category.INTRODUCED)[0])
    name = facts.operators[int(facts.operator[row])]
    guilty = suspect(name, cell=cell.key, row=row)
    other = suspect("Functional.embedding.0.forward", cell=cell.key)
    show(cell, diagnosis=Diagnosis((guilty, other)))
    suspects = window.session.suspects
    assert suspects.current == guilty
    assert window.session.row == row
    _ignore(qtbot, window, "tanh on purpose")
    assert suspects.open == (other,)
    assert suspects.explained == [(guilty, "tanh on purpose")]
    assert suspects.current == other
    suspects.accuse(guilty)
    assert suspects.open == (guilty, other)
    assert not suspects.notes.ignored


def test_other_steps_and_ranks_are_counted_without_what_is_ignored(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Callable[[Callable[[], bool]], None]
) -> None:
    cell = gpt_result(layers=3, faulty_layer=1)
    keys = [CellKey("", step, 0) for step in (0, 1)]
    write_cells(tmp_path / "ddp.h5", [(key, cell) for key in keys])
    session = window.session
    session.open_pair(str(tmp_path / "ddp.h5"), "")
    patience(lambda: session.cell is not None and not session.busy)
    before = session.cells.roll_up.differing(keys[1])
    assert before > 1
    session.select(int(np.flatnonzero(cell.rows.origin == Origin.INTRODUCED)[0]))
    _ignore(qtbot, window, "known", IgnoreKind.CALL)
    patience(lambda: not session.cells.counting)
    gone = int((session.facts.category == Category.IGNORED).sum()) if session.facts is not None else 0
    assert gone > 0
    assert 0 < session.cells.roll_up.differing(keys[1]) < before
    assert session.cells.roll_up.counts[keys[1]] == session.cells.roll_up.counts[keys[0]]
    assert session.cells.roll_up.counts[keys[1]][Category.IGNORED] == gone
    session.choose_cell(keys[1])
    patience(lambda: not session.busy)
    assert session.category_counts()[Category.IGNORED] == gone


def test_a_pair_that_is_clean_but_for_what_is_ignored_is_not_called_clean(
    qtbot: QtBot, loaded: MainWindow
) -> None:
    session = loaded.session
    assert session.facts is not None
    session.suspects.ignore(IgnoreRule(IgnoreKind.MODULE, "Module.model.GPT", "all"))
    for row in np.flatnonzero(session.facts.category >= Category.GOLDEN_INVALID).tolist():
        session.suspects.ignore(IgnoreRule(IgnoreKind.CALL, call_name(session.facts, row), "all"))
    outcome = outcome_of(session.facts, 0)
    assert outcome.category is Category.IGNORED
    assert "aside" in outcome.sentence
    assert any("ignored" in line for line in outcome.details)
