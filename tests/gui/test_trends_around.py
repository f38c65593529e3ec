"""The trends view around its heat map: findings, layers, files, states, sizes and languages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import trend_pairs as pairs
from builders import trend_work
from builders.monitors import Row, write_v1
from builders.trend_pairs import BROKEN, DRIFT_LAYER, DRIFT_STEP, LAYERS, STEPS, layer
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language
from core.records.trends import TrendFindingName
from gui.main_window import MainWindow
from gui.models.trends.columns import JUDGED_COLUMNS
from gui.processes.work_state import Stage
from gui.trends import work as trends_work
from gui.views.trends.view import TrendsView, is_droppable

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
COLUMN = {column.key: number for number, column in enumerate(JUDGED_COLUMNS)}


@pytest.fixture
def empty(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrendsView]:
    """Return a view without anything on show."""
    view = pairs.answer_at_once(window, monkeypatch)
    yield view
    view.close()
    view.deleteLater()


@pytest.fixture
def view(empty: TrendsView, tmp_path: Path) -> TrendsView:
    """Return a view with a target that drifts from a layer and a step on."""
    empty.open_paths([str(path) for path in reversed(pairs.pair(tmp_path))])
    QApplication.processEvents()
    return empty


def cell_of(view: TrendsView) -> tuple[str, int]:
    cell = view.state.picture.cell
    assert cell is not None
    return cell.layer, cell.place


# ---- findings and layers


def test_a_finding_leads_to_its_cell(qtbot: QtBot, view: TrendsView) -> None:
    names = [found.name for found in view.state.findings]
    at = names.index(TrendFindingName.NOT_FINITE)
    row = view.findings.rows[at]
    row.setFocus()
    qtbot.keyClick(row, Qt.Key.Key_Return)
    assert view.state.picture.metric == "grad_reduced.norm"
    assert cell_of(view) == BROKEN
    assert row.property("chosen")
    view.state.turn_finding(True)
    assert view.state.finding == (at + 1) % len(names)


def test_a_row_of_the_layers_leads_to_its_first_bad_cell(qtbot: QtBot, view: TrendsView) -> None:
    view.findings.tabs.setCurrentIndex(1)
    model, table = view.findings.model, view.findings.table
    assert model.index(0, COLUMN["first"]).data() == str(DRIFT_STEP)
    steps = [model.index(row, COLUMN["first"]).data() for row in range(model.rowCount())]
    bad = [int(step) for step in steps if step != "—"]
    assert bad == sorted(bad)
    assert steps[len(bad) :] == ["—"] * (len(steps) - len(bad))
    row = next(
        row for row in range(model.rowCount())
        if model.index(row, COLUMN["metric"]).data() == "grad_reduced.norm"
        and model.index(row, COLUMN["first"]).data() != "—"
    )  # fmt: skip
    table.selectRow(row)
    assert cell_of(view) == BROKEN
    assert list(table.selected_rows()) == [row]
    view.findings.only.click()
    assert model.rowCount() == LAYERS
    assert not table.isColumnHidden(COLUMN["first"])
    assert table.isColumnHidden(COLUMN["metric"])


def test_copying_takes_the_curve_the_rows_or_the_findings(qtbot: QtBot, view: TrendsView) -> None:
    view.activateWindow()
    view.findings.tabs.setCurrentIndex(1)
    view.findings.table.setFocus()
    view.findings.table.selectRow(0)
    qtbot.waitUntil(lambda: bool(view.copied_text()), timeout=5000)  # the cell of the row is looked up
    lines = view.copied_text().splitlines()
    assert lines[0].split("\t")[:3] == ["Layer", "Metric", "First bad"]
    assert lines[1].split("\t")[:3] == [layer(DRIFT_LAYER), "actv.output.norm", str(DRIFT_STEP)]
    view.findings.tabs.setCurrentIndex(0)
    assert view.headline.words[1] in view.copied_text()
    qtbot.waitUntil(lambda: view.isActiveWindow(), timeout=2000)
    view.take_focus()
    assert view.map.canvas.hasFocus()
    copied = view.copied_text().splitlines()
    assert copied[0] == f"{layer(DRIFT_LAYER)}\tactv.output.norm"
    assert len(copied) == STEPS + 2
    step, target, golden, relative = copied[2 + DRIFT_STEP].split("\t")
    assert int(step) == DRIFT_STEP
    assert float(relative) == pytest.approx(float(target) / float(golden) - 1)


# ---- files


def test_grid_report_and_picture_are_written(view: TrendsView, tmp_path: Path) -> None:
    def write(name: str) -> Path:
        path = tmp_path / name
        view.state.export_grid(str(path)) if name.startswith("grid") else view.export(str(path))
        return path

    with write("grid.csv").open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == LAYERS * STEPS
    assert float(rows[DRIFT_LAYER * STEPS + DRIFT_STEP]["relative"]) == pytest.approx(0.1)
    assert json.loads(write("report.json").read_text("utf-8"))["first_bad_step"] == DRIFT_STEP
    picture = tmp_path / "picture.png"
    view.export(str(picture))
    image = QImage(str(picture))
    assert image.width() == 2 * view.map.canvas.width()
    assert image.height() > 2 * view.map.canvas.height()


# ---- states


def test_the_start_takes_a_drop(empty: TrendsView, tmp_path: Path) -> None:
    assert empty.start.isVisible()
    assert not empty.working
    assert empty.copied_text() == ""
    target, golden = pairs.pair(tmp_path)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (golden, target)])
    copy = Qt.DropAction.CopyAction
    QApplication.sendEvent(empty, QDragEnterEvent(QPoint(50, 50), copy, data, LEFT, NONE))
    QApplication.sendEvent(empty, QDropEvent(QPointF(50, 50), copy, data, LEFT, NONE))
    assert empty.state.stage is Stage.READY
    assert empty.state.target == str(target)
    assert not is_droppable([])
    assert not is_droppable(["a", "b", "c"])
    dump = tmp_path / "dump" / "step0" / "rank0"
    dump.mkdir(parents=True)
    (dump / "dump.json").write_text("{}", "utf-8")
    (dump / "other.csv").write_text("a", "utf-8")
    assert not is_droppable([str(tmp_path / "dump")])
    assert not is_droppable([str(target), str(tmp_path / "absent")])
    assert is_droppable([str(next(target.rglob("*.csv")))])


def test_one_run_alone_is_shown_and_a_second_one_compared_with_it(empty: TrendsView, tmp_path: Path) -> None:
    target, golden = pairs.pair(tmp_path)
    empty.open_paths([str(target)])
    assert empty.state.report is None
    assert empty.headline.words[0] == "One run"
    assert [button.isVisible() for button in empty.map.controls.sides.values()] == [False] * 3
    empty.map.controls.kind.activated.emit(1)
    assert empty.map.controls.count.text() == "1 cell not finite"
    empty.map.controls.after.click()
    assert cell_of(empty) == BROKEN
    assert not empty.findings.tabs.isTabVisible(1)
    assert not empty.grab().isNull()
    empty.open_paths([str(golden)])
    assert empty.state.golden == str(golden)
    assert empty.state.report is not None


def test_what_is_no_monitor_is_said(empty: TrendsView, tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("a,b\n1,2\n", "utf-8")
    empty.open_paths([str(path)])
    assert empty.state.stage is Stage.FAILED
    assert empty.note.sentences[0] == "The monitors could not be read"
    assert "notes.csv" in empty.note.sentences[1]
    empty.note.button.click()
    assert empty.start.isVisible()


def test_nothing_in_common_is_not_judged(empty: TrendsView, tmp_path: Path) -> None:
    for side, name in (("npu_monitor", "a"), ("gpu_monitor", "b")):
        write_v1(tmp_path / side, [Row("g", name, step, {"norm": 1.0}) for step in range(4)])
    empty.open_paths([str(tmp_path / "npu_monitor"), str(tmp_path / "gpu_monitor")])
    assert empty.headline.words[0] == "not judged"
    shown = [chip.words for chip in empty.map.legend.chips.values() if not chip.isHidden()]
    assert shown == ["target only  4", "golden only  4"]
    empty.state.go_to_first_bad()
    assert not empty.grab().isNull()


def test_rows_that_could_not_be_read_are_shown(empty: TrendsView, tmp_path: Path) -> None:
    target, golden = pairs.pair(tmp_path)
    file = next(target.rglob("grad_reduced*.csv"))
    file.write_text(file.read_text("utf-8") + "0,decoder.1.mlp,what,1.0\n", "utf-8")
    empty.open_paths([str(target), str(golden)])
    assert empty.headline.unread.isVisible()
    assert empty.headline.unread.text() == "1 unread row"
    empty.headline.unread.click()
    assert empty.findings.unread.isVisible()
    assert "what" in empty.findings.unread.toPlainText()


def test_offered_monitors_do_not_replace_what_was_brought(empty: TrendsView, tmp_path: Path) -> None:
    target, golden = pairs.pair(tmp_path)
    empty.state.offer([str(golden)])
    assert empty.state.target == str(golden)
    empty.state.offer([str(target), str(golden)])
    assert empty.state.golden == str(golden)
    empty.state.open(str(golden))
    empty.state.offer([str(target)])
    assert empty.state.target == str(golden)
    empty.state.open_paths(["a", "b", "c"])
    assert empty.state.target == str(golden)


def test_a_worker_reads_and_the_service_draws(
    window: MainWindow, tmp_path: Path, patience: Callable[..., None]
) -> None:
    target, golden = pairs.pair(tmp_path)
    view = TrendsView(window.context)
    view.resize(1200, 800)
    view.show()
    view.state.work = trend_work.endless_trends
    view.open_paths([str(target), str(golden)])
    assert view.working
    assert view.note.isVisible()
    assert view.note.progress.isVisible()
    view.cancel()
    assert view.state.stage is Stage.STOPPED
    view.state.work = trend_work.broken_trends
    view.state.again()
    patience(lambda: view.state.stage is Stage.FAILED)
    assert view.note.copy_details.isVisible()
    view.state.work = trends_work.read
    view.state.again()
    patience(lambda: view.state.picture.curve is not None)
    assert view.state.stage is Stage.READY
    assert cell_of(view) == (layer(DRIFT_LAYER), DRIFT_STEP)
    view.close()
    view.deleteLater()


# ---- looks


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(700, 480), (1100, 700), (1600, 960)])
def test_it_can_be_read_in_every_language_at_every_size(
    window: MainWindow, view: TrendsView, language: str, size: tuple[int, int]
) -> None:
    set_language(language)
    QApplication.sendEvent(view, QEvent(QEvent.Type.LanguageChange))
    for widget in (view.headline, view.map.controls, view.map.legend, view.map, view.curve, view.findings):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    view.resize(*size)
    for mode in ("dark", "light"):
        window.context.theme.set_mode(mode)
        QApplication.processEvents()
        assert not view.grab().isNull()
    for widget in (view.map.canvas, view.curve.canvas, view.findings.table, view.map.legend, view):
        assert widget.accessibleName()
        assert "gui." not in widget.accessibleName()
    assert view.map.canvas.scene.box.height() > 30
    set_language("en")


def test_the_room_is_shared_as_the_user_wants_it(window: MainWindow, view: TrendsView) -> None:
    side, upper = view.findings.width(), view.map.height()
    view._lower.setSizes([view._lower.width() - side - 70, side + 60])
    view._lower.splitterMoved.emit(0, 0)
    assert window.context.settings.trends_sizes == [view.findings.width(), view.map.height()]
    window.context.settings.trends_sizes = []
    view.arrange_anew()
    assert view.findings.width() == pytest.approx(side, abs=2)
    assert view.map.height() == pytest.approx(upper, abs=2)
