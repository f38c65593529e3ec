"""The item models: Qt's own rules, and sorting, filtering, copying against plain Python."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester

from core.errors import Problem
from core.records.result import CellResult
from core.records.stacks import Frame
from gui.models.call.arguments import ArgumentTable
from gui.models.call.details import arguments_of, stacks_of
from gui.models.call.stack import StackList
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.pair.problems import ProblemTable
from gui.models.search.query import Filter
from gui.models.table.column_table import ColumnTable
from gui.models.table.columns import COLUMNS
from gui.models.table.metric_table import MetricTable
from gui.models.table.table_column import Face, TableColumn

KEYS = [column.key for column in COLUMNS]
DOWN = Qt.SortOrder.DescendingOrder


@pytest.fixture
def table(qapp: object, cell: CellResult, facts: Facts) -> MetricTable:
    model = MetricTable()
    model.set_cell(cell, facts)
    return model


def test_models_keep_the_rules_of_qt(
    qtmodeltester: ModelTester, table: MetricTable, cell: CellResult, facts: Facts
) -> None:
    arguments, problems, stack = ArgumentTable(), ProblemTable(), StackList()
    arguments.set_arguments(arguments_of(cell, facts, 4))
    problems.set_problems([Problem("file_empty", "/a")])
    stack.set_frames((Frame("a.py", 3, "f", "x = 1"),), (True,))
    models: list[QAbstractItemModel] = [table, arguments, problems, stack]
    for model in models:
        qtmodeltester.check(model)
    for empty in (MetricTable(), ArgumentTable(), ProblemTable(), StackList()):
        qtmodeltester.check(empty)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("descending", [False, True])
def test_sorting_keeps_all_rows_and_orders_them(
    table: MetricTable, cell: CellResult, facts: Facts, key: str, descending: bool
) -> None:
    column = KEYS.index(key)
    table.sort(column, DOWN if descending else Qt.SortOrder.AscendingOrder)
    assert sorted(table.order.tolist()) == list(range(len(cell.rows)))
    values = COLUMNS[column].sort(cell, facts)[table.order].astype(float)
    known = values[~np.isnan(values)]
    assert np.isnan(values[len(known) :]).all()
    steps = known[1:].tolist(), known[:-1].tolist()
    assert all(later <= earlier if descending else later >= earlier for later, earlier in zip(*steps))


def test_names_sort_as_people_count(table: MetricTable) -> None:
    table.sort(0)
    names = list(dict.fromkeys(table.index(row, 0).data() for row in range(table.rowCount())))
    assert names.index("Functional.linear.2.forward") < names.index("Functional.linear.10.forward")


def test_persistent_indexes_survive_sorting(table: MetricTable) -> None:
    index = QPersistentModelIndex(table.index(40, 0))
    row = int(table.order[40])
    table.sort(KEYS.index("error"), DOWN)
    assert int(table.order[index.row()]) == row


def test_rows_are_found_in_any_order(table: MetricTable, cell: CellResult, facts: Facts) -> None:
    mask = Filter(text="gelu").mask(cell, facts)
    for sorted_by in (-1, KEYS.index("error")):
        table.set_mask(mask)
        table.sort(sorted_by)
        for row in (0, 57, int(np.flatnonzero(mask)[5])):
            at = table.view_row(row)
            assert (at >= 0) == bool(mask[row])
            assert at < 0 or int(table.order[at]) == row


def test_a_copy_pastes_into_a_spreadsheet(table: MetricTable, cell: CellResult) -> None:
    columns = [KEYS.index(key) for key in ("operator", "verdict", "error", "shape")]
    copied = list(csv.reader(io.StringIO(table.tab_separated([0, 1, 2], columns)), dialect="excel-tab"))
    assert copied[0] == ["Operator", "Verdict", "Error", "Shape"]
    assert len(copied) == 4
    assert all(len(line) == 4 for line in copied)
    assert [float(line[2]) for line in copied[1:]] == cell.rows.error[:3].tolist()


def test_numbers_read_as_in_print(table: MetricTable, cell: CellResult) -> None:
    row = int(np.flatnonzero(np.isinf(cell.rows.error))[0])
    assert table.index(row, KEYS.index("error")).data() == "Inf"
    row = int(np.flatnonzero((cell.rows.error > 0) & np.isfinite(cell.rows.error))[0])
    shown = table.index(row, KEYS.index("error")).data()
    assert "−" in shown
    assert math.isclose(float(shown.replace("−", "-")), cell.rows.error[row], rel_tol=0.01)
    cosine = table.index(row, KEYS.index("cosine")).data()
    assert cosine.startswith("0.9999999")  # cut off, not rounded to 1


def test_one_sided_calls_say_so(table: MetricTable, cell: CellResult) -> None:
    row = int(np.flatnonzero(cell.rows.golden_operator < 0)[0])
    index = table.index(row, KEYS.index("verdict"))
    assert index.data() == "target only"
    assert "on the target only" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_arguments_of_both_sides_stand_beside_each_other(cell: CellResult, facts: Facts) -> None:
    row = int(np.flatnonzero(facts.category == Category.INTRODUCED)[0])
    found = {item.slot: item for item in arguments_of(cell, facts, row)}
    assert (found["input.approximate"].target, found["input.approximate"].golden) == ('"tanh"', '"none"')
    assert found["input.approximate"].changed
    assert not found["output.0"].changed
    one_sided = int(np.flatnonzero(cell.rows.golden_operator < 0)[0])
    assert [(item.target, item.golden) for item in arguments_of(cell, facts, one_sided)] == [
        ("float16  2 × 2 × 12 × 12", "")
    ]


def test_a_backward_call_shows_the_stack_of_its_forward_call(cell: CellResult, facts: Facts) -> None:
    backward = facts.operators.texts.index("Functional.gelu.3.backward")
    stacks = stacks_of(cell, facts, int(np.flatnonzero(facts.operator == backward)[0]))
    assert stacks.of_forward
    assert stacks.target[0].path == "train/model.py"
    assert stacks.target == stacks.golden


class NumberColumn(TableColumn[np.ndarray]):
    @property
    def title(self) -> str:
        return self.key

    @property
    def help(self) -> str:
        return self.key


class Numbers(ColumnTable):
    """One column of numbers."""

    def __init__(self, numbers: np.ndarray) -> None:
        def show(shown: np.ndarray, row: int) -> str:
            return str(shown[row])

        super().__init__([NumberColumn("error", Face.NUMBER, 80, np.asarray, show, show)])
        self._set_source(len(numbers), numbers)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64", "float32"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_ends_of_a_number_format_sort_where_they_belong(kind: str, descending: bool) -> None:
    ends = np.finfo(kind) if kind == "float32" else np.iinfo(kind)
    values = np.array([5, ends.min, 0, ends.max, 5, 1], kind)
    model = Numbers(values)
    model.sort(0, DOWN if descending else Qt.SortOrder.AscendingOrder)
    plain = values.tolist()
    expected = sorted(range(len(plain)), key=lambda row: -plain[row] if descending else plain[row])
    assert model.order.tolist() == expected
    assert [model.view_row(row) for row in expected] == list(range(len(plain)))
    assert model.data(model.index(0, 0)) == str(values[expected[0]])
