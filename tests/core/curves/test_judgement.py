"""What is said about two curves: each planted fault is found at its step, and innocent noise is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.logged_runs import STEPS, another_device, falling_loss, logged, warm_up
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curves.engine import CurveOptions, judge_alone, judge_curves
from core.curves.limits import shipped_limits
from core.errors import InputError
from core.messages import LANGUAGES, render
from core.records.curves import Axis, Curve, CurvesReport, FindingName, LoggedRun, Phase, Resume
from core.records.series import Series
from core.records.training import Judgement, Weight

GOLDEN = falling_loss()
TARGET = another_device(GOLDEN)


def judged(target: np.ndarray, golden: np.ndarray = GOLDEN, **options: object) -> CurvesReport:
    return judge_curves(logged(target), logged(golden), options=CurveOptions(**options))  # type: ignore[arg-type]


def faults(report: CurvesReport) -> list[FindingName]:
    return [finding.name for finding in report.findings if finding.weight is Weight.FAULT]


def names(report: CurvesReport) -> list[FindingName]:
    return [finding.name for finding in report.findings]


def found(report: CurvesReport, name: FindingName):
    return next(finding for finding in report.findings if finding.name is name)


def readable(report: CurvesReport) -> None:
    """Every sentence renders in both languages."""
    for language in LANGUAGES:
        for message in (report.sentence, *(finding.message for finding in report.findings)):
            said = render(message, language)
            assert "{" not in said
            assert not said.startswith("curves.")


def test_another_device_passes() -> None:
    report = judged(TARGET)
    assert (report.verdict, report.first_bad_step, report.steps) == (Judgement.PASS, None, STEPS)
    assert report.series[Series.LOSS].whole.mean_relative < 1e-3
    assert not report.advice
    readable(report)


@given(st.integers(0, 2**31), st.sampled_from([1e-5, 1e-4, 1e-3, 3e-3]), st.integers(3, 2000))
@settings(max_examples=60)
def test_noise_below_the_limit_is_never_a_fault(seed: int, noise: float, steps: int) -> None:
    golden = falling_loss(steps, seed)
    target = another_device(golden, seed + 1, noise)
    target[0] = golden[0]
    report = judged(target, golden)
    assert report.verdict is Judgement.PASS, faults(report)
    readable(report)


def test_a_wrong_first_step_fails_although_the_mean_is_small() -> None:
    target = TARGET.copy()
    target[0] *= 1.06
    report = judged(target)
    assert faults(report)[0] is FindingName.FIRST_STEP
    assert report.first_bad_step == 1
    assert report.series[Series.LOSS].whole.mean_relative < 0.01
    (advice,) = report.advice
    assert (advice.step, advice.dump_step, advice.forward, advice.backward) == (1, 0, True, False)
    phases = {phase.phase: phase.judgement for phase in report.series[Series.LOSS].phases}
    assert phases == {
        Phase.FIRST: Judgement.FAIL, Phase.WARM_UP: Judgement.PASS,
        Phase.MIDDLE: Judgement.PASS, Phase.TAIL: Judgement.PASS,
    }  # fmt: skip


def test_a_wrong_second_step_asks_for_the_first_backward_pass() -> None:
    target = TARGET.copy()
    target[1:] *= 1.05
    report = judged(target)
    assert report.first_bad_step == 2
    assert [(a.step, a.dump_step, a.forward, a.backward) for a in report.advice] == [
        (1, 0, False, True), (2, 1, True, False)
    ]  # fmt: skip


@pytest.mark.parametrize("step", [100, 612, 990])
@pytest.mark.parametrize("side", ["target", "golden"])
def test_a_spike_on_one_side_is_found(step: int, side: str) -> None:
    target, golden = TARGET.copy(), GOLDEN.copy()
    {"target": target, "golden": golden}[side][step - 1] += 6
    report = judged(target, golden)
    spike = found(report, FindingName.SPIKE)
    assert (spike.step, spike.facts["side"], report.first_bad_step) == (step, side, step)
    assert report.verdict is Judgement.FAIL


def test_a_spike_of_both_is_none() -> None:
    target, golden = TARGET.copy(), GOLDEN.copy()
    target[611] += 6
    golden[611] += 6
    assert judged(target, golden).verdict is Judgement.PASS


def test_a_late_drift_fails_although_the_mean_is_small() -> None:
    target = TARGET * (1 + 0.03 * np.clip((np.arange(STEPS) - 600) / 400, 0, 1))
    report = judged(target)
    assert report.series[Series.LOSS].whole.mean_relative < 0.01
    assert abs(report.first_bad_step - 735) < 15
    drift = found(report, FindingName.DRIFT)
    assert drift.weight is Weight.FAULT
    assert 550 < drift.facts["onset"] < 700


def test_a_drift_below_the_limit_warns() -> None:
    target = TARGET * (1 + 0.008 * np.clip((np.arange(STEPS) - 400) / 600, 0, 1))
    report = judged(target)
    assert report.verdict is Judgement.PASS
    assert found(report, FindingName.DRIFT).weight is Weight.WARNING


def test_a_difference_that_is_bit_equal_before_is_found_at_its_first_step() -> None:
    golden = falling_loss(200)
    target = golden.copy()
    target[130:] *= 1 + 0.01 * np.random.default_rng(3).normal(size=70)
    target[130] = golden[130] * 1.012
    report = judged(target, golden)
    assert (report.verdict, report.first_bad_step) == (Judgement.FAIL, 131)


def test_one_step_that_stands_out_is_told_apart_from_noise() -> None:
    quiet, loud = another_device(GOLDEN, noise=1e-4), another_device(GOLDEN, noise=4e-3)
    for target in (quiet, loud):
        target[700] = GOLDEN[700] * 1.015
    assert faults(judged(quiet)) == [FindingName.OVER_LIMIT]
    assert judged(quiet).first_bad_step == 701
    report = judged(loud)
    assert report.verdict is Judgement.PASS
    assert FindingName.OVER_LIMIT in names(report)  # said, and not judged


@pytest.mark.parametrize(("value", "spelt"), [(np.nan, "NaN"), (np.inf, "Inf"), (-np.inf, "−Inf")])
def test_what_is_not_finite_on_the_target_alone_fails(value: float, spelt: str) -> None:
    target = TARGET.copy()
    target[299:310] = value
    report = judged(target)
    broken = found(report, FindingName.NOT_FINITE)
    assert (broken.step, broken.facts["count"], broken.facts["value"]) == (300, 11, spelt)
    assert report.first_bad_step == 300
    readable(report)


def test_a_golden_that_is_not_finite_is_no_reference() -> None:
    golden = GOLDEN.copy()
    golden[500] = np.nan
    report = judged(TARGET, golden)
    assert faults(report) == [FindingName.GOLDEN_BROKEN]


def test_nan_everywhere_is_said_so() -> None:
    report = judged(np.full(STEPS, np.nan))
    assert render(report.sentence, "en") == "The loss is NaN at every step."
    assert report.first_bad_step == 1


def test_an_exact_zero_is_no_good_loss() -> None:
    target, norm = TARGET.copy(), np.ones(STEPS)
    target[2:] = 0
    norm[2:] = np.nan
    report = judge_curves(logged(target, grad_norm=norm), logged(GOLDEN, grad_norm=np.ones(STEPS) + GOLDEN))
    assert faults(report)[0] is FindingName.ZERO_LOSS
    assert report.first_bad_step == 3
    assert "gradient norm is not finite" in render(report.sentence, "en")


def test_a_loss_that_stops_changing_is_constant() -> None:
    target = TARGET.copy()
    target[600:] = target[600]
    assert found(judged(target), FindingName.CONSTANT).step == 601


@pytest.mark.parametrize(("ratio", "meaning"), [(8.0, "8"), (0.125, "1/8"), (2.0**-16, "1/2^16"), (3.0, "3")])
def test_a_constant_ratio_is_named(ratio: float, meaning: str) -> None:
    constant = found(judged(TARGET * ratio), FindingName.CONSTANT_RATIO)
    assert constant.facts["meaning"] == meaning


def test_a_loss_that_explodes_is_huge() -> None:
    target = TARGET.copy()
    target[800:] = 1e5
    huge = found(judged(target), FindingName.HUGE_LOSS)
    assert (huge.step, huge.weight) == (801, Weight.FAULT)


def test_a_target_that_stays_up_does_not_converge() -> None:
    target = GOLDEN[0] * (1 + 0.005 * np.random.default_rng(5).normal(size=STEPS))
    target[0] = GOLDEN[0]
    assert FindingName.NO_CONVERGENCE in faults(judged(target))


def test_a_target_that_needs_twice_the_steps_is_slow() -> None:
    at = np.arange(STEPS)
    slow = (2 + 8 * np.exp(-at / (STEPS / 3))) * (1 + 0.002 * np.random.default_rng(6).normal(size=STEPS))
    slow[0] = GOLDEN[0]
    assert 1.7 < found(judged(slow), FindingName.SLOW_CONVERGENCE).facts["times"] < 2.4
    assert FindingName.SLOW_CONVERGENCE not in names(judged(TARGET))


@pytest.mark.parametrize("period", [8, 25, 60])
def test_a_late_periodic_swing_is_found_with_its_period(period: int) -> None:
    at = np.arange(STEPS)
    swing = 0.03 * np.sin(2 * np.pi * at / period) * (at > STEPS // 2)
    report = judged(TARGET * (1 + swing))
    assert abs(found(report, FindingName.PERIODIC_SWING).facts["period"] / period - 1) < 0.06


@given(st.integers(0, 2**31), st.sampled_from(["white", "walk", "epochs"]))
@settings(max_examples=60)
def test_no_period_is_seen_in_noise(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    noise = random.normal(size=STEPS)
    apart = np.cumsum(noise) / 30 if kind == "walk" else noise
    golden = GOLDEN * (1 + 0.05 * np.sin(2 * np.pi * np.arange(STEPS) / 50)) if kind == "epochs" else GOLDEN
    assert FindingName.PERIODIC_SWING not in names(judged(golden * (1 + 0.02 * apart), golden))


def test_a_learning_rate_is_named_before_the_loss() -> None:
    target = logged(TARGET * 1.1, learning_rate=warm_up() * 2)
    report = judge_curves(target, logged(GOLDEN, learning_rate=warm_up()))
    assert faults(report)[0] is FindingName.LEARNING_RATE
    assert report.findings[0].facts["ratio"] == pytest.approx(2)
    assert report.sentence == report.findings[0].message


def test_a_learning_rate_printed_a_step_later_is_the_same() -> None:
    late = np.concatenate([[0.0], warm_up()[:-1]])
    report = judge_curves(logged(TARGET, learning_rate=late), logged(GOLDEN, learning_rate=warm_up()))
    assert report.verdict is Judgement.PASS
    assert found(report, FindingName.LEARNING_RATE).weight is Weight.NOTE


def test_a_loss_scale_that_collapses_is_found_at_the_step_that_began_it() -> None:
    scale, skipped = np.full(STEPS, 65536.0), np.zeros(STEPS)
    skipped[299::5] = 1
    for step in range(304, STEPS, 5):
        scale[step:] /= 2
    report = judge_curves(logged(TARGET, loss_scale=scale, skipped=skipped), logged(GOLDEN))
    assert FindingName.SCALE_COLLAPSE in faults(report)
    assert report.first_bad_step == 300


@pytest.mark.parametrize(("count", "weight"), [(8, Weight.FAULT), (4, Weight.NOTE), (1, Weight.NOTE)])
def test_skipped_steps_over_the_limit_fail(count: int, weight: Weight) -> None:
    skipped = np.zeros(STEPS)
    skipped[100 : 100 + 50 * count : 50] = 1
    report = judge_curves(logged(TARGET, skipped=skipped), logged(GOLDEN, skipped=np.zeros(STEPS)))
    rate = found(report, FindingName.OVERFLOW_RATE)
    assert rate.weight is weight
    assert rate.facts["rate"] == count / STEPS
    if weight is Weight.FAULT:
        assert report.first_bad_step == 101


def test_skipped_steps_at_the_start_are_the_scale_looking_for_its_value() -> None:
    scale, skipped = np.full(STEPS, 2.0**17), np.zeros(STEPS)
    skipped[:5] = 1
    scale[:5] = 2.0 ** np.arange(22, 17, -1)
    report = judge_curves(logged(TARGET, loss_scale=scale, skipped=skipped), logged(GOLDEN))
    search = found(report, FindingName.SCALE_SEARCH)
    assert (search.facts["count"], search.facts["before"], search.facts["after"]) == (5, 2.0**22, 2.0**17)
    assert report.verdict is Judgement.PASS


def test_a_jump_right_after_a_resume_is_told_as_one() -> None:
    target = TARGET.copy()
    target[500:] *= 1.2
    run = replace(logged(target), resumes=(Resume(501, 100),))
    report = judge_curves(run, logged(GOLDEN))
    assert FindingName.JUMP_AT_RESUME in names(report)
    assert report.first_bad_step == 501


def test_a_gradient_norm_that_jumps_first_asks_for_its_backward_pass() -> None:
    norm = np.ones(STEPS) + 0.01 * np.random.default_rng(7).normal(size=STEPS)
    other, target = norm.copy(), TARGET.copy()
    other[399:] *= 3
    target[400:] *= 1.3
    report = judge_curves(logged(target, grad_norm=other), logged(GOLDEN, grad_norm=norm))
    assert found(report, FindingName.METRIC).step == 400
    assert [(a.step, a.forward, a.backward) for a in report.advice] == [
        (400, False, True), (401, True, False)
    ]  # fmt: skip


def test_validation_and_wanted_series_are_judged_like_the_loss() -> None:
    accuracy = np.linspace(0.2, 0.8, STEPS)
    target = logged(TARGET, validation_accuracy=accuracy * 0.9)
    report = judge_curves(target, logged(GOLDEN, validation_accuracy=accuracy))
    assert report.verdict is Judgement.FAIL
    target, golden = logged(TARGET, reward=accuracy * 0.9), logged(GOLDEN, reward=accuracy)
    assert judge_curves(target, golden).verdict is Judgement.PASS
    assert judge_curves(target, golden, options=CurveOptions(metrics=("reward",))).verdict is Judgement.FAIL


def test_repeated_golden_runs_make_a_band_instead_of_the_limit() -> None:
    wide = [logged(another_device(GOLDEN, seed, 0.02), path=f"{seed}.log") for seed in (11, 12, 13)]
    inside, outside = another_device(GOLDEN, 14, 0.02), another_device(GOLDEN, 14, 0.02)
    outside[500:] *= 1.15
    assert judge_curves(logged(inside), wide[0]).verdict is Judgement.FAIL
    report = judge_curves(logged(inside), wide[0], wide[1:])
    assert report.verdict is Judgement.PASS, faults(report)
    assert report.series[Series.LOSS].band.runs == 3
    report = judge_curves(logged(outside), wide[0], wide[1:])
    assert FindingName.OUTSIDE_BAND in faults(report)
    assert 490 <= report.first_bad_step <= 510


def test_a_narrow_band_finds_what_the_limit_lets_pass() -> None:
    narrow = [logged(another_device(GOLDEN, seed, 1e-4), path=f"{seed}.log") for seed in (11, 12, 13)]
    target = another_device(GOLDEN, 14, 1e-4)
    target[500:] *= 1.005
    assert judge_curves(logged(target), narrow[0]).verdict is Judgement.PASS
    assert judge_curves(logged(target), narrow[0], narrow[1:]).verdict is Judgement.FAIL


def test_a_log_alone_is_not_judged_and_its_own_faults_are() -> None:
    assert judge_alone(logged(TARGET)).verdict is Judgement.NOT_JUDGED
    target = TARGET.copy()
    target[40] = np.nan
    report = judge_alone(logged(target))
    assert (report.verdict, report.first_bad_step) == (Judgement.FAIL, 41)
    readable(report)


def test_logs_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        judge_curves(logged(TARGET[:50]), logged(GOLDEN[:50], 5000))
    assert caught.value.problem.code == "curves_nothing_common"
    with pytest.raises(InputError) as caught:
        judged(TARGET, metrics=("reward",))
    assert caught.value.problem.code == "curves_no_metric"
    with pytest.raises(InputError) as caught:
        judged(TARGET, axis=Axis.TOKENS)
    assert caught.value.problem.code == "curves_no_axis"


def test_without_a_loss_nothing_passes() -> None:
    def rewarded(values: np.ndarray) -> LoggedRun:
        run = logged(values)
        return replace(run, curves={"reward": run.curves[Series.LOSS]})

    report = judge_curves(rewarded(GOLDEN), rewarded(GOLDEN * 1.1))
    assert report.verdict is Judgement.NOT_JUDGED
    assert FindingName.NO_LOSS in names(report)
    assert "reward" in render(report.sentence, "en")
    wanted = CurveOptions(metrics=("reward",))
    assert judge_curves(rewarded(GOLDEN), rewarded(GOLDEN * 1.1), options=wanted).verdict is Judgement.FAIL
    assert judge_curves(rewarded(GOLDEN), rewarded(TARGET), options=wanted).verdict is Judgement.PASS
    assert judge_curves(logged(TARGET), rewarded(GOLDEN)).verdict is Judgement.NOT_JUDGED


@pytest.mark.parametrize("steps", [[10], [2, 3], list(range(2, 11)), [5, 6, 7]])
@pytest.mark.parametrize("size", [1.02, 1.05, 1.09])
def test_early_steps_are_no_blind_spot(steps: list[int], size: float) -> None:
    for noise in (0.0, 2e-4):
        target = another_device(GOLDEN, noise=noise)
        target[np.array(steps) - 1] *= size
        report = judged(target)
        assert (report.verdict, report.first_bad_step) == (Judgement.FAIL, steps[0])


def test_repeats_are_laid_on_the_golden_and_doubles_do_not_count() -> None:
    bad = TARGET.copy()
    bad[199:] *= 1.05
    target, golden = logged(bad, path="t.log"), logged(GOLDEN, path="g.log")
    repeats = {
        "shifted": logged(another_device(GOLDEN, 3), 0, path="r.log"),
        "short": logged(another_device(GOLDEN, 3)[:150], path="r.log"),
        "coarse": logged(another_device(GOLDEN, 3)[9::10], 10, 10, path="r.log"),
        "target": target,
        "golden": replace(golden, path="copy.log"),
    }
    for kind, repeat in repeats.items():
        report = judge_curves(target, golden, [repeat])
        assert (report.verdict, report.first_bad_step) == (Judgement.FAIL, 200), kind
        good = judge_curves(logged(TARGET, path="t2.log"), golden, [repeat])
        assert good.verdict is Judgement.PASS, (kind, faults(good))
        doubled = kind in ("target", "golden")
        assert (report.series[Series.LOSS].band is None) is doubled


def test_losses_that_cross_zero_and_printed_digits_are_no_faults() -> None:
    random = np.random.default_rng(1)
    golden = 0.01 * random.normal(size=STEPS)
    report = judged(golden + 1e-5 * random.normal(size=STEPS), golden)
    assert report.verdict is Judgement.PASS, faults(report)
    falling = 5 * np.exp(-np.arange(STEPS) / 60)
    report = judged(np.round(falling * 1.001, 4), np.round(falling, 4))
    assert report.verdict is Judgement.PASS, faults(report)
    assert judged(np.round(falling * 1.05, 4), np.round(falling, 4)).verdict is Judgement.FAIL


def test_steps_that_are_missing_are_told_and_too_many_keep_from_a_verdict() -> None:
    def without(places: slice) -> LoggedRun:
        run = logged(TARGET)
        kept = np.ones(STEPS, bool)
        kept[places] = False
        steps, values = run.curves[Series.LOSS]
        return replace(run, curves={Series.LOSS: Curve(steps[kept], values[kept])})

    few, most = (judge_curves(without(slice(400, end)), logged(GOLDEN)) for end in (430, 950))
    assert few.verdict is Judgement.PASS
    assert found(few, FindingName.COVERAGE).facts["count"] == 30
    assert most.verdict is Judgement.NOT_JUDGED
    readable(most)


def test_what_neither_run_changes_says_nothing() -> None:
    assert judged(np.zeros(STEPS), np.zeros(STEPS)).verdict is Judgement.FAIL
    assert found(judged(np.ones(STEPS), np.ones(STEPS)), FindingName.CONSTANT).weight is Weight.WARNING


def test_nan_of_both_is_no_broken_golden() -> None:
    target, golden = TARGET.copy(), GOLDEN.copy()
    target[:3] = golden[:3] = np.nan
    assert judged(target, golden).verdict is Judgement.PASS
    golden[500] = np.nan
    assert faults(judged(target, golden)) == [FindingName.GOLDEN_BROKEN]


def test_other_losses_warn() -> None:
    other = judge_curves(logged(TARGET, mtp_loss=TARGET * 1.2), logged(GOLDEN, mtp_loss=GOLDEN))
    assert other.verdict is Judgement.PASS
    assert any(
        finding.series == "mtp_loss" and finding.weight is Weight.WARNING for finding in other.findings
    )


def test_the_earliest_fault_leads() -> None:
    target = TARGET.copy()
    target[600:] *= 1.02
    target[900:] = 1e5
    report = judged(target)
    assert report.findings[0].step == report.first_bad_step == 601
    assert report.advice[0].step == 600


def test_a_learning_rate_inside_its_printed_digits_is_the_same() -> None:
    rate = warm_up(top=3e-3)
    report = judge_curves(logged(TARGET, learning_rate=np.round(rate, 4)), logged(GOLDEN, learning_rate=rate))
    assert report.verdict is Judgement.PASS, faults(report)


def test_a_far_shift_is_hinted_at() -> None:
    golden = falling_loss(300, 3, 0.02)
    report = judge_curves(logged(another_device(golden), 40), logged(golden, 10))
    assert report.verdict is Judgement.FAIL
    assert found(report, FindingName.OFFSET).facts["shift"] == -30


def test_limits_are_the_users() -> None:
    strict = replace(shipped_limits(), limit=1e-5)
    assert judged(TARGET, limits=strict).verdict is Judgement.FAIL
    assert judged(TARGET * 1.05, limits=replace(shipped_limits(), limit=0.1)).verdict is Judgement.PASS


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=60),
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=60),
    st.integers(0, 3),
)
@settings(max_examples=200)
def test_any_two_curves_are_judged(target: list[float], golden: list[float], first: int) -> None:
    runs = logged(np.array(target), first), logged(np.array(golden), 1)
    try:
        report = judge_curves(*runs)
    except InputError:
        assert not set(runs[0].curves["loss"].steps) & set(runs[1].curves["loss"].steps)
        return
    assert report.verdict in tuple(Judgement)
    readable(report)
