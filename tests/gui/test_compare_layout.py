"""The compare page at all sizes: nothing lies on anything else, and what matters is on the first screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders.diagnoses import gpt_diagnosis, row_of, suspect
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.messages import Message
from core.records.diagnosis import Diagnosis, Kind
from core.records.result import CellResult, Verdict
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.pages.detail import Tab
from gui.pages.workspace import Workspace
from gui.views.tensors.view import TensorsView
from gui.widgets.chips import CountChip

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
SIZES = [(1680, 1050), (1440, 900), (1280, 800), (860, 560)]
GELU = "Functional.gelu.14.forward"
Show = Callable[..., None]


def work(window: MainWindow) -> Workspace:
    assert window.workspace is not None
    return window.workspace


def place(window: MainWindow, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


def primary(window: MainWindow) -> QPushButton:
    return next(button for button in window.top.findChildren(QPushButton) if button.objectName() == "primary")


def rows_with(cell: CellResult, *verdicts: Verdict) -> CellResult:
    return replace(cell, rows=cell.rows.take(np.isin(cell.rows.verdict, verdicts)))


@pytest.fixture
def opened(window: MainWindow, show: Show, cell: CellResult, request: pytest.FixtureRequest) -> MainWindow:
    window.resize(*request.param)
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))
    return window


@pytest.mark.parametrize("opened", SIZES[1:], indirect=True)
def test_the_folded_diagnosis_shows_the_line_of_code(opened: MainWindow) -> None:
    strip = work(opened).strip
    assert strip.isVisible()
    place_and_code = work(opened).diagnosis.answer.caller.split("\n")
    assert strip.caller.endswith(place_and_code[1])
    assert strip.caller.split(":")[0] in place_and_code[0]
    assert strip.caller in strip.accessibleName()


@pytest.mark.parametrize("opened", SIZES, indirect=True)
def test_no_card_lies_on_another(qtbot: QtBot, opened: MainWindow) -> None:
    page = work(opened)
    for action in ("focus_diagnosis", "focus_plot", "focus_detail", "focus_tree"):
        opened.actions_registry[action].trigger()
        QApplication.processEvents()
        cards = [page.verdicts, page.table, page.strip, page.trajectory]
        cards += list(page.docks.values())
        shown = [place(opened, card) for card in cards if card.isVisible()]
        for at, one in enumerate(shown):
            assert not any(one.intersects(other) for other in shown[:at]), action


@pytest.mark.parametrize("elsewhere", [0, 113])
def test_a_chip_never_cuts_a_number(
    loaded: MainWindow, monkeypatch: pytest.MonkeyPatch, elsewhere: int
) -> None:
    view = work(loaded).verdicts
    monkeypatch.setattr(type(loaded.session.cells), "differing_elsewhere", elsewhere)
    loaded.session.cells.changed.emit()
    view.setParent(None)
    view.show()
    for width in range(150, 1200, 13):
        view.resize(max(width, view.minimumSizeHint().width()), view.height())
        QApplication.processEvents()
        chips = [chip for chip in view.chips.values() if chip.isVisible()]
        assert chips
        assert all(chip.width() >= chip.width_for(chip.brief) for chip in chips)
        parts = [part for part in (view.more_button, view.elsewhere, view.map_button) if part.isVisible()]
        places = [part.geometry() for part in (*chips, *parts)]
        assert not any(one.intersects(other) for at, one in enumerate(places) for other in places[:at]), width
        hidden = sum(chip.total > 0 and not chip.isVisible() for chip in view.chips.values())
        assert view.more_button.isVisible() == (hidden > 0)
        assert not hidden or view.more_button.text() == f"+{hidden}"
    view.close()
    view.deleteLater()


@pytest.mark.parametrize("opened", SIZES, indirect=True)
@pytest.mark.parametrize("good", [False, True])
def test_a_notice_moves_nothing(opened: MainWindow, good: bool) -> None:
    page = work(opened)
    parts = (page.trajectory, page.table, page.detail, page.verdicts)
    before = [(part.isVisible(), place(opened, part)) for part in parts]
    opened.notice.say(Message("gui.notice.crashed"), "Traceback: planted", good=good)
    QApplication.processEvents()
    assert [(part.isVisible(), place(opened, part)) for part in parts] == before
    notice = place(opened, opened.notice)
    assert opened.rect().contains(notice)
    assert notice.height() >= opened.notice.minimumSizeHint().height()
    opened.notice.dismiss()
    assert not opened.notice.isVisible()


def test_good_news_goes_by_itself(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.notice._timer.setInterval(30)
    loaded.notice.say(Message("gui.dumps.found"), good=True)
    assert loaded.notice.isVisible()
    qtbot.waitUntil(lambda: not loaded.notice.isVisible())
    loaded.notice.say(Message("gui.dumps.found"))
    qtbot.wait(90)
    assert loaded.notice.isVisible()


@pytest.mark.parametrize("opened", SIZES[1:], indirect=True)
def test_the_key_of_the_plot_brings_it(qtbot: QtBot, opened: MainWindow) -> None:
    page = work(opened)
    qtbot.keyClick(page.table.table, Qt.Key.Key_2, CONTROL)
    qtbot.waitUntil(page.trajectory.hasFocus)
    assert page.trajectory.isVisible()
    qtbot.keyClick(page.trajectory, Qt.Key.Key_4, CONTROL)
    qtbot.waitUntil(page.detail.isVisible)


@pytest.mark.parametrize("opened", SIZES[:3], indirect=True)
def test_the_problems_leave_the_plot(opened: MainWindow) -> None:
    page = work(opened)
    page.toggle_problems()
    QApplication.processEvents()
    assert page.problems.isVisible()
    assert page.trajectory.isVisible()
    page.toggle_problems()
    QApplication.processEvents()
    assert page.detail.isVisible()


@pytest.mark.parametrize("opened", SIZES[:3], indirect=True)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_filter_has_room(opened: MainWindow, language: str) -> None:
    opened.actions_registry[f"language_{language}"].trigger()
    QApplication.processEvents()
    assert opened.top.search.width() >= 250


def test_the_tree_comes_back_when_the_diagnosis_folds(
    qtbot: QtBot, window: MainWindow, show: Show, cell: CellResult
) -> None:
    window.resize(860, 560)
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))
    page = work(window)
    window.actions_registry["focus_diagnosis"].trigger()
    assert page.diagnosis.isVisible()
    assert not page.operators.isVisible()
    qtbot.mouseClick(page.diagnosis.fold, LEFT)
    qtbot.waitUntil(page.operators.isVisible)


# ---- nothing differs, nothing compared


def test_good_news_has_a_calm_chip_and_no_button(window: MainWindow, show: Show, cell: CellResult) -> None:
    show(cell)
    assert primary(window).isVisible()
    assert not work(window).verdicts.calm.isVisible()
    show(rows_with(cell, Verdict.EQUAL, Verdict.CLOSE), diagnosis=Diagnosis(()))
    assert work(window).verdicts.calm.isVisible()
    assert not work(window).verdicts.chips[Category.DIFFERS].isVisible()
    assert not primary(window).isVisible()


def test_what_was_not_compared_is_no_good_news(window: MainWindow, show: Show, cell: CellResult) -> None:
    show(rows_with(cell, Verdict.NOT_COMPARED), diagnosis=Diagnosis(()))
    view = work(window).verdicts
    assert not view.calm.isVisible()
    assert not work(window).trajectory.isVisible()
    assert "nothing could be compared" in view.summary
    assert not primary(window).isVisible()


# ---- slots without a tensor


def test_a_slot_without_a_tensor_says_its_value(
    qtbot: QtBot, window: MainWindow, show: Show, cell: CellResult
) -> None:
    show(cell)
    facts = window.session.facts
    assert facts is not None
    slots = [facts.slots[int(slot)] for slot in facts.slot]
    window.session.select(slots.index("input.approximate"))
    detail = work(window).detail
    detail.tabs.setCurrentIndex(Tab.TENSORS)
    view = detail.view_of(TensorsView)
    assert view.note.sentence.startswith("This slot is no tensor")
    qtbot.mouseClick(view.note.findChild(QPushButton), LEFT)
    assert detail.tabs.currentIndex() == Tab.ARGUMENTS


def test_a_suspect_by_its_arguments_opens_at_them(
    qtbot: QtBot, window: MainWindow, show: Show, cell: CellResult
) -> None:
    accused = replace(suspect(GELU, row=row_of(cell, GELU)), kind=Kind.ARGUMENT)
    show(cell, diagnosis=Diagnosis((accused,)))
    detail = work(window).detail
    window.session.suspects.show(accused)
    assert detail.tabs.currentIndex() == Tab.ARGUMENTS
    qtbot.mouseClick(detail.tabs, LEFT, pos=detail.tabs.tabRect(Tab.TENSORS).center())
    window.session.select(0)
    window.session.suspects.show(accused)
    assert detail.tabs.currentIndex() == Tab.TENSORS


# ---- the welcome


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_welcome_is_not_cut(window: MainWindow, language: str) -> None:
    window.resize(860, 560)
    window.actions_registry[f"language_{language}"].trigger()
    QApplication.processEvents()
    for button in (window.welcome.demo_button, window.welcome.open_button):
        assert button.height() >= button.minimumSizeHint().height()
        assert window.welcome.rect().contains(
            place(window, button).translated(-window.welcome.mapTo(window, window.welcome.rect().topLeft()))
        )


def test_the_demo_is_a_click_away(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.welcome.demo_button, LEFT)
    qtbot.waitUntil(lambda: window.session.cell is not None, timeout=60_000)
    assert window.session.target_path.endswith("target")
    assert window.session.suspects.open


def test_chips_spell_their_words_where_there_is_room(loaded: MainWindow) -> None:
    chips = [chip for chip in work(loaded).verdicts.findChildren(CountChip) if chip.isVisible()]
    assert chips
    assert not any(chip.brief for chip in chips)
