"""Verdicts of statistics: the same vectors, as far as four numbers can tell."""

from __future__ import annotations

import time
from dataclasses import fields, replace

import numpy as np
import pytest

from core.metrics.noise import NoiseTable
from core.metrics.statistics import UNKNOWN, StatisticsSide, judge_statistics
from core.records.dump import Known
from core.records.result import Evidence, Reason, Verdict
from tests.core.metrics.vectors import IDS, VECTORS, Vector, X, sides

NOISE = NoiseTable.default()


def verdicts(target: StatisticsSide, golden: StatisticsSide) -> list[tuple[Verdict, Reason]]:
    judged = judge_statistics(target, golden, NOISE)
    return [(Verdict(v), Reason(r)) for v, r in zip(judged.verdict, judged.reason)]


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(vector: Vector) -> None:
    pair = sides((vector.target, vector.golden))
    judged = judge_statistics(*pair, NOISE)
    wanted = vector.statistics or (vector.verdict, vector.reason)
    assert (Verdict(judged.verdict[0]), Reason(judged.reason[0])) == wanted
    assert judged.evidence[0] == Evidence.STATISTICS
    if wanted[1] is Reason.BEYOND_NOISE:
        assert judged.error[0] > judged.allowed[0]
    if wanted[0] in (Verdict.EQUAL, Verdict.CLOSE) and not np.isnan(judged.error[0]):
        assert judged.error[0] <= judged.allowed[0]


def test_many_rows_get_what_each_gets_alone() -> None:
    everything = sides(*((vector.target, vector.golden) for vector in VECTORS))
    alone = [verdicts(*sides((vector.target, vector.golden)))[0] for vector in VECTORS]
    assert verdicts(*everything) == alone


def side(
    pair: tuple[StatisticsSide, StatisticsSide], **columns: object
) -> tuple[StatisticsSide, StatisticsSide]:
    """Return *pair* with columns of the target replaced."""
    return replace(pair[0], **{name: np.array([value]) for name, value in columns.items()}), pair[1]


PAIR = sides((X, X))


def test_a_statistic_that_one_side_lacks_is_no_difference() -> None:
    wanted = [(Verdict.EQUAL, Reason.IDENTICAL)]
    assert verdicts(*side(PAIR, known=np.uint8(Known.MAX | Known.MIN), mean=9.0, norm=9.0)) == wanted


def test_nothing_known_is_not_compared() -> None:
    judged = judge_statistics(*side(PAIR, known=np.uint8(0)), NOISE)
    assert (judged.verdict[0], judged.reason[0]) == (Verdict.NOT_COMPARED, Reason.NO_DATA)
    assert judged.evidence[0] == Evidence.NONE
    assert np.isnan(judged.error[0])


@pytest.mark.parametrize("name", ["max", "min", "mean", "norm"])
def test_each_statistic_can_decide_alone(name: str) -> None:
    value = float(getattr(PAIR[0], name)[0])
    assert verdicts(*side(PAIR, **{name: value + 0.01})) == [(Verdict.DIFFERS, Reason.BEYOND_NOISE)]
    assert verdicts(*side(PAIR, **{name: value * (1 + 2e-7)})) == [(Verdict.CLOSE, Reason.WITHIN_NOISE)]


def test_a_norm_that_overflowed_in_fp16_is_no_special_value() -> None:
    half = (X / np.abs(X).max() * 1000).astype(np.float16)
    assert verdicts(*side(sides((half, half)), norm=np.inf)) == [(Verdict.CLOSE, Reason.WITHIN_NOISE)]
    only_norm = side(sides((half, half)), norm=np.inf, known=np.uint8(Known.NORM))
    assert verdicts(*only_norm) == [(Verdict.DIFFERS, Reason.SPECIAL_VALUES)]


@pytest.mark.parametrize("name", ["mean", "norm"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_mean_or_norm_that_cannot_have_overflowed_is_no_chance(name: str, value: float) -> None:
    target, golden = side(PAIR, **{name: value})
    assert verdicts(target, golden) == [(Verdict.DIFFERS, Reason.SPECIAL_VALUES)]
    assert verdicts(golden, target) == [(Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES)]


def test_a_swallowed_record_is_not_taken_for_equal() -> None:
    nothing_left = np.array([np.nan, 1.0], np.float32)
    assert verdicts(*sides((nothing_left, nothing_left))) == [
        (Verdict.NOT_COMPARED, Reason.SHARED_SPECIAL_VALUES)
    ]


def test_saturation_against_golden_inf() -> None:
    golden = np.array([1, np.inf], np.float16)
    top, other = np.array([1, 65504], np.float16), np.array([1, 60000], np.float16)
    assert verdicts(*sides((top, golden), (other, golden))) == [
        (Verdict.DIFFERS, Reason.SPECIAL_VALUES),
        (Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES),
    ]


def test_unknown_dtype_and_shape() -> None:
    odd = side(PAIR, dtype=np.uint8(UNKNOWN), shape=-1, squeezed=-1, size=-1)
    assert verdicts(*odd) == [(Verdict.EQUAL, Reason.IDENTICAL)]
    assert verdicts(*side(odd, mean=float(odd[0].mean[0]) + 0.1)) == [(Verdict.DIFFERS, Reason.BEYOND_NOISE)]


def test_old_dumps_have_means_of_integers() -> None:
    ids = np.array([7, 50256, 9])
    pair = side(sides((ids, ids)), known=np.uint8(15), mean=100.0, norm=2.0)
    pair = pair[0], replace(pair[1], known=pair[0].known, mean=pair[0].mean + 1e-7, norm=pair[0].norm)
    assert verdicts(*pair)[0][0] is Verdict.CLOSE
    assert verdicts(pair[0], replace(pair[1], mean=pair[1].mean + 1))[0] == (Verdict.DIFFERS, Reason.VALUE)


def test_the_worst_statistic_is_the_one_that_is_shown() -> None:
    judged = judge_statistics(*side(PAIR, max=float(PAIR[0].max[0]) * 1.5, norm=9.0), NOISE)
    norm = float(PAIR[1].norm[0])
    assert judged.error[0] == pytest.approx(abs(9.0 - norm) / norm)
    assert judged.allowed[0] == 256 * 2.0**-24


def test_a_million_rows_are_judged_at_once() -> None:
    one = sides((X * np.float32(1.01), X))
    many = [
        StatisticsSide(*(np.repeat(getattr(part, item.name), 1_000_000) for item in fields(part)))
        for part in one
    ]
    start = time.perf_counter()
    judged = judge_statistics(many[0], many[1], NOISE)
    assert time.perf_counter() - start < 5
    assert (judged.verdict == Verdict.DIFFERS).all()
