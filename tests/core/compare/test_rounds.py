"""What became of each call from one round to the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.results import gpt_result, result_info

from core.compare.rounds import FACTORS, cell_rounds, compare_rounds
from core.errors import InputError
from core.progress import run_to_end
from core.records.columns import StringPool
from core.records.result import CellResult, Evidence, Origin, Reason, RowTable, Verdict
from core.records.rounds import RoundStatus
from core.records.run import CellKey
from core.report.rounds_report import moved_origins
from core.store.results import result_writer

S = RoundStatus
ROW = {"error": 1.0, "allowed": 0.1, "verdict": Verdict.DIFFERS, "reason": Reason.BEYOND_NOISE,
       "evidence": Evidence.FULL, "origin": Origin.UNKNOWN}  # fmt: skip
GOOD = {"error": 0.01, "verdict": Verdict.CLOSE, "reason": Reason.WITHIN_NOISE}
BLIND = {"error": np.nan, "verdict": Verdict.NOT_COMPARED, "reason": Reason.UNREADABLE, "evidence": 0}
EMPTY = {**BLIND, "reason": Reason.BOTH_EMPTY}
NAN = {"error": np.nan, "reason": Reason.SPECIAL_VALUES}
INVALID = {"verdict": Verdict.GOLDEN_INVALID, "reason": Reason.GOLDEN_SPECIAL_VALUES}


def _with(cell: CellResult, **columns: object) -> CellResult:
    return replace(cell, rows=replace(cell.rows, **columns))


def _clean(cell: CellResult) -> CellResult:
    """Return *cell* with every row close."""
    count = len(cell.rows)
    return _with(
        cell, verdict=np.full(count, Verdict.CLOSE, np.uint8),
        reason=np.full(count, Reason.WITHIN_NOISE, np.uint8),
        evidence=np.full(count, Evidence.FULL, np.uint8), origin=np.zeros(count, np.uint8),
        error=np.full(count, 0.01), allowed=np.full(count, 0.1),
    )  # fmt: skip


def _made(cell: CellResult, *rows: dict[str, float]) -> CellResult:
    """Return *cell*, clean but for the first rows of one call of four rows: these are *rows*."""
    made = _clean(cell)
    at = _call_of_four(cell)
    columns = {name: getattr(made.rows, name).copy() for name in ROW}
    for offset, row in enumerate(rows):
        for name, value in row.items():
            columns[name][at + offset] = value
    return _with(made, **columns)


def _call_of_four(cell: CellResult) -> int:
    rows = cell.rows
    begins = np.flatnonzero(
        np.append(True, (np.diff(rows.target_operator) != 0) | (np.diff(rows.golden_operator) != 0))
    )
    lengths = np.diff(np.append(begins, len(rows)))
    paired = (rows.target_operator[begins] >= 0) & (rows.golden_operator[begins] >= 0)
    return int(begins[np.flatnonzero((lengths >= 3) & paired)[0]])


def _became(before: CellResult, after: CellResult) -> RoundStatus:
    """Return what became of the call of four rows; all others are clean."""
    found = cell_rounds(before, after).calls
    name = before.rows.target_operator[_call_of_four(before)]
    of_call = found.row_before >= 0
    rows = before.rows.target_operator[found.row_before[of_call]] == name
    (at,) = np.flatnonzero(of_call)[rows][:1]
    others = np.delete(found.status, at)
    assert set(others.tolist()) <= {S.CLEAN, S.NOT_COMPARABLE}  # calls of one side are no pair
    return RoundStatus(int(found.status[at]))


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ([{}], [GOOD], S.FIXED),
        ([GOOD], [{}], S.NEW),
        ([GOOD], [GOOD], S.CLEAN),
        ([{}], [{}], S.UNCHANGED),
        ([{}], [{"error": 0.6}], S.UNCHANGED),
        ([{}], [{"error": 0.49}], S.BETTER),
        ([{}], [{"error": 2.1}], S.WORSE),
        ([{}], [{"error": 4.0, "allowed": 0.4}], S.UNCHANGED),  # the limit has grown as well
        ([{}, {"error": 9.0}], [{"error": 8.0}, GOOD], S.UNCHANGED),  # the worst of all its rows counts
        ([NAN], [{}], S.BETTER),
        ([{}], [NAN], S.WORSE),
        ([NAN, NAN], [NAN, GOOD], S.BETTER),
        ([NAN, {}], [NAN, {"error": 0.2}], S.BETTER),
        ([NAN], [NAN], S.UNCHANGED),
        ([{}], [BLIND], S.NOT_COMPARABLE),  # never fixed because nobody looked
        ([{}, GOOD], [GOOD, BLIND], S.NOT_COMPARABLE),
        ([{}, BLIND], [GOOD, BLIND], S.FIXED),
        ([BLIND, GOOD], [{}, GOOD], S.NOT_COMPARABLE),
        ([GOOD, BLIND], [GOOD, BLIND], S.NOT_COMPARABLE),
        ([{}], [{**GOOD, "evidence": Evidence.STATISTICS}], S.NOT_COMPARABLE),  # seen less sharply
        ([{**ROW, "evidence": Evidence.STATISTICS}], [GOOD], S.FIXED),
        ([{}], [{"error": 0.1, "evidence": Evidence.STATISTICS}], S.NOT_COMPARABLE),
        ([{"evidence": Evidence.STATISTICS}], [{"error": 0.3, "evidence": Evidence.STATISTICS}], S.UNCHANGED),
        ([{"evidence": Evidence.STATISTICS}], [{"error": 0.2, "evidence": Evidence.STATISTICS}], S.BETTER),
        ([INVALID], [GOOD], S.NOT_COMPARABLE),
        ([{}], [INVALID], S.NOT_COMPARABLE),
        ([{"reason": Reason.VALUE, "error": np.nan}], [GOOD], S.FIXED),
        ([{}], [{**GOOD, "reason": Reason.IDENTICAL, "evidence": Evidence.CHECKSUM}], S.FIXED),
        ([{}, EMPTY], [GOOD, EMPTY], S.FIXED),
    ],
)  # fmt: skip
def test_status(before: list[dict[str, float]], after: list[dict[str, float]], status: RoundStatus) -> None:
    cell = gpt_result(2, 1)
    made = [_made(cell, *({**ROW, **row} for row in rows)) for rows in (before, after)]
    assert _became(made[0], made[1]) is status


def test_the_factors_are_those_of_the_doc() -> None:
    assert FACTORS == {Evidence.FULL: 2.0, Evidence.STATISTICS: 4.0}


def _renamed(cell: CellResult, names: dict[str, str]) -> CellResult:
    strings = StringPool.of([names.get(text, text) for text in cell.target.strings])
    return replace(cell, target=replace(cell.target, strings=strings))


def test_a_renamed_call_is_found_by_its_golden_name() -> None:
    before = _made(gpt_result(2, 1), ROW)
    name = before.target.operator_name(int(before.rows.target_operator[_call_of_four(before)]))
    after = _renamed(_clean(before), {name: "Functional.fused_norm.0.forward"})
    found = cell_rounds(before, after)
    at = [found.names[index] for index in found.calls.name.tolist()].index("Functional.fused_norm.0.forward")
    assert found.calls.status[at] == S.FIXED


def test_calls_of_one_round_only() -> None:
    cell = _clean(gpt_result(2, 1))
    rows = cell.rows
    gone = int(rows.target_operator[_call_of_four(cell)])
    kept = _with(cell, **rows.take(rows.target_operator != gone).columns())
    assert cell_rounds(cell, kept).counts()[S.ONLY_BEFORE] == 1
    found = cell_rounds(kept, cell)
    assert found.counts()[S.ONLY_AFTER] == 1
    (at,) = np.flatnonzero(found.calls.status == S.ONLY_AFTER).tolist()
    assert found.names[int(found.calls.name[at])] == cell.target.operator_name(gone)
    assert found.calls.row_before[at] == -1


def test_origins_that_move() -> None:
    cell = gpt_result(2, 1)
    before, after = (
        _made(cell, {**ROW, "origin": Origin.INTRODUCED}),
        _made(cell, {**ROW, "origin": Origin.INHERITED}),
    )
    name = cell.target.operator_name(int(cell.rows.target_operator[_call_of_four(cell)]))
    found = cell_rounds(before, after)
    assert (moved_origins(found, True), moved_origins(found, False)) == ([name], [])
    found = cell_rounds(after, before)
    assert (moved_origins(found, True), moved_origins(found, False)) == ([], [name])


def test_a_round_with_itself_changes_nothing() -> None:
    cell = gpt_result(3, 1)
    counts = cell_rounds(cell, cell).counts()
    assert all(
        counts[status] == 0 for status in (S.NEW, S.WORSE, S.BETTER, S.FIXED, S.ONLY_AFTER, S.ONLY_BEFORE)
    )
    assert counts[S.CLEAN]
    assert counts[S.UNCHANGED]


def test_nothing_at_all() -> None:
    cell = _with(gpt_result(2, 1), **RowTable.empty().columns())
    assert sum(cell_rounds(cell, cell).counts().values()) == 0


def _written(place: Path, *cells: CellResult, golden: str = "/g") -> str:
    info = replace(result_info(cells[0]), cells=tuple(cell.key for cell in cells), golden_path=golden)
    with result_writer(place) as writer:
        for cell in cells:
            writer.add_cell(cell)
        writer.finish(info)
    return str(place)


def _at(cell: CellResult, step: int, rank: int) -> CellResult:
    key = CellKey("", step, rank)
    return replace(cell, key=key, golden_key=key)


def test_several_steps_and_ranks(tmp_path: Path) -> None:
    bad, good = _made(gpt_result(2, 1), ROW), _clean(gpt_result(2, 1))
    before = _written(tmp_path / "1.h5", _at(bad, 0, 0), _at(good, 0, 1), _at(bad, 1, 0))
    after = _written(tmp_path / "2.h5", _at(good, 0, 0), _at(bad, 0, 1), _at(bad, 2, 0))
    rounds = run_to_end(compare_rounds(before, after))
    assert [cell.key for cell in rounds.cells] == [CellKey("", 0, 0), CellKey("", 0, 1)]
    assert (rounds.counts()[S.FIXED], rounds.counts()[S.NEW]) == (1, 1)
    codes = [problem.code for problem in rounds.problems]
    assert codes == ["rounds_one_sided_cells", "rounds_one_sided_cells"]


def test_one_cell_each_is_the_same_one(tmp_path: Path) -> None:
    bad, good = _made(gpt_result(2, 1), ROW), _clean(gpt_result(2, 1))
    before = _written(tmp_path / "1.h5", _at(bad, 3, 0), golden="/other")
    rounds = run_to_end(compare_rounds(before, _written(tmp_path / "2.h5", _at(good, 7, 0))))
    assert rounds.counts()[S.FIXED] == 1
    assert not rounds.problems  # the golden lies elsewhere, and holds the same
    slots = replace(good.golden.slots, max=good.golden.slots.max + 1)
    other = replace(good, golden=replace(good.golden, slots=slots))
    rounds = run_to_end(compare_rounds(before, _written(tmp_path / "3.h5", _at(other, 7, 0))))
    assert [problem.code for problem in rounds.problems] == ["rounds_other_golden"]


def test_what_cannot_be_rounds(tmp_path: Path) -> None:
    cell = gpt_result(2, 1)
    two = _written(tmp_path / "2.h5", _at(cell, 0, 0), _at(cell, 1, 0))
    with pytest.raises(InputError) as refused:
        run_to_end(compare_rounds(two, _written(tmp_path / "3.h5", _at(cell, 5, 0), _at(cell, 6, 0))))
    assert refused.value.problem.code == "rounds_no_common_cells"
    with pytest.raises(InputError) as refused:
        run_to_end(compare_rounds(two, _written(tmp_path / "4.h5", cell, golden="")))
    assert refused.value.problem.code == "rounds_without_golden"
