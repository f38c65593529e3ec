"""Operators as rows: what the rows of a call come to, against plain Python, and the switch between both."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from builders.results import gpt_result
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.models.call.details import rows_of_call
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.roles import Role
from gui.models.search.query import Filter
from gui.models.table.call_columns import CALL_COLUMNS
from gui.models.table.metric_table import CallTable
from gui.views.table.view import TableView

CALLS = {column.key: place for place, column in enumerate(CALL_COLUMNS)}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def table(qapp: object, cell: CellResult, facts: Facts) -> CallTable:
    model = CallTable()
    model.set_cell(cell, facts)
    return model


def view(window: MainWindow) -> TableView:
    assert window.workspace is not None
    return window.workspace.table


def button(window: MainWindow, words: str) -> QToolButton:
    return next(found for found in view(window).findChildren(QToolButton) if found.text() == words)


def ratio(cell: CellResult, row: int) -> float:
    error, allowed = float(cell.rows.error[row]), float(cell.rows.allowed[row])
    if math.isnan(error):
        return -1.0
    return 0.0 if error == 0 else math.inf if allowed == 0 else error / allowed


def test_the_model_keeps_the_rules_of_qt(qtmodeltester: ModelTester, table: CallTable) -> None:
    qtmodeltester.check(table)
    qtmodeltester.check(CallTable())


def test_a_call_shows_the_worst_of_its_outputs(table: CallTable, cell: CellResult, facts: Facts) -> None:
    assert table.rowCount() == len(facts.calls)
    for at in range(table.rowCount()):
        rows = rows_of_call(facts, int(facts.calls.first_row[at]))
        outputs = [row for row in rows if facts.is_output[row]]
        shown = {key: table.plain_text(table.index(at, place)) for key, place in CALLS.items()}
        assert int(shown["call_slots"]) == len(rows)
        differ = [row for row in rows if Category(int(facts.category[row])).differs]
        assert int(shown["call_differing"]) == len(differ)
        worst = max(int(facts.category[row]) for row in rows)
        assert table.index(at, CALLS["verdict"]).data(Role.CATEGORY) == worst
        judged = [row for row in outputs if ratio(cell, row) >= 0]
        if judged:
            row = max(judged, key=lambda row: ratio(cell, row))
            assert float(shown["call_error"]) == cell.rows.error[row]
            assert float(shown["call_allowed"]) == cell.rows.allowed[row]
        else:
            assert shown["call_error"] == shown["call_allowed"] == ""
        for key, metric, pick in (("call_cosine", "cosine", min), ("call_max_abs", "max_abs", max)):
            known = [
                float(value) for value in getattr(cell.rows, metric)[outputs] if not math.isnan(float(value))
            ]
            assert shown[key] == (repr(pick(known)) if known else "")


def test_a_call_is_shown_if_one_of_its_rows_passes(table: CallTable, cell: CellResult, facts: Facts) -> None:
    mask = Filter(text="output verdict:differs").mask(cell, facts)
    table.set_mask(mask)
    wanted = [at for at in range(len(facts.calls)) if mask[facts.call_of_row == at].any()]
    assert 0 < len(wanted) < len(facts.calls)
    assert table.order.tolist() == wanted
    for item in wanted:
        assert mask[table.row_of(item)]
        assert table.item_of(table.row_of(item)) == item
    assert table.rows_of_order().tolist() == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("key", CALLS)
@pytest.mark.parametrize("order", [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder])
def test_calls_are_sorted_and_none_is_lost(
    table: CallTable, facts: Facts, key: str, order: Qt.SortOrder
) -> None:
    table.sort(CALLS[key], order)
    assert sorted(table.order.tolist()) == list(range(len(facts.calls)))
    if key.startswith("call_") and key not in ("call_dtype", "call_shape"):
        texts = [table.plain_text(table.index(at, CALLS[key])) for at in range(table.rowCount())]
        known = [float(text) for text in texts if text]
        assert known == sorted(known, reverse=order == Qt.SortOrder.DescendingOrder)
        assert not any(texts[len(known) :])


def test_a_cell_without_rows_has_no_calls(
    qapp: object, show: Callable[..., None], window: MainWindow
) -> None:
    show(gpt_result(layers=1, faulty_layer=0))
    assert window.session.facts is not None
    view(window).set_calls(True)
    window.session.set_filter(text="no-such-name")
    assert view(window).model.rowCount() == 0
    assert not view(window).table.isVisible()


def test_the_switch_turns_slots_into_operators_and_back(
    qtbot: QtBot, loaded: MainWindow, facts: Facts
) -> None:
    row = loaded.session.row
    qtbot.mouseClick(button(loaded, "Operators"), LEFT)
    shown = view(loaded)
    assert shown.model.rowCount() == len(facts.calls)
    assert shown.table.isVisible()
    assert loaded.session.row == row
    assert shown.model.order[shown.table.currentIndex().row()] == facts.call_of_row[row]
    loaded.actions_registry["switch_rows"].trigger()
    assert shown.model.rowCount() == len(facts)
    assert shown.model.order[shown.table.currentIndex().row()] == row


def test_selecting_a_call_selects_its_worst_row(
    qtbot: QtBot, loaded: MainWindow, cell: CellResult, facts: Facts
) -> None:
    shown = view(loaded)
    shown.set_calls(True)
    shown.table.setFocus()
    shown.table.scrollToTop()
    qtbot.keyClick(shown.table, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    for _ in range(12):
        qtbot.keyClick(shown.table, Qt.Key.Key_Down)
        rows = rows_of_call(facts, loaded.session.row)
        assert facts.category[loaded.session.row] == max(facts.category[rows.start : rows.stop])
        at = int(shown.model.order[shown.table.currentIndex().row()])
        assert facts.call_of_row[loaded.session.row] == at


def test_the_way_rows_stand_is_remembered(loaded: MainWindow, show: Callable[..., None]) -> None:
    loaded.actions_registry["switch_rows"].trigger()
    assert loaded.context.settings.calls_as_rows
    show(gpt_result(layers=3, faulty_layer=1))
    assert loaded.session.facts is not None
    assert view(loaded).model.rowCount() == len(loaded.session.facts.calls)
    assert view(loaded).header.subtitle.startswith(str(len(loaded.session.facts.calls)))


def test_a_selected_row_stays_while_the_table_shows_something_else(
    loaded: MainWindow, facts: Facts, cell: CellResult
) -> None:
    shown = view(loaded)
    row = int(np.flatnonzero(facts.category == Category.CLOSE)[5])
    loaded.session.select(row)
    for act in (
        lambda: shown.table.sort_by(4),
        lambda: loaded.session.set_filter(text="verdict:close"),
        lambda: loaded.actions_registry["switch_rows"].trigger(),
        lambda: loaded.session.set_filter(text=""),
        lambda: loaded.actions_registry["switch_rows"].trigger(),
    ):
        act()
        assert loaded.session.row == row
        current = int(shown.model.order[shown.table.currentIndex().row()])
        assert current == shown.model.item_of(row)
        assert shown.table.selectionModel().isRowSelected(shown.table.currentIndex().row())
