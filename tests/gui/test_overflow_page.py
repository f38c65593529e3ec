"""The overflow page as a person uses it: look, click, step, cross over to the comparison, copy, export."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import overflow_reports, window_work
from builders.results import gpt_result, result_info
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language
from core.records.overflow import OverflowReport
from core.records.result import CellResult
from core.records.run import CellKey
from core.store.results import result_writer
from gui.main_window import MainWindow
from gui.models.overflow.births import BirthColumn
from gui.models.pair.categories import Category
from gui.pages.bar import Page
from gui.processes.work_state import Stage
from gui.views.overflow.view import OverflowView

LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def page_of(window: MainWindow) -> OverflowView:
    assert window.pages.overflow is not None
    assert window.pages.overflow.births is not None
    return window.pages.overflow.births


@pytest.fixture
def answered(loaded: MainWindow, qtbot: QtBot) -> Callable[[OverflowReport], OverflowView]:
    """Return a function that shows a report on the page of a window with a comparison in it."""

    def put(report: OverflowReport) -> OverflowView:
        loaded.session.overflow.show_report(report)
        loaded.actions_registry["page_overflow"].trigger()
        page = page_of(loaded)
        qtbot.waitUntil(lambda: page.isVisible(), timeout=3000)
        QApplication.processEvents()
        return page

    return put


def names(tree: QTreeView) -> list[str]:
    model = tree.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


# ---- the bar


def test_pages_are_there_when_something_is_open(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.page_bar.isVisible()
    assert not window.actions_registry["page_overflow"].isEnabled()


def test_the_bar_and_its_keys_lead_from_page_to_page(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.pages.page is Page.COMPARE
    assert loaded.page_bar.isVisible()
    qtbot.keyClick(loaded, Qt.Key.Key_2, CONTROL_SHIFT)
    assert loaded.pages.page is Page.OVERFLOW
    assert loaded.page_bar.button(Page.OVERFLOW).isChecked()
    assert not loaded.top.search.isVisible()
    qtbot.keyClick(loaded, Qt.Key.Key_1, CONTROL_SHIFT)
    assert loaded.pages.page is Page.COMPARE
    assert loaded.top.search.isVisible()
    qtbot.mouseClick(loaded.page_bar.button(Page.OVERFLOW), LEFT)
    assert loaded.pages.page is Page.OVERFLOW
    loaded.actions_registry["find"].trigger()  # a command of the comparison leads back to it
    assert loaded.pages.page is Page.COMPARE


def test_the_badge_counts_births(loaded: MainWindow) -> None:
    button = loaded.page_bar.button(Page.OVERFLOW)
    assert button.badge == ""
    loaded.session.overflow.show_report(overflow_reports.training())
    assert button.badge == "4"
    assert button.accessibleName() == "Overflow, 4 births"
    loaded.session.overflow.show_report(overflow_reports.clean())
    assert button.badge == ""
    assert button.accessibleName() == "Overflow, 0 births"


def test_another_pair_opens_on_the_comparison(
    answered: Callable[..., OverflowView], loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    answered(overflow_reports.training())
    session = loaded.session
    assert session.facts is not None
    assert session.info is not None
    # another cell of the same pair leaves the page, and the answer, as they are
    from gui.comparison.preparation import Opened

    again = replace(cell, key=CellKey("", 1, 0))
    session.show_opened(Opened(session.info, "", again, session.facts, 0.1), other=False)
    assert loaded.pages.page is Page.OVERFLOW
    assert session.overflow.births == 4
    show(cell)
    assert loaded.pages.page is Page.COMPARE
    assert session.overflow.report is None


# ---- what the page says


def test_the_sentence_first_then_its_chips(answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.training())
    assert page.headline.sentence.startswith("Functional.linear.9.forward overflows on the target")
    assert page.headline.chips == ["born here", "critical", "step 0 · rank 1", "Inf/NaN mode", "NaN", "+Inf"]
    births = page.births.model
    assert [births.index(0, column).data() for column in BirthColumn] == [
        "Functional.linear.9.forward", "output.0", "0", "1", "born here", "NaN +Inf", "critical",
        "earliest · spreads",
    ]  # fmt: skip
    assert births.index(2, BirthColumn.RANK).data() == "0–3"
    assert page.details.sentence == page.headline.sentence
    assert ["Value, target", "65504"] in page.details.evidence.texts()
    assert page.details.tabs.tabText(0) == "Course  15"
    assert page.details.tabs.tabText(1) == "Stack  4"
    assert page.lanes.footer[:2] == ["step 0 · rank 1 · call 97 of 320", "Functional.linear.9.forward"]
    assert page.lanes.footer[2].startswith("in: finite   out: NaN")


def test_a_clean_run_says_what_was_looked_at(answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.clean(cells=4))
    assert page.calm.isVisible()
    assert page.calm.sentence == "No NaN, Inf or saturation is born in this run."
    assert page.calm.details[0] == "Looked at: 960 calls in 4 steps and ranks."
    assert "Inf/NaN mode" in page.copied_text()


def test_what_could_not_be_decided_is_no_pass(answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.clean(undecided=7))
    assert "not every call could be checked" in page.calm.sentence
    assert page.calm._mark.category is Category.NOT_COMPARED
    assert page.calm.details[1] == (
        "Of 240 calls, 7 hold floating point values of which the dump does not tell whether they are finite."
    )


def test_expected_infinities_are_folded_under_births(
    qtbot: QtBot, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    assert names(page.births.tree)[4:] == ["12 infinities that are meant, as in masks"]
    assert not page.births.tree.isExpanded(page.births.model.group_index())


def test_expected_infinities_alone_are_open_and_fold_by_key(
    qtbot: QtBot, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.expected_only())
    assert page.headline.sentence == "No NaN, Inf or saturation is born in this run."
    assert "3 infinities are meant" in page.headline.details
    tree = page.births.tree
    assert names(tree) == ["3 infinities that are meant, as in masks"]
    group = page.births.model.group_index()
    assert tree.isExpanded(group)
    tree.setCurrentIndex(group)
    qtbot.keyClick(tree, Qt.Key.Key_Left)
    assert not tree.isExpanded(group)
    qtbot.keyClick(tree, Qt.Key.Key_Right)
    assert tree.isExpanded(group)
    qtbot.keyClick(tree, Qt.Key.Key_Down)
    assert page.details.sentence.startswith("Functional.scaled_dot_product_attention.1.forward")
    assert page.details.chips == ["step 0 · rank 0"]  # nothing is said that would accuse it
    qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualRect(group).center())
    assert not tree.isExpanded(group)


def test_a_saturating_device_is_named(answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.saturated())
    assert "saturation mode" in page.headline.chips
    assert "saturated" in page.headline.chips
    assert [chip.words for chip in page.lanes.legend if chip.isVisible()] == ["saturated"]


# ---- what the official analyser says


def anomalies(place: Path) -> Path:
    """Write what the official analyser would, about two ranks."""
    statistics = dict.fromkeys(("Max", "Min", "Mean", "Norm"), float("nan"))
    nan = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], **statistics}
    accused = {
        "op_name": "Functional.gelu.3.forward", "construct_info": ["Functional.gelu.3.forward"],
        "data_info": {"input_args": [], "input_kwargs": {}, "output": [nan]},
        "stack_info": ["File /workspace/model.py, line 54, in forward, \n y = gelu(x)"],
    }  # fmt: skip
    path = place / "anomaly_analyze_1700000000.json"
    path.write_text(json.dumps({"rank_0": [accused], "rank_1": [accused]}), "utf-8")
    return path


def test_an_official_answer_opens_where_nothing_else_is_open(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    with qtbot.waitSignal(window.session.overflow.official_opened, timeout=60_000):
        window.session.open_paths([str(anomalies(tmp_path))])
    assert window.pages.page is Page.OVERFLOW
    assert window.page_bar.available() == [Page.OVERFLOW]
    assert not window.page_bar.button(Page.COMPARE).isVisible()
    page = page_of(window)
    assert page.official.isVisible()
    assert "answer of the official analyser" in page.official.sentence
    assert "anomaly_analyze_1700000000.json" in page.official.sentence
    assert not page.official.back.isVisible()
    assert names(page.births.tree) == ["Functional.gelu.3.forward"] * 2
    assert not page.lanes.isVisible()
    assert not page.matrix.isVisible()
    assert page.births.tree.isColumnHidden(BirthColumn.MARKS)
    assert not page.details.show_button.isEnabled()
    assert page.details.frames.rowCount() == 1


def test_an_official_answer_beside_a_comparison_and_back(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView], tmp_path: Path
) -> None:
    page = answered(overflow_reports.training())
    loaded.actions_registry["page_compare"].trigger()
    with qtbot.waitSignal(loaded.session.overflow.official_opened, timeout=60_000):
        loaded.session.open_pair(str(anomalies(tmp_path)), "")
    assert loaded.pages.page is Page.OVERFLOW
    assert loaded.page_bar.button(Page.OVERFLOW).badge == "2"
    qtbot.mouseClick(page.details.show_button, LEFT)
    session = loaded.session
    assert session.facts is not None
    assert session.facts.operators[int(session.facts.operator[session.row])] == "Functional.gelu.3.forward"
    loaded.actions_registry["page_overflow"].trigger()
    qtbot.mouseClick(page.official.back, LEFT)
    assert not page.official.isVisible()
    assert page.headline.sentence.startswith("Functional.linear.9.forward")
    assert page.lanes.isVisible()


def test_a_broken_official_answer_is_a_notice(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "anomaly_analyze_2.json"
    path.write_text("{", "utf-8")
    with qtbot.waitSignal(window.session.noticed, timeout=60_000):
        window.session.open_pair(str(path), "")
    assert str(path) in window.notice.sentence
    assert window.pages.page is None


# ---- going through it


def test_f8_steps_through_births_on_this_page_only(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    choice, report = loaded.session.overflow.choice, loaded.session.overflow.report
    assert report is not None
    row = loaded.session.row
    seen = []
    for _ in range(5):
        seen.append(choice.birth)
        qtbot.keyClick(loaded, Qt.Key.Key_F8)
    assert seen == [*report.origins, report.origins[0]]
    qtbot.keyClick(loaded, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert choice.birth is report.origins[0]
    assert page.details.turn.words == "1 of 4"
    assert loaded.session.row == row
    qtbot.mouseClick(loaded.top._next, LEFT)
    assert choice.birth is report.origins[1]
    loaded.actions_registry["page_compare"].trigger()
    qtbot.keyClick(loaded, Qt.Key.Key_F8)
    assert choice.birth is report.origins[1]


def test_a_birth_of_another_step_brings_its_lanes(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    assert page.lanes.step.currentText() == "step 0"
    page.births.tree.setCurrentIndex(page.births.model.index(3, 0))
    assert page.lanes.step.currentText() == "step 1"
    assert page.matrix.canvas.marked == CellKey("", 1, 0)
    assert page.details.tabs.tabText(0) == "Course"


def test_the_matrix_filters_and_lets_go(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    canvas = page.matrix.canvas

    def click(key: CellKey) -> None:
        place = canvas.matrix.place(key)
        assert place is not None
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=canvas.cell_rect(*place).center())

    click(CellKey("", 0, 2))
    assert names(page.births.tree)[:2] == ["Tensor.__add__.15.backward", "Distributed.all_reduce.3.forward"]
    assert loaded.session.overflow.choice.position == 0
    click(CellKey("", 0, 2))  # a second click lets go
    assert len(page.births.model.births) == 4
    click(CellKey("", 2, 1))  # nothing is born there: its lane is shown
    assert len(page.births.model.births) == 4
    assert page.lanes.step.currentText() == "step 2"
    click(CellKey("", 0, 1))
    qtbot.mouseClick(page.births._scope, LEFT)
    assert len(page.births.model.births) == 4
    click(CellKey("", 2, 3))  # was not dumped
    assert page.lanes.step.currentText() == "step 0"


def test_the_matrix_by_keys_and_by_ear(qtbot: QtBot, answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.training())
    canvas = page.matrix.canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.accessibleDescription().startswith("step 0 · rank 2\n2 births\n")
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert len(page.births.model.births) == 2
    for _ in range(2):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.accessibleDescription() == "step 2 · rank 3\nnot dumped"


def test_the_lanes_by_keys(qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.training())
    choice, canvas = loaded.session.overflow.choice, page.lanes.canvas
    canvas.setFocus()
    assert choice.place is not None
    row = choice.place.row
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert choice.place.row > row
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert choice.place.row == row
    assert choice.birth is not None
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert choice.place.cell == CellKey("", 0, 2)
    span = canvas.axis.span
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.axis.span < span
    assert "rank 2" in canvas.accessibleDescription()


def test_hovering_names_the_call(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    canvas, mark = page.lanes.canvas, page.lanes.canvas.scene.lanes.marks[-1]
    where = QPoint(round(canvas.scene.x(mark.row)), round(canvas.scene.middle(mark.lane)))
    qtbot.mouseMove(canvas.viewport(), where + QPoint(50, 30))
    with qtbot.waitSignal(canvas.pointed, timeout=3000) as caught:
        qtbot.mouseMove(canvas.viewport(), where)
    assert page.lanes.tip(caught.args[0]).splitlines()[:2] == [
        page.headline.sentence, "step 0 · rank 1 · call 97 of 320"
    ]  # fmt: skip
    # the comparison on show is that of step 0, rank 0: its names are at hand
    cell = loaded.session.cell
    assert cell is not None
    name = cell.target.strings[int(cell.target.operators.name[230])]
    said = page.lanes.tip((CellKey("", 0, 0), 230)).splitlines()
    assert said[0] == name
    assert said[2].startswith("in: ")


# ---- into the comparison


def first_of(report: OverflowReport, cell: CellResult) -> OverflowReport:
    """Return *report* with its first birth at a call that *cell* has."""
    names = [cell.target.strings[int(at)] for at in cell.target.operators.name]
    row = names.index("Functional.gelu.3.forward")
    moved = replace(report.origins[0], cell=cell.key, row=row, operator="Functional.gelu.3.forward")
    return replace(report, origins=(moved, *report.origins[1:]))


@pytest.mark.parametrize("how", ["enter", "double", "button"])
def test_a_birth_is_shown_in_the_comparison(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView], cell: CellResult, how: str
) -> None:
    page = answered(first_of(overflow_reports.one_cell(), cell))
    loaded.session.set_filter(text="embedding")
    tree = page.births.tree
    if how == "enter":
        tree.setFocus()
        qtbot.keyClick(tree, Qt.Key.Key_Return)
    elif how == "double":
        centre = tree.visualRect(page.births.model.index(0, 0)).center()
        qtbot.mouseClick(tree.viewport(), LEFT, pos=centre)
        qtbot.mouseDClick(tree.viewport(), LEFT, pos=centre)
    else:
        qtbot.mouseClick(page.details.show_button, LEFT)
    assert loaded.pages.page is Page.COMPARE
    session = loaded.session
    assert session.facts is not None
    assert session.facts.operators[int(session.facts.operator[session.row])] == "Functional.gelu.3.forward"
    assert session.facts.slots[int(session.facts.slot[session.row])] == "output.0"
    assert session.filter.text == ""  # it would have hidden the row
    assert loaded.workspace is not None
    assert loaded.workspace.table.table.hasFocus()


def test_a_station_of_the_course_is_looked_at_and_shown(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    stations = page.details.stations
    index = next(at for at, stop in enumerate(stations.model.stops) if stop.station.cell.rank == 0)
    item = stations.model.index(index + 1, 0)
    stations.list.scrollTo(item)
    qtbot.mouseClick(stations.list.viewport(), LEFT, pos=stations.list.visualRect(item).center())
    place = loaded.session.overflow.choice.place
    assert place is not None
    assert place.cell == CellKey("", 0, 0)
    assert place.operator in page.lanes.footer
    stations.list.setFocus()
    qtbot.keyClick(stations.list, Qt.Key.Key_Return)
    assert loaded.pages.page is Page.COMPARE


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ranks; the name says so to the made-up analysis."""
    cell = gpt_result(layers=3, faulty_layer=1)
    keys = tuple(CellKey("", 0, rank) for rank in range(2))
    path = tmp_path_factory.mktemp("results") / "ranks_2.h5"
    with result_writer(path) as writer:
        for key in keys:
            writer.add_cell(replace(cell, key=key, golden_key=key))
        writer.finish(replace(result_info(cell), cells=keys))
    return path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, result_file: Path) -> MainWindow:
    window.session.overflow.work = window_work.births
    window.session.open_pair(str(result_file), "")
    qtbot.waitUntil(lambda: window.session.overflow.stage is Stage.READY, timeout=60_000)
    return window


def test_a_call_of_another_rank_is_named_and_shown_there(qtbot: QtBot, opened: MainWindow) -> None:
    opened.actions_registry["page_overflow"].trigger()
    page, choice = page_of(opened), opened.session.overflow.choice
    cell = opened.session.cell
    assert cell is not None
    assert cell.key == CellKey("", 0, 0)
    name = cell.target.strings[int(cell.target.operators.name[5])]
    with qtbot.waitSignal(choice.names_arrived, timeout=60_000):
        page.lanes.canvas.chosen.emit((CellKey("", 0, 1), 5))
    assert page.lanes.footer[1] == name
    with qtbot.waitSignal(opened.session.cell_changed, timeout=60_000):
        qtbot.mouseClick(page.lanes.show_button, LEFT)
    assert opened.session.cell.key == CellKey("", 0, 1)
    facts, row = opened.session.facts, opened.session.row
    assert facts is not None
    assert facts.operators[int(facts.operator[row])] == name
    assert opened.pages.page is Page.COMPARE


# ---- the work behind it


def test_it_is_looked_for_after_the_comparison_is_there(
    qtbot: QtBot, window: MainWindow, result_file: Path
) -> None:
    overflow = window.session.overflow
    overflow.work = window_work.births
    stages: list[tuple[Stage, bool]] = []
    overflow.changed.connect(lambda: stages.append((overflow.stage, window.session.cell is not None)))
    with qtbot.waitSignal(overflow.progressed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    qtbot.waitUntil(lambda: overflow.stage is Stage.READY, timeout=60_000)
    assert stages[0] == (Stage.WORKING, True)
    assert stages[-1] == (Stage.READY, True)
    assert window.pages.page is Page.COMPARE
    assert window.page_bar.button(Page.OVERFLOW).badge == str(overflow.births)


def test_it_can_be_stopped_and_begun_again(qtbot: QtBot, window: MainWindow, result_file: Path) -> None:
    overflow = window.session.overflow
    overflow.work = window_work.endless_births
    with qtbot.waitSignal(overflow.progressed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    window.actions_registry["page_overflow"].trigger()
    page = page_of(window)
    assert page.waiting.progress.isVisible()
    assert page.waiting.sentences[0].startswith("Looking for where NaN")
    assert window.actions_registry["cancel"].isEnabled()
    qtbot.mouseClick(page.waiting.progress.cancel, LEFT)
    assert overflow.stage is Stage.STOPPED
    assert page.waiting.sentences[0] == "Stopped"
    assert not window.page_bar.button(Page.OVERFLOW).busy
    assert window.session.cell is not None  # the comparison stays
    overflow.work = window_work.births
    qtbot.mouseClick(page.waiting.button, LEFT)
    qtbot.waitUntil(lambda: overflow.stage is Stage.READY, timeout=60_000)
    assert page.births.isVisible()
    assert not page.waiting.isVisible()


def test_the_cancel_key_stops_it_on_its_page(qtbot: QtBot, window: MainWindow, result_file: Path) -> None:
    overflow = window.session.overflow
    overflow.work = window_work.endless_births
    with qtbot.waitSignal(overflow.progressed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    window.actions_registry["page_overflow"].trigger()
    window.actions_registry["cancel"].trigger()
    assert overflow.stage is Stage.STOPPED
    assert not window.actions_registry["cancel"].isEnabled()


def test_another_pair_ends_the_work_for_the_one_before(
    qtbot: QtBot, window: MainWindow, result_file: Path, tmp_path: Path
) -> None:
    overflow = window.session.overflow
    overflow.work = window_work.endless_births
    with qtbot.waitSignal(overflow.progressed, timeout=60_000):
        window.session.open_pair(str(result_file), "")
    other = tmp_path / "ranks_4.h5"
    other.write_bytes(result_file.read_bytes())
    overflow.work = window_work.births
    window.session.open_pair(str(other), "")
    qtbot.waitUntil(lambda: overflow.stage is Stage.READY, timeout=60_000)
    assert overflow.report is not None
    assert len({track.key.rank for track in overflow.report.tracks}) == 4
    assert window.session.result_path == str(other)
    qtbot.waitUntil(lambda: window.session.tasks.idle, timeout=10_000)


def test_reading_the_same_pair_again_leaves_the_page(
    qtbot: QtBot, opened: MainWindow, result_file: Path
) -> None:
    opened.actions_registry["page_overflow"].trigger()
    with qtbot.waitSignal(opened.session.opened, timeout=60_000):
        opened.actions_registry["rerun"].trigger()
    assert opened.pages.page is Page.OVERFLOW
    assert page_of(opened).waiting.isVisible()
    qtbot.waitUntil(lambda: opened.session.overflow.stage is Stage.READY, timeout=60_000)
    assert page_of(opened).births.isVisible()
    with qtbot.waitSignal(opened.session.opened, timeout=60_000):
        opened.session.open_paths([str(result_file)])  # dropped anew
    assert opened.pages.page is Page.COMPARE


def test_a_failure_stays_on_its_page(qtbot: QtBot, window: MainWindow, result_file: Path) -> None:
    overflow = window.session.overflow
    overflow.work = window_work.no_births
    window.session.open_pair(str(result_file), "")
    qtbot.waitUntil(lambda: overflow.stage is Stage.FAILED, timeout=60_000)
    assert not window.notice.isVisible()
    window.actions_registry["page_overflow"].trigger()
    page = page_of(window)
    assert page.waiting.sentences[0] == "The search for overflow failed"
    qtbot.mouseClick(page.waiting.copy_details, LEFT)
    assert "planted" in QGuiApplication.clipboard().text()
    overflow.work = window_work.refused_births
    qtbot.mouseClick(page.waiting.button, LEFT)
    qtbot.waitUntil(lambda: overflow.stage is Stage.FAILED, timeout=60_000)
    assert str(result_file) in page.waiting.sentences[1]
    assert not page.waiting.copy_details.isVisible()


def test_a_real_run_of_four_ranks(qtbot: QtBot, window: MainWindow) -> None:
    runs = Path(__file__).parents[1] / "data" / "msprobe" / "four_ranks"
    window.session.open_pair(str(runs / "overflow"), str(runs / "golden"))
    overflow = window.session.overflow
    qtbot.waitUntil(lambda: overflow.stage is Stage.READY, timeout=60_000)
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL_SHIFT)
    page = page_of(window)
    assert page.headline.sentence.startswith("Torch.matmul.0.forward makes +Inf")
    assert "step 0 · rank 2" in page.headline.chips
    assert page.matrix.isVisible()
    assert len(page.lanes.canvas.scene.lanes.tracks) == 4
    session = window.session
    qtbot.mouseClick(page.details.show_button, LEFT)
    qtbot.waitUntil(lambda: session.cell is not None and session.cell.key.rank == 2, timeout=60_000)
    assert session.facts is not None
    assert session.facts.operators[int(session.facts.operator[session.row])] == "Torch.matmul.0.forward"


# ---- taking it away


def test_selected_births_are_copied_with_headings(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    page.births.tree.setFocus()
    page.births.tree.selectAll()
    loaded.actions_registry["copy"].trigger()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t")[:3] == ["Operator", "Slot", "Step"]
    assert len(lines) == 5
    assert lines[3].split("\t")[0] == "Distributed.all_reduce.3.forward"
    assert {line.count("\t") for line in lines} == {7}


@pytest.mark.parametrize(("kind", "name"), [("CSV (*.csv)", "births.csv"), ("JSON (*.json)", "births")])
def test_births_are_exported(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str,
) -> None:  # fmt: skip
    page = answered(overflow_reports.training())
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), kind))
    with qtbot.waitSignal(loaded.session.succeeded, timeout=60_000):
        qtbot.mouseClick(page.births._export, LEFT)
    (written,) = tmp_path.iterdir()
    assert str(written) in loaded.notice.sentence
    if written.suffix == ".json":
        assert len(json.loads(written.read_text("utf-8"))["origins"]) == 4
    else:
        assert "Distributed.all_reduce.3.forward" in written.read_text("utf-8-sig")


def test_an_export_that_cannot_be_written_says_why(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    answered(overflow_reports.training())
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(blocked / "a.csv"), ""))
    with qtbot.waitSignal(loaded.session.noticed, timeout=60_000):
        loaded.actions_registry["export"].trigger()
    assert loaded.notice.isVisible()
    assert not loaded.session.overflow.exports.running


# ---- looks


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(1280, 800), (1680, 1050)])
def test_no_headline_is_cut(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView], language: str,
    size: tuple[int, int],
) -> None:  # fmt: skip
    set_language(language)
    QApplication.sendEvent(loaded, QEvent(QEvent.Type.LanguageChange))
    loaded.resize(*size)
    page = answered(overflow_reports.training())
    cards: list[QWidget] = [page.births, page.matrix, page.lanes, page.details]
    for card in cards:
        titles = [label for label in card.findChildren(QLabel) if label.objectName() == "cardTitle"]
        for label in titles:
            assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width(), label.text()
    for label in page.headline.findChildren(QLabel):
        if label.isVisible():
            assert label.heightForWidth(label.width()) <= label.height() or label.objectName() == "chip"
    header = page.births.tree.header()
    for column in BirthColumn:
        if not page.births.tree.isColumnHidden(column):
            room = header.sectionSize(column) - 16
            assert header.fontMetrics().horizontalAdvance(column.title) <= room, column
    assert page.births.tree.columnWidth(BirthColumn.OPERATOR) >= 150
    for button in (page.details.show_button, page.lanes.show_button, loaded.top._next):
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width(), button.text()
    for candidate in Page:
        button = loaded.page_bar.button(candidate)
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width() + 12


def test_another_scheme_and_language_while_it_is_shown(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    loaded.actions_registry["theme_dark"].trigger()
    loaded.actions_registry["language_zh_CN"].trigger()
    assert page.births.model.headerData(0, Qt.Orientation.Horizontal) == "算子"
    assert page.headline.chips[0] == "在此产生"
    middle = page.lanes.canvas.grab().toImage().pixelColor(3, 3)
    assert middle.lightness() < 60
    assert loaded.page_bar.button(Page.OVERFLOW).text() == "溢出"


def test_the_room_that_the_user_shares_out_is_kept(
    qtbot: QtBot, loaded: MainWindow, answered: Callable[..., OverflowView]
) -> None:
    page = answered(overflow_reports.training())
    before = page.lanes.height()
    page._left.setSizes([page._left.height() - before - 60, before + 60])
    page._left.splitterMoved.emit(0, 0)  # as the mouse does
    kept = page.lanes.height()
    assert kept > before
    assert loaded.context.settings.overflow_sizes[2] == kept
    loaded.session.overflow.show_report(overflow_reports.training(seed=5))
    assert page.lanes.height() == pytest.approx(kept, abs=2)
    loaded.actions_registry["reset_layout"].trigger()
    assert loaded.context.settings.overflow_sizes == []
    assert page.lanes.height() == pytest.approx(before, abs=2)


def test_long_names_are_cut_and_told_whole(answered: Callable[..., OverflowView]) -> None:
    page = answered(overflow_reports.long_name())
    index = page.births.model.index(1, 0)
    assert str(index.data()) == overflow_reports.LONG
    assert overflow_reports.LONG in str(index.data(Qt.ItemDataRole.ToolTipRole))
    page.births.tree.setCurrentIndex(index)
    assert page.details.minimumSizeHint().width() < 400
