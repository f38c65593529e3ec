"""Marks, names and places in the picture of the curves: what belongs to the series on show, and where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import curves as logs
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QImage

from core.curves.drawing.tracks import track_of
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.series import Series
from gui.main_window import MainWindow
from gui.models.curves.laying import Laying
from gui.models.curves.places import ends_inside, place_of, step_at
from gui.views.curves.lines import broken_lines
from gui.views.curves.marks import LANE, lane_height
from gui.views.curves.view import CurvesView


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CurvesView:
    """Return the page with a loss that has a spike, and gradients that are apart from step 60 on."""
    golden = logs.losses(200)
    paths = (
        logs.write_log(tmp_path / "npu.log", logs.with_spike(golden, 150)),
        logs.write_log(tmp_path / "gpu.log", golden),
    )
    lines = paths[0].read_text("utf-8").splitlines()
    for at in range(60, 200):
        lines[at] = lines[at].replace("grad norm: ", "grad norm: 9")
    paths[0].write_text("\n".join(lines) + "\n", "utf-8")
    return logs.shown_with(window, monkeypatch, *paths)


# ---- findings


def test_only_findings_of_the_series_on_show_are_marked(page: CurvesView) -> None:
    state, scene = page.state, page.picture.canvas.scene
    names = {finding.series for finding in state.findings if finding.step is not None}
    assert {"loss", "grad_norm"} <= names
    for name in ("grad_norm", "loss"):
        state.picture.choose(name)
        shown = {state.findings[mark.number].series for mark in scene.marks}
        assert shown == {name}
    assert len(page.findings.sentences) == len(state.findings)


def test_a_finding_of_another_series_brings_it_into_the_chooser(page: CurvesView) -> None:
    state, controls = page.state, page.picture.controls
    at = next(number for number, found in enumerate(state.findings) if found.series == "grad_norm")
    state.choose(at)
    assert controls.series.currentData() == "grad_norm"
    assert page.picture.canvas.names[0] == "Gradient norm"
    assert at in [mark.number for mark in page.picture.canvas.scene.marks]
    back = next(number for number, found in enumerate(state.findings) if found.series == "loss")
    state.choose(back)
    assert controls.series.currentText() == "Loss"


# ---- names of phases


def test_phases_are_named_above_all_curves_and_below_all_marks(page: CurvesView) -> None:
    canvas = page.picture.canvas
    canvas.grab()
    scene = canvas.scene
    assert scene.stretches
    strip = QRectF(scene.upper.left(), scene.top, scene.upper.width(), scene.upper.top() - scene.top)
    assert strip.height() >= canvas.fontMetrics().height()
    assert lane_height(scene) + LANE / 2 < strip.top()
    assert strip.bottom() <= scene.upper.top()  # no curve is drawn above this
    scene.stretches = []
    canvas.redraw()
    canvas.grab()
    assert scene.top == scene.upper.top()


def test_a_long_title_is_exported_in_two_lines(page: CurvesView, tmp_path: Path) -> None:
    from gui.views.curves.export import write_picture

    canvas, colours = page.picture.canvas, page._context.theme.colours
    sizes = []
    for heading in ("short", "words that go on " * 12, "words that go on " * 200):
        path = tmp_path / "curves.png"
        write_picture(str(path), canvas, heading, colours)
        sizes.append(QImage(str(path)).height())
    assert sizes[0] < sizes[1] == sizes[2]


@given(st.text(alphabet=st.sampled_from("ab cd测😀 "), max_size=120), st.integers(40, 300))
def test_lines_hold_all_words_and_are_narrow_enough(words: str, width: int) -> None:
    font = QGuiApplication.font()
    lines = broken_lines(words, font, width, 1000)
    assert "".join("".join(lines).split()) == "".join(words.split())
    metrics = QFontMetrics(QFont(font))
    assert all(metrics.horizontalAdvance(line) <= width + 2 for line in lines)
    few = broken_lines(words, font, width, 2)
    assert few == lines if len(lines) <= 2 else (len(few) == 2 and few[0] == lines[0])


# ---- the span and the cursor


def test_a_span_is_told_in_whole_steps(page: CurvesView) -> None:
    page.state.picture.select((57.655, 121.485))
    assert page.picture._span_name.text() == "58 – 121"
    means = [words for _, words in page.findings.means.texts()]
    target = page.picture.canvas.scene.curves[0].raw
    assert means[0].endswith(" over 64 steps")
    assert float(means[0].split()[1]) == pytest.approx(target.y[57:121].mean(), rel=1e-6)
    page.state.picture.select((57.2, 57.8))
    assert page.picture._span_name.text() == "57.2 – 57.8"
    page.state.lay(Laying.SAMPLES)
    page.state.picture.select((1000.0, 2000.0))
    assert page.picture._span_name.text() == f"{16 * 64:,} – {31 * 64:,}".replace(",", "\u202f")


def test_the_cursor_stays_on_its_step(page: CurvesView) -> None:
    canvas = page.picture.canvas
    canvas.point_at(120.0)
    page.state.lay(Laying.SAMPLES)
    assert canvas.cursor_place == 120 * 64.0
    page.state.lay(Laying.FIRST)
    assert canvas.cursor_place == 120.0
    page.state.picture.choose(Series.GRAD_NORM)
    assert canvas.cursor_place == 120.0
    canvas.point_at(None)
    page.state.lay(Laying.SAMPLES)
    assert canvas.cursor_place is None


@given(st.integers(0, 50), st.integers(1, 40), st.integers(-20, 20))
def test_steps_are_found_again_at_their_places(first: int, count: int, shift: int) -> None:
    steps = np.arange(first, first + count)
    curves = {"loss": Curve(steps, np.ones(count)), Series.CONSUMED_SAMPLES: Curve(steps, steps * 64.0)}
    run = LoggedRun("/x/a.log", RunKind.LOG, (), Axis.STEP, curves, (), (), count, 0, ())
    for axis in (Axis.STEP, Axis.EPOCH, Axis.COUNT, Axis.SAMPLES):
        for step in steps.tolist():
            assert step_at(place_of(step, run, axis, float(shift)), run, axis, float(shift)) == step
    assert step_at(3.0, run, Axis.TOKENS, 0.0) is None


def test_the_ends_of_a_span_are_points_inside_of_it() -> None:
    tracks = [track_of(np.array([1.0, 2.0, 5.0]), np.ones(3)), track_of(np.array([3.0, 9.0]), np.ones(2))]
    assert ends_inside(tracks, 1.5, 8.0) == (2.0, 5.0)
    assert ends_inside(tracks, 2.5, 9.0) == (3.0, 9.0)
    assert ends_inside(tracks, 5.5, 8.5) is None
    assert ends_inside([], 0.0, 1.0) is None


# ---- lone points


def test_a_point_that_stands_alone_is_seen(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = logs.shown_with(window, monkeypatch, logs.write_log(tmp_path / "one.log", np.array([2.0])))
    canvas = page.picture.canvas
    image = canvas.grab().toImage()
    scene, ratio = canvas.scene, image.devicePixelRatio()
    x, y = scene.x(1.0), scene.y(scene.upper, scene.scale, 2.0)
    colour = window.context.theme.colours.target
    for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
        assert image.pixelColor(round((x + dx) * ratio), round((y + dy) * ratio)).name() == colour
