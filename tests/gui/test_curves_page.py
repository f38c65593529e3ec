"""The curves page as a person uses it: runs in their roles, the picture, findings, a span."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders import curves as logs
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language, text
from core.records.curves import FindingName
from core.records.series import Series
from gui.main_window import MainWindow
from gui.models.curves.laying import Laying
from gui.models.curves.roles import Role
from gui.models.pair.categories import Category
from gui.pages.bar import Page
from gui.views.curves.view import CurvesView

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CurvesView:
    """Return the page with a target that has a spike at step 150 and drifts from step 300 on."""
    return logs.shown_with(window, monkeypatch, *logs.pair(tmp_path))


def drag(qtbot: QtBot, page: CurvesView, first: float, last: float, keys: Qt.KeyboardModifier) -> None:
    """Press at one place of the picture and let go at another."""
    canvas = page.picture.canvas
    y = round(canvas.scene.upper.center().y())
    start, end = (QPoint(round(canvas.scene.x(place)), y) for place in (first, last))
    qtbot.mousePress(canvas, LEFT, keys, start)
    qtbot.mouseMove(canvas, (start + end) / 2)
    qtbot.mouseMove(canvas, end)
    qtbot.mouseRelease(canvas, LEFT, keys, end)


# ---- the answer


def test_two_logs_are_judged_and_drawn(window: MainWindow, page: CurvesView) -> None:
    assert window.pages.page is Page.CURVES
    assert page.picture.isVisible()
    assert [run.role for run in page.state.runs] == [Role.TARGET, Role.GOLDEN]
    verdict, sentence = page.headline.words
    assert verdict == "failed"
    assert sentence
    report = page.state.report
    assert report is not None
    assert page.headline.first_bad.text() == f"First bad step {report.first_bad_step}"
    assert window.page_bar.button(Page.CURVES).badge == str(page.state.faults)
    assert f"{page.state.faults} faults" in window.page_bar.button(Page.CURVES).accessibleName()
    assert "npu_train.log" in window.windowTitle()
    scene = page.picture.canvas.scene
    assert [curve.name for curve in scene.curves] == ["npu_train.log", "gpu_train.log"]
    assert scene.difference is not None
    assert [stretch.words for stretch in scene.stretches][-1] == "tail"
    assert page.findings.sentences == [row.words.text() for row in page.findings.rows if row.isVisible()]


def test_the_spike_is_seen_at_every_width(page: CurvesView) -> None:
    spike = float(page.picture.canvas.scene.curves[0].raw.y.max())
    for width in (300, 700, 1600):
        page.picture.canvas.resize(width, 400)
        page.picture.canvas.grab()
        assert page.picture.canvas.scene.scale.high > spike


def test_what_to_dump_next_is_copied(page: CurvesView) -> None:
    report = page.state.report
    assert report is not None
    assert report.advice
    assert page.headline.advice.isVisible()
    page.headline.copy.click()
    copied = QGuiApplication.clipboard().text()
    steps = sorted({each.dump_step for each in report.advice})
    assert f'"step": [{", ".join(map(str, steps))}],' in copied
    assert page.headline.advice_words.text().split("   ")[0] in copied


def test_findings_lead_to_their_step(qtbot: QtBot, window: MainWindow, page: CurvesView) -> None:
    names = [finding.name for finding in page.state.findings]
    spike = names.index(FindingName.SPIKE)
    row = page.findings.rows[spike]
    assert row.mark.category is Category.INTRODUCED
    row.setFocus()
    qtbot.keyClick(row, Qt.Key.Key_Return)
    first, last = page.picture.canvas.axis.seen
    assert first < 150 < last
    assert last - first < 200
    assert page.picture.canvas.cursor_place == 150.0
    assert row.property("chosen")
    page.picture.canvas.fit()
    page.picture.canvas.grab()
    mark = next(mark for mark in page.picture.canvas.scene.marks if mark.number == spike)
    from gui.views.curves.marks import lane_height

    scene = page.picture.canvas.scene
    where = QPointF(scene.x(mark.place), lane_height(scene)).toPoint()
    page.state.choose(-1)
    qtbot.mouseClick(page.picture.canvas, LEFT, pos=where)
    assert page.state.finding == spike
    qtbot.keyClick(window, Qt.Key.Key_F8)
    assert page.state.finding == (spike + 1) % len(names)
    qtbot.keyClick(window, Qt.Key.Key_F8, SHIFT)
    assert page.state.finding == spike


def test_the_first_bad_step_is_gone_to(page: CurvesView) -> None:
    page.headline.first_bad.click()
    assert page.state.report is not None
    assert page.picture.canvas.cursor_place == page.state.report.first_bad_step


def test_copying_takes_sentence_findings_and_advice(window: MainWindow, page: CurvesView) -> None:
    page.picture.canvas.setFocus()
    window.actions_registry["copy"].trigger()
    copied = QGuiApplication.clipboard().text()
    assert page.headline.words[1] in copied
    assert all(sentence in copied for sentence in page.findings.sentences)
    assert copied.count(page.headline.words[1]) == 1
    page.findings.tabs.setCurrentIndex(1)
    window.actions_registry["copy"].trigger()
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0].split("\t")[:2] == ["Part", "Steps"]
    assert rows[1].split("\t")[:2] == ["whole run", "600"]


# ---- the picture


def test_wheel_and_drag_move_along_the_run(qtbot: QtBot, page: CurvesView) -> None:
    canvas = page.picture.canvas
    canvas.grab()
    place = 400.0
    where = QPointF(canvas.scene.x(place), canvas.scene.upper.center().y())
    wheel = QWheelEvent(where, where, QPoint(), QPoint(0, 480), Qt.MouseButton.NoButton, NONE,
                        Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(canvas, wheel)
    assert canvas.axis.span < 300
    assert canvas.scene.x(place) == pytest.approx(where.x(), abs=1.5)
    before = canvas.axis.seen
    drag(qtbot, page, 400, 380, NONE)
    assert canvas.axis.seen[0] == pytest.approx(before[0] + 20, abs=3)
    qtbot.mouseDClick(canvas, LEFT, pos=where.toPoint())
    assert canvas.axis.seen[1] > 599
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.cursor_place == 1.0
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.cursor_place == 2.0
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.cursor_place is None


def test_the_readout_tells_all_values(page: CurvesView) -> None:
    from core.records.curves import Axis
    from gui.views.curves.readout import rows_at

    scene = page.picture.canvas.scene
    rows = rows_at(scene, 150.0, Axis.STEP)
    assert [row.name for row in rows] == ["step", "npu_train.log", "gpu_train.log", "difference"]
    target, golden = (curve.raw.y[149] for curve in scene.curves)
    assert float(rows[1].value) == pytest.approx(target, rel=1e-6)
    assert float(rows[2].value) == pytest.approx(golden, rel=1e-6)
    told = float(rows[3].value.removesuffix("\u202f%"))
    assert told == pytest.approx(100 * (target - golden) / golden, rel=1e-3)
    assert rows_at(scene, 900.0, Axis.STEP)[1].value == "—"


def test_a_span_is_measured(qtbot: QtBot, page: CurvesView) -> None:
    canvas = page.picture.canvas
    canvas.grab()
    drag(qtbot, page, 401.0, 500.0, SHIFT)
    facts = page.state.picture.facts
    assert facts is not None
    assert page.picture.strip.isVisible()
    target, golden = (curve.raw.y for curve in canvas.scene.curves)
    first, last = round(facts.left + 0.5) - 1, round(facts.right - 0.5)
    inside = slice(int(np.ceil(facts.left)) - 1, int(np.floor(facts.right)))
    relative = (target[inside] - golden[inside]) / golden[inside]
    assert abs(first - 400) <= 2
    assert abs(last - 500) <= 2
    assert facts.difference is not None
    assert facts.difference.bias == pytest.approx(relative.mean(), rel=1e-9)
    assert facts.difference.largest_relative == pytest.approx(abs(relative).max(), rel=1e-9)
    assert {number: mean for number, mean, _ in facts.means} == {
        page.state.runs[0].number: pytest.approx(target[inside].mean()),
        page.state.runs[1].number: pytest.approx(golden[inside].mean()),
    }
    assert page.findings.model.index(0, 0).data() == "selected"
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert page.state.picture.span is None
    assert not page.picture.strip.isVisible()
    page.picture.controls.span.setChecked(True)
    drag(qtbot, page, 100.0, 200.0, NONE)
    assert page.state.picture.span is not None


def test_scales_and_smoothing(page: CurvesView, window: MainWindow) -> None:
    controls, scene = page.picture.controls, page.picture.canvas.scene
    controls.logarithmic.click()
    assert scene.logarithmic
    controls.clipped.click()
    page.picture.canvas.grab()
    assert scene.scale.high < np.log10(scene.curves[0].raw.y.max())  # the spike is cut, and marked
    controls.relative.click()
    assert page.picture.canvas.names[1] == "target − golden"
    page.picture.canvas.grab()
    assert not scene.lower_scale.share
    assert scene.curves[0].smooth is None
    page.state.picture.smooth(20.0)
    assert scene.curves[0].smooth is not None
    assert scene.smooth_difference is not None
    assert scene.smooth_difference.y[449:].min() > 0.005  # the drift without the noise around it
    settings = window.context.settings
    assert (settings.curves_half_life, settings.curves_logarithmic) == (20.0, True)
    assert (settings.curves_relative, settings.curves_clipped) == (False, True)


def test_other_series_and_axes(page: CurvesView) -> None:
    controls, picture = page.picture.controls, page.state.picture
    offered = [controls.series.itemText(at) for at in range(controls.series.count())]
    assert offered[:3] == ["Loss", "Learning rate", "Gradient norm"]
    controls.series.setCurrentIndex(2)
    controls.series.activated.emit(2)
    assert picture.name == Series.GRAD_NORM
    assert page.picture.canvas.names[0] == "Gradient norm"
    controls.laying.activated.emit(controls.laying.findData(Laying.SAMPLES.value))
    assert page.picture.canvas.scene.bounds() == (64.0, 600 * 64.0)
    controls.laying.activated.emit(controls.laying.findData(Laying.FIRST.value))
    assert page.picture.canvas.scene.bounds() == (1.0, 600.0)


def test_values_that_are_not_finite_break_the_line_and_are_marked(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = logs.losses(200)
    target = golden.copy()
    target[50:60], target[100], target[120] = np.nan, np.inf, -np.inf
    page = logs.shown_with(window, monkeypatch, logs.write_log(tmp_path / "npu.log", target),
                      logs.write_log(tmp_path / "gpu.log", golden))  # fmt: skip
    track = page.picture.canvas.scene.curves[0].raw
    assert len(track.broken) == 12
    canvas = page.picture.canvas
    canvas.axis.look_at(45.0, 65.0)
    canvas.redraw()
    image = canvas.grab().toImage()
    scene, ratio = canvas.scene, image.devicePixelRatio()
    at = QPoint(round(scene.x(55.0) * ratio), round((scene.upper.top() + 4) * ratio))
    assert image.pixelColor(at).name() == window.context.theme.colours.target
    from core.records.curves import Axis
    from gui.views.curves.readout import rows_at

    row = rows_at(scene, 55.0, Axis.STEP)[1]
    assert (row.value, row.alarm) == ("NaN", True)


def test_missing_records_leave_a_gap(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logs.write_log(tmp_path / "train.log", logs.losses(200))
    lines = log.read_text("utf-8").splitlines()
    log.write_text("\n".join(lines[:100] + lines[103:]) + "\n", "utf-8")
    page = logs.shown_with(window, monkeypatch, log)
    assert page.state.picture.drawing is not None
    assert page.state.picture.drawing.curves[0].gap == 1.5
    canvas = page.picture.canvas
    canvas.look_at(95.0, 110.0)
    image = canvas.grab().toImage()
    scene, ratio = canvas.scene, image.devicePixelRatio()
    heights = range(round((scene.upper.top() + 3) * ratio), round((scene.upper.bottom() - 3) * ratio))
    for place, drawn in ((97.5, True), (102.5, False)):
        found = {image.pixelColor(round(scene.x(place) * ratio), y).name() for y in heights}
        assert (window.context.theme.colours.target in found) is drawn


# ---- the rest


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture_is_exported(
    window: MainWindow, page: CurvesView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    output = tmp_path / f"curves.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(output), ""))
    assert window.actions_registry["export"].isEnabled()
    window.actions_registry["export"].trigger()
    assert window.notice.sentence.endswith(str(output) + ".") or str(output) in window.notice.sentence
    if ending == "png":
        image = QImage(str(output))
        assert image.width() == 2 * page.picture.canvas.width()
        found = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3)
                 for y in range(0, image.height(), 3)}  # fmt: skip
        assert window.context.theme.colours.target in found
    else:
        assert "npu_train.log" in output.read_text("utf-8")
    blocked = tmp_path / "no" / "such" / f"folder.{ending}"
    page.export(str(blocked))
    assert "could not be written" in window.notice.sentence


def test_words_are_there_in_both_languages_and_schemes(page: CurvesView, window: MainWindow) -> None:
    words = {"en": "failed", "zh_CN": "不通过"}
    for language in LANGUAGES:
        set_language(language)
        QApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))
        for mode in ("dark", "light"):
            window.context.theme.set_mode(mode)
            QApplication.processEvents()
            assert not page.grab().isNull()
        assert page.headline.words[0] == words[language]
        for label in (page.picture.canvas.names[0], page.runs.rows[page.state.runs[0].number].role.text()):
            assert "gui." not in label
        assert text("gui.page.curves") == window.page_bar.button(Page.CURVES).text()
    set_language("en")


def test_sizes_and_choices_are_remembered(
    page: CurvesView, window: MainWindow, patience: Callable[..., None]
) -> None:
    page._side.setSizes([300, 400])
    page._remember()
    assert len(window.context.settings.curves_sizes) == 2
    window.actions_registry["reset_layout"].trigger()
    assert window.context.settings.curves_sizes == []
