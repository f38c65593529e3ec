"""Two logs are laid on each other: offsets, intervals, lengths, samples, and logs without step numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.logged_runs import STEPS, another_device, falling_loss, logged
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curves.alignment import align, pair
from core.curves.engine import CurveOptions, judge_curves
from core.curves.limits import shipped_limits
from core.records.curves import Axis, Curve, FindingName, LoggedRun
from core.records.series import Series
from core.records.training import Judgement

LIMITS = shipped_limits()
GOLDEN = falling_loss(noise=0.02)
TARGET = another_device(GOLDEN)


def names(target: LoggedRun, golden: LoggedRun, **options: object) -> list[FindingName]:
    report = judge_curves(target, golden, options=CurveOptions(**options))  # type: ignore[arg-type]
    assert report.verdict is Judgement.PASS, report.findings
    return [finding.name for finding in report.findings]


@given(st.integers(-5, 5), st.integers(0, 2**31))
@settings(max_examples=40)
def test_an_offset_is_found_and_said(offset: int, seed: int) -> None:
    golden = falling_loss(300, seed, 0.02)
    target = logged(another_device(golden, seed + 1), 100 - offset)
    assert align(target, logged(golden, 100), LIMITS).shift == offset
    assert (FindingName.OFFSET in names(target, logged(golden, 100))) is (offset != 0)


def test_an_offset_is_no_excuse_for_another_curve() -> None:
    other = falling_loss(STEPS, 9, 0.02)
    assert align(logged(other), logged(GOLDEN), LIMITS).shift == 0
    slow = 2 + 8 * np.exp(-np.arange(STEPS) / 180)
    assert align(logged(slow), logged(2 + 8 * np.exp(-np.arange(STEPS) / 170)), LIMITS).shift == 0


def test_the_user_may_forbid_or_force_a_shift() -> None:
    target, golden = logged(TARGET, 0), logged(GOLDEN, 1)
    assert judge_curves(target, golden, options=CurveOptions(shift=0)).verdict is Judgement.FAIL
    assert names(target, golden, shift=1)
    assert judge_curves(target, golden).alignment.shift == 1


@pytest.mark.parametrize("how", ["means", "points"])
@pytest.mark.parametrize("coarse", ["target", "golden"])
def test_a_coarser_log_is_compared_by_what_it_holds(how: str, coarse: str) -> None:
    values = TARGET if coarse == "target" else GOLDEN
    kept = values.reshape(-1, 10).mean(axis=1) if how == "means" else values[9::10]
    run = logged(kept, 10, 10)
    target, golden = (run, logged(GOLDEN)) if coarse == "target" else (logged(TARGET), run)
    report = judge_curves(target, golden)
    finer = "golden" if coarse == "target" else "target"
    assert report.alignment.averaged == (finer if how == "means" else "")
    assert (report.verdict, report.steps) == (Judgement.PASS, STEPS // 10)
    assert FindingName.INTERVAL in [finding.name for finding in report.findings]


def test_a_nan_inside_an_interval_stays_one() -> None:
    target = TARGET.copy()
    target[44] = np.nan
    report = judge_curves(logged(target), logged(GOLDEN.reshape(-1, 10).mean(axis=1), 10, 10))
    assert report.first_bad_step == 50


def test_different_lengths_are_compared_where_both_are() -> None:
    assert FindingName.LENGTH in names(logged(TARGET[:700]), logged(GOLDEN))
    assert judge_curves(logged(TARGET), logged(GOLDEN[:700])).steps == 700


def test_other_batch_sizes_are_laid_on_samples() -> None:
    def with_samples(loss: np.ndarray, batch: int) -> LoggedRun:
        return logged(loss, consumed_samples=batch * np.arange(1, len(loss) + 1))

    golden = with_samples(GOLDEN, 64)
    target = with_samples(TARGET[1::2], 128)
    report = judge_curves(target, golden)
    assert report.alignment.axis is Axis.SAMPLES
    assert (report.verdict, report.steps) == (Judgement.PASS, STEPS // 2)


def test_a_log_without_numbers_is_counted() -> None:
    golden = logged(GOLDEN)
    counted = replace(logged(TARGET), axis=Axis.COUNT)
    report = judge_curves(counted, golden)
    assert (report.alignment.axis, report.steps, report.verdict) == (Axis.COUNT, STEPS, Judgement.PASS)
    assert judge_curves(counted, logged(GOLDEN, 5000)).steps == STEPS
    sparse = logged(GOLDEN)
    kept = np.ones(STEPS, bool)
    kept[:4] = kept[500] = False
    norm = Curve(sparse.curves[Series.LOSS].steps, np.ones(STEPS))
    loss = Curve(norm.steps[kept], GOLDEN[kept])
    sparse = replace(sparse, curves={Series.LOSS: loss, Series.GRAD_NORM: norm})
    report = judge_curves(counted, sparse)
    assert (report.verdict, report.steps) == (Judgement.PASS, STEPS - 5)


def test_epochs_alone_are_steps_of_their_own() -> None:
    losses = np.array([1.48, 1.31, 1.26, 1.19, 1.18])
    slow = np.array([3.42, 3.38, 2.94, 2.5, 2.03])
    target, golden = (logged(loss, 0, axis=Axis.EPOCH) for loss in (slow, losses))
    report = judge_curves(target, golden)
    assert (report.verdict, report.first_bad_step, report.steps) == (Judgement.FAIL, 0, 5)
    assert FindingName.SLOW_CONVERGENCE in [finding.name for finding in report.findings]
    assert not report.advice


def test_what_only_one_logs_is_no_pair() -> None:
    target = logged(TARGET, reward=TARGET)
    alignment = align(target, logged(GOLDEN), LIMITS)
    assert pair(target, logged(GOLDEN), "reward", alignment) is None


@pytest.mark.parametrize("interval", [2, 10, 50])
@pytest.mark.parametrize("how", ["epochs", "losses", "means"])
def test_a_log_without_numbers_gets_the_steps_of_the_other(interval: int, how: str) -> None:
    kept = TARGET.reshape(-1, interval).mean(axis=1) if how == "means" else TARGET[interval - 1 :: interval]
    epochs = {"epoch": np.arange(1, STEPS + 1) / 100} if how == "epochs" else {}
    fewer = {"epoch": interval * np.arange(1, len(kept) + 1) / 100} if how == "epochs" else {}
    target = replace(logged(kept, **fewer), axis=Axis.COUNT)
    report = judge_curves(target, logged(GOLDEN, **epochs))
    assert report.verdict is Judgement.PASS, report.findings
    every = next(finding for finding in report.findings if "interval" in finding.facts)
    assert (every.name, every.facts["interval"]) == (FindingName.INTERVAL, interval)
    bad = kept.copy()
    bad[len(bad) // 2 :] *= 1.1
    report = judge_curves(replace(logged(bad, **fewer), axis=Axis.COUNT), logged(GOLDEN, **epochs))
    assert report.first_bad_step == interval * (len(bad) // 2 + 1)


def test_two_counted_logs_are_told_apart_by_their_epochs() -> None:
    fine = replace(logged(GOLDEN, epoch=np.arange(1, STEPS + 1) / 100), axis=Axis.COUNT)
    coarse = replace(logged(TARGET[9::10], epoch=np.arange(1, STEPS // 10 + 1) / 10), axis=Axis.COUNT)
    report = judge_curves(coarse, fine)
    assert (report.verdict, report.steps) == (Judgement.PASS, STEPS // 10)


def test_advice_from_counted_records_says_so() -> None:
    bad = TARGET.copy()
    bad[600:] *= 1.2
    runs = [replace(logged(loss), axis=Axis.COUNT) for loss in (bad, GOLDEN)]
    assert all(advice.counted for advice in judge_curves(*runs).advice)
