"""What the overflow page shows, without a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import overflow_reports
from builders.overflow_reports import birth, report, track
from builders.results import gpt_result
from PySide6.QtCore import QModelIndex, Qt

from core.messages import LANGUAGES, text
from core.records.overflow import BirthKind, Level, Mode, Special, Way
from core.records.run import CellKey
from gui.models.call.details import row_of_call
from gui.models.overflow.births import BirthColumn, BirthTree, ranks_text
from gui.models.overflow.matrix import CellState, cell_tip, matrix_of
from gui.models.overflow.stations import StationList
from gui.models.overflow.summary import calm_of
from gui.models.overflow.words import fact_text, value_words
from gui.models.pair.categories import Category
from gui.models.pair.facts import build_facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_level_way_mode_and_value_has_its_words(language: str) -> None:
    codes = [f"overflow.kind.{kind.value}{end}" for kind in BirthKind for end in ("", ".help")]
    codes += [f"overflow.level.{level.value}{end}" for level in Level for end in ("", ".help")]
    codes += [f"overflow.mode.{mode.value}{end}" for mode in Mode for end in ("", ".help")]
    codes += [f"overflow.way.{way.value}" for way in Way]
    codes += [f"gui.overflow.cell.{state.name.lower()}" for state in CellState]
    codes += [f"gui.overflow.column.{column.name.lower()}" for column in BirthColumn]
    assert [code for code in codes if text(code, language) == code] == []


def test_values_are_named_in_a_fixed_order() -> None:
    assert value_words(Special.SATURATED | Special.NAN | Special.MINUS_INF) == ["NaN", "−Inf", "saturated"]
    assert value_words(Special.NONE) == []


def test_evidence_is_read_as_words() -> None:
    assert fact_text("evidence", "statistics") == text("evidence.statistics")
    assert fact_text("dtype", "torch.float16") == "float16"
    assert fact_text("largest_input", 19056.2) == "19\u202f056"


@pytest.mark.parametrize(
    ("ranks", "said"), [((), "3"), ((0, 1, 2), "0–3"), ((7, 5), "3, 5, 7"), (tuple(range(64)), "0–63")]
)
def test_ranks_are_put_together(ranks: tuple[int, ...], said: str) -> None:
    assert ranks_text(replace(birth(CellKey("", 0, 3), 1, 9), ranks=ranks)) == said


def test_the_matrix_knows_each_state() -> None:
    one, two, three, four = (CellKey("", 0, rank) for rank in range(4))
    none, some = np.empty(0, np.int32), np.array([4], np.int32)
    nan = np.array([Special.NAN], np.uint8)
    late = CellKey("", 1, 0)
    made = report(
        origins=(
            birth(one, 4, 9),
            birth(one, 6, 9, earliest=False),
            birth(late, 0, 9, BirthKind.PARAMETER, earliest=False),
        ),
        expected=(birth(three, 2, 9, values=Special.MINUS_INF),),
        tracks=(
            track(one, 9, some, nan),
            track(two, 9, some, nan),
            track(three, 9, none, none),
            track(four, 9, none, none, undecided=3),
            track(late, 9, some, nan),
        ),
    )
    matrix = matrix_of(made)
    assert matrix.ranks == (0, 1, 2, 3)
    assert matrix.steps == (("", 0), ("", 1))
    states = [[CellState(int(state)) for state in row] for row in matrix.state]
    gone = CellState.NOT_DUMPED
    assert states == [
        [CellState.EARLIEST, CellState.BORN], [CellState.BAD, gone], [CellState.EXPECTED, gone],
        [CellState.UNDECIDED, gone],
    ]  # fmt: skip
    assert matrix.birth.tolist() == [[0, 2], [-1, -1], [-1, -1], [-1, -1]]
    assert int(matrix.births[0, 0]) == 2
    assert cell_tip(matrix, made, 3, 0).splitlines() == [
        "step 0 · rank 3", "all that can be told is finite",
        "of 3 calls the dump does not tell whether they are finite",
    ]  # fmt: skip
    assert "1 of 9 calls holds bad values" in cell_tip(matrix, made, 1, 0)
    assert matrix.place(late) == (0, 1)
    assert matrix.place(CellKey("", 7, 0)) is None


def test_a_birth_of_all_ranks_is_in_all_their_cells() -> None:
    matrix = matrix_of(overflow_reports.training())
    at = [int(first) for first in matrix.birth[:, 0]]
    assert at == [2, 0, 1, 2]


def test_phases_are_columns_of_their_own() -> None:
    none = np.empty(0, np.int32)
    keys = [CellKey(phase, 0, 0) for phase in ("update_actor", "generate")]
    matrix = matrix_of(report(tracks=tuple(track(key, 5, none, none) for key in keys)))
    assert matrix.steps == (("generate", 0), ("update_actor", 0))
    assert matrix.key(0, 1) == keys[0]


def test_the_tree_has_births_and_one_group() -> None:
    made, tree = overflow_reports.training(), BirthTree()
    tree.set_births(made.origins, made.expected)
    assert tree.rowCount() == 5
    group = tree.group_index()
    assert tree.rowCount(group) == len(made.expected) == 12
    inside = tree.index(3, 0, group)
    assert tree.parent(inside) == group
    assert tree.birth_at(inside) is made.expected[3]
    assert tree.index_of(made.expected[3]) == inside
    assert tree.index_of(made.origins[2]) == tree.index(2, 0)
    assert not tree.index_of(None).isValid()
    assert tree.birth_at(group) is None
    assert tree.as_text([group]) == ""
    assert tree.data(group) == "12 infinities that are meant, as in masks"
    tree.set_births(made.origins, ())
    assert not tree.group_index().isValid()
    assert tree.rowCount(QModelIndex()) == 4


def test_a_long_group_is_told_in_portions() -> None:
    tree, one = BirthTree(), overflow_reports.training().expected[0]
    expected = [replace(one, row=row) for row in range(1800)]
    tree.set_births((), expected)
    group = tree.group_index()
    first = tree.rowCount(group)
    assert 0 < first < len(expected)
    tree.fetchMore(group)
    assert first < tree.rowCount(group) < len(expected)
    assert tree.birth_at(tree.index_of(expected[1700])) is expected[1700]
    while tree.canFetchMore(group):
        tree.fetchMore(group)
    assert tree.rowCount(group) == len(expected)


def test_copied_names_stay_on_their_line() -> None:
    odd = birth(CellKey("", 0, 0), 1, 9, name="a\tb\nc")
    tree = BirthTree()
    tree.set_births((odd,), ())
    lines = tree.as_text([tree.index(0, 0)]).split("\n")
    assert len(lines) == 2
    assert lines[1].split("\t")[0] == "a b c"


def test_the_course_has_a_heading_a_cell() -> None:
    made, stations = overflow_reports.training(), StationList()
    stations.set_spread(made.spreads[0])
    headings = [stations.index(row, 0).data() for row, stop in enumerate(stations.stops) if stop.heading]
    assert headings[:2] == ["step 0 · rank 1", "step 0 · rank 0"]
    assert headings[-1] == "step 2 · rank 1"
    assert stations.stations == 15
    assert not stations.flags(stations.index(0, 0)) & Qt.ItemFlag.ItemIsSelectable
    assert "left by the step before" in stations.as_text()
    one = overflow_reports.one_cell()
    stations.set_spread(one.spreads[0])
    assert not any(stop.heading for stop in stations.stops)
    stations.set_spread(None)
    assert stations.rowCount() == 0


def test_calm_is_good_news_only_where_all_was_decided() -> None:
    assert calm_of(overflow_reports.clean()).category is Category.EQUAL
    assert calm_of(overflow_reports.clean(undecided=1)).category is Category.NOT_COMPARED
    assert calm_of(report()).category is Category.NOT_COMPARED
    assert calm_of(overflow_reports.expected_only()).category is Category.EQUAL


def test_the_row_of_a_call_is_found_by_place_then_by_name() -> None:
    cell = gpt_result(layers=3, faulty_layer=1)
    facts = build_facts(cell)
    names = [cell.target.strings[int(name)] for name in cell.target.operators.name]
    at = names.index("Functional.gelu.1.forward")
    row = row_of_call(cell, facts, at, "", "output.0")
    assert facts.slots[int(facts.slot[row])] == "output.0"
    assert int(cell.rows.target_operator[row]) == at
    worst = row_of_call(cell, facts, -1, "Functional.gelu.1.forward")
    assert facts.category[worst] == facts.category[cell.rows.target_operator == at].max()
    assert row_of_call(cell, facts, -1, "nobody") == -1
    assert row_of_call(None, None, 0, "") == -1
