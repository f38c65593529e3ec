"""Births in dumps of the official dumper: the right operator, rank and step, and no innocent mask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.overflow.engine import overflow_of_runs
from core.overflow.jobs import overflow_of_result, read_official
from core.progress import run_to_end
from core.records.overflow import BirthKind, Level, Mode, OverflowReport, Special, Way
from core.records.stacks import decode_stack

DATA = Path(__file__).resolve().parents[2] / "data"
DUMPS = DATA / "msprobe"

Examine = Callable[..., OverflowReport]


def examine(target: Path | str, golden: Path | str = "", **options: tuple[int, ...]) -> OverflowReport:
    work = overflow_of_runs(str(target), str(golden), CompareOptions(use_cache=False, **options))
    return run_to_end(work)


@pytest.mark.parametrize("folder", ["four_ranks", "four_ranks_tensor"])
def test_the_rank_that_overflows_is_named_though_all_ranks_end_in_nan(folder: str) -> None:
    report = examine(DUMPS / folder / "overflow")
    birth = report.first
    assert birth is not None
    assert len(report.origins) == 1
    assert (birth.operator, birth.slot) == ("Torch.matmul.0.forward", "output.0")
    assert tuple(birth.cell) == ("", 0, 2)
    assert (birth.kind, birth.level) == (BirthKind.OUTPUT, Level.CRITICAL)
    assert birth.values == Special.PLUS_INF | Special.MINUS_INF
    assert birth.earliest
    assert birth.spreads
    assert report.mode is Mode.INF_NAN
    assert "torch.matmul" in decode_stack(birth.stack)[0].code


def test_tensors_and_statistics_give_the_same_births() -> None:
    statistics = examine(DUMPS / "four_ranks" / "overflow")
    tensors = examine(DUMPS / "four_ranks_tensor" / "overflow")
    seen = [[(item.cell, item.operator, item.slot, item.values) for item in report.origins]
            for report in (statistics, tensors)]  # fmt: skip
    assert seen[0] == seen[1]
    assert tensors.origins[0].evidence["plus_inf"] == 30
    assert tensors.origins[0].evidence["minus_inf"] == 6
    assert "plus_inf" not in statistics.origins[0].evidence


def test_the_spread_leads_over_the_ranks_to_the_loss() -> None:
    report = examine(DUMPS / "four_ranks" / "overflow")
    paths = {path[0].cell.rank: path for path in report.spreads[0].paths}
    assert sorted(paths) == [0, 1, 2, 3]
    assert paths[2][0].way is Way.BORN
    assert [path[0].way for rank, path in paths.items() if rank != 2] == [Way.COMMUNICATION] * 3
    assert paths[3][0].operator == "Distributed.all_reduce.0.forward"
    assert paths[0][0].operator == "Distributed.all_reduce.1.forward"
    assert [path[0].sender and path[0].sender.rank for _, path in sorted(paths.items())] == [2, 2, None, 2]
    assert paths[2][-1].operator == "Functional.mse_loss.0.forward"
    assert paths[3][-1].operator == "Functional.mse_loss.0.forward"


@pytest.mark.parametrize(
    "folder",
    ["statistics_mix/golden", "statistics_mix/bf16", "md5_mix/golden", "tensor_L1/golden", "tensor_L1/bf16",
     "tensor_L0/golden", "two_ranks/golden", "four_ranks/golden"],
)  # fmt: skip
def test_a_clean_run_is_clean_and_its_masks_are_expected(folder: str) -> None:
    report = examine(DUMPS / folder)
    assert report.origins == ()
    assert all(birth.operator.startswith("Tensor.masked_fill") for birth in report.expected)
    assert bool(report.expected) == (folder != "tensor_L0/golden")


def test_the_golden_says_whether_it_is_finite_there() -> None:
    report = examine(DUMPS / "four_ranks" / "overflow", DUMPS / "four_ranks" / "golden")
    assert [note.code for note in report.origins[0].notes] == ["overflow.note.golden_finite"]
    both = examine(DUMPS / "four_ranks" / "overflow", DUMPS / "four_ranks" / "overflow")
    assert [note.code for note in both.origins[0].notes] == ["overflow.note.golden_too"]


@pytest.mark.parametrize("rank", [0, 3])
def test_what_comes_from_ranks_that_are_left_out_is_not_blamed_on_the_network(rank: int) -> None:
    report = examine(DUMPS / "four_ranks" / "overflow", ranks=(rank,))
    assert [birth.message.code for birth in report.origins] == ["overflow.birth.unseen_rank"]


def test_a_dump_of_checksums_alone_says_that_nothing_is_known() -> None:
    report = examine(DUMPS / "xor_L1" / "golden")
    assert report.origins == ()
    assert not any(track.decided for track in report.tracks)
    assert [message.code for message in report.remarks] == ["overflow.remark.undecided"]


def test_a_result_file_gives_the_same_report_as_the_runs(tmp_path: Path) -> None:
    target, golden = DUMPS / "four_ranks" / "overflow", DUMPS / "four_ranks" / "golden"
    result = tmp_path / "pair.h5"
    run_to_end(diagnose_runs(str(target), str(golden), CompareOptions(), result_path=str(result)))
    from_result = run_to_end(overflow_of_result(str(result)))
    from_runs = examine(target, golden)
    assert from_result.origins == from_runs.origins
    assert from_result.spreads == from_runs.spreads
    assert from_result.expected == from_runs.expected


def test_the_official_answer_is_read_with_stack_module_and_values() -> None:
    report = read_official(str(DATA / "anomaly_analyze.json"))
    assert [(birth.cell.rank, birth.operator) for birth in report.origins] == [
        (0, "Tensor.masked_fill.0.forward"),
        (1, "Tensor.masked_fill.0.forward"),
    ]
    first = report.origins[0]
    assert first.values == Special.MINUS_INF
    assert first.slot == "output.0"
    assert "masked_fill" in decode_stack(first.stack)[0].code
    assert [message.code for message in report.remarks] == ["overflow.remark.official"]


CASES = {
    "msprobe/gpt/overflow/tensor_mix": "Torch.matmul.2.forward",
    "msprobe/gpt/overflow/statistics_mix": "Torch.matmul.2.forward",
    "msprobe/gpt/overflow/md5_mix": "Torch.matmul.2.forward",
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("paired", [False, True])
def test_the_known_overflow_is_found_and_explains_the_next_step(case: str, paired: bool, cases: Path) -> None:
    golden = cases / case.replace("/overflow/", "/bench_ovf/") if paired else ""
    report = examine(cases / case, golden)
    assert [(birth.operator, tuple(birth.cell)) for birth in report.origins] == [(CASES[case], ("", 0, 0))]
    ways = {path[0].way for path in report.spreads[0].paths}
    several = any(track.key.step for track in report.tracks)
    assert ways == ({Way.BORN, Way.STEP} if several else {Way.BORN})


def test_no_other_known_run_is_accused(cases: Path) -> None:
    found = []
    for folder in sorted((cases / "msprobe").glob("*/*/*_*")):
        if folder.is_dir() and folder.parent.name != "overflow":
            found += [(str(folder), birth.operator) for birth in examine(folder).origins]
    assert found == []
