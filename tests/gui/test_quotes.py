"""The pre-check quoted beside the diagnosis: fails only, the likeliest cause first; a click leads there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders.diagnoses import gpt_diagnosis
from builders.prechecks import FOUND, report_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import Message
from core.precheck.finding import Finding
from core.records.precheck import Entry, Outcome, PrecheckReport
from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.pages.bar import Page
from gui.views.diagnosis.quotes import Quotes


@pytest.fixture
def quotes(window: MainWindow, show: Callable[..., None], cell: CellResult) -> Quotes:
    """Return what is quoted beside a diagnosis that is open."""
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))
    assert window.workspace is not None
    return window.workspace.diagnosis.quotes


def find(window: MainWindow, report: PrecheckReport) -> None:
    window.session.precheck.show_report(report)
    QApplication.processEvents()


def said(code: str) -> Finding:
    return Finding(Outcome.FAIL, Message(code, {"path": "a", "count": 2}))


def test_without_a_fail_nothing_is_said(window: MainWindow, quotes: Quotes) -> None:
    assert quotes.isHidden()
    find(window, report_of({"versions.packages": FOUND["versions.packages"]}))
    assert quotes.isHidden()


def test_fails_are_quoted_by_cause(window: MainWindow, quotes: Quotes, qtbot: QtBot) -> None:
    assert window.workspace is not None
    answer = window.workspace.diagnosis.answer
    before = answer.mapTo(window, answer.rect().topLeft())
    found = {"dataset.order": said("progress.evidence"), "hyper_parameters.batch": said("precheck.manual")}
    find(window, report_of(found))
    assert quotes.isVisible()
    assert quotes.words == [
        "Before any operator: the pre-check has 2 fails",
        "Only a person can tell; enter the result.",
        "and 1 more",
    ]
    assert answer.mapTo(window, answer.rect().topLeft()) == before  # nothing moved
    assert "Reading a" in quotes.toolTip()
    assert quotes.accessibleName() == "\n".join(quotes.words)
    with qtbot.waitSignal(window.session.precheck.changed):
        window.session.precheck.enter("hyper_parameters.batch", Entry(Outcome.PASS, "same"))
    assert quotes.words == ["Before any operator: the pre-check has 1 fail", "Reading a"]
    window.session.precheck.enter("dataset.order", Entry(Outcome.PASS, "same"))
    assert quotes.isHidden()


@pytest.mark.parametrize("by_key", [False, True])
def test_a_press_leads_to_the_pre_check(
    window: MainWindow, quotes: Quotes, qtbot: QtBot, by_key: bool
) -> None:
    find(window, report_of())
    if by_key:
        quotes.setFocus()
        qtbot.keyClick(quotes, Qt.Key.Key_Return)
    else:
        qtbot.mouseClick(quotes, Qt.MouseButton.LeftButton)
    assert window.pages.page is Page.PRECHECK


def test_the_words_follow_the_language(window: MainWindow, quotes: Quotes) -> None:
    find(window, report_of({"dataset.order": said("precheck.manual")}))
    window.actions_registry["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert quotes.words == ["先于任何算子：预检查有 1 项不通过", "只能由人判断；请填写结果。"]
