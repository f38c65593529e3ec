"""Sorting by several columns, and what stays selected."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.models.pair.facts import Facts
from gui.models.table.columns import COLUMNS, PLACES
from gui.models.table.metric_table import MetricTable
from gui.models.table.ranks import Ranks, ordered
from gui.views.table.view import TableView

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
FLOATS = st.sampled_from([float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, 2.0, -3.5, 1e-300])


def view(window: MainWindow) -> TableView:
    assert window.workspace is not None
    return window.workspace.table


def press_heading(qtbot: QtBot, window: MainWindow, key: str, also: bool = False) -> None:
    header = view(window).table.heading
    where = QPoint(header.sectionViewportPosition(PLACES[key]) + 20, 10)
    modifier = SHIFT if also else Qt.KeyboardModifier.NoModifier
    qtbot.mouseClick(header.viewport(), LEFT, modifier, where)


@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=40), st.booleans(), st.booleans())
def test_two_keys_sort_as_in_plain_python(
    pairs: list[tuple[float, float]], first_down: bool, then_down: bool
) -> None:
    columns = [np.array([pair[at] for pair in pairs], float) for at in range(2)]
    order = ordered(
        [Ranks.of(values).directed(down) for values, down in zip(columns, (first_down, then_down))]
    )

    def key(row: int) -> tuple[tuple[bool, float], ...]:
        made = []
        for value, down in zip(pairs[row], (first_down, then_down)):
            unknown = value != value
            made.append((unknown, 0.0 if unknown else -value if down else value))
        return tuple(made)

    assert order.tolist() == sorted(range(len(pairs)), key=key)


def test_more_places_than_sixteen_bits_hold() -> None:
    values = np.random.default_rng(1).permutation(70_000).astype(float)
    assert ordered([Ranks.of(values).directed(False)]).tolist() == np.argsort(values).tolist()
    assert ordered([Ranks.of(values).directed(True)]).tolist() == np.argsort(-values).tolist()


@pytest.mark.parametrize(("first", "then"), [*itertools.permutations(("verdict", "dtype", "error"), 2)])
def test_the_second_key_orders_what_the_first_leaves(
    qapp: object, cell: CellResult, facts: Facts, first: str, then: str
) -> None:
    model = MetricTable()
    model.set_cell(cell, facts)
    model.sort_next(PLACES[first])
    model.sort_also(PLACES[then])
    keys = [COLUMNS[PLACES[key]].sort(cell, facts).astype(float) for key in (first, then)]
    down = [COLUMNS[PLACES[key]].largest_first for key in (first, then)]
    expected = sorted(
        range(len(facts)),
        key=lambda row: [
            (
                bool(np.isnan(values[row])),
                0 if np.isnan(values[row]) else -values[row] if fall else values[row],
            )
            for values, fall in zip(keys, down)
        ],
    )
    assert model.order.tolist() == expected


def test_a_shift_click_adds_a_key_turns_it_and_takes_it_away(qtbot: QtBot, loaded: MainWindow) -> None:
    model = view(loaded).model
    press_heading(qtbot, loaded, "verdict")
    press_heading(qtbot, loaded, "error", also=True)
    assert model.sort_keys == ((PLACES["verdict"], True), (PLACES["error"], True))
    titles = [model.headerData(PLACES[key], Qt.Orientation.Horizontal) for key in ("verdict", "error")]
    assert titles == ["Verdict ↓¹", "Error ↓²"]
    assert view(loaded).header.subtitle.endswith("sorted by Verdict, then Error")
    press_heading(qtbot, loaded, "error", also=True)
    assert model.sort_keys[1] == (PLACES["error"], False)
    press_heading(qtbot, loaded, "error", also=True)
    assert model.sort_keys == ((PLACES["verdict"], True),)
    press_heading(qtbot, loaded, "cosine")
    assert model.sort_keys == ((PLACES["cosine"], False),)


def test_there_are_three_keys_at_most(loaded: MainWindow) -> None:
    table, model = view(loaded).table, view(loaded).model
    for key in ("verdict", "slot", "error", "cosine"):
        table.sort_by(PLACES[key], also=True)
    assert [column for column, _down in model.sort_keys] == [
        PLACES[key] for key in ("verdict", "slot", "cosine")
    ]


def test_keys_sort_by_the_column_of_the_current_cell(qtbot: QtBot, loaded: MainWindow) -> None:
    table, model = view(loaded).table, view(loaded).model
    table.setFocus()
    table.setCurrentIndex(model.index(2, PLACES["verdict"]))
    qtbot.keyClick(table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert model.sort_keys == ((PLACES["verdict"], True),)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    qtbot.keyClick(table, Qt.Key.Key_Return, SHIFT)
    assert model.sort_keys == ((PLACES["verdict"], True), (PLACES["error"], True))


def test_what_is_not_counted_comes_last_either_way(qapp: object, cell: CellResult, facts: Facts) -> None:
    model = MetricTable()
    model.set_cell(cell, facts)
    for order in Qt.SortOrder:
        model.sort(PLACES["count"], order)
        counts = cell.rows.count[model.order]
        known = int((counts >= 0).sum())
        assert (counts[:known] >= 0).all()


def test_selected_rows_stay_selected(loaded: MainWindow) -> None:
    table, model = view(loaded).table, view(loaded).model
    flags = table.selectionModel().SelectionFlag.Select | table.selectionModel().SelectionFlag.Rows
    table.clearSelection()
    for at in (3, 4, 5, 60, 90):
        table.selectionModel().select(model.index(at, 0), flags)
    rows = {int(model.order[at]) for at in table.selected_rows()}
    table.sort_by(PLACES["error"])
    assert {int(model.order[at]) for at in table.selected_rows()} == rows
    loaded.session.set_filter(text="-gelu")
    shown = rows & set(model.order.tolist())
    assert {int(model.order[at]) for at in table.selected_rows()} == shown
    table.sort_by(-1)
    assert {int(model.order[at]) for at in table.selected_rows()} == shown


def test_all_stay_selected_when_all_were(loaded: MainWindow) -> None:
    table = view(loaded).table
    table.selectAll()
    table.sort_by(PLACES["error"])
    assert len(table.selected_rows()) == view(loaded).model.rowCount()


def test_no_heading_asks_whether_its_whole_column_is_selected(loaded: MainWindow) -> None:
    table = view(loaded).table
    table.selectAll()
    # Qt would look at each row for each heading it draws: half a minute at a million rows
    assert not table.heading.selectionModel().hasSelection()
