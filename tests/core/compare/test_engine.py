"""The engine over runs: cells, kinds of values, broken tensors, processes, results, cancelling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compare import engine, measuring
from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.diagnosis.jobs import read_cell_of_result, result_of_pair
from core.errors import InputError
from core.progress import run_to_end
from core.records.result import CellResult, Evidence, Reason, Verdict
from core.report.json_report import json_rows
from core.store.results import load_cell, load_cells, load_info
from tests.builders.dumps import call, write_dump

X = np.random.default_rng(5).standard_normal((16, 16)).astype(np.float32)
F = "Torch.f.0.forward"
NO_CACHE = CompareOptions(use_cache=False)


def cells_of(target: Path, golden: Path, options: CompareOptions = NO_CACHE, **how: Any) -> list[CellResult]:
    cells: list[CellResult] = []
    run_to_end(compare_runs(str(target), str(golden) if golden else "", options, take=cells.append, **how))
    return cells


def rows_of(cell: CellResult) -> dict[str, dict[str, Any]]:
    return {f"{row['operator']} {row['slot']}": row for row in json_rows(cell)}


def test_all_common_cells_in_execution_order(tmp_path: Path) -> None:
    for side, places in (("t", [(0, 0), (0, 1), (10, 0), (2, 0)]), ("g", [(0, 1), (2, 0), (10, 0), (3, 0)])):
        for step, rank in places:
            write_dump(tmp_path / side / f"step{step}" / f"rank{rank}", {F: call([X], [X])})
    cells = cells_of(tmp_path / "t", tmp_path / "g")
    assert [(cell.key.step, cell.key.rank) for cell in cells] == [(0, 1), (2, 0), (10, 0)]


def test_two_step_folders_are_a_pair_whatever_their_numbers(tmp_path: Path) -> None:
    write_dump(tmp_path / "t" / "step5" / "rank0", {F: call([X], [X])})
    write_dump(tmp_path / "g" / "step0" / "rank3", {F: call([X], [X])})
    (cell,) = cells_of(tmp_path / "t" / "step5", tmp_path / "g" / "step0" / "rank3")
    assert cell.counts()["equal"] == 2


def test_no_common_cell_names_what_is_there(tmp_path: Path) -> None:
    for step in (0, 1):
        write_dump(tmp_path / "t" / f"step{step}" / "rank0", {F: call([X], [X])})
        write_dump(tmp_path / "g" / f"step{step + 5}" / "rank0", {F: call([X], [X])})
    with pytest.raises(InputError, match=r"step0/rank0.*step5/rank0"):
        cells_of(tmp_path / "t", tmp_path / "g")


def test_kinds_of_values(tmp_path: Path) -> None:
    target = {F: call([X, None, None, 1, [2, X], {"k": "a"}], [X])}
    golden = {F: call([X, None, X, X, [3, X], {"k": "a"}], [X])}
    (cell,) = cells_of(write_dump(tmp_path / "t", target), write_dump(tmp_path / "g", golden))
    found = {name.split(" ")[1]: (row["verdict"], row["reason"]) for name, row in rows_of(cell).items()}
    assert found == {
        "input.0": ("equal", "identical"),
        "input.1": ("equal", "both_none"),
        "input.2": ("differs", "type"),
        "input.3": ("differs", "type"),
        "input.4.0": ("differs", "value"),
        "input.4.1": ("equal", "identical"),
        "input.5.k": ("equal", "identical"),
        "output.0": ("equal", "identical"),
    }


def test_unrecorded_values(tmp_path: Path) -> None:
    for side, value in (("t", {}), ("g", {})):
        folder = write_dump(tmp_path / side, {F: call([X, 5], [X])})
        said = json.loads((folder / "dump.json").read_text())
        said["data"][F]["input_args"][1] = value
        (folder / "dump.json").write_text(json.dumps(said))
    (cell,) = cells_of(tmp_path / "t", tmp_path / "g")
    assert set(rows_of(cell)) == {f"{F} input.0", f"{F} output.0"}
    write_dump(tmp_path / "g", {F: call([X, 5], [X])})
    (cell,) = cells_of(tmp_path / "t", tmp_path / "g")
    row = rows_of(cell)[f"{F} input.1"]
    assert (row["verdict"], row["reason"]) == ("not_compared", "unrecorded")


def test_a_broken_tensor_costs_its_own_row(tmp_path: Path) -> None:
    for side in ("t", "g"):
        write_dump(tmp_path / side, {F: call([X, X, X], [X])}, tensors=True)
    data = tmp_path / "t" / "dump_tensor_data"
    (data / f"{F}.input.0.npy").write_bytes(b"\x93NUMPY broken")
    (data / f"{F}.input.1.npy").unlink()
    (cell,) = cells_of(tmp_path / "t", tmp_path / "g")
    evidence = {name.split(" ")[1]: row["evidence"] for name, row in rows_of(cell).items()}
    assert evidence == {
        "input.0": "statistics",
        "input.1": "statistics",
        "input.2": "full",
        "output.0": "full",
    }
    assert cell.counts()["equal"] == 4
    sentences = [problem.sentence() for problem in (*cell.problems, *cell.target.problems)]
    assert any(f"{F}.input.0.npy" in sentence for sentence in sentences)
    assert len(sentences) == 2


def test_a_broken_tensor_without_statistics_is_not_compared(tmp_path: Path) -> None:
    for side in ("t", "g"):
        write_dump(tmp_path / side, {F: call([X], [X])}, tensors=True, statistics=False)
    (tmp_path / "t" / "dump_tensor_data" / f"{F}.input.0.npy").write_bytes(b"")
    (cell,) = cells_of(tmp_path / "t", tmp_path / "g")
    row = rows_of(cell)[f"{F} input.0"]
    assert (row["verdict"], row["reason"], row["evidence"]) == ("not_compared", "unreadable", "none")


def test_a_tensor_that_changed_after_parsing_is_a_problem_not_a_wrong_number(tmp_path: Path) -> None:
    for side in ("t", "g"):
        write_dump(tmp_path / side, {F: call([X], [X])}, tensors=True)
    options = CompareOptions()  # with the cache: the second call maps by what the first one saw
    cells_of(tmp_path / "t", tmp_path / "g", options)
    path = tmp_path / "t" / "dump_tensor_data" / f"{F}.input.0.npy"
    np.save(path, np.zeros((3, 3), np.float32))
    (cell,) = cells_of(tmp_path / "t", tmp_path / "g", options)
    assert rows_of(cell)[f"{F} input.0"]["evidence"] == "statistics"
    assert any(str(path) in problem.sentence() for problem in cell.problems)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    calls = {f"Torch.f.{index}.forward": call([X * index], [X + index]) for index in range(20)}
    noisy = {
        name: call([body["input_args"][0] * np.float32(1.01)], body["output"]) for name, body in calls.items()
    }
    write_dump(tmp_path / "t", noisy, tensors=True)
    write_dump(tmp_path / "g", calls, tensors=True)
    (alone,) = cells_of(tmp_path / "t", tmp_path / "g")
    monkeypatch.setattr(engine, "_WORTH_A_PROCESS", 0)
    monkeypatch.setattr(measuring, "_WORTH_PROCESSES", 0)
    (spread,) = cells_of(tmp_path / "t", tmp_path / "g", CompareOptions(use_cache=False, processes=processes))
    for name, values in alone.rows.columns().items():
        np.testing.assert_array_equal(getattr(spread.rows, name), values, err_msg=name)


def test_the_result_file_holds_what_was_found(tmp_path: Path) -> None:
    for side, factor in (("t", 1.5), ("g", 1.0)):
        for rank in (0, 1):
            calls = {F: call([X], [X * np.float32(factor), np.array([np.nan], np.float32)])}
            write_dump(
                tmp_path / side / "step0" / f"rank{rank}",
                calls,
                tensors=True,
                stacks={F: ["File a, line 1, in f, \n g()"]},
            )
    path = tmp_path / "out" / "结果.h5"
    cells = cells_of(tmp_path / "t", tmp_path / "g", result_path=str(path), compressed=True)
    info = load_info(path)
    assert info.cells == tuple(cell.key for cell in cells)
    assert info.thresholds["float32"]
    for kept, made in zip(load_cells(path), cells, strict=True):
        assert list(json_rows(kept)) == list(json_rows(made))
        assert list(kept.target.stacks) == list(made.target.stacks)
    assert load_cell(path, cells[1].key).key == cells[1].key
    with pytest.raises(InputError, match="step7"):
        load_cell(path, cells[0].key._replace(step=7))


def test_one_run_alone_can_be_explored(tmp_path: Path) -> None:
    write_dump(tmp_path / "t", {F: call([X, 3], [X])})
    (cell,) = cells_of_one(tmp_path / "t")
    assert set(cell.rows.reason.tolist()) == {Reason.SINGLE_RUN}
    assert set(cell.rows.verdict.tolist()) == {Verdict.NOT_COMPARED}
    assert len(cell.rows) == 3


def cells_of_one(target: Path) -> list[CellResult]:
    cells: list[CellResult] = []
    run_to_end(compare_runs(str(target), "", NO_CACHE, take=cells.append))
    return cells


def test_both_sides_may_be_the_same_folder(tmp_path: Path) -> None:
    write_dump(tmp_path / "t", {F: call([X], [X])}, tensors=True)
    (cell,) = cells_of(tmp_path / "t", tmp_path / "t")
    assert cell.counts()["equal"] == 2


def test_jobs_of_the_window(tmp_path: Path) -> None:
    for side in ("t", "g"):
        for step in (0, 1):
            write_dump(tmp_path / side / f"step{step}" / "rank0", {F: call([X], [X])}, tensors=True)
    path = run_to_end(result_of_pair(str(tmp_path / "t"), str(tmp_path / "g"), CompareOptions()))
    info = load_info(path)
    first, second = (run_to_end(read_cell_of_result(path, key)) for key in info.cells)
    assert set(first.rows.evidence.tolist()) == {Evidence.FULL}
    assert (first.key.step, second.key.step) == (0, 1)


def test_a_cancelled_comparison_leaves_no_file(tmp_path: Path) -> None:
    for side in ("t", "g"):
        write_dump(tmp_path / side, {F: call([X], [X])}, tensors=True)
    path = tmp_path / "out" / "r.h5"
    work = compare_runs(str(tmp_path / "t"), str(tmp_path / "g"), NO_CACHE, result_path=str(path))
    next(work)
    work.close()
    assert list(path.parent.iterdir()) == []
