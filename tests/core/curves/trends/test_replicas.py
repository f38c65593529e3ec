"""A rank that leaves its fellows is named; ranks that never held copies are not."""

from __future__ import annotations

import pytest
from builders.monitors import Row
from builders.trend_tables import table_of

from core.curves.trends.judging import first_bad_cells
from core.progress import run_to_end
from core.records.training import Weight
from core.records.trends import TrendFinding, TrendFindingName


def parallel(copies: int, shards: int, *, kind: str = "grad_reduced", statistic: str = "norm") -> list[Row]:
    """Return ranks that hold *shards* different tensors, each *copies* times."""
    return [
        Row(
            kind,
            f"layers.{layer}.w",
            step,
            {statistic: 1.0 + layer + rank % shards * 0.37 + step / 7},
            rank=rank,
        )
        for step in range(8)
        for rank in range(copies * shards)
        for layer in range(3)
    ]


def off(rows: list[Row], rank: int, first_step: int, factor: float) -> list[Row]:
    return [
        row._replace(values={key: value * factor for key, value in row.values.items()})
        if row.rank == rank and row.step >= first_step
        else row
        for row in rows
    ]


def standing_out(target: list[Row], golden: list[Row]) -> list[TrendFinding]:
    report = run_to_end(first_bad_cells(table_of(target), table_of(golden)))
    return [finding for finding in report.findings if finding.name is TrendFindingName.RANK_STANDS_OUT]


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("factor", [1.001, float("nan")])
def test_the_rank_that_leaves_its_fellows_is_named(shards: int, factor: float) -> None:
    golden = parallel(4, shards)
    [finding] = standing_out(off(golden, 3, 5, factor), golden)
    assert (finding.rank, finding.step, finding.layer) == (3, 5, "layers.0.w")
    assert finding.weight is Weight.FAULT
    assert finding.facts["count"] == 9


def test_without_ranks_on_the_golden_the_first_step_tells() -> None:
    target = parallel(4, 2)
    golden = [row for row in target if row.rank == 0]
    [finding] = standing_out(off(target, 5, 3, 1.5), golden)
    assert (finding.rank, finding.step) == (5, 3)
    assert finding.weight is Weight.WARNING


def test_of_two_ranks_none_is_named() -> None:
    golden = parallel(2, 1)
    [finding] = standing_out(off(golden, 1, 5, 1.001), golden)
    assert finding.rank is None
    assert finding.step == 5


@pytest.mark.parametrize(
    ("target", "golden"),
    [
        (parallel(4, 1), parallel(4, 1)),
        (parallel(1, 4), parallel(1, 4)),
        (off(parallel(1, 4), 2, 3, 1.2), parallel(1, 4)),
        (parallel(4, 1), parallel(2, 1)),
    ],
)
def test_ranks_that_agree_or_hold_other_tensors_are_left_alone(target: list[Row], golden: list[Row]) -> None:
    assert standing_out(target, golden) == []


def test_counts_that_are_zero_at_first_are_no_copies() -> None:
    def counts(ranks: int) -> list[Row]:
        return [
            Row("grad_reduced", "a", step, {"nans": float(step > 2 and rank == 1)}, rank=rank)
            for step in range(5)
            for rank in range(ranks)
        ]

    assert standing_out(counts(4), counts(1)) == []
