"""The map of steps and ranks and the links to them, after another pair with as many cells was opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import write_dump
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.records.run import CellKey
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.cell_matrix import CellMatrix, CellState, Metric
from gui.models.pair.facts import build_facts
from gui.models.pair.roll_up import RollUp

Patience = Callable[[Callable[[], bool]], None]


def matrix_of(window: MainWindow) -> CellMatrix:
    assert window.workspace is not None
    return window.workspace.cells.canvas.matrix


def differing(window: MainWindow) -> list[float]:
    return matrix_of(window).values[Metric.DIFFERING].ravel().tolist()


def assert_told_as_it_is(window: MainWindow) -> None:
    """Hold the map against the counts, and the counts against the rows of the cell on show."""
    session, matrix = window.session, matrix_of(window)
    assert session.info is not None
    assert session.cell is not None
    for key in session.info.cells:
        place = matrix.place(key)
        assert place is not None
        assert matrix.state[place] == CellState.COUNTED
        assert matrix.category[place] == session.cells.roll_up.category(key)
        assert matrix.values[Metric.DIFFERING][place] == session.cells.roll_up.differing(key)
    here = build_facts(session.cell).category
    assert session.cells.roll_up.differing(session.cell.key) == np.count_nonzero(here >= Category.INHERITED)


@pytest.fixture
def opened(window: MainWindow, patience: Patience) -> Callable[..., None]:
    """Return a function that does what opens a pair, and waits until all is counted."""

    def open_and_wait(start: Callable[..., object], *arguments: object) -> None:
        before: list[list[float]] = []
        told = window.session.cell_changed.connect(lambda: before.append(differing(window)))
        start(*arguments)
        patience(lambda: bool(before) and not window.session.busy and not window.session.cells.counting)
        window.session.cell_changed.disconnect(told)
        for known, now in zip(before[0], differing(window)):
            assert np.isnan(known) or known == now  # at no time what is of the pair before

    return open_and_wait


@pytest.fixture
def equal_pair(tmp_path: Path, demo_pair: tuple[Path, Path]) -> tuple[Path, Path]:
    for side in ("t", "g"):
        shutil.copytree(demo_pair[0], tmp_path / side)
    return tmp_path / "t", tmp_path / "g"


def test_each_pair_has_its_own_map(
    window: MainWindow,
    opened: Callable[..., None],
    demo_pair: tuple[Path, Path],
    equal_pair: tuple[Path, Path],
) -> None:
    for pair, differs in ((demo_pair, True), (equal_pair, False), (demo_pair, True)):
        opened(window.session.open_pair, *map(str, pair))
        assert_told_as_it_is(window)
        assert any(differing(window)) is differs
        assert (window.session.cells.differing_elsewhere > 0) is differs


def test_reading_again_shows_what_has_become_of_the_dumps(
    window: MainWindow,
    opened: Callable[..., None],
    demo_pair: tuple[Path, Path],
    equal_pair: tuple[Path, Path],
) -> None:
    opened(window.session.open_pair, *map(str, equal_pair))
    assert not any(differing(window))
    shutil.rmtree(equal_pair[1])
    shutil.copytree(demo_pair[1], equal_pair[1])
    for _ in range(2):
        opened(window.actions_registry["rerun"].trigger)
        assert_told_as_it_is(window)
        assert all(differing(window))


def test_another_count_replaces_one_as_long() -> None:
    keys = [CellKey("", 0, 0), CellKey("", 1, 0)]

    def of(counts: Sequence[int]) -> RollUp:
        row = [0] * len(Category)
        return RollUp({key: (*row[:-2], count, 0) for key, count in zip(keys, counts)})

    matrix = CellMatrix(keys)
    for counts in ((3, 4), (0, 0), (5, 0), (5,), ()):
        roll_up = of(counts)
        matrix.take(roll_up)
        matrix.take(roll_up)
        told = [roll_up.differing(key) for key in keys[: len(counts)]]
        assert matrix.values[Metric.DIFFERING][0, : len(counts)].tolist() == told
        assert matrix.state[0].tolist() == [
            CellState.COUNTED if at < len(counts) else CellState.WAITING for at in range(2)
        ]
        assert np.isnan(matrix.values[Metric.DIFFERING][0, len(counts) :]).all()


def test_words_change_after_a_pair_without_rows(
    qtbot: QtBot,
    window: MainWindow,
    opened: Callable[..., None],
    demo_pair: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    for side in ("t", "g"):
        for step in (0, 1):
            write_dump(tmp_path / side / f"step{step}" / "rank0", {})
    for pair in ((tmp_path / "t", tmp_path / "g"), demo_pair):
        window.session.open_pair(*map(str, pair))
        with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
            pass
        for language in ("zh_CN", "en"):
            window.actions_registry[f"language_{language}"].trigger()
            QApplication.processEvents()
    qtbot.waitUntil(lambda: not window.session.cells.counting, timeout=60_000)
    assert_told_as_it_is(window)
