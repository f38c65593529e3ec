"""What of the checklist is seen first, what goes where there is little room, how one side alone looks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import precheck_reports as made
from builders.precheck_reports import BATCH, PACKAGES, RATE
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import Message, render, text
from core.precheck.telling import first_cause, lacking
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import EvidenceSummary, Outcome, PrecheckReport, Standing
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.precheck.items import ItemColumn
from gui.models.roles import Role
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.views.precheck.view import PrecheckView

LEFT = Qt.MouseButton.LeftButton
SIZES = [(860, 560), (1280, 800), (1680, 1050)]


@pytest.fixture
def state(window: MainWindow) -> PrecheckState:
    return window.session.precheck


@pytest.fixture
def page(window: MainWindow, state: PrecheckState) -> PrecheckView:
    """Return the page with an answer that nobody had to find."""
    state.work = made.answers
    window.actions_registry["page_precheck"].trigger()
    put(state, made.report())
    assert window.pages.precheck is not None
    return window.pages.precheck.checklist


def put(state: PrecheckState, report: PrecheckReport) -> None:
    state.target, state.golden = (Given(made.TARGET),), (Given(made.GOLDEN),)
    state.show_report(report)
    QApplication.processEvents()


def of_one_side(**results: Outcome) -> PrecheckReport:
    """Return an answer to which the golden brought nothing; what the target told stands in a row not done."""
    items = tuple(made.item(name, "1e-05", "", Standing.TARGET_ONLY) for name in ("lr", "min_lr"))
    told = {"hyper_parameters__learning_rate": Outcome.NOT_DONE, "hyper_parameters__batch": Outcome.NOT_DONE}
    report = made.report(versions__packages=Outcome.NOT_DONE, **{**told, **results})
    checks = tuple(replace(each, items=items) if each.id == RATE else each for each in report.checks)
    return replace(report, checks=checks, golden_evidence=())


# ---- what is seen first


@pytest.mark.parametrize("size", SIZES)
def test_the_list_is_read_from_its_top_and_then_shows_what_is_chosen(
    window: MainWindow, state: PrecheckState, size: tuple[int, int], request: pytest.FixtureRequest
) -> None:
    window.resize(*size)
    page: PrecheckView = request.getfixturevalue("page")
    tree = page.checks.tree
    assert tree.verticalScrollBar().value() == 0
    assert state.choice.chosen == RATE  # the details tell the cause nevertheless
    for id in (BATCH, "result.first_loss", PACKAGES):
        state.choice.choose(id)
        QApplication.processEvents()
        here = tree.visualRect(page.checks.model.index_of(id))
        assert tree.viewport().rect().contains(here)
    window.resize(860, 560)
    QApplication.processEvents()
    here = tree.visualRect(tree.currentIndex()).adjusted(0, 0, 0, -1)  # its line may be hidden
    assert tree.viewport().rect().contains(here)


def test_what_is_looked_at_is_of_what_was_searched_for(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState
) -> None:
    checks = page.checks
    qtbot.keyClicks(checks.search, "global_batch")
    assert state.choice.chosen == BATCH
    assert page.details.check is not None
    assert page.details.check.id == BATCH
    assert checks.model.groups[0].counts == [(Outcome.FAIL, 1)]
    assert checks.all.text().startswith(text("gui.verdicts.some", shown="1", total="49"))
    assert checks.chips[Outcome.FAIL].count == 1
    assert checks.chips[Outcome.PASS].count == 0
    qtbot.keyClicks(checks.search, " nowhere")
    assert state.choice.chosen == BATCH
    checks.search.clear()
    assert state.choice.chosen == BATCH
    assert checks.chips[Outcome.FAIL].count == 2
    qtbot.mouseClick(checks.chips[Outcome.PASS], LEFT)
    assert state.choice.chosen == PACKAGES


# ---- one side alone


def test_of_one_side_nothing_looks_like_a_difference(page: PrecheckView, state: PrecheckState) -> None:
    report = of_one_side()
    put(state, report)
    state.choice.choose(RATE)
    one_sided = lacking(report)
    assert one_sided is not None
    assert page.headline.sentences[1:] == [render(one_sided)]
    rows = page.details.items.rows
    assert rows.rowCount() == 2
    assert rows.counting == 0
    assert not page.details.only.isVisible()
    golden = rows.index(0, ItemColumn.GOLDEN)
    assert golden.data() == text("gui.precheck.not_told")
    assert not golden.data(Role.CHANGED)
    assert rows.index(0, ItemColumn.NAME).data(Role.CATEGORY) == Category.NOT_COMPARED
    assert rows.lines([0])[1][ItemColumn.GOLDEN] == text("gui.precheck.not_told")


def test_a_side_that_brought_nothing_is_told_beside_a_fail(page: PrecheckView, state: PrecheckState) -> None:
    report = of_one_side(flow__sources_agree=Outcome.FAIL)
    put(state, report)
    said, one_sided = page.headline.sentences, lacking(report)
    assert said[1] == first_cause(report)
    assert one_sided is not None
    assert render(one_sided) in said[2]


# ---- room


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", SIZES)
def test_words_and_names_stay_where_there_is_little_room(
    window: MainWindow, page: PrecheckView, state: PrecheckState, size: tuple[int, int], language: str
) -> None:
    window.resize(*size)
    window.actions_registry[f"language_{language}"].trigger()
    QApplication.processEvents()
    for chip in (page.checks.all, *page.checks.chips.values()):
        assert not chip.brief
        assert chip.width() >= chip.width_for(brief=False)
    for id in (RATE, BATCH, PACKAGES):
        state.choice.choose(id)
        QApplication.processEvents()
        items = page.details.items
        room = items.viewport().width()
        assert (
            sum(items.columnWidth(column) for column in ItemColumn if not items.isColumnHidden(column))
            <= room
        )
        fixed = QFontMetrics(window.context.theme.fixed_font())
        for row in range(items.rows.rowCount()):
            name = items.rows.index(row, ItemColumn.NAME).data()
            assert items.columnWidth(ItemColumn.NAME) >= fixed.horizontalAdvance(name) + 37
        parts = (items, page.details.entry, page.details.entry.result)
        for part in (each for each in parts if each.isVisible()):
            area = page.details.mapTo(page, QPoint(page.details.width(), 0)).x()
            assert part.mapTo(page, QPoint(part.width(), 0)).x() <= area
    window.actions_registry["language_en"].trigger()


# ---- a folder


def test_a_folder_unfolds_into_what_was_taken_as_what(
    qtbot: QtBot, page: PrecheckView, state: PrecheckState
) -> None:
    folder = "/data/npu"
    files = (("train.sh", "script"), ("logs/a.log", "log"), ("pip.txt", "packages"))
    brought = tuple(EvidenceSummary(f"{folder}/{name}", (kind,), folder, False) for name, kind in files)
    state.target = (Given(folder),)
    state.show_report(replace(made.report(), target_evidence=brought))
    QApplication.processEvents()
    card = page.target
    assert card.header.subtitle == text("gui.precheck.files", count=3)
    assert [line.path for line in card.lines] == [folder]
    fold = card.rows[0].fold
    assert fold.isVisible()
    fold.setFocus()
    qtbot.keyClick(fold, Qt.Key.Key_Space)
    assert [row.name.text() for row in card.rows] == ["npu", "train.sh", "logs/a.log", "pip.txt"]
    assert card.lines[2].kinds == (EvidenceKind.LOG,)
    log = card.rows[2]
    assert not log.away.isVisible()  # what is taken away is the folder
    assert not log.fold.isVisible()
    at = log.kind.findData(EvidenceKind.REPEAT_LOG)
    log.kind.setCurrentIndex(at)
    log.kind.activated.emit(at)
    assert state.target == (Given(folder), Given(f"{folder}/logs/a.log", EvidenceKind.REPEAT_LOG))
    qtbot.mouseClick(fold, LEFT)
    assert card.lines[0].path == folder
    assert not any(line.part_of for line in card.lines)


def test_a_file_does_not_unfold(page: PrecheckView) -> None:
    assert not any(row.fold.isVisible() for row in (*page.target.rows, *page.golden.rows))


# ---- notices


def test_a_notice_does_not_lie_over_what_is_worked_at(
    window: MainWindow, page: PrecheckView, state: PrecheckState
) -> None:
    notice, tree = window.notice, page.checks.tree
    said = Message("gui.notice.crashed")
    window.resize(1280, 800)
    QApplication.processEvents()
    tree.setFocus()
    tree.setCurrentIndex(tree.indexAt(QPoint(40, 40)))
    notice.say(said)
    assert notice.y() > window.height() // 2
    notice.dismiss()
    last = tree.indexAt(QPoint(40, tree.viewport().height() - 40))
    tree.setCurrentIndex(last)
    notice.say(said)
    assert notice.y() < window.height() // 4
    notice.dismiss()
    tree.setCurrentIndex(tree.indexAt(QPoint(40, 40)))
    notice.say(said)
    page.checks.search.setFocus()
    assert notice.y() > window.height() // 2
    assert state.report is not None
    button = page.details.entry.result.buttons["pass"]
    page.details.entry.name.setFocus()
    QApplication.processEvents()
    for part in (button, page.details.entry.name):
        part.setFocus()
        box = part.rect().translated(part.mapTo(window, QPoint()))
        assert not box.intersects(notice.rect().translated(notice.mapTo(window, QPoint())))
    assert page.target.side is Side.TARGET
