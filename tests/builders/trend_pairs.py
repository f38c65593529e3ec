"""Pairs of monitors with planted faults, and a trends view that answers in this process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.monitors import Row, write_database, write_v1
from PySide6.QtWidgets import QApplication

from core.errors import InputError
from core.progress import Work, run_to_end
from gui.main_window import MainWindow
from gui.processes.work_state import Stage
from gui.views.trends.view import TrendsView

LAYERS, STEPS = 6, 30
DRIFT_LAYER, DRIFT_STEP = 3, 12
"""Where the target's activations leave the golden."""
BROKEN = ("decoder.1.mlp", 20)
"""Where the target's gradient is NaN."""


def layer(number: int) -> str:
    return f"decoder.{number}.mlp"


def rows(target: bool, ranks: int = 1) -> Iterator[Row]:
    """Yield what a monitor wrote: activations that drift from a layer on, gradients with one NaN."""
    for rank in range(ranks):
        for number in range(LAYERS):
            for step in range(STEPS):
                norm = (1.0 + number) * math.exp(-step / 40)
                drift = 0.1 * (step - DRIFT_STEP + 1) if step >= DRIFT_STEP and number >= DRIFT_LAYER else 0.0
                seen = norm * (1 + drift) if target else norm
                yield Row(
                    "actv", f"{layer(number)}.output", step, {"norm": seen, "max": 0.3 * seen}, rank, micro=0
                )
                slope = math.nan if target and (layer(number), step) == BROKEN else 0.1 * norm
                yield Row("grad_reduced", layer(number), step, {"norm": slope}, rank)


def pair(folder: Path, ranks: int = 1) -> tuple[Path, Path]:
    """Write target and golden into *folder*."""
    return (
        write_v1(folder / "npu_monitor", rows(True, ranks)),
        write_v1(folder / "gpu_monitor", rows(False, ranks)),
    )


def cut_pair(folder: Path) -> tuple[Path, Path]:
    """Write two trend databases: a layer beyond their bound, and a layer on each side that ends early."""
    made = []
    for side in ("npu", "gpu"):
        found = [
            Row("module.forward.output", layer(number), step, {"norm": 10.0 ** (4 * number)}, micro=0)
            for number in range(4)
            for step in range(8)
            if (side, number, step) not in (("npu", 0, 7), ("gpu", 1, 0))
        ]
        place = folder / f"{side}_monitor"
        place.mkdir()
        write_database(place / "trend.db", found)
        made.append(place)
    return made[0], made[1]


def answer_at_once(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> TrendsView:
    """Return a view in a window of its own that reads, judges and draws before each call returns."""
    view = TrendsView(window.context)
    service = window.session.curves.service

    def request(channel: str, function: Callable[..., object], *arguments: object) -> None:
        try:
            service.answered.emit(channel, function(*arguments))
        except InputError as error:
            service.rejected.emit(channel, error.problem)

    def start(function: Callable[..., Work[object]], *arguments: object) -> None:
        try:
            view.state._show_answer(run_to_end(function(*arguments)))
        except InputError as error:
            view.state._enter(Stage.FAILED, error.problem)

    def write(function: Callable[..., Work[object]], *arguments: object) -> None:
        run_to_end(function(*arguments))

    monkeypatch.setattr(service, "request", request)
    monkeypatch.setattr(view.state, "_begin", lambda _job: None)
    monkeypatch.setattr(window.session.tasks, "start", start)
    monkeypatch.setattr(view.state.exports, "start", write)
    view.resize(1500, 900)
    view.show()
    QApplication.processEvents()
    return view
