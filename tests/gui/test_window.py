"""The window as a person uses it: dropping, clicking, typing, copying, switching."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.results import gpt_result, result_info, single_run
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.errors import Problem
from core.messages import Message, current_language
from core.records.result import CellResult
from gui.application import make_window
from gui.comparison.preparation import Opened
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import build_facts
from gui.models.table.columns import COLUMNS
from gui.pages.workspace import Workspace
from gui.views.tensors.view import TensorsView

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
Patience = Callable[[Callable[[], bool]], None]


def work(window: MainWindow) -> Workspace:
    assert window.workspace is not None
    return window.workspace


def drop(window: MainWindow, *paths: Path | str, x: int = 10) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = LEFT, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(x, 200), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    event = QDropEvent(QPointF(x, 200), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, event)
    return event.isAccepted()


def selected(window: MainWindow) -> str:
    session = window.session
    assert session.facts is not None
    return session.facts.operators[int(session.facts.operator[session.row])]


# ---- opening


def test_an_empty_window_says_what_to_do(window: MainWindow) -> None:
    assert window.welcome.isVisible()
    assert not window.top.search.isVisible()
    assert not window.welcome.open_button.isEnabled()
    words = [label.text() for label in window.welcome.findChildren(QLabel) if label.isVisible()]
    assert any("Drop two dump folders here" in text for text in words)


def test_a_dropped_pair_is_compared_in_the_right_order(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, str]] = []
    monkeypatch.setattr(window.session, "open_pair", lambda *pair: opened.append(pair))
    assert drop(window, tmp_path / "gpu_dump", tmp_path / "npu_dump")
    assert opened == [(str(tmp_path / "npu_dump"), str(tmp_path / "gpu_dump"))]
    assert drop(window, tmp_path / "one")
    assert opened[-1] == (str(tmp_path / "one"), "")


def test_a_second_run_is_dropped_on_its_side(
    loaded: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, str]] = []
    monkeypatch.setattr(loaded.session, "open_pair", lambda *pair: opened.append(pair))
    drop(loaded, tmp_path, x=10)
    drop(loaded, tmp_path, x=loaded.width() - 10)
    assert opened == [(str(tmp_path), "/data/runs/gpu_dump"), ("/data/runs/npu_dump", str(tmp_path))]


def test_three_things_at_once_are_too_many(window: MainWindow, tmp_path: Path) -> None:
    drop(window, *(tmp_path / name for name in "abc"))
    assert "3 items were dropped" in window.notice.sentence
    assert not window.session.busy


def test_text_from_a_browser_is_no_drop(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()
    assert not window.overlay.isVisible()


def test_paths_are_typed_and_opened(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, str]] = []
    monkeypatch.setattr(window.session, "open_pair", lambda *pair: opened.append(pair))
    qtbot.keyClicks(window.welcome.target.field, '"/data/npu dump"')
    assert window.welcome.open_button.text() == "Open"
    qtbot.keyClicks(window.welcome.golden.field, "/data/gpu")
    assert window.welcome.open_button.text() == "Compare"
    qtbot.keyClick(window.welcome.golden.field, Qt.Key.Key_Return)
    assert opened == [("/data/npu dump", "/data/gpu")]


def test_the_demo_pair_from_drop_to_tensors(
    qtbot: QtBot, window: MainWindow, demo_pair: tuple[Path, Path], patience: Patience
) -> None:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        drop(window, *reversed(demo_pair))
        assert window.session.busy
        assert window.welcome.progress.isVisible()
    assert window.session.target_path == str(demo_pair[0])
    assert selected(window) == "Functional.gelu.1.forward"
    tensors = work(window).detail.view_of(TensorsView)
    patience(lambda: "ULP" in tensors.readout)
    patience(lambda: tensors.pictures is not None and tensors.pictures.whole)
    assert [pane.note for pane in tensors.maps.shown] == ["", "", ""]
    assert window.context.settings.recent[0] == [str(demo_pair[0]), str(demo_pair[1])]
    # once more, from the recent pairs, with the sides swapped
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.actions_registry["swap"].trigger()
    assert window.session.golden_path == str(demo_pair[0])
    patience(lambda: window.session.pictures.idle)


def test_one_run_is_explored(
    qtbot: QtBot, window: MainWindow, demo_pair: tuple[Path, Path], patience: Patience
) -> None:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_paths([str(demo_pair[0])])
    assert window.session.is_exploring()
    assert not work(window).trajectory.isVisible()
    assert not any(chip.isVisible() for chip in work(window).verdicts.chips.values())
    headings = {COLUMNS[number].key for number in work(window).table.columns.visible()}
    assert {"target_max", "target_norm"} <= headings
    assert "verdict" not in headings
    patience(lambda: window.session.pictures.idle)


def test_what_cannot_be_opened_is_said_and_leaves_what_was_open(
    qtbot: QtBot, loaded: MainWindow, tmp_path: Path
) -> None:
    before = loaded.session.cell
    with qtbot.waitSignal(loaded.session.noticed, timeout=60_000):
        loaded.session.open_pair(str(tmp_path / "nowhere"), "")
    assert loaded.notice.isVisible()
    assert "nowhere" in loaded.notice.sentence
    assert loaded.session.cell is before
    assert loaded.session.opening == ("/data/runs/npu_dump", "/data/runs/gpu_dump")  # what F5 runs again
    assert any("nowhere" in problem.path for problem in loaded.session.problems)


def test_a_result_file_is_opened_and_shows_its_name(
    qtbot: QtBot, window: MainWindow, demo_pair: tuple[Path, Path], tmp_path: Path, patience: Patience
) -> None:
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        window.session.open_pair(*map(str, demo_pair))
    result = tmp_path / "npu against gpu.h5"
    result.write_bytes(Path(window.session.result_path).read_bytes())
    with qtbot.waitSignal(window.session.cell_changed, timeout=60_000):
        drop(window, result)
    assert window.session.golden_path == str(demo_pair[1])
    assert "npu against gpu.h5" in window.status._file.text()
    broken = tmp_path / "broken.h5"
    broken.write_bytes(result.read_bytes()[:1000])
    with qtbot.waitSignal(window.session.noticed, timeout=60_000):
        drop(window, broken)
    assert "broken.h5" in window.notice.sentence
    patience(lambda: window.session.pictures.idle)


def test_opening_can_be_cancelled(qtbot: QtBot, window: MainWindow, demo_pair: tuple[Path, Path]) -> None:
    window.session.open_pair(*map(str, demo_pair))
    assert window.session.busy
    qtbot.mouseClick(window.welcome.progress.cancel, LEFT)
    assert not window.session.busy
    qtbot.wait(300)
    assert window.session.cell is None
    assert window.welcome.open_button.isVisible()


# ---- selecting


def test_a_comparison_opens_at_its_culprit(loaded: MainWindow) -> None:
    assert selected(loaded) == "Functional.gelu.14.forward"
    assert "introduces" in work(loaded).summary.sentence
    assert work(loaded).operators.tree.currentIndex().data() == "gelu.14"
    assert work(loaded).table.table.currentIndex().isValid()


def test_f8_walks_through_what_differs(qtbot: QtBot, loaded: MainWindow) -> None:
    session = loaded.session
    assert session.facts is not None
    differing = np.flatnonzero(session.facts.category >= Category.INHERITED).tolist()
    start = differing.index(session.row)
    for step in (1, 2):
        loaded.actions_registry["next"].trigger()
        assert session.row == differing[start + step]
    loaded.actions_registry["previous"].trigger()
    assert session.row == differing[start + 1]
    session.select(differing[-1])
    loaded.actions_registry["next"].trigger()
    assert session.row == differing[0]
    assert work(loaded).table.model.order[work(loaded).table.table.currentIndex().row()] == session.row


def test_a_click_in_the_tree_selects_the_worst_row_below(qtbot: QtBot, loaded: MainWindow) -> None:
    view = work(loaded).operators
    assert loaded.session.facts is not None
    node = loaded.session.facts.hierarchy.names.index("Module.model.transformer.h.20.Block")
    index = view.model.node_index(node)
    view.tree.scrollTo(index)
    qtbot.mouseClick(view.tree.viewport(), LEFT, pos=view.tree.visualRect(index).center())
    assert view.tree.currentIndex() == index
    assert loaded.session.row == view.model.row_of(index)
    qtbot.mouseDClick(view.tree.viewport(), LEFT, pos=view.tree.visualRect(index).center())
    assert loaded.session.filter.node == node
    assert 0 < work(loaded).table.model.rowCount() < 100


def test_a_click_in_the_table_selects(qtbot: QtBot, loaded: MainWindow) -> None:
    table = work(loaded).table.table
    at = table.rowAt(40)
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(30, 40))
    assert loaded.session.row == work(loaded).table.model.order[at]
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert loaded.session.row == work(loaded).table.model.order[at + 1]


# ---- filtering, sorting, copying, exporting


def test_typing_filters_after_a_pause(qtbot: QtBot, loaded: MainWindow) -> None:
    total = work(loaded).table.model.rowCount()
    qtbot.keyClicks(loaded.top.search, "gelu err>1e-4")
    qtbot.waitUntil(lambda: work(loaded).table.model.rowCount() < total)
    assert "of" in work(loaded).table.header.subtitle
    loaded.actions_registry["clear_filter"].trigger()
    assert work(loaded).table.model.rowCount() == total
    assert loaded.top.search.text() == ""


def test_a_wrong_term_is_said_in_place(qtbot: QtBot, loaded: MainWindow) -> None:
    qtbot.keyClicks(loaded.top.search, "err>abc")
    qtbot.keyClick(loaded.top.search, Qt.Key.Key_Return)
    assert loaded.top.search.property("wrong")
    assert loaded.top.filter_errors
    assert "needs a number" in work(loaded).table.header.subtitle
    loaded.top.search.setFocus()
    qtbot.keyClick(loaded.top.search, Qt.Key.Key_Escape)
    assert loaded.top.search.text() == ""
    assert not loaded.session.filter.text


def test_chips_filter_and_count(qtbot: QtBot, loaded: MainWindow, cell: CellResult) -> None:
    chips = work(loaded).verdicts.chips
    assert sum(chip.count for chip in chips.values()) == len(cell.rows)
    qtbot.mouseClick(chips[Category.EQUAL], LEFT)
    assert work(loaded).table.model.rowCount() == chips[Category.EQUAL].count
    qtbot.mouseClick(chips[Category.CLOSE], LEFT)
    assert work(loaded).table.model.rowCount() == chips[Category.EQUAL].count + chips[Category.CLOSE].count


def test_nothing_passes_and_the_way_back(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.session.set_filter(text="no such operator")
    view = work(loaded).table
    assert not view.table.isVisible()
    view._note.pressed.emit()
    assert view.table.isVisible()


def test_a_click_on_a_heading_sorts_the_worst_first(
    qtbot: QtBot, loaded: MainWindow, cell: CellResult
) -> None:
    view = work(loaded).table
    column = [item.key for item in COLUMNS].index("error")
    header = view.table.horizontalHeader()
    where = QPoint(header.sectionViewportPosition(column) + 20, 10)
    qtbot.mouseClick(header.viewport(), LEFT, pos=where)
    assert cell.rows.error[view.model.order[0]] == np.nanmax(cell.rows.error)
    qtbot.mouseClick(header.viewport(), LEFT, pos=where)
    assert cell.rows.error[view.model.order[0]] == np.nanmin(cell.rows.error)
    qtbot.mouseClick(header.viewport(), LEFT, pos=where)
    assert view.model.sort_column == -1


def test_control_c_copies_with_headings(qtbot: QtBot, loaded: MainWindow) -> None:
    view = work(loaded).table
    view.table.setFocus()
    view.table.selectAll()
    loaded.actions_registry["copy"].trigger()
    lines = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text()), dialect="excel-tab"))
    assert lines[0][:3] == ["Operator", "Slot", "Verdict"]
    assert len(lines) == view.model.rowCount() + 1


def test_the_export_holds_what_is_on_show(
    qtbot: QtBot, loaded: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "rows.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(output), ""))
    loaded.session.set_filter(text="gelu.14 output")
    with qtbot.waitSignal(loaded.session.succeeded, timeout=60_000):
        loaded.actions_registry["export"].trigger()
    with output.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == work(loaded).table.model.rowCount() + 1
    assert all("gelu.14" in row[0] for row in rows[1:])
    assert str(output) in loaded.notice.sentence


def test_columns_are_chosen_and_remembered(loaded: MainWindow) -> None:
    keeper = work(loaded).table.columns
    menu = keeper.menu(loaded)
    action = next(action for action in menu.actions() if action.text() == "RMSE")
    assert not action.isChecked()
    action.trigger()
    assert "rmse" in {COLUMNS[number].key for number in keeper.visible()}
    assert "rmse" not in loaded.context.settings.hidden_columns
    menu.deleteLater()


# ---- steps and ranks, problems, looks


def test_steps_and_ranks_are_offered(loaded: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(loaded.session, "choose_cell", asked.append)
    assert [loaded.top.step.itemText(at) for at in range(2)] == ["step 0", "step 1"]
    assert loaded.top.rank.count() == 4
    assert not loaded.top.phase.isVisible()
    loaded.top.rank.setCurrentIndex(2)
    loaded.top.rank.activated.emit(2)
    assert asked == [("", 0, 2)]


def test_problems_are_listed_not_thrown_at_people(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.status.problems.text() == "2 problems"
    problems = work(loaded).docks["problems"]
    assert not problems.isVisible()
    qtbot.mouseClick(loaded.status.problems, LEFT)
    assert problems.isVisible()
    model = work(loaded).problems.model
    assert "construct.json is empty" in model.index(0, 0).data()
    assert "Copy the file again" in model.index(0, 1).data()
    qtbot.mouseClick(work(loaded).problems.close_button, LEFT)
    assert not problems.isVisible()


def test_a_notice_has_details_and_can_be_closed(qtbot: QtBot, window: MainWindow) -> None:
    window.session.noticed.emit(Message("gui.notice.crashed"), "Traceback: planted")
    assert window.notice.isVisible()
    assert not window.notice._details.isVisible()
    qtbot.mouseClick(window.notice._more, LEFT)
    assert "planted" in window.notice._details.toPlainText()
    qtbot.mouseClick(window.notice._close, LEFT)
    assert not window.notice.isVisible()
    window.session.noticed.emit(Problem("file_missing", "/a/b"), "")
    assert "/a/b is not there." in window.notice.sentence


def test_the_language_changes_at_once(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.actions_registry["language_zh_CN"].trigger()
    assert current_language() == "zh_CN"
    view = work(loaded)
    assert view.table.model.headerData(0, Qt.Orientation.Horizontal) == "算子"
    assert "引入" in view.summary.sentence
    assert view.verdicts.chips[Category.EQUAL].text().endswith("相等")
    assert loaded.actions_registry["next"].text() == "下一个有差异的行"
    assert view.docks["operators"].windowTitle() == "算子树"
    english = [
        label.text()
        for label in loaded.findChildren(QLabel)
        if label.isVisible()
        and label.text().isascii()
        and sum(word.isalpha() for word in label.text().split()) > 2
    ]
    assert english == []
    loaded.actions_registry["language_en"].trigger()
    assert view.table.model.headerData(0, Qt.Orientation.Horizontal) == "Operator"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_plots_take_the_colours_of_the_scheme(loaded: MainWindow, mode: str) -> None:
    loaded.actions_registry[f"theme_{mode}"].trigger()
    theme = loaded.context.theme
    assert theme.colours.dark == (mode == "dark")
    picture = work(loaded).trajectory._plot.grab().toImage()
    assert picture.pixelColor(3, 3) == theme.colour("card")
    assert loaded.grab().toImage().pixelColor(71, 53) == theme.colour("ground")


def test_the_layout_comes_back(qapp: QApplication, loaded: MainWindow, cell: CellResult) -> None:
    loaded.resize(860, 640)  # the offscreen screen is small
    work(loaded).docks["operators"].hide()
    work(loaded).detail.tabs.setCurrentIndex(2)
    loaded.top.search.setText("gelu")
    loaded.session.set_filter(text="gelu")
    loaded.close()
    again = make_window(qapp)
    assert again.size() == loaded.size()
    again.show()
    again.session.show_opened(Opened(result_info(cell), "", cell, build_facts(cell), 0.1))
    assert not work(again).docks["operators"].isVisible()
    assert work(again).detail.tabs.currentIndex() == 2
    assert again.top.search.text() == "gelu"
    assert work(again).table.model.rowCount() < len(cell.rows)
    again.close()
    again.deleteLater()


def test_a_narrow_window_shows_the_summary_as_a_tab(
    window: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    window.resize(1280, 800)
    show(cell)
    assert not work(window).docks["summary"].isVisible()
    assert work(window).detail.tabs.isTabVisible(0)


def test_everything_in_the_triage_loop_has_a_key_and_a_name(loaded: MainWindow) -> None:
    keys = {keys for _, listed in loaded.actions_registry.shortcuts() for _, keys in listed}
    assert {"F8", "Shift+F8", "Ctrl+C", "Ctrl+E", "F5", "Ctrl+O"} <= keys
    view = work(loaded)
    for widget in (
        view.operators.tree, view.table.table, view.trajectory, view.detail.tabs, loaded.top.search,
        loaded.top.step, loaded.top.rank, loaded.top.target, *view.verdicts.chips.values(),
    ):  # fmt: skip
        assert widget.accessibleName(), widget
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget
    for name, owner in (("focus_tree", view.operators.tree), ("focus_table", view.table.table)):
        loaded.actions_registry[name].trigger()
        assert owner.hasFocus()


def test_the_plainest_run_has_no_rows(
    window: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    empty = CellResult(
        cell.key,
        cell.key,
        cell.target,
        cell.golden,
        cell.rows.take(slice(0, 0)),
        cell.class_counts.take(slice(0, 0)),
    )
    show(empty)
    assert window.session.row == -1
    assert "nothing that could be shown" in work(window).table._note.sentence
    window.actions_registry["next"].trigger()
    assert "No row" in window.notice.sentence


def test_without_origins_the_first_difference_is_named(window: MainWindow, show: Callable[..., None]) -> None:
    show(gpt_result(layers=4, faulty_layer=1, origins=False))
    assert selected(window) == "Functional.gelu.1.forward"
    assert "differs" in work(window).summary.sentence


def test_exploring_and_comparing_take_turns(
    window: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    show(single_run(cell), golden="")
    assert window.session.is_exploring()
    show(cell)
    assert work(window).trajectory.isVisible()
    headings = {COLUMNS[number].key for number in work(window).table.columns.visible()}
    assert "verdict" in headings
    assert "target_max" not in headings


def test_no_widget_is_without_a_parent(loaded: MainWindow) -> None:
    strays = [
        widget
        for widget in QApplication.topLevelWidgets()
        if widget.isVisible() and widget is not loaded and isinstance(widget, QWidget)
    ]
    assert strays == []
