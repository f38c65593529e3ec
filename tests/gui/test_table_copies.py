"""What leaves the table: copies for spreadsheets and messages, and files of what is on show."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from core.errors import Problem
from core.messages import Message
from core.records.result import CellResult
from gui.copying import COPY_LIMIT, MARKDOWN_LIMIT
from gui.main_window import MainWindow
from gui.models.table.columns import PLACES
from gui.views.table.view import TableView


def view(window: MainWindow) -> TableView:
    assert window.workspace is not None
    return window.workspace.table


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], None]:
    """Return a function that answers the question where to, and as what."""

    def choose(place: Path, kind: str) -> None:
        def asked(_parent: object, _title: str, _suggestion: str, kinds: str) -> tuple[str, str]:
            return str(place), next(found for found in kinds.split(";;") if kind in found)

        monkeypatch.setattr(QFileDialog, "getSaveFileName", asked)

    return choose


def exported(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.session.succeeded, timeout=60_000):
        window.actions_registry["export"].trigger()


def test_a_copy_has_the_columns_on_show_in_their_order(
    qtbot: QtBot, loaded: MainWindow, cell: CellResult
) -> None:
    shown = view(loaded)
    heading = shown.table.heading
    heading.moveSection(heading.visualIndex(PLACES["error"]), 1)
    shown.table.selectRow(5)
    shown.table.setFocus()
    loaded.actions_registry["copy"].trigger()
    lines = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text()), dialect="excel-tab"))
    assert lines[0][:3] == ["Operator", "Error", "Slot"]
    assert float(lines[1][1]) == cell.rows.error[5]


def test_a_copy_as_markdown_reads_as_the_table(qtbot: QtBot, loaded: MainWindow) -> None:
    shown = view(loaded)
    row = next(at for at in range(shown.model.rowCount()) if "__add__" in shown.model.index(at, 0).data())
    shown.table.selectRow(row)
    loaded.actions_registry["copy_markdown"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("| Operator | Slot | Verdict | Error |")
    assert lines[1].startswith("| --- | --- | --- | ---: |")
    assert "Tensor.\\_\\_add\\_\\_." in lines[2]
    assert shown.model.index(row, PLACES["error"]).data() in lines[2]


@pytest.mark.parametrize("markdown", [False, True])
def test_too_many_rows_are_refused_in_words(loaded: MainWindow, markdown: bool) -> None:
    shown = view(loaded)
    limit = MARKDOWN_LIMIT if markdown else COPY_LIMIT
    facts, cell = loaded.session.facts, loaded.session.cell
    assert facts is not None
    assert cell is not None
    told: list[Message | Problem] = []
    loaded.session.noticed.connect(lambda message, _details: told.append(message))
    shown.model.order = np.zeros(limit + 1, np.int64)  # as many rows as that
    shown.model.layoutChanged.emit()
    shown.table.selectAll()
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    shown.table.setFocus()
    loaded.actions_registry["copy_markdown" if markdown else "copy"].trigger()
    assert clipboard.text() == "before"
    assert told == [Message("gui.notice.too_many_rows", {"limit": limit})]


def test_the_value_under_the_pointer_is_copied(qtbot: QtBot, loaded: MainWindow, cell: CellResult) -> None:
    shown = view(loaded)
    shown.table.scrollToTop()
    shown.table.selectRow(3)
    index = shown.model.index(3, PLACES["error"])

    def choose() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        found = next(at for at in menu.actions() if at.text() == "Copy value of this cell")
        menu.setActiveAction(found)
        qtbot.keyClick(menu, Qt.Key.Key_Return)

    QTimer.singleShot(50, choose)
    shown.table.customContextMenuRequested.emit(shown.table.visualRect(index).center())
    assert float(QGuiApplication.clipboard().text()) == cell.rows.error[3]


@pytest.mark.parametrize(("ending", "dialect"), [("csv", "excel"), ("tsv", "excel-tab")])
def test_the_table_as_shown_goes_into_a_file(
    qtbot: QtBot,
    loaded: MainWindow,
    tmp_path: Path,
    answer: Callable[[Path, str], None],
    ending: str,
    dialect: str,
) -> None:
    shown = view(loaded)
    loaded.session.set_filter(text="verdict:differs")
    shown.table.sort_by(PLACES["error"])
    answer(tmp_path / "table", f"*.{ending}" if ending != "csv" else "shown, CSV")
    exported(qtbot, loaded)
    with (tmp_path / f"table.{ending}").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, dialect))
    model, columns = shown.model, shown.columns.visible()
    assert rows[0] == [model.columns[number].title for number in columns]
    assert rows[1:] == [
        [model.plain_text(model.index(at, number)) for number in columns] for at in range(model.rowCount())
    ]


def test_calls_go_into_markdown(
    qtbot: QtBot, loaded: MainWindow, tmp_path: Path, answer: Callable[[Path, str], None]
) -> None:
    shown = view(loaded)
    shown.set_calls(True)
    answer(tmp_path / "calls.md", "Markdown")
    exported(qtbot, loaded)
    lines = (tmp_path / "calls.md").read_text("utf-8").splitlines()
    assert len(lines) == shown.model.rowCount() + 2
    assert lines[0].startswith("| Operator | Verdict |")


def test_the_report_of_calls_has_all_their_slots(
    qtbot: QtBot, loaded: MainWindow, tmp_path: Path, answer: Callable[[Path, str], None]
) -> None:
    view(loaded).set_calls(True)
    answer(tmp_path / "report.csv", "Report")
    exported(qtbot, loaded)
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert loaded.session.facts is not None
    assert len(rows) == len(loaded.session.facts) + 1
    assert rows[0][0] == "NPU Name"
