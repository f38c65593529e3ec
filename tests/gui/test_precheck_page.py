"""The pre-check page: the answer, the list and its filters, details, results by hand, keys, languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from builders import precheck_reports as made
from builders.precheck_reports import BATCH, PACKAGES, RATE
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from core.messages import render, text
from core.precheck.telling import first_cause, headline_of, title_of
from core.records.evidence import Given
from core.records.precheck import Entry, Group, Outcome
from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.models.precheck.items import ItemColumn
from gui.pages.bar import Page
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.processes.work_state import Stage
from gui.views.precheck.export_dialog import PrecheckExportDialog
from gui.views.precheck.view import PrecheckView

LEFT = Qt.MouseButton.LeftButton
Patience = Callable[[Callable[[], bool]], None]


@pytest.fixture
def state(window: MainWindow) -> PrecheckState:
    return window.session.precheck


@pytest.fixture
def page(window: MainWindow, state: PrecheckState) -> PrecheckView:
    """Return the page with an answer that nobody had to find."""
    state.work = made.answers
    window.actions_registry["page_precheck"].trigger()
    state.target, state.golden = (Given(made.TARGET),), (Given(made.GOLDEN),)
    state.show_report(made.report())
    QApplication.processEvents()
    assert window.pages.precheck is not None
    return window.pages.precheck.checklist


def shown_ids(page: PrecheckView) -> list[str]:
    return [check.id for group in page.checks.model.groups for check in group.checks]


# ---- ways there


def test_the_page_opens_alone_from_the_welcome_and_says_what_to_bring(
    qtbot: QtBot, window: MainWindow
) -> None:
    assert not window.page_bar.isVisible()
    qtbot.mouseClick(window.welcome.precheck_button, LEFT)
    assert window.pages.page is Page.PRECHECK
    assert window.page_bar.available() == [Page.PRECHECK]
    assert window.page_bar.button(Page.PRECHECK).isVisible()
    assert window.pages.precheck is not None
    page = window.pages.precheck.checklist
    assert page.bring.isVisible()
    assert page.headline.sentences[0] == text("gui.precheck.question")
    assert not page.headline.export.isEnabled()
    assert not window.actions_registry["next_fail"].isEnabled()


def test_it_is_the_first_page_of_a_comparison(loaded: MainWindow) -> None:
    assert loaded.pages.page is Page.COMPARE
    assert loaded.page_bar.available()[0] is Page.PRECHECK
    loaded.actions_registry["page_precheck"].trigger()
    assert loaded.pages.page is Page.PRECHECK
    loaded.actions_registry["page_compare"].trigger()
    assert loaded.pages.page is Page.COMPARE


# ---- the answer


def test_the_badge_and_the_headline_count_and_name_the_cause(window: MainWindow, page: PrecheckView) -> None:
    button = window.page_bar.button(Page.PRECHECK)
    assert button.badge == "2"
    counts = render(headline_of(made.report()))
    assert counts in button.toolTip()
    assert counts in button.accessibleName()
    said = page.headline.sentences
    assert said[0] == counts
    assert said[1] == first_cause(made.report())
    others = next(check for check in made.report().checks if check.id == BATCH)
    assert title_of(others) in said[2]
    assert text("gui.precheck.not_done_said", count=46) in said[2]


def test_nothing_failing_is_no_cause_and_no_badge(
    window: MainWindow, page: PrecheckView, state: PrecheckState
) -> None:
    state.show_report(
        made.report(hyper_parameters__learning_rate=Outcome.PASS, hyper_parameters__batch=Outcome.PASS)
    )
    assert window.page_bar.button(Page.PRECHECK).badge == ""
    assert len(page.headline.sentences) == 2
    assert page.details.check is not None  # what was looked at stays


# ---- the list


def test_chips_and_search_choose_what_is_listed(qtbot: QtBot, page: PrecheckView) -> None:
    checks = page.checks
    assert len(shown_ids(page)) == 49
    qtbot.mouseClick(checks.chips[Outcome.FAIL], LEFT)
    assert shown_ids(page) == [RATE, BATCH]
    assert checks.chips[Outcome.FAIL].isChecked()
    qtbot.mouseClick(checks.chips[Outcome.FAIL], LEFT)  # again: all
    assert len(shown_ids(page)) == 49
    assert checks.all.isChecked()
    qtbot.mouseClick(checks.chips[Outcome.NOT_DONE], LEFT)
    assert len(shown_ids(page)) == 46
    qtbot.mouseClick(checks.all, LEFT)
    qtbot.keyClicks(checks.search, "cu121")
    assert shown_ids(page) == [PACKAGES]
    qtbot.keyClicks(checks.search, "nowhere")
    assert shown_ids(page) == []
    checks.search.clear()
    assert len(shown_ids(page)) == 49


def test_parts_fold_and_stay_folded(qtbot: QtBot, page: PrecheckView) -> None:
    tree, model = page.checks.tree, page.checks.model
    model_part = model.index(list(Group).index(Group.MODEL), 0)
    tree.scrollTo(model_part)
    qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualRect(model_part).center())
    assert not tree.isExpanded(model_part)
    qtbot.keyClicks(page.checks.search, "precheck")
    page.checks.search.clear()
    assert not tree.isExpanded(model.index(list(Group).index(Group.MODEL), 0))
    tree.setCurrentIndex(model.index(list(Group).index(Group.MODEL), 0))
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    assert tree.isExpanded(model.index(list(Group).index(Group.MODEL), 0))


def test_keys_go_from_fail_to_fail(qtbot: QtBot, window: MainWindow, page: PrecheckView) -> None:
    assert page.details.check is not None
    assert page.details.check.id == RATE
    qtbot.keyClick(window, Qt.Key.Key_F8)
    assert page.state.choice.chosen == BATCH
    index = page.checks.tree.currentIndex()
    assert page.checks.model.check_at(index) is page.details.check
    qtbot.keyClick(window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert page.state.choice.chosen == RATE
    qtbot.keyClick(page.checks.tree, Qt.Key.Key_Down)
    assert page.state.choice.chosen == "hyper_parameters.learning_rate_curve"
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is page.checks.search


# ---- details


def test_details_tell_what_was_compared_and_what_to_do(qtbot: QtBot, page: PrecheckView) -> None:
    details, check = page.details, page.details.check
    assert check is not None
    assert details.sentences == [
        render(check.message), *(render(said) for said in (check.effect, check.remedy) if said is not None),
    ]  # fmt: skip
    assert details.items.rows.rowCount() == 3
    qtbot.mouseClick(details.only, LEFT)
    assert details.items.rows.rowCount() == 1
    page.state.choice.choose(PACKAGES)
    assert details.items.rows.rowCount() == 0
    qtbot.mouseClick(details.only, LEFT)
    assert details.items.rows.rowCount() == 2
    page.state.choice.choose("model.shape")
    assert details.items.rows.rowCount() == 0
    assert not details.only.isVisible()


def test_a_place_is_copied_or_its_folder_opened(
    qtbot: QtBot, page: PrecheckView, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, opened = page.details.items, []
    monkeypatch.setattr("gui.views.precheck.items.QDesktopServices.openUrl", opened.append)
    index = items.rows.index(0, ItemColumn.TARGET_PLACE)
    qtbot.mouseClick(items.viewport(), LEFT, pos=items.visualRect(index).center())
    (menu,) = items.findChildren(QMenu)
    menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text() == f"{made.TARGET}:12"
    menu.close()
    QApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete)
    items.setCurrentIndex(items.rows.index(0, ItemColumn.NAME))
    qtbot.keyClick(items, Qt.Key.Key_Return)
    (menu,) = items.findChildren(QMenu)
    menu.actions()[0].trigger()
    assert [url.toLocalFile() for url in opened] == [str(Path(made.TARGET).parent)]
    menu.close()


def test_copies_are_tables(window: MainWindow, page: PrecheckView) -> None:
    page.checks.tree.setFocus()
    window.actions_registry["copy"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[0] == text("gui.precheck.column.result")
    assert "0.002" in lines[1]
    window.actions_registry["copy_markdown"].trigger()
    assert QGuiApplication.clipboard().text().startswith(f"| {text('gui.precheck.column.result')} |")
    page.details.items.setFocus()
    window.actions_registry["copy_markdown"].trigger()
    assert "learning\\_rate" in QGuiApplication.clipboard().text()


# ---- results by hand


def test_a_result_by_hand_counts_at_once_and_is_taken_back(
    qtbot: QtBot, window: MainWindow, page: PrecheckView, state: PrecheckState
) -> None:
    form = page.details.entry
    qtbot.keyClicks(form.name, "Li")
    qtbot.keyClicks(form.remark, "intended")
    qtbot.mouseClick(form.result.buttons["pass"], LEFT)
    today = date.today().isoformat()
    assert state.entries == {RATE: Entry(Outcome.PASS, "intended", name="Li", date=today)}
    assert state.failures == 1
    assert window.page_bar.button(Page.PRECHECK).badge == "1"
    assert page.details.check is not None
    assert page.details.check.id == RATE  # nothing jumps
    state.choice.choose("model.shape")
    assert form.remark.text() == ""
    assert form.name.text() == "Li"  # remembered
    state.choice.choose(RATE)
    qtbot.mouseClick(form.result.buttons["as_found"], LEFT)
    assert state.entries[RATE].result is None  # the remark stays
    assert state.failures == 2
    form.remark.clear()
    qtbot.keyClick(form.remark, Qt.Key.Key_Return)
    assert state.entries == {}


def test_what_is_half_typed_belongs_to_the_check_it_was_typed_for(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState
) -> None:
    form = page.details.entry
    qtbot.keyClicks(form.remark, "for the rate")
    state.choice.choose(BATCH)
    assert state.entries[RATE].remark == "for the rate"
    assert BATCH not in state.entries
    assert form.remark.text() == ""


def test_a_file_that_shows_it(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/r/mail.txt", ""))
    qtbot.mouseClick(page.details.entry.browse, LEFT)
    assert state.entries[RATE].evidence == "/r/mail.txt"
    assert state.failures == 2


def test_enter_in_the_list_leads_to_the_result(qtbot: QtBot, window: MainWindow, page: PrecheckView) -> None:
    page.checks.tree.setFocus()
    qtbot.keyClick(page.checks.tree, Qt.Key.Key_Return)
    assert window.focusWidget() is page.details.entry.result.buttons["as_found"]


# ---- files, languages, sizes


@pytest.mark.parametrize("ending", ["html", "md"])
def test_an_export_is_signed_and_in_the_language_asked_for(
    qtbot: QtBot, window: MainWindow, page: PrecheckView, state: PrecheckState, patience: Patience,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str,
) -> None:  # fmt: skip
    place = tmp_path / "check"
    window.context.settings.precheck_name = "Li Lei"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    window.actions_registry["export"].trigger()
    (dialog,) = window.findChildren(PrecheckExportDialog)
    assert dialog.signer.text() == ""  # who entered something does not sign by that
    qtbot.mouseClick(dialog.format.buttons[ending], LEFT)
    dialog.language.setCurrentIndex(1)
    dialog.signer.insert("王芳")
    qtbot.mouseClick(dialog.save, LEFT)
    patience(lambda: not state.exports.running)
    words = place.with_suffix(f".{ending}").read_text("utf-8")
    assert "王芳" in words
    assert text("precheck.outcome.not_done", "zh_CN") in words
    assert window.context.settings.precheck_name == "王芳"
    assert window.context.settings.precheck_format == ending


def test_another_language_is_in_every_part(window: MainWindow, page: PrecheckView) -> None:
    window.actions_registry["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert page.headline.sentences[0] == render(headline_of(made.report()), "zh_CN")
    fail = text("precheck.outcome.fail", "zh_CN")
    assert page.checks.model.index_of(RATE).data() == fail
    assert fail in page.checks.chips[Outcome.FAIL].text()
    assert page.details.entry.result.buttons["fail"].text() == fail
    assert text("gui.precheck.tab.checklist", "zh_CN") in window.pages.precheck.tabs.tabText(0)  # type: ignore[union-attr]
    window.actions_registry["language_en"].trigger()


@pytest.mark.parametrize("size", [(860, 560), (1280, 800), (1680, 1050)])
def test_everything_has_room(window: MainWindow, page: PrecheckView, size: tuple[int, int]) -> None:
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    parts: tuple[QWidget, ...] = (page.headline, page.target, page.golden, page.checks, page.details)
    boxes = [part.rect().translated(part.mapTo(page, part.rect().topLeft())) for part in parts]
    for at, box in enumerate(boxes):
        assert page.rect().contains(box)
        assert not any(box.intersects(other) for other in boxes[at + 1 :])
    assert page.checks.tree.viewport().height() >= 80
    index = page.checks.model.index_of(RATE)
    page.checks.tree.scrollTo(index)
    assert page.checks.tree.visualRect(index).isValid()
    assert not window.grab().isNull()


def test_another_pair_leaves_evidence_of_the_one_before(
    window: MainWindow, page: PrecheckView, state: PrecheckState, show: Callable[..., None],
    cell: CellResult, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    show(cell)  # brought before any pair was open: it is this pair's
    assert [given.path for given in state.target] == [made.TARGET]
    state.add(Side.GOLDEN, ["/r/more.txt"])
    swapped = replace(cell, target=cell.golden, golden=cell.target)
    info = window.session.info
    assert info is not None
    monkeypatch.setattr(window.session, "target_path", info.golden_path)
    monkeypatch.setattr(window.session, "golden_path", info.target_path)
    window.session.opened.emit()  # as exchanging them does: each side keeps its own
    assert [given.path for given in state.golden] == [made.TARGET]
    show(swapped, golden="/another/golden")
    assert state.target == ()
    assert state.golden == ()
    assert state.stage is Stage.NOTHING
    assert page.checks.model.index(0, 0, QModelIndex()).isValid() is False
