"""The learning rate at every step: what logs print, and what settings make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.settings import found, pair_of, script
from hypothesis import given
from hypothesis import strategies as st

from core.records.columns import Float64
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.evidence import Evidence, EvidenceKind, Value
from core.records.precheck import Outcome
from core.records.series import Series

PASS, FAIL, NOT_DONE = Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE


def log(rates: Float64, path: str = "train.log", first: int = 1) -> Evidence:
    steps = np.arange(first, first + len(rates))
    curves: dict[str, Curve] = {
        Series.LOSS: Curve(steps, 5.0 - 0.01 * steps), Series.LEARNING_RATE: Curve(steps, rates),
    }  # fmt: skip
    run = LoggedRun(path, RunKind.LOG, ("megatron",), Axis.STEP, curves, (), (), len(rates), 0, ())
    return Evidence(path, (EvidenceKind.LOG,), log=run)


def ramp(peak: float) -> Float64:
    return peak * np.minimum(np.arange(1, 101) / 10, 1.0)


SCHEDULE: dict[str, Value] = {
    "lr": "1e-3", "lr_decay_style": "constant", "lr_warmup_iters": 10, "train_iters": 100,
}  # fmt: skip
CURVE = "hyper_parameters.learning_rate_curve"


def test_printed_learning_rates() -> None:
    assert found(CURVE, pair_of(log(ramp(1e-3)), log(ramp(1e-3), "gpu.log"))).result is PASS
    apart = ramp(1e-3)
    apart[39:] *= 1.5
    finding = found(CURVE, pair_of(log(apart), log(ramp(1e-3), "gpu.log")))
    assert finding.result is FAIL
    only = finding.items[0]
    assert (only.name, only.target, only.golden) == ("step 40", "0.0015", "0.001")
    late = found(CURVE, pair_of(log(np.concatenate([[0.0], ramp(1e-3)[:-1]])), log(ramp(1e-3), "gpu.log")))
    assert late.result is PASS
    assert late.remarks[0].code == "curves.learning_rate.late"


def batch_of(evidence: Evidence, batch: int) -> Evidence:
    """Return the log with the samples that it consumed."""
    assert evidence.log is not None
    steps = evidence.log.curves[Series.LOSS].steps
    counted = Curve(steps, np.asarray(steps * batch, np.float64))
    curves = {**evidence.log.curves, Series.CONSUMED_SAMPLES: counted}
    return replace(evidence, log=replace(evidence.log, curves=curves))


@pytest.mark.parametrize("batch", [32, 64, 128])
def test_rates_belong_to_steps_whatever_the_batch(batch: int) -> None:
    golden = batch_of(log(ramp(1e-3), "gpu.log"), 64)
    assert found(CURVE, pair_of(batch_of(log(ramp(1e-3)), batch), golden)).result is PASS
    # a schedule that is the same over samples is another one over steps
    longer = np.minimum(np.arange(1, 101) * batch / 640, 1.0) * 1e-3
    same_samples = found(CURVE, pair_of(batch_of(log(longer), batch), golden))
    assert same_samples.result is (PASS if batch == 64 else FAIL)
    assert same_samples.items[0].name == "step 1"


def test_a_log_is_held_against_the_other_sides_settings() -> None:
    assert found(CURVE, pair_of(log(ramp(1e-3)), script(**SCHEDULE))).result is PASS
    assert found(CURVE, pair_of(script(**SCHEDULE), log(ramp(2e-3)))).result is FAIL


def test_a_log_without_step_numbers_is_not_held_against_settings() -> None:
    counted = log(ramp(1e-3))
    assert counted.log is not None
    counted = replace(counted, log=replace(counted.log, axis=Axis.COUNT))
    finding = found(CURVE, pair_of(counted, script(**SCHEDULE)))
    assert (finding.result, finding.message.code) == (NOT_DONE, f"precheck.{CURVE}.unnumbered")


def test_settings_alone_make_the_curve() -> None:
    cosine = script(**{**SCHEDULE, "lr_decay_style": "cosine"})
    assert found(CURVE, pair_of(script(**SCHEDULE), script(**SCHEDULE))).result is PASS
    finding = found(CURVE, pair_of(script(**SCHEDULE), cosine))
    assert finding.result is FAIL
    assert finding.items[0].name.startswith("step ")


def test_single_rates_without_step_numbers_are_not_compared() -> None:
    sides = []
    for path, rate in (("train.log", 1e-3), ("gpu.log", 2e-3)):
        evidence = log(np.array([rate]), path)
        assert evidence.log is not None
        sides.append(replace(evidence, log=replace(evidence.log, axis=Axis.COUNT)))
    assert found(CURVE, pair_of(*sides)).result is NOT_DONE


def test_a_rate_that_is_no_number_differs() -> None:
    broken = ramp(1e-3)
    broken[:5] = np.nan
    for sides in ((log(broken), log(ramp(1e-3), "gpu.log")), (log(ramp(1e-3)), log(broken, "gpu.log"))):
        finding = found(CURVE, pair_of(*sides))
        assert (finding.result, finding.message.code) == (FAIL, "curves.learning_rate")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"lr_warmup_fraction": 0.013}, {"lr_warmup_fraction": 0.009}),
        ({"lr_warmup_fraction": 0.013}, {"lr_warmup_iters": 1}),
        ({"lr_warmup_fraction": 0.004}, {}),
        ({"train_iters": None, "train_samples": 1600}, {"train_iters": None, "train_samples": 1615}),
        ({"lr_decay_samples": 800}, {"lr_decay_samples": 815}),
        ({"lr": 1e-3}, {"lr": 1.0000001e-3}),
    ],
)
def test_what_settings_make_is_compared_exactly_and_alike_both_ways(
    first: dict[str, Value], second: dict[str, Value]
) -> None:
    shared: dict[str, Value] = {
        "lr": 1e-3, "lr_decay_style": "linear", "train_iters": 100, "global_batch_size": 16,
    }  # fmt: skip
    sides = [script(**{**shared, **own}) for own in (first, second)]
    for pair in (pair_of(*sides), pair_of(*sides[::-1])):
        assert found(CURVE, pair).result is FAIL
        assert found("hyper_parameters.learning_rate", pair).result is FAIL
    assert found(CURVE, pair_of(sides[0], sides[0])).result is PASS


@given(st.integers(4, 8), st.floats(-3e-3, 3e-3))
def test_what_logs_print_is_compared_within_their_digits_and_alike_both_ways(
    digits: int, apart: float
) -> None:
    def printed(rates: Float64) -> Float64:
        return np.array([float(f"{rate:.{digits - 1}e}") for rate in rates])

    golden = printed(1e-3 / np.sqrt(np.arange(1, 101)))
    target = printed(golden * (1 + apart))
    results = {
        found(CURVE, pair_of(log(one), log(other, "gpu.log"))).result
        for one, other in ((target, golden), (golden, target))
    }
    assert len(results) == 1
    if abs(apart) > 1.2 * 10.0 ** (1 - digits) + 2e-6:  # what float32 may make of a schedule
        assert results == {FAIL}
    if (target == golden).all():
        assert results == {PASS}


def test_a_log_that_does_not_follow_its_own_settings_is_a_remark() -> None:
    target = log(ramp(2e-3)), script(**SCHEDULE)
    finding = found(CURVE, pair_of(target, log(ramp(2e-3), "gpu.log")))
    assert finding.result is PASS
    assert finding.remarks[0].code == f"precheck.{CURVE}.own.target"
    assert finding.remarks[0].parameters == {
        "step": 1,
        "printed": pytest.approx(2e-4),
        "made": pytest.approx(1e-4),
    }
