"""Ten long runs: moving along them must not stutter, and no spike may be lost."""

from __future__ import annotations

import time

import numpy as np
import pytest
from builders import curves as logs
from PySide6.QtWidgets import QApplication

from core.curves.shelf import shelve, unshelve
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from gui.curves.runs import ShownRun
from gui.curves.work import Reading
from gui.main_window import MainWindow
from gui.models.curves.roles import Role

_STEPS, _RUNS = 300_000, 10
_FRAME = 0.060
"""Seconds that a frame may take here; thirty milliseconds is the aim on a quiet machine."""


def test_long_runs_are_moved_along_quickly(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    state = logs.answer_at_once(window, monkeypatch)
    steps = np.arange(1, _STEPS + 1)
    for number in range(_RUNS):
        values = logs.losses(_STEPS, seed=number)
        values[200_000 + number] = 50.0
        run = LoggedRun(
            f"/x/run_{number}.log", RunKind.LOG, ("megatron",), Axis.STEP,
            {"loss": Curve(steps, values)}, (), (), _STEPS, 0, (),
        )  # fmt: skip
        token = shelve(run, state.folder)
        shown = ShownRun(number + 1, run.path, Role.TARGET if not number else Role.OTHER)
        shown.take(Reading(token, None, (1, 1)), unshelve(token))
        state.runs.append(shown)
    state.runs_changed.emit()
    window.pages.show_curves()
    state.picture.show(state.runs, None, None, state.folder)
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    canvas = page.picture.canvas
    assert len(canvas.scene.curves) == _RUNS
    QApplication.processEvents()
    canvas.repaint()
    assert canvas.scene.scale.high > 50.0
    taken = []
    for turn in range(16):
        canvas.axis.zoom(0.7 if turn < 8 else 1 / 0.7, 300)
        canvas.axis.pan(30)
        began = time.perf_counter()
        canvas.redraw()
        canvas.repaint()
        taken.append(time.perf_counter() - began)
    assert np.median(taken) < _FRAME
    began = time.perf_counter()
    canvas.point_at(1234.0)
    canvas.repaint()
    assert time.perf_counter() - began < _FRAME
