"""Target against golden, compared with plain loops over dictionaries."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from builders.monitors import Row
from builders.trend_tables import cut_table, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curves.limits import shipped_limits
from core.curves.trends.difference import difference, difference_by_rank
from core.curves.trends.judging import first_bad_cells
from core.messages import LANGUAGES, render
from core.progress import run_to_end
from core.records.training import Judgement, Weight
from core.records.trends import TrendFindingName, TrendsReport, TrendTable

LIMIT = 0.05


def judge(target: TrendTable, golden: TrendTable, **options: float) -> TrendsReport:
    report = run_to_end(first_bad_cells(target, golden, **options))  # type: ignore[arg-type]
    for language in LANGUAGES:
        for message in (report.sentence, *(finding.message for finding in report.findings)):
            assert not render(message, language).startswith("trends.")
    return report


def names(report: TrendsReport) -> list[str]:
    return [finding.name.value for finding in report.findings]


def training(
    kind: str = "grad_reduced", layers: int = 6, steps: int = 10, ranks: int = 1, statistic: str = "norm"
) -> list[Row]:
    return [
        Row(kind, f"layers.{layer}.w", step, {statistic: 1.0 + layer / 7 + 1 / (step + math.pi)}, rank=rank)
        for step in range(steps)
        for rank in range(ranks)
        for layer in range(layers)
    ]


def changed(
    rows: Iterable[Row], layer: int, first_step: int, factor: float, rank: int | None = None
) -> list[Row]:
    def is_hit(row: Row) -> bool:
        return row.layer == f"layers.{layer}.w" and row.step >= first_step and rank in (None, row.rank)

    return [
        row._replace(values={key: value * factor for key, value in row.values.items()})
        if is_hit(row)
        else row
        for row in rows
    ]


# No number of these is rounded to some digits, as those of files may be.
NUMBERS = st.sampled_from(
    [0.0, 1.0, 1.04, 1.06, -1.0, 1e-9, 2e-4, 5.0, math.nan, math.inf, -math.inf, 1e12, 5e307, -5e307, 5e-324]
).map(lambda number: number * math.pi)
RECORDED = st.dictionaries(
    st.tuples(
        st.sampled_from(["grad_reduced", "actv_all"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 3),
        st.integers(0, 1),
    ),
    NUMBERS,
    min_size=1,
)


def rows_of(recorded: dict[tuple[str, str, int, int], float]) -> list[Row]:
    return [Row(kind, layer, step, {"norm": value}, rank=rank)
            for (kind, layer, step, rank), value in sorted(recorded.items())]  # fmt: skip


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


@settings(max_examples=300)
@given(target=RECORDED, golden=RECORDED)
def test_counts_agree_with_plain_loops(
    target: dict[tuple[str, str, int, int], float], golden: dict[tuple[str, str, int, int], float]
) -> None:
    report = judge(table_of(rows_of(target)), table_of(rows_of(golden)), limit=LIMIT)
    one_rank = len({key[3] for key in target}) == len({key[3] for key in golden}) == 1
    if one_rank:
        rank = next(iter(target))[3]
        golden = {(*key[:3], rank): value for key, value in golden.items()}
    counts = dict.fromkeys(("compared", "over", "golden_broken", "target_only", "golden_only"), 0)
    bad = []
    for key in target.keys() | golden.keys():
        if key not in golden or key not in target:
            counts["target_only" if key in target else "golden_only"] += 1
            continue
        mine, theirs = target[key], golden[key]
        usual = median([abs(v) for k, v in golden.items() if k[:2] == key[:2] and math.isfinite(v)])
        if not math.isfinite(theirs) and (math.isfinite(mine) or math.isnan(mine) != math.isnan(theirs)):
            counts["golden_broken"] += 1
            continue
        counts["compared"] += 1
        if mine == theirs or (math.isnan(mine) and math.isnan(theirs)):
            continue
        size = max(abs(theirs), 1e-3 * usual)
        if not math.isfinite(mine) or size == 0 or abs(mine - theirs) / size > LIMIT:
            counts["over"] += 1
            bad.append(key)
    assert {name: getattr(report, name) for name in counts} == counts
    table = report.judgements
    assert {name: int(getattr(table, name).sum()) for name in counts} == counts
    assert (report.verdict is Judgement.FAIL) >= bool(bad)
    if bad:
        assert report.first_bad is not None
        step = min(key[2] for key in bad)
        forward = [key for key in bad if key[2] == step and key[0] == "actv_all"]
        first = {key[:2] for key in bad if key[2] == step}
        assert report.first_bad.step == step
        assert (report.first_bad.metric.removesuffix(".norm"), report.first_bad.layer) in first
        assert not forward or report.first_bad.metric == "actv_all.norm"
    if report.verdict is Judgement.PASS:
        assert counts["compared"]
        assert not counts["golden_broken"]


def test_a_training_with_noise_passes() -> None:
    golden = training()
    report = judge(table_of(changed(golden, 2, 0, 1.01)), table_of(golden))
    assert report.verdict is Judgement.PASS
    assert report.limit == shipped_limits().trend_limit
    assert (report.compared, report.over, report.steps) == (60, 0, 10)
    assert not report.findings


@pytest.mark.parametrize(
    ("kind", "layer"), [("param_origin", 1), ("actv_x", 1), ("grad_reduced", 4), ("module.backward", 4)]
)
def test_gradients_are_followed_from_the_end(kind: str, layer: int) -> None:
    golden = training(kind)
    target = changed(changed(golden, 1, 3, 2.0), 4, 3, 2.0)
    report = judge(table_of(target), table_of(golden))
    assert report.verdict is Judgement.FAIL
    assert report.first_bad is not None
    assert (report.first_bad.layer, report.first_bad.step) == (f"layers.{layer}.w", 3)
    assert report.first_bad.relative == pytest.approx(1.0)
    assert report.sentence == report.findings[0].message


def test_forward_comes_before_backward_and_micro_steps_in_their_order() -> None:
    micro_steps = {"param_origin": (-1,), "actv": (0, 1), "actv_grad": (0, 1), "grad_reduced": (-1,)}
    golden = [
        Row(kind, "a", step, {"norm": 1.0}, micro=micro)
        for step in range(3)
        for kind, micros in micro_steps.items()
        for micro in micros
    ]

    def first(*hit: tuple[str, int]) -> tuple[str, int]:
        target = [
            row._replace(values={"norm": 9.0}) if row.step == 1 and (row.kind, row.micro) in hit else row
            for row in golden
        ]
        found = judge(table_of(target), table_of(golden)).first_bad
        assert found is not None
        return found.metric, found.micro_step

    assert first(("actv", 1), ("actv_grad", 0)) == ("actv_grad.norm", 0)
    assert first(("actv", 1), ("actv_grad", 1), ("grad_reduced", -1)) == ("actv.norm", 1)
    assert first(("grad_reduced", -1), ("param_origin", -1)) == ("param_origin.norm", -1)


def test_nan_on_the_target_alone_is_a_fault_and_on_both_is_not() -> None:
    golden = training()
    broken = changed(golden, 3, 5, math.nan)
    report = judge(table_of(broken), table_of(golden))
    assert report.verdict is Judgement.FAIL
    assert report.over == 5
    assert judge(table_of(broken), table_of(broken)).verdict is Judgement.PASS


def test_a_broken_golden_is_no_reference() -> None:
    golden = training()
    report = judge(table_of(golden), table_of(changed(golden, 3, 5, math.inf)))
    assert report.verdict is Judgement.NOT_JUDGED
    assert report.golden_broken == 5
    assert names(report) == ["golden_broken"]


def test_what_only_one_side_has_is_told() -> None:
    golden = training()
    target = [row for row in golden if row.layer != "layers.2.w" and row.step < 8]
    target += training("exp_avg")
    report = judge(table_of(target), table_of(golden))
    assert report.verdict is Judgement.NOT_JUDGED or TrendFindingName.MISSING_LAYERS not in names(report)
    assert (report.golden_only, report.target_only) == (8 + 2 * 6, 60)
    assert {"missing_metrics"} <= set(names(report))
    without = judge(table_of([row for row in golden if row.layer != "layers.2.w"]), table_of(golden))
    assert without.verdict is Judgement.NOT_JUDGED
    assert names(without) == ["missing_layers"]
    shorter = judge(table_of([row for row in golden if row.step < 8]), table_of(golden))
    assert shorter.verdict is Judgement.PASS
    assert names(shorter) == ["missing_steps"]
    ragged = judge(table_of(golden[::2] + golden[:6] + golden[-6:]), table_of(golden))
    assert ragged.verdict is Judgement.NOT_JUDGED
    assert "missing_numbers" in names(ragged)


def test_nothing_in_common_is_not_judged() -> None:
    report = judge(table_of(training("exp_avg")), table_of(training("grad_reduced")))
    assert report.verdict is Judgement.NOT_JUDGED
    assert "nothing_common" in names(report)


def test_the_same_data_twice_is_told() -> None:
    assert names(judge(table_of(training(steps=30)), table_of(training(steps=30)))) == ["same_data"]


def test_single_ranks_are_compared_whatever_their_numbers() -> None:
    target = [row._replace(rank=7) for row in changed(training(), 1, 4, 3.0)]
    report = judge(table_of(target), table_of(training()))
    assert report.compared == 60
    assert report.first_bad is not None
    assert report.first_bad.rank == 7


def test_steps_can_be_shifted() -> None:
    golden = [row._replace(step=row.step + 1) for row in training()]
    target = changed(training(), 1, 4, 3.0)
    report = judge(table_of(target), table_of(golden), shift=1)
    assert report.compared == 60
    assert report.first_bad is not None
    assert report.first_bad.step == 4
    grids = difference(table_of(target), table_of(golden), "grad_reduced.norm", rank=0, shift=1)
    assert grids.relative.places.tolist() == list(range(10))


def test_numbers_cut_to_a_bound_say_nothing() -> None:
    golden = [row._replace(values={"norm": 1e10}) for row in training()]
    target = [row._replace(values={"norm": 3e10}) for row in training()]
    report = judge(cut_table(table_of(target)), cut_table(table_of(golden)))
    assert report.verdict is Judgement.NOT_JUDGED
    assert report.clipped == 60
    assert "clipped" in names(report)
    whole = judge(table_of(target), table_of(golden))
    assert whole.verdict is Judgement.FAIL
    small = judge(cut_table(table_of(target)), table_of(training()))
    assert small.over == 60


def test_rounded_files_are_not_told_apart_by_their_last_digit() -> None:
    golden = [
        row._replace(values={"norm": round(2e-6 * (number % 5 + 1), 6)})
        for number, row in enumerate(training())
    ]
    target = [row._replace(values={"norm": round(row.values["norm"] + 1e-6, 6)}) for row in golden]
    report = judge(table_of(target), table_of(golden))
    assert report.over == 0
    assert names(report) == ["rounded"]
    far = [row._replace(values={"norm": round(row.values["norm"] + 3e-6, 6)}) for row in golden]
    assert judge(table_of(far), table_of(golden)).over > 0


def test_one_element_is_measured_by_its_tensor() -> None:
    def rows(low: float) -> list[Row]:
        return [
            Row("actv_all", "a", step, {"min": low * (step + 1.01), "max": 5.0 + step / 7, "mean": low})
            for step in range(5)
        ]

    assert judge(table_of(rows(-2e-4)), table_of(rows(-1e-4))).verdict is Judgement.PASS
    assert judge(table_of(rows(-1.0)), table_of(rows(-1e-4))).verdict is Judgement.FAIL


@pytest.mark.parametrize("by_rank", [False, True])
def test_difference_shows_the_farthest_micro_step(by_rank: bool) -> None:
    golden = [
        Row("actv", "a", 0, {"norm": value}, micro=micro) for micro, value in enumerate((4.0, 2.0, 8.0))
    ]
    target = [row._replace(values={"norm": value}) for row, value in zip(golden, (4.1, 3.0, 8.0))]
    target.append(Row("actv", "b", 0, {"norm": 1.0}, micro=0))
    tables = table_of(target), table_of(golden)
    grids = (
        difference_by_rank(*tables, "actv.norm", step=0)
        if by_rank
        else difference(*tables, "actv.norm", rank=0)
    )
    assert grids.target.values.tolist() == [[3.0], [1.0]]
    assert grids.golden.values[0].tolist() == [2.0]
    assert grids.relative.values[0].tolist() == [0.5]
    assert grids.golden.present.tolist() == grids.relative.present.tolist() == [[True], [False]]
    assert grids.target_only_layers == ("b",)
    assert grids.golden_only_layers == ()


def test_weights_are_ordered() -> None:
    target = changed(training(ranks=2), 1, 4, 3.0)
    report = judge(table_of([*target, *training("exp_avg")]), table_of(training(ranks=2, layers=7)))
    order = [list(Weight).index(finding.weight) for finding in report.findings]
    assert order == sorted(order)
