"""What is asked for while something else is on its way: nothing is given up without a word."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.cell_results import clean, write_cells
from builders.results import gpt_result

from core.records.run import CellKey
from core.store.kept import result_folder
from gui.main_window import MainWindow
from gui.session import Session

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
FIRST, OTHER = CellKey("", 0, 0), CellKey("", 1, 0)
Patience = Callable[[Callable[[], bool]], None]


@pytest.fixture
def session(window: MainWindow, tmp_path: Path, patience: Patience) -> Session:
    """Return a session with a result of two cells open, the first on show."""
    path, cell = tmp_path / "cells.h5", gpt_result()
    write_cells(path, [(FIRST, cell), (OTHER, clean(cell))])
    window.session.open_paths([str(path)])
    patience(lambda: window.session.cell is not None and not window.session.busy)
    assert window.session.cell is not None
    assert window.session.cell.key == FIRST
    return window.session


def test_back_to_the_cell_on_show_is_the_last_word(session: Session, patience: Patience) -> None:
    session.choose_cell(OTHER)
    session.choose_cell(FIRST)
    assert not session.busy
    session.choose_cell(OTHER)
    patience(lambda: not session.busy)
    assert session.cell is not None
    assert session.cell.key == OTHER


def test_a_cell_does_not_stop_another_pair_from_opening(session: Session, patience: Patience) -> None:
    told: list[object] = []
    session.noticed.connect(lambda message, _: told.append(message.code))
    before = session.opening
    session.open_paths([str(DEMO / "target"), str(DEMO / "golden")])
    patience(lambda: session.busy)
    session.choose_cell(OTHER)
    assert told == ["gui.notice.opening_other"]
    patience(lambda: not session.busy)
    assert session.target_path == str(DEMO / "target")
    assert session.opening != before


def test_a_jump_leaves_an_export_alone(session: Session, tmp_path: Path, patience: Patience) -> None:
    assert session.facts is not None
    session.export(str(tmp_path / "rows.csv"), np.arange(len(session.facts)))
    session.choose_cell(OTHER)
    session.show_row(FIRST, 3)
    assert session.row == 3
    patience(lambda: not session.exports.running)
    assert (tmp_path / "rows.csv").exists()


def test_swapping_twice_ends_as_it_was(window: MainWindow, patience: Patience) -> None:
    session = window.session
    session.open_paths([str(DEMO / "target"), str(DEMO / "golden")])
    patience(lambda: session.cell is not None and not session.busy)
    session.swap()
    session.swap()
    patience(lambda: not session.busy)
    assert session.target_path == str(DEMO / "target")


def test_a_result_that_was_removed_is_made_again(window: MainWindow, patience: Patience) -> None:
    session = window.session
    session.open_paths([str(DEMO / "target"), str(DEMO / "golden")])
    patience(lambda: session.cell is not None and not session.busy)
    assert session.cell is not None
    assert session.info is not None
    shutil.rmtree(result_folder())
    other = next(key for key in session.info.cells if key != session.cell.key)
    session.choose_cell(other)
    patience(lambda: not session.busy)
    assert session.cell.key == other
    assert Path(session.result_path).exists()


def test_a_failed_opening_leaves_the_pair_on_show(
    session: Session, patience: Patience, tmp_path: Path
) -> None:
    before, cell = session.opening, session.cell
    session.open_paths([str(tmp_path / "nowhere"), str(tmp_path / "nothing")])
    patience(lambda: not session.busy and bool(session.own_problems))
    assert session.opening == before
    assert session.cell is cell
