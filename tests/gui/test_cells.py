"""Steps and ranks that are not on show: their marks, the link, and going from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.cell_results import clean, write_cells
from builders.results import gpt_result
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.messages import Message
from core.progress import run_to_end
from core.records.result import CellResult
from core.records.run import CellKey
from gui.comparison import preparation
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import build_facts
from gui.models.pair.roll_up import CellsCounted, RollUp, counted, summary_of

KEYS = [CellKey("", step, rank) for step in (0, 1) for rank in (0, 1)]
BAD = (KEYS[1], KEYS[2])


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four cells, of which the second and the third differ; nobody is held responsible."""
    cell = gpt_result(layers=3, faulty_layer=1)
    path = tmp_path_factory.mktemp("results") / "ddp.h5"
    write_cells(path, [(key, cell if key in BAD else clean(cell)) for key in KEYS])
    return path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, result_file: Path) -> MainWindow:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    return window


def on_show(window: MainWindow) -> CellKey:
    assert window.session.cell is not None
    return window.session.cell.key


def test_a_clean_first_cell_is_not_what_is_shown(opened: MainWindow) -> None:
    assert on_show(opened) == KEYS[1]


def test_steps_and_ranks_carry_their_worst_mark(opened: MainWindow) -> None:
    words = [opened.top.step.itemData(at, Qt.ItemDataRole.ToolTipRole) for at in (0, 1)]
    assert words == [Category.INTRODUCED.word] * 2
    assert not opened.top.rank.itemIcon(0).isNull()
    roll_up = opened.session.cells.roll_up
    assert roll_up.worst("rank", 0) == Category.INTRODUCED
    only = RollUp({key: roll_up.counts[key] for key in KEYS if key.step == 0})
    assert only.worst("rank", 0) == Category.NOT_COMPARED  # a call that only one side has
    assert only.worst("rank", 7) is None


def test_the_next_difference_may_be_in_another_cell(qtbot: QtBot, opened: MainWindow) -> None:
    session = opened.session
    for forward, keys, words in (
        (True, (KEYS[2], KEYS[1]), ("step 1 · rank 0", "from the beginning again")),
        (False, (KEYS[2], KEYS[1]), ("step 1 · rank 0", "this is step 0 · rank 1")),
    ):
        for key, said in zip(keys, words):
            assert session.facts is not None
            differing = np.flatnonzero(session.facts.category >= Category.INHERITED)
            session.select(int(differing[-1 if forward else 0]))
            with qtbot.waitSignal(session.cell_changed, timeout=60_000):
                opened.actions_registry["next" if forward else "previous"].trigger()
            assert on_show(opened) == key
            assert said in opened.notice.sentence
            assert session.row == differing[0 if forward else -1]


def test_the_card_says_what_differs_elsewhere(qtbot: QtBot, opened: MainWindow) -> None:
    assert opened.workspace is not None
    link = opened.workspace.verdicts.elsewhere
    assert link.isVisible()
    differing = opened.session.cells.roll_up.differing(KEYS[2])
    assert f"also {differing} rows in other steps and ranks differ" in link.accessibleName()
    with qtbot.waitSignal(opened.session.cell_changed, timeout=60_000):
        qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert on_show(opened) == KEYS[2]


def test_cells_of_a_large_result_are_counted_later(
    qtbot: QtBot, window: MainWindow, result_file: Path, cell: CellResult, show: Callable[..., None]
) -> None:
    opened = run_to_end(preparation.open_result(str(result_file)))
    counts = opened.roll_up
    assert counts is not None
    with qtbot.waitSignal(window.session.cells.changed, timeout=5000):
        window.session.show_opened(replace(opened, roll_up=None))
    assert window.session.cells.counting
    assert not window.session.cells.roll_up.counts
    qtbot.waitUntil(lambda: not window.session.cells.counting, timeout=60_000)
    assert window.session.cells.roll_up == counts
    assert set(counts.counts) == set(counts.summaries) == set(KEYS)
    assert counts.counts[KEYS[0]] == counted(clean(gpt_result(layers=3, faulty_layer=1)))


def test_one_cell_has_nothing_elsewhere(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    assert not loaded.workspace.verdicts.elsewhere.isVisible()
    assert loaded.top.rank.itemIcon(0).isNull()


def test_cells_that_come_bit_by_bit_add_up() -> None:
    cells = [gpt_result(layers=2, faulty_layer=layer) for layer in (0, 9)]
    keys = [CellKey("", step, rank) for rank in (3, 0) for step in (1, 0)]
    counts = {key: counted(cells[at % 2]) for at, key in enumerate(keys)}
    summaries = {key: summary_of(cells[at % 2]) for at, key in enumerate(keys)}
    whole, parts = RollUp(counts, summaries), RollUp()
    for key in keys:
        said = CellsCounted(
            1, 4, Message("gui.progress.preparing"), {key: counts[key]}, {key: summaries[key]}
        )
        parts = parts.with_cells(said)
    assert parts == whole
    for key in keys:
        for part in ("phase", "step", "rank"):
            assert parts.worst(part, getattr(key, part)) == whole.worst(part, getattr(key, part))
        for forward in (True, False):
            assert parts.next_differing(key, forward) == whole.next_differing(key, forward)
        assert parts.differing_elsewhere(key) == whole.differing_elsewhere(key)
    assert parts.differing_elsewhere(None) == sum(parts.differing(key) for key in keys) > 0
    bad = CellKey("", 1, 3)
    assert parts.next_differing(CellKey("", 0, 0)) == (CellKey("", 1, 0), False)
    assert parts.next_differing(bad) == (CellKey("", 1, 0), True)
    assert parts.next_differing(CellKey("", 0, 1), forward=False) == (bad, True)


def test_a_summary_names_the_first_that_differs() -> None:
    cell = gpt_result(layers=3, faulty_layer=1)
    found = summary_of(cell)
    assert found.first == "Functional.gelu.1.forward"
    assert found.place is not None
    assert 0 < found.place < 1
    outputs = build_facts(cell).is_output & (cell.rows.target_slot >= 0)
    assert found.worst_error == np.nanmax(cell.rows.error[outputs])
    assert found.worst_cosine == np.nanmin(cell.rows.cosine[outputs])
    assert summary_of(clean(cell)).place is None
    nothing = replace(cell, rows=cell.rows.take(slice(0, 0)))
    assert summary_of(nothing).worst_error is None
    assert RollUp({cell.key: counted(nothing)}).category(cell.key) is None
