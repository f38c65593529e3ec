"""Training logs with planted differences, for the curves page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from core.curves.shelf import Shelved
from core.errors import InputError
from core.progress import Work, run_to_end
from gui.curves import work as curves_work
from gui.curves.runs import ShownRun
from gui.curves.state import CurvesState
from gui.main_window import MainWindow
from gui.views.curves.view import CurvesView

Values = NDArray[np.float64]


def losses(steps: int = 600, seed: int = 0, noise: float = 0.01) -> Values:
    """Return a loss that falls from 10 towards 2, with noise of its own."""
    at = np.arange(1, steps + 1)
    wander = np.random.default_rng(seed).standard_normal(steps) * noise
    return (2.0 + 8.0 * at**-0.35) * (1 + wander)


def with_spike(values: Values, step: int, size: float = 6.0) -> Values:
    """Return *values* with one that stands out at *step*, counted from 1."""
    made = values.copy()
    made[step - 1] += size
    return made


def with_drift(values: Values, step: int, end: float = 0.03) -> Values:
    """Return *values* that rise from *step* on, up to *end* of themselves more."""
    grown = np.clip((np.arange(1, len(values) + 1) - step) / max(len(values) - step, 1), 0, 1)
    return values * (1 + end * grown)


def megatron_line(step: int, loss: float | None, steps: int, batch: int = 64, rate: float = 1e-4) -> str:
    """Return a line as Megatron writes it; a loss that is ``None`` is left out."""
    told = f" lm loss: {loss:.9E} |" if loss is not None else ""
    return (
        f" iteration {step:8}/{steps:8} | consumed samples: {step * batch:12} |"
        f" elapsed time per iteration (ms): 1203.4 | learning rate: {rate:.6E} |"
        f" global batch size: {batch:5} |{told} loss scale: 1.0 | grad norm: {1 + 1 / step:.3f} |"
        " number of skipped iterations:   0 | number of nan iterations:   0 |"
    )


def write_log(
    path: Path, values: Values, first: int = 1, again: Mapping[int, int] | None = None,
    junk: Sequence[str] = (),
) -> Path:  # fmt: skip
    """Write *values* as a Megatron log; *again* maps a step after which the log goes back to a step."""
    steps = len(values)
    lines = [*junk]
    at, resumed = 0, set()
    while at < steps:
        lines.append(megatron_line(first + at, float(values[at]), steps))
        back = (again or {}).get(first + at)
        if back is not None and back not in resumed:
            resumed.add(back)
            at = back - first
        else:
            at += 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def append(path: Path, values: Values, first: int) -> None:
    """Let the log at *path* grow."""
    with path.open("a", encoding="utf-8") as stream:
        for at, value in enumerate(values.tolist()):
            stream.write(megatron_line(first + at, value, first + len(values)) + "\n")


def pair(folder: Path, steps: int = 600) -> tuple[Path, Path]:
    """Write a target that has a spike and drifts, and its golden."""
    golden = losses(steps)
    target = with_drift(with_spike(golden * 1.0005, steps // 4), steps // 2)
    return (
        write_log(folder / "npu_train.log", target),
        write_log(folder / "gpu_train.log", golden),
    )


def answer_at_once(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> CurvesState:
    """Let the curves page of *window* read, judge and draw in this process, before each call returns."""
    state = window.session.curves
    service = state.service

    def request(channel: str, function: Callable[..., object], *arguments: object) -> None:
        try:
            service.answered.emit(channel, function(*arguments))
        except InputError as error:
            service.rejected.emit(channel, error.problem)

    def ask(run: ShownRun, before: Shelved | None, folder: str) -> None:
        try:
            reading = run_to_end(curves_work.read(run.path, run.pattern, before, folder))
        except InputError as error:
            state.reader.failed.emit(run.number, error.problem, "")
        else:
            state.reader.read.emit(run.number, reading)
        state.reader.finished.emit()

    def start(function: Callable[..., Work[object]], *arguments: object) -> None:
        state._show_answer(run_to_end(function(*arguments)))

    monkeypatch.setattr(service, "request", request)
    monkeypatch.setattr(state.reader, "ask", ask)
    monkeypatch.setattr(state, "_begin", lambda _job: None)
    monkeypatch.setattr(window.session.tasks, "start", start)
    return state


def shown_with(window: MainWindow, monkeypatch: pytest.MonkeyPatch, *paths: Path) -> CurvesView:
    """Return the curves page of *window* with the logs *paths* on it, read and judged."""
    answer_at_once(window, monkeypatch)
    window.session.arrivals.logs_found.emit([str(path) for path in paths])
    QApplication.processEvents()
    assert window.pages.curves is not None
    assert window.pages.curves.curves is not None
    return window.pages.curves.curves
