"""Several logs that are being written to: each is read on, none is left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from builders import curves as logs

from core.records.curves import LoggedRun
from gui.curves import work as curves_work
from gui.curves.state import CurvesState
from gui.main_window import MainWindow
from gui.processes.work_state import Stage

Patience = Callable[..., None]
Values = logs.Values


def settled(state: CurvesState) -> bool:
    return state.stage is Stage.READY and not state.reader.busy and state.service.idle


def lengths(state: CurvesState) -> list[int]:
    """Return how many steps of each run are on show."""
    runs: list[LoggedRun] = [run.run for run in state.runs if run.run is not None]
    return [len(run.curves["loss"].steps) for run in runs]


def opened(window: MainWindow, folder: Path, values: list[Values], patience: Patience) -> list[Path]:
    names = ("npu.log", "gpu.log", "third.log")
    paths = [logs.write_log(folder / name, each[:100]) for name, each in zip(names, values)]
    window.session.open_paths([str(path) for path in paths])
    patience(lambda: settled(window.session.curves))
    return paths


def test_all_logs_that_grew_are_read_on(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    values = [logs.losses(200, seed=seed) for seed in range(3)]
    paths = opened(window, tmp_path, values, patience)
    state = window.session.curves
    state.watch._timer.stop()
    for path, each in zip(paths, values):
        logs.append(path, each[100:], 101)
    state.watch.look()  # once only: what is busy now is not forgotten
    patience(lambda: lengths(state) == [200, 200, 200])
    patience(lambda: settled(state))
    assert all(run.live for run in state.runs)
    assert state.report is not None
    assert state.report.steps == 200


def test_growth_seen_while_judging_is_read_after_it(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    values = [logs.losses(200, seed=seed) for seed in range(2)]
    paths = opened(window, tmp_path, values, patience)
    state = window.session.curves
    state.watch._timer.stop()
    asked: list[int] = []
    before = state.reader.ask
    state.reader.ask = lambda run, *rest: (asked.append(run.number), before(run, *rest))  # type: ignore
    state.lay(state.picture.laying.__class__.STEP)
    assert state.stage is Stage.WORKING
    for path, each in zip(paths, values):
        logs.append(path, each[100:], 101)
    for run in state.runs:
        state.watch.grown.emit([run.number])
        state.watch.grown.emit([run.number])
    assert asked == []  # a judgement that is under way is not thrown away
    patience(lambda: lengths(state) == [200, 200])
    assert asked == [run.number for run in state.runs]  # each once


def test_what_grew_is_forgotten_with_its_run(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    values = [logs.losses(200, seed=seed) for seed in range(2)]
    opened(window, tmp_path, values, patience)
    state = window.session.curves
    gone = state.runs[1].number
    state.remove(gone)
    state.watch.grown.emit([gone])
    patience(lambda: settled(state))
    assert len(state.runs) == 1
    assert curves_work.size_of(state.runs[0].path) == state.runs[0].size


def test_a_log_that_comes_back_is_read_again(window: MainWindow, tmp_path: Path, patience: Patience) -> None:
    values = [logs.losses(200, seed=seed) for seed in range(2)]
    target, _ = opened(window, tmp_path, values, patience)
    state = window.session.curves
    state.watch._timer.stop()
    logs.append(target, values[0][100:], 101)
    state.watch.look()
    patience(lambda: settled(state) and state.runs[0].live)
    target.unlink()
    state.watch.look()
    patience(lambda: not state.runs[0].live)
    assert lengths(state) == [200, 100]  # what was read stays
    logs.write_log(target, values[1][:50])
    state.watch.look()
    patience(lambda: lengths(state) == [50, 100])
