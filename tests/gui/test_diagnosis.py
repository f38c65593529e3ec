"""The diagnosis as a person uses it: reading, going on, explaining, copying, folding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.diagnoses import ELSEWHERE, HERE, gpt_diagnosis, row_of, suspect
from builders.results import gpt_result, result_info, single_run
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from core.records.diagnosis import Diagnosis
from core.records.result import CellResult, Verdict
from core.store.notes import DIRECTORY_VARIABLE, load_notes
from core.store.results import load_diagnosis, result_writer
from gui import numbers
from gui.application import make_window
from gui.comparison.preparation import Opened
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import build_facts
from gui.models.table.columns import COLUMNS
from gui.pages.workspace import Workspace
from gui.views.diagnosis.view import DiagnosisView

LEFT, SHIFT, CONTROL = (
    Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier,
)  # fmt: skip
GELU, NORM = "Functional.gelu.14.forward", "Functional.layer_norm.40.forward"
Show = Callable[..., None]


def work(window: MainWindow) -> Workspace:
    assert window.workspace is not None
    return window.workspace


def panel(window: MainWindow) -> DiagnosisView:
    return work(window).diagnosis


def selected(window: MainWindow) -> str:
    session = window.session
    assert session.facts is not None
    return session.facts.operators[int(session.facts.operator[session.row])]


def columns_on_show(window: MainWindow) -> set[str]:
    return {COLUMNS[number].key for number in work(window).table.columns.visible()}


@pytest.fixture
def diagnosed(window: MainWindow, show: Show, cell: CellResult) -> MainWindow:
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))
    return window


@pytest.fixture
def result_file(tmp_path: Path) -> Path:
    """A result of two cells; its first suspect is in the second one."""
    cell = gpt_result(layers=4, faulty_layer=1)
    other = replace(cell, key=ELSEWHERE, golden_key=ELSEWHERE)
    gelu = "Functional.gelu.1.forward"
    accused = (
        suspect(gelu, cell=ELSEWHERE, row=row_of(cell, gelu)),
        suspect("Functional.linear.4.forward", row=row_of(cell, "Functional.linear.4.forward")),
    )
    path = tmp_path / "npu against gpu.h5"
    with result_writer(path) as writer:
        writer.add_cell(cell)
        writer.add_cell(other)
        info = replace(result_info(cell), cells=(cell.key, ELSEWHERE))
        writer.finish(info, Diagnosis(accused))
    return path


# ---- the answer


def test_the_answer_is_the_first_thing_on_show(diagnosed: MainWindow) -> None:
    view = panel(diagnosed)
    assert view.isVisible()
    assert not work(diagnosed).summary.isVisible()
    assert work(diagnosed).detail.tabs.isTabVisible(0)
    assert selected(diagnosed) == GELU
    assert view.answer.sentence == f"{GELU} introduces the error in output.0."
    assert view.turn.words == "1 of 2"
    assert view.answer.chips == ["wrong numbers", "step 0 · rank 0", "repeated on its own inputs"]
    assert view.answer.evidence.texts() == [
        ["Local error, target", "1\u202f420 × allowed"], ["Local error, golden", "0.12 × allowed"],
        ["Local error in unit roundoffs", "3\u202f392"], ["Error of the inputs", "3.10e−07"],
        ["Largest at element", "[0, 1, 66]"],
    ]  # fmt: skip


def test_only_what_exceeds_its_limit_is_an_alarm(diagnosed: MainWindow) -> None:
    alarms = [
        label.text() for label in panel(diagnosed).answer.evidence.findChildren(QLabel, "error")
        if not label.isHidden()
    ]  # fmt: skip
    assert alarms == ["1\u202f420 × allowed"]


def test_the_proof_is_explained_on_request(diagnosed: MainWindow) -> None:
    chips = panel(diagnosed).answer.findChildren(QLabel, "chip")
    tips = [chip.toolTip() for chip in chips if chip.text() == "repeated on its own inputs"]
    assert "float64" in tips[0]


def test_the_caller_and_the_consequences_stand_under_it(diagnosed: MainWindow) -> None:
    answer = panel(diagnosed).answer
    assert answer.caller == "train/model.py:71 forward\nh = F.gelu(h, self.gelu)"
    words = " ".join(label.text().replace("\u200b", "") for label in answer.findChildren(QLabel))
    assert "inside model.transformer.h.14.mlp.MLP" in words
    facts = diagnosed.session.facts
    assert facts is not None
    inherited = int(np.count_nonzero(facts.category == Category.INHERITED))
    assert f"{numbers.grouped(inherited)} rows after it differ" in answer.follows
    assert "another one" in answer.follows


def test_all_follows_from_the_only_suspect(window: MainWindow, show: Show, cell: CellResult) -> None:
    show(cell, diagnosis=Diagnosis((suspect(GELU, row=row_of(cell, GELU)),)))
    assert "Without this call nothing would differ there" in panel(window).answer.follows
    assert panel(window).turn.words == "1 of 1"
    assert not panel(window).turn.after.isVisible()


def test_a_suspect_without_a_row_is_found_by_its_name(
    window: MainWindow, show: Show, cell: CellResult
) -> None:
    show(cell, diagnosis=Diagnosis((suspect(NORM), suspect("Functional.gone.0.forward"))))
    assert selected(window) == NORM
    diagnosed = panel(window)
    diagnosed.turn.after.click()
    assert diagnosed.answer.caller == ""
    assert not diagnosed.answer.show_button.isEnabled()


# ---- going on


def test_f8_goes_through_the_suspects(qtbot: QtBot, diagnosed: MainWindow) -> None:
    qtbot.keyClick(diagnosed, Qt.Key.Key_F8)
    assert selected(diagnosed) == NORM
    assert panel(diagnosed).turn.words == "2 of 2"
    assert diagnosed.top._next.text().startswith("First suspect")
    qtbot.keyClick(diagnosed, Qt.Key.Key_F8, SHIFT)
    assert selected(diagnosed) == GELU
    diagnosed.session.select(3)
    qtbot.mouseClick(diagnosed.top._next, LEFT)  # back to the answer first
    assert selected(diagnosed) == GELU
    qtbot.mouseClick(panel(diagnosed).turn.before, LEFT)
    assert selected(diagnosed) == NORM


def test_control_f8_goes_through_what_differs(qtbot: QtBot, diagnosed: MainWindow) -> None:
    row = diagnosed.session.row
    qtbot.keyClick(diagnosed, Qt.Key.Key_F8, CONTROL)
    assert diagnosed.session.row == row + 1
    assert panel(diagnosed).turn.words == "1 of 2"
    qtbot.keyClick(diagnosed, Qt.Key.Key_F8, CONTROL | SHIFT)
    assert diagnosed.session.row == row


def test_f8_goes_through_differences_when_nobody_is_responsible(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.top._next.text().startswith("Next difference")
    row = loaded.session.row
    qtbot.keyClick(loaded, Qt.Key.Key_F8)
    assert loaded.session.row == row + 1


def test_show_clears_a_filter_that_hides_the_suspect(qtbot: QtBot, diagnosed: MainWindow) -> None:
    diagnosed.session.set_filter(text="layer_norm")
    qtbot.mouseClick(panel(diagnosed).answer.show_button, LEFT)
    assert selected(diagnosed) == GELU
    assert diagnosed.session.filter.text == ""
    shown = work(diagnosed).table
    assert shown.model.order[shown.table.currentIndex().row()] == diagnosed.session.row


def test_remarks_are_calm_and_lead_to_their_rows(qtbot: QtBot, diagnosed: MainWindow) -> None:
    remarks = panel(diagnosed).remarks
    assert remarks.sentences[1] == "cross_entropy.0: output.0 agrees up to the expected noise."
    qtbot.mouseClick(remarks.rows[1], LEFT)
    assert selected(diagnosed) == "Functional.cross_entropy.0.forward"
    assert panel(diagnosed).answer.sentence.startswith(GELU)
    remarks.rows[0].setFocus()
    qtbot.keyClick(remarks.rows[0], Qt.Key.Key_Return)
    assert selected(diagnosed) == "NPU.npu_fusion_attention.0.forward"


def test_a_suspect_of_another_rank_brings_its_cell(
    qtbot: QtBot, window: MainWindow, result_file: Path
) -> None:
    session = window.session
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        session.open_pair(str(result_file), "")
    assert session.cell is not None
    assert session.cell.key == ELSEWHERE  # where the answer is
    assert selected(window) == "Functional.gelu.1.forward"
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        qtbot.keyClick(window, Qt.Key.Key_F8)
        assert panel(window).answer.follows.startswith("It lies in another step or rank")
    assert session.cell.key == HERE  # type: ignore[unreachable]
    assert selected(window) == "Functional.linear.4.forward"
    assert "rows after it" in panel(window).answer.follows
    # choosing the other rank by hand looks at the suspect there
    with qtbot.waitSignal(session.cell_changed, timeout=60_000):
        session.choose_cell(ELSEWHERE)
    assert panel(window).answer.sentence.startswith("Functional.gelu.1.forward")
    assert panel(window).turn.words == "1 of 2"


# ---- explaining


def explain(qtbot: QtBot, window: MainWindow, reason: str) -> None:
    answer = panel(window).answer
    qtbot.mouseClick(answer.explain_button, LEFT)
    assert answer.reason.isVisible()
    qtbot.keyClicks(answer.reason.field, reason)
    qtbot.keyClick(answer.reason.field, Qt.Key.Key_Return)


def test_an_explained_suspect_makes_way_and_is_remembered(
    qtbot: QtBot, diagnosed: MainWindow, show: Show, cell: CellResult
) -> None:
    explain(qtbot, diagnosed, "tanh on purpose")
    view = panel(diagnosed)
    assert view.answer.sentence.startswith(NORM)
    assert selected(diagnosed) == NORM
    assert not view.answer.reason.isVisible()
    assert view.explained.isVisible()
    assert "tanh on purpose" in view.explained.rows[0].accessibleName()
    info = result_info(cell)
    assert list(load_notes(info.target_path, info.golden_path).explained.values()) == ["tanh on purpose"]
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))  # as if opened again
    assert view.answer.sentence.startswith(NORM)
    assert view.turn.words == "1 of 1"
    qtbot.mouseClick(view.explained.back_buttons[0], LEFT)
    assert view.answer.sentence.startswith(GELU)
    assert selected(diagnosed) == GELU
    assert not view.explained.isVisible()
    assert not load_notes(info.target_path, info.golden_path).explained


def test_a_reason_is_asked_for_and_may_be_taken_back(qtbot: QtBot, diagnosed: MainWindow) -> None:
    answer = panel(diagnosed).answer
    qtbot.mouseClick(answer.explain_button, LEFT)
    assert not answer.reason.save.isEnabled()
    qtbot.keyClicks(answer.reason.field, "  ")
    qtbot.keyClick(answer.reason.field, Qt.Key.Key_Return)
    assert answer.reason.isVisible()
    qtbot.keyClick(answer.reason.field, Qt.Key.Key_Escape)
    assert not answer.reason.isVisible()
    assert panel(diagnosed).turn.words == "1 of 2"


def test_when_all_is_explained_the_panel_says_so(qtbot: QtBot, diagnosed: MainWindow) -> None:
    for reason in ("one", "two"):
        explain(qtbot, diagnosed, reason)
    view = panel(diagnosed)
    assert view.outcome[0] == "Every suspect is explained"
    assert "still differ" in view.outcome[1]
    assert not view.answer.isVisible()
    assert len(view.explained.rows) == 2
    assert diagnosed.top._next.text().startswith("Next difference")


def test_a_decision_that_cannot_be_saved_holds_and_is_said(
    qtbot: QtBot, diagnosed: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(blocked))
    explain(qtbot, diagnosed, "known")
    assert "could not be saved" in diagnosed.notice.sentence
    assert panel(diagnosed).answer.sentence.startswith(NORM)


# ---- copying


def test_the_evidence_is_copied_as_markdown(qtbot: QtBot, diagnosed: MainWindow) -> None:
    answer = panel(diagnosed).answer
    qtbot.mouseClick(answer.copy_button, LEFT)
    assert answer.copy_button.text() == "Copied"
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"**`{GELU}` introduces the error in output.0.**\n")
    assert "| Local error, target | 1\u202f420 × allowed |" in copied
    assert "repeated on its own inputs: The call was repeated in float64" in copied
    assert "train/model.py:71 forward\n    h = F.gelu(h, self.gelu)" in copied
    assert "Golden, called from:" in copied


# ---- nobody responsible, one run, no diagnosis


def rows_with(cell: CellResult, *verdicts: Verdict) -> CellResult:
    return replace(cell, rows=cell.rows.take(np.isin(cell.rows.verdict, verdicts)))


@pytest.mark.parametrize(
    ("verdicts", "category", "sentence", "detail"),
    [
        ("EQUAL CLOSE", Category.CLOSE, "Nothing introduces an error", "no more than the noise"),
        ("EQUAL NOT_COMPARED", Category.CLOSE, "Nothing introduces an error", "208 rows are equal"),
        ("EQUAL DIFFERS", Category.DIFFERS, "No call is held responsible", "where that begins"),
        ("GOLDEN_INVALID", Category.GOLDEN_INVALID, "No call is held responsible", "holds NaN or Inf"),
        ("NOT_COMPARED", Category.NOT_COMPARED, "Nothing could be compared", "2 rows were not compared"),
    ],
)
def test_no_suspect_is_good_news_only_where_nothing_differs(
    window: MainWindow, show: Show, cell: CellResult, verdicts: str, category: Category,
    sentence: str, detail: str,
) -> None:  # fmt: skip
    show(rows_with(cell, *(Verdict[name] for name in verdicts.split())), diagnosis=Diagnosis(()))
    view = panel(window)
    assert view.isVisible()
    assert view.outcome[0] == sentence
    assert detail in " ".join(view.outcome[1:])
    assert view.outcome_category == category


def test_without_a_diagnosis_the_summary_is_there(window: MainWindow, show: Show, cell: CellResult) -> None:
    show(cell)
    assert work(window).summary.isVisible()
    assert not panel(window).isVisible()
    assert not work(window).strip.isVisible()
    assert not work(window).docks["diagnosis"].toggleViewAction().isEnabled()
    show(cell, diagnosis=gpt_diagnosis(cell))
    assert panel(window).isVisible()
    assert not work(window).summary.isVisible()
    show(single_run(cell), golden="")
    assert work(window).summary.isVisible()
    assert not panel(window).isVisible()


# ---- places and looks


def test_a_narrow_window_folds_it_to_a_strip(
    qtbot: QtBot, window: MainWindow, show: Show, cell: CellResult
) -> None:
    window.resize(1280, 800)
    show(cell, diagnosis=gpt_diagnosis(cell, elsewhere=False))
    strip = work(window).strip
    assert strip.isVisible()
    assert not panel(window).isVisible()
    assert strip.sentence.startswith(GELU)
    qtbot.mouseClick(strip.turn.after, LEFT)
    assert strip.sentence.startswith(NORM)
    assert strip.turn.words == "2 of 2"
    assert not panel(window).isVisible()
    qtbot.mouseClick(strip, LEFT)
    assert panel(window).isVisible()
    assert not strip.isVisible()
    qtbot.mouseClick(panel(window).fold, LEFT)
    assert strip.isVisible()
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Space)
    assert panel(window).isVisible()


def test_it_folds_and_unfolds_with_the_width(qtbot: QtBot, diagnosed: MainWindow) -> None:
    diagnosed.resize(1300, 900)
    qtbot.waitUntil(work(diagnosed).strip.isVisible)
    assert not panel(diagnosed).isVisible()
    diagnosed.resize(1680, 1050)
    qtbot.waitUntil(panel(diagnosed).isVisible)
    assert not work(diagnosed).strip.isVisible()


def test_the_origin_has_a_column_where_it_is_known(window: MainWindow, show: Show, cell: CellResult) -> None:
    show(cell)
    assert "origin" in columns_on_show(window)
    view = work(window).table
    column = [item.key for item in COLUMNS].index("origin")
    row = view.model.view_row(row_of(cell, GELU))
    assert view.model.index(row, column).data() == "introduced"
    show(gpt_result(layers=4, faulty_layer=1, origins=False))
    assert "origin" not in columns_on_show(window)
    menu = view.columns.menu(window)
    next(action for action in menu.actions() if action.text() == "RMSE").trigger()
    menu.deleteLater()
    assert "origin" not in window.context.settings.hidden_columns  # nobody hid it
    show(cell)
    assert {"origin", "rmse"} <= columns_on_show(window)


def test_the_plot_names_who_introduces_it(diagnosed: MainWindow) -> None:
    assert "gelu.14 introduces" in work(diagnosed).trajectory._labels.headline.textItem.toPlainText()
    assert work(diagnosed).verdicts.chips[Category.INTRODUCED].text() == "1 introduces"


def test_the_panel_speaks_chinese(diagnosed: MainWindow) -> None:
    diagnosed.session.suspects.explain(diagnosed.session.suspects.open[0], "有意为之")
    diagnosed.actions_registry["language_zh_CN"].trigger()
    english = [
        label.text()
        for label in panel(diagnosed).findChildren(QLabel)
        if label.isVisible()
        and label.text().isascii()
        and sum(word.isalpha() for word in label.text().split()) > 2
    ]
    assert english == []
    assert panel(diagnosed).answer.chips[-1] == "两侧对照"
    diagnosed.actions_registry["language_en"].trigger()


def test_a_window_that_gets_wide_shows_the_panel(
    qtbot: QtBot, window: MainWindow, show: Show, cell: CellResult
) -> None:
    window.resize(1280, 800)
    show(cell, diagnosis=gpt_diagnosis(cell))
    assert not panel(window).isVisible()
    window.resize(1680, 1050)  # as a window that is maximized after it opened
    qtbot.waitUntil(panel(window).isVisible)
    panel(window).fold.click()
    window.resize(1280, 800)
    window.resize(1680, 1050)
    qtbot.wait(50)
    assert not panel(window).isVisible()  # folded by hand stays folded


def test_a_key_brings_the_panel_and_the_focus(qtbot: QtBot, diagnosed: MainWindow) -> None:
    panel(diagnosed).fold.click()
    qtbot.keyClick(diagnosed, Qt.Key.Key_5, CONTROL)
    assert panel(diagnosed).answer.show_button.hasFocus()
    diagnosed.actions_registry["copy"].trigger()
    assert QGuiApplication.clipboard().text().startswith(f"**`{GELU}`")


def test_the_folded_panel_stays_folded_when_started_again(
    qapp: QApplication, diagnosed: MainWindow, cell: CellResult
) -> None:
    panel(diagnosed).fold.click()
    diagnosed.close()
    again = make_window(qapp)
    again.resize(1680, 1050)
    again.show()
    facts, diagnosis = build_facts(cell), gpt_diagnosis(cell)
    again.session.show_opened(Opened(result_info(cell), "", cell, facts, 0.1, diagnosis))
    assert not panel(again).isVisible()
    assert work(again).strip.isVisible()
    again.close()
    again.deleteLater()


def test_everything_in_the_panel_has_a_key_and_a_name(diagnosed: MainWindow) -> None:
    view = panel(diagnosed)
    for widget in (view.turn.before, view.turn.after, work(diagnosed).strip, *view.remarks.rows):
        assert widget.accessibleName(), widget
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget
    assert view.fold.accessibleName()


def test_a_result_brings_its_diagnosis(result_file: Path) -> None:
    diagnosis = load_diagnosis(result_file)
    assert diagnosis is not None
    assert [item.cell.label() for item in diagnosis.suspects] == ["step1/rank2", "step0/rank0"]
