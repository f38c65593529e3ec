"""The learning rate at every step: what logs print, and what settings make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.settings import found, pair_of, script

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
