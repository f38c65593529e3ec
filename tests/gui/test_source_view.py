"""The tab with the difference of the sources: files, both sides beside each other, what is not to count."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from core.messages import LANGUAGES, set_language
from core.precheck.source.difference import compare_texts
from core.precheck.source.reading import lines_of
from core.precheck.source.records import Change, DifferenceOptions, FileDifference, SourceState, SourceText
from core.records.evidence import EvidenceKind
from core.records.precheck import EvidenceSummary, PrecheckReport
from gui.main_window import MainWindow
from gui.models.source.copied import as_difference
from gui.models.source.lines import drawn
from gui.models.source.rows import ShownRows
from gui.pages.bar import PrecheckTab
from gui.processes.work_state import Stage
from gui.views.source.panes import ROW, SourcePanes
from gui.views.source.view import SourceView

Patience = Callable[[Callable[[], bool]], None]
NO_MODIFIER, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
LONG = [f"value_{line} = compute(number={line})" for line in range(60)]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """Return two folders: one file differs in two places, one in a comment, one is on one side only."""
    changed = [*LONG]
    changed[10], changed[50] = "value_10 = compute(number=11)", "other_50 = compute(number=50)"
    for side, files in (
        ("npu", {"model/a.py": LONG, "b.py": ["x.npu()  # ours"], "same.py": ["y"], "ours.sh": ["cd /a"]}),
        ("gpu", {"model/a.py": changed, "b.py": ["x.npu()"], "same.py": ["y"]}),
    ):
        for name, lines in files.items():
            place = tmp_path / side / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\n".join(lines), "utf-8")
    return str(tmp_path / "npu"), str(tmp_path / "gpu")


@pytest.fixture
def view(window: MainWindow) -> SourceView:
    window.actions_registry["page_precheck"].trigger()
    page = window.pages.precheck
    assert page is not None
    page.choose(PrecheckTab.SOURCE)
    QApplication.processEvents()
    assert page.source is not None
    return page.source


@pytest.fixture
def compared(view: SourceView, folders: tuple[str, str], patience: Patience) -> SourceView:
    """Return the view with both folders typed into its fields, and compared."""
    view.start.target.field.setText(folders[0])
    view.start.golden.field.setText(folders[1])
    QTest.mouseClick(view.start.compare, Qt.MouseButton.LeftButton)
    patience(lambda: view.state.stage is Stage.READY and view.state.reading.difference is not None)
    QApplication.processEvents()
    return view


def names(view: SourceView) -> list[str]:
    model = view.files.model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def switch(view: SourceView, name: str) -> QToolButton:
    return view.headline.switches[name]


def test_it_starts_with_two_fields(view: SourceView) -> None:
    assert view.start.isVisible()
    assert not view.start.compare.isEnabled()
    assert view.copied_text() == ""
    QTest.keyClicks(view.start.target.field, "/a")
    assert not view.start.compare.isEnabled()


def test_files_that_differ_are_listed_and_the_first_is_on_show(compared: SourceView) -> None:
    assert names(compared) == ["model/a.py", "ours.sh"]
    rows = compared.pair.panes.rows
    assert rows is not None
    assert len(rows.starts) == 2
    assert compared.pair.panes.current == rows.starts[0]
    assert compared.pair.turns.words.startswith("1 ")
    assert "2" in compared.headline.words
    assert rows.difference.target.path.endswith("npu/model/a.py")


def test_what_is_not_to_count_is_switched_without_comparing_anew(compared: SourceView) -> None:
    tree = compared.state.tree
    QTest.mouseClick(switch(compared, "ignore_comments"), Qt.MouseButton.LeftButton)
    assert names(compared) == ["model/a.py", "b.py", "ours.sh"]
    QTest.mouseClick(switch(compared, "only_numeric"), Qt.MouseButton.LeftButton)
    assert names(compared) == ["model/a.py", "ours.sh"]
    rows = compared.pair.panes.rows
    assert rows is not None
    assert len(rows.starts) == 1
    assert compared.state.tree is tree


def test_switches_are_remembered(compared: SourceView, window: MainWindow) -> None:
    QTest.mouseClick(switch(compared, "device_words"), Qt.MouseButton.LeftButton)
    again = SourceView(window.context)
    assert not again.headline.switches["device_words"].isChecked()
    assert not again.state.options.device_words
    again.deleteLater()


def test_keys_lead_from_difference_to_difference_and_on_to_the_next_file(
    compared: SourceView, patience: Patience
) -> None:
    panes = compared.pair.panes
    panes.setFocus()
    assert panes.rows is not None
    first, second = panes.rows.starts.tolist()
    QTest.keyClick(panes, Qt.Key.Key_Down, ALT)
    assert panes.current == second
    QTest.keyClick(panes, Qt.Key.Key_Up, ALT)
    assert panes.current == first
    QTest.mouseClick(compared.pair.turns.after, Qt.MouseButton.LeftButton)
    QTest.mouseClick(compared.pair.turns.after, Qt.MouseButton.LeftButton)
    patience(lambda: compared.state.reading.difference is not None)
    assert compared.state.file is not None
    assert compared.state.file.name == "ours.sh"
    QTest.keyClick(panes, Qt.Key.Key_Up, ALT)
    patience(lambda: compared.state.reading.difference is not None)
    assert compared.state.file.name == "model/a.py"
    assert panes.current == panes.rows.starts[-1]


def test_those_keys_lead_on_wherever_the_focus_is(compared: SourceView) -> None:
    panes = compared.pair.panes
    assert panes.rows is not None
    first, second = panes.rows.starts.tolist()
    for part in (compared.files.table, compared.files.field, compared.headline.again):
        part.setFocus()
        QTest.keyClick(part, Qt.Key.Key_Down, ALT)
        assert panes.current == second
        assert part.hasFocus()
        QTest.keyClick(part, Qt.Key.Key_Up, ALT)
        assert panes.current == first


def test_a_long_line_that_is_not_on_show_takes_no_room(
    view: SourceView, tmp_path: Path, patience: Patience
) -> None:
    lines = [*LONG]
    lines[30] = "long = " + " + ".join(map(str, range(400)))
    for side, first in (("npu", "x = 1"), ("gpu", "x = 2")):
        (tmp_path / f"{side}.py").write_text("\n".join([first, *lines]), "utf-8")
    view.start.target.field.setText(str(tmp_path / "npu.py"))
    view.start.golden.field.setText(str(tmp_path / "gpu.py"))
    QTest.mouseClick(view.start.compare, Qt.MouseButton.LeftButton)
    patience(lambda: view.state.reading.difference is not None)
    QApplication.processEvents()
    across = view.pair.panes.horizontalScrollBar()
    assert across.maximum() == 0
    view.pair.whole.click()
    assert across.maximum() > 0
    view.pair.whole.click()
    assert across.maximum() == 0


def test_gaps_open_and_the_whole_file_can_be_shown(compared: SourceView) -> None:
    panes = compared.pair.panes
    assert panes.rows is not None
    before = len(panes.rows)
    assert panes.rows.hidden[0] > 0
    QTest.mouseDClick(panes.viewport(), Qt.MouseButton.LeftButton, NO_MODIFIER, QPoint(60, ROW // 2))
    assert len(panes.rows) > before
    assert panes.rows.hidden[0] == 0
    QTest.mouseClick(compared.pair.whole, Qt.MouseButton.LeftButton)
    assert len(panes.rows) == 60
    assert not panes.rows.hidden.any()


def test_selected_lines_are_copied_as_a_difference(compared: SourceView, window: MainWindow) -> None:
    panes = compared.pair.panes
    panes.setFocus()
    at = panes.current
    top = panes.verticalScrollBar().value()
    QTest.mouseClick(
        panes.viewport(), Qt.MouseButton.LeftButton, NO_MODIFIER, QPoint(80, (at - top) * ROW + 5)
    )
    QTest.keyClick(panes, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    window.actions_registry["copy"].trigger()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].startswith("--- ")
    assert lines[2:] == ["-value_10 = compute(number=11)", f"+{LONG[10]}", f" {LONG[11]}"]


def test_files_are_filtered_and_copied(compared: SourceView) -> None:
    QTest.keyClicks(compared.files.field, "ours")
    assert names(compared) == ["ours.sh"]
    QTest.keyClick(compared.files.field, Qt.Key.Key_Escape)
    assert len(names(compared)) == 2
    compared.files.table.setFocus()
    compared.files.table.selectAll()
    assert len(compared.copied_text().splitlines()) == 3


def test_a_file_of_one_side_is_shown_beside_nothing(compared: SourceView, patience: Patience) -> None:
    table = compared.files.table
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    patience(lambda: compared.state.reading.difference is not None)
    difference = compared.state.reading.difference
    assert difference is not None
    assert (difference.golden_line == -1).all()
    assert "ours.sh" in compared.pair.panes.words_of(0) or "cd /a" in compared.pair.panes.words_of(0)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert compared.pair.panes.hasFocus()


def test_the_overview_leads_to_its_place(compared: SourceView) -> None:
    QTest.mouseClick(compared.pair.whole, Qt.MouseButton.LeftButton)
    panes, overview = compared.pair.panes, compared.pair.overview
    QTest.mouseClick(overview, Qt.MouseButton.LeftButton, NO_MODIFIER, QPoint(5, overview.height() - 1))
    assert panes.rows is not None
    assert panes.current > 30


def test_it_can_be_stopped_and_begun_again(
    view: SourceView, folders: tuple[str, str], patience: Patience
) -> None:
    view.open(*folders)
    assert view.working
    view.cancel()
    assert view.state.stage is Stage.STOPPED
    view.state.again()
    patience(lambda: view.state.tree is not None)
    assert view.headline.isVisible()


def test_a_folder_that_is_gone_is_said(
    view: SourceView, folders: tuple[str, str], patience: Patience
) -> None:
    view.open(folders[0], folders[1] + "_gone")
    patience(lambda: view.state.tree is not None)
    assert view.state.tree is not None
    assert view.state.tree.problems
    assert {file.golden for file in view.state.tree.files} == {""}


def test_evidence_of_the_checklist_is_compared(
    view: SourceView, window: MainWindow, folders: tuple[str, str], patience: Patience
) -> None:
    kinds = (EvidenceKind.SOURCE.value,)
    target, golden = (EvidenceSummary(path, kinds, path, False) for path in folders)
    window.session.precheck.show_report(PrecheckReport((), (target,), (golden,)))
    assert (view.state.target, view.state.golden) == ((folders[0],), (folders[1],))
    patience(lambda: view.state.tree is not None)
    assert names(view) == ["model/a.py", "ours.sh"]


def test_sides_are_exchanged(compared: SourceView, folders: tuple[str, str], patience: Patience) -> None:
    QTest.mouseClick(compared.headline.swap, Qt.MouseButton.LeftButton)
    patience(lambda: compared.state.tree is not None)
    assert (compared.state.target, compared.state.golden) == ((folders[1],), (folders[0],))


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_follow_the_language(compared: SourceView, language: str) -> None:
    set_language(language)
    for widget in QApplication.allWidgets():
        if hasattr(widget, "retranslate") and compared.isAncestorOf(widget):
            widget.retranslate()
    assert (
        "gui."
        not in compared.headline.words + compared.files.header.subtitle + compared.pair.panes.words_of(0)
    )


# ---- the panes alone


def text_of(lines: list[str]) -> SourceText:
    return SourceText("a.py", SourceState.READ, tuple(lines_of("\n".join(lines))))


def test_fifty_thousand_lines_scroll_smoothly(window: MainWindow) -> None:
    target = [f"x_{line} = f({line})  # 注释" for line in range(50_000)]
    golden = [line if number % 29 else line.replace("f(", "g(") for number, line in enumerate(target)]
    rows = np.arange(len(target))
    change = np.where(rows % 29, Change.EQUAL, Change.NUMERIC).astype(np.int8)
    difference = FileDifference(text_of(target), text_of(golden), rows, rows, change)
    panes = SourcePanes(window.context.theme)
    panes.resize(1400, 900)
    panes.show_rows(ShownRows(difference, DifferenceOptions(), True, frozenset()))
    panes.show()
    QApplication.processEvents()
    times = []
    for at in range(0, 49_000, 2_333):
        start = time.perf_counter()
        panes.verticalScrollBar().setValue(at)
        panes.viewport().repaint()
        times.append(time.perf_counter() - start)
    panes.close()
    assert sorted(times)[len(times) // 2] < 0.05


def test_what_is_drawn_is_what_is_there() -> None:
    assert drawn("\tx\u202ey", ((1, 2), (2, 4))) == ("    x\\u202ey", ((4, 5), (5, 12)))
    words, spans = drawn("a" * 5000, ((10, 20), (1990, 4000), (3000, 3100)))
    assert len(words) == 2001
    assert spans == ((10, 20), (1990, 2000))


def test_a_copy_of_a_gap_says_how_many_lines_it_stands_for() -> None:
    target, golden = [*LONG], [*LONG]
    golden[30] = "other(1)"
    rows = ShownRows(compare_texts(text_of(target), text_of(golden)), DifferenceOptions(), False, frozenset())
    assert rows.hidden[0] == 27
    assert rows.place_of(5) == 0
    assert rows.place_of(30) == rows.starts[0]
    copied = as_difference(rows, range(len(rows))).splitlines()
    assert copied[2] == "@@ 27 @@"
    assert copied[6:8] == ["-other(1)", f"+{LONG[30]}"]
