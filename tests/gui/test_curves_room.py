"""The curves page in windows of all sizes: what gives way first, and what stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import curves as logs
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.errors import Problem
from core.messages import Message, set_language
from gui.main_window import MainWindow
from gui.models.curves.statistics import StatisticsModel
from gui.models.curves.words import pattern_helps, reason
from gui.views.curves.lines import LinesLabel
from gui.views.curves.view import CurvesView

LARGEST = 4
"""Column of the statistics."""
ICONS, WORDS = Qt.ToolButtonStyle.ToolButtonIconOnly, Qt.ToolButtonStyle.ToolButtonTextOnly


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CurvesView:
    """Return the page with a loss that is judged to be apart, and advice of several lines."""
    golden = logs.losses(600)
    target = logs.with_drift(logs.with_spike(golden, 150), 300)
    target[[399, 400]] = np.nan
    paths = logs.write_log(tmp_path / "npu.log", target), logs.write_log(tmp_path / "gpu.log", golden)
    return logs.shown_with(window, monkeypatch, *paths)


def resized(window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    for _ in range(4):
        QApplication.processEvents()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(1000, 650), (1280, 800), (1680, 1050)])
def test_controls_stand_in_one_line(
    page: CurvesView, window: MainWindow, size: tuple[int, int], language: str
) -> None:
    set_language(language)
    QApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))
    for name in ("loss", "validation_loss", "grad_norm"):
        page.state.picture.choose(name)
        resized(window, *size)
        controls = page.picture.controls
        tops = {part.y() for part in (controls.series, controls.logarithmic, controls.span, controls.fit)}
        assert len(tops) == 1, (name, tops)
        assert controls.fit.geometry().right() <= controls.width()
        assert controls.height() < 40
    assert page.picture.canvas.height() >= 200
    set_language("en")


def test_words_of_buttons_give_way_to_icons_and_come_back(page: CurvesView, window: MainWindow) -> None:
    controls = page.picture.controls
    for size, style in (((1680, 1050), WORDS), ((1000, 650), ICONS), ((1280, 800), WORDS)):
        resized(window, *size)
        for button in (controls.logarithmic, controls.clipped, controls.relative, controls.span):
            assert button.toolButtonStyle() == style
            assert button.text()  # its name to assistive software
            assert not button.icon().isNull()


def test_the_largest_difference_is_seen_without_scrolling(page: CurvesView, window: MainWindow) -> None:
    page.findings.tabs.setCurrentIndex(1)
    for size in ((1280, 800), (1680, 1050)):
        resized(window, *size)
        table = page.findings.table
        right = table.columnViewportPosition(LARGEST) + table.columnWidth(LARGEST)
        assert right <= table.viewport().width(), size
    heading = StatisticsModel().headerData(LARGEST, Qt.Orientation.Horizontal)
    assert heading == "Largest"


def test_advice_is_folded_where_the_picture_needs_the_room(
    qtbot: QtBot, page: CurvesView, window: MainWindow
) -> None:
    headline = page.headline
    resized(window, 1680, 1050)
    assert not headline.unfold.isVisible()
    whole = headline.advice_words.text()
    resized(window, 1000, 650)
    assert headline.unfold.isVisible()
    folded = headline.advice_words.text()
    report = page.state.report
    assert report is not None
    assert all(str(each.dump_step) in folded for each in report.advice)
    assert "\n" not in folded
    height = page.picture.canvas.height()
    qtbot.mouseClick(headline.unfold, Qt.MouseButton.LeftButton)
    assert headline.advice_words.text() == whole
    qtbot.mouseClick(headline.unfold, Qt.MouseButton.LeftButton)
    for _ in range(4):
        QApplication.processEvents()
    assert page.picture.canvas.height() == height


# ---- why a run could not be read


def test_reasons_come_first_and_name_no_folder() -> None:
    path = "/very/long/folder/of/an/experiment/train.log"
    unknown = Problem("log_without_steps", path)
    assert reason(unknown).startswith("No training log")
    assert pattern_helps(unknown)
    unreadable = Problem("log_unreadable", path, {"detail": "Permission denied"})
    assert reason(unreadable) == "It cannot be read: Permission denied."
    other = Problem("log_state_broken", path, {"detail": "truncated"})
    assert reason(other).startswith("train.log begins")
    assert reason(Message("gui.curves.crashed")).startswith("Reading this log broke")
    assert not any(map(pattern_helps, (unreadable, other, None)))


def test_a_label_has_as_many_lines_as_it_needs(qtbot: QtBot) -> None:
    label = LinesLabel(2)
    qtbot.addWidget(label)
    label.resize(200, 40)
    label.show()
    line = label.fontMetrics().height()
    label.show_words("short")
    assert label.heightForWidth(200) == line
    assert label.toolTip() == ""
    label.show_words("words that go on " * 30)
    assert label.heightForWidth(200) == 2 * line
    assert label.toolTip() == label.text()
    label.show_words("No training log.", "all that is to be said")
    assert label.toolTip() == "all that is to be said"
    assert not label.grab().isNull()
