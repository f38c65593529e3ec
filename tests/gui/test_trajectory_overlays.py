"""Other steps and ranks behind the trajectory: lined up by name, bounded, kept from cell to cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.cell_results import clean, larger, write_cells
from builders.results import gpt_result
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from core.progress import run_to_end
from core.records.result import CellResult, Reason, Verdict
from core.records.run import CellKey
from gui.comparison.overlays_work import overlay_cells
from gui.main_window import MainWindow
from gui.models.pair.facts import build_facts
from gui.models.trajectory.lines import Aligner, Line, drawn_heights, overlay_of
from gui.models.trajectory.points import Lane, Role, trajectory_of
from gui.views.trajectory.view import TrajectoryView

KEYS = [CellKey("", step, rank) for step in (0, 5) for rank in range(6)]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def base() -> CellResult:
    return gpt_result(layers=4, faulty_layer=2)


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory, base: CellResult) -> Path:
    path = tmp_path_factory.mktemp("overlays") / "steps.h5"
    cells = {key: clean(base) if key.rank == 1 else larger(base, 1.0 + at) for at, key in enumerate(KEYS)}
    cells[KEYS[2]] = gpt_result(layers=5, faulty_layer=2)  # another model: more calls
    write_cells(path, cells.items())
    return path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, result_file: Path) -> MainWindow:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    return window


def view_of(window: MainWindow) -> TrajectoryView:
    assert window.workspace is not None
    return window.workspace.trajectory


def largest_by_name(cell: CellResult) -> dict[str, float]:
    """Return the largest error of each call's outputs, straight from the rows."""
    points, facts = trajectory_of(cell, build_facts(cell)), build_facts(cell)
    found: dict[str, float] = {}
    for at in np.flatnonzero((points.role == Role.OUTPUT) & (points.lane != Lane.UNSIZED)).tolist():
        row = int(points.row[at])
        name = facts.operators[int(facts.operator[row])]
        error = float("inf") if points.lane[at] == Lane.SPECIAL else float(cell.rows.error[row])
        found[name] = max(found.get(name, 0.0), error)
    return found


@pytest.mark.parametrize("layers", [4, 6])
def test_calls_are_lined_up_by_their_names(base: CellResult, layers: int) -> None:
    other = larger(gpt_result(layers=layers, faulty_layer=2), 3.0)
    line = Aligner(base).line(other)
    facts = build_facts(base)
    names = [facts.operators[int(facts.operator[row])] for row in facts.calls.first_row.tolist()]
    wanted = largest_by_name(other)
    assert line.shared == len(set(names) & set(wanted))
    assert (np.diff(line.x) > 0).all()
    for x, y in zip(line.x.tolist(), line.y.tolist()):
        assert 10.0**y == pytest.approx(wanted[names[int(x)]], rel=1e-5)
    left_out = set(wanted) & set(names) - {names[int(x)] for x in line.x.tolist()}
    assert all(wanted[name] == 0 for name in left_out)  # lone zeros are not drawn


def test_a_long_line_keeps_its_peaks() -> None:
    long = gpt_result(layers=400, faulty_layer=200)
    line = Aligner(long).line(long)
    assert line.shared > 5_000
    assert len(line.x) <= 4_000
    wanted = largest_by_name(long)
    sized = [error for error in wanted.values() if np.isfinite(error)]
    known = line.y[np.isfinite(line.y)]
    assert 10.0 ** float(known.max()) == pytest.approx(max(sized), rel=1e-5)
    assert np.isinf(line.y).any() == any(np.isinf(error) for error in wanted.values())


def test_more_than_eight_are_a_band() -> None:
    x = np.arange(100, dtype=np.float32)
    lines = [
        Line(CellKey("", 0, rank), x, np.full(100, -7.0 + 0.01 * rank, np.float32), 100) for rank in range(12)
    ]
    lines[4] = replace(lines[4], y=np.full(100, -1.0, np.float32))
    found = overlay_of(lines[0], lines[1:], 100)
    assert len(found.lines) == 8
    assert lines[4].key in [line.key for line in found.lines]  # what leaves the others is drawn by itself
    assert lines[1].key not in [line.key for line in found.lines]
    assert found.band is not None
    assert found.band.count == 3
    assert found.band.low.min() == pytest.approx(-6.99)
    assert found.band.high.max() == pytest.approx(-6.97)
    assert overlay_of(lines[0], lines[1:9], 100).band is None
    assert lines[4].nearest(41.4) == 41
    assert lines[4].nearest(-5) == 0
    assert lines[4].nearest(500) == 99


def test_errors_out_of_range_widen_the_axis(base: CellResult) -> None:
    rows = replace(base.rows, error=np.where(base.rows.error > 0, 1e5, base.rows.error))
    rows = replace(rows, verdict=np.full(len(rows), Verdict.DIFFERS, np.uint8))
    rows = replace(rows, reason=np.full(len(rows), Reason.BEYOND_NOISE, np.uint8))
    aligner, points = Aligner(base), trajectory_of(base, build_facts(base))
    line = aligner.line(replace(base, rows=rows))
    widened = overlay_of(aligner.line(base), [line], aligner.calls).make_room(points)
    assert widened.heights.highest >= 5 > points.heights.highest
    heights = drawn_heights(line.y, widened.heights)
    assert heights.max() <= widened.heights.top
    np.testing.assert_array_equal(widened.row, points.row)


def test_the_work_reports_each_cell(result_file: Path) -> None:
    said: list[int] = []
    found = run_to_end(
        overlay_cells(str(result_file), KEYS[0], tuple(KEYS[1:4])), lambda each: said.append(each.done)
    )
    assert said == [1, 2, 3]
    assert [line.key for line in found.lines] == KEYS[1:4]


def test_ranks_of_the_step_are_chosen_from_the_menu(qtbot: QtBot, opened: MainWindow) -> None:
    view, overlays = view_of(opened), opened.session.overlays
    assert view.buttons.compare.isEnabled()
    menu = view.buttons.compare.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    first = menu.actions()[0]
    assert first.text() == "All 5 other ranks of this step"
    first.trigger()
    assert overlays.working
    qtbot.waitUntil(lambda: not overlays.working, timeout=60_000)
    assert view.overlay_bar.isVisible()
    assert [entry.text().strip() for entry in view.overlay_bar.entries] == [
        f"step 0 · rank {rank}" for rank in range(1, 6)
    ]
    visible = [item for item in view._scene.lines if item.isVisible()]
    assert len(visible) == 5
    menu.aboutToShow.emit()
    assert menu.actions()[0].isChecked()
    menu.actions()[-1].trigger()
    assert not overlays.chosen
    assert not view.overlay_bar.isVisible()
    assert not any(item.isVisible() for item in view._scene.lines)


def test_an_entry_opens_its_cell_at_the_same_call(qtbot: QtBot, opened: MainWindow) -> None:
    session, view = opened.session, view_of(opened)
    session.overlays.compare(KEYS[3:5])
    qtbot.waitUntil(lambda: not session.overlays.working, timeout=60_000)
    facts = session.facts
    assert facts is not None
    row = next(
        at
        for at in range(len(facts))
        if facts.operators[int(facts.operator[at])].endswith("linear.2.forward")
    )
    session.select(row)
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        qtbot.mouseClick(view.overlay_bar.entries[1], LEFT)
    assert session.cell is not None
    assert session.cell.key == KEYS[4]
    assert session.facts is not None
    name = session.facts.operators[int(session.facts.operator[session.row])]
    assert name == "Functional.linear.2.forward"
    qtbot.waitUntil(lambda: session.overlays.found is not None, timeout=60_000)
    assert session.overlays.others == (KEYS[0], KEYS[3])  # the one that was left takes its place


def test_the_pointer_reads_a_line(qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    session, view = opened.session, view_of(opened)
    session.overlays.compare([KEYS[11]])  # twelve times as large: clear of the points
    qtbot.waitUntil(lambda: not session.overlays.working, timeout=60_000)
    QApplication.processEvents()
    overlay, points, facts = session.overlays.found, view._points, session.facts
    assert overlay is not None
    assert points is not None
    assert facts is not None
    (line,) = overlay.lines
    heights = drawn_heights(line.y, points.heights)
    spots = [view._box.mapViewToScene(QPointF(x, y)) for x, y in zip(line.x.tolist(), heights.tolist())]
    alone = next(
        at for at, spot in enumerate(spots) if view._pointer.point_at(spot)[1] > 3 and np.isfinite(line.y[at])
    )
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _where, words, *_rest: told.append(words))
    qtbot.mouseMove(view._plot.viewport(), view._plot.mapFromScene(spots[alone]))
    qtbot.waitUntil(lambda: bool(told), timeout=3000)
    name = facts.operators[int(facts.operator[int(facts.calls.first_row[int(line.x[alone])])])]
    assert told[-1].startswith("step 5 · rank 5\n")
    assert name in told[-1]


def test_cancel_ends_the_reading(qtbot: QtBot, opened: MainWindow) -> None:
    overlays, view = opened.session.overlays, view_of(opened)
    overlays.compare(KEYS)
    assert overlays.working
    assert view.overlay_bar.isVisible()
    qtbot.mouseClick(view.overlay_bar.clear_button, LEFT)
    assert not overlays.working
    assert overlays.found is None
    assert not view.overlay_bar.isVisible()


def test_what_cannot_be_read_is_said(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    session = opened.session
    session.result_path = str(tmp_path / "gone.h5")
    with qtbot.waitSignal(session.noticed, timeout=60_000):
        session.overlays.compare(KEYS[1:3])
    assert not session.overlays.chosen
    assert not session.overlays.working


def test_another_pair_begins_without(qtbot: QtBot, opened: MainWindow, loaded: MainWindow) -> None:
    session = opened.session
    assert not session.overlays.possible  # a made-up cell has no file to read others from
    assert not view_of(opened).buttons.compare.isEnabled()
    assert session.overlays.found is None
