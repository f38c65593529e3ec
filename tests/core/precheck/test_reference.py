"""Whether the golden is fit to be a reference: repeats, full precision, overflows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders.logged_runs import another_device, falling_loss, logged

from core.precheck.checks.reference import mixed_precision, overflow_rate, repeatable
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.curves import LoggedRun
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting
from core.records.precheck import Outcome, Standing
from core.records.series import Series

LOSS = falling_loss()


def log(run: LoggedRun, kind: EvidenceKind = EvidenceKind.LOG) -> Evidence:
    return Evidence(run.path, (kind,), log=run)


def golden(*evidence: Evidence) -> Pair:
    return Pair(Side(), Side(evidence))


def repeats(*losses: np.ndarray) -> Finding:
    runs = [logged(loss, path=f"run{number}.log") for number, loss in enumerate(losses)]
    kinds = [EvidenceKind.LOG, *[EvidenceKind.REPEAT_LOG] * (len(runs) - 1)]
    return run_to_end(repeatable(golden(*map(log, runs, kinds))))


def test_three_runs_that_agree_pass_and_the_spread_is_told() -> None:
    found = repeats(*(another_device(LOSS, seed) for seed in range(3)))
    assert found.result is Outcome.PASS
    assert found.message.parameters["count"] == 3
    assert [item.standing for item in found.items] == [Standing.EQUAL] * 3
    ends = [np.mean(another_device(LOSS, seed)[-20:]) for seed in range(3)]
    assert found.message.parameters["spread"] == f"{100 * (max(ends) - min(ends)) / np.mean(ends):.2g} %"


@pytest.mark.parametrize("odd", [0, 1, 3])
def test_a_run_outside_the_noise_of_the_others_fails_and_is_named(odd: int) -> None:
    losses = [another_device(LOSS, seed) for seed in range(4)]
    losses[odd] = losses[odd] * 1.05
    found = repeats(*losses)
    assert found.result is Outcome.FAIL
    assert f"run{odd}.log" in [item.name for item in found.items if item.standing is Standing.DIFFERS]


def test_fewer_than_three_runs_are_not_done_and_copies_do_not_count() -> None:
    assert repeats().message.code == "precheck.reference.repeatable.none"
    two = [another_device(LOSS, seed) for seed in range(2)]
    found = repeats(*two)
    assert (found.result, found.message.parameters["count"]) == (Outcome.NOT_DONE, 2)
    copied = repeats(*two, two[0])
    assert (copied.result, copied.message.parameters["count"]) == (Outcome.NOT_DONE, 2)
    assert copied.remarks[0].parameters["path"] == "run2.log"


def test_cut_copies_and_the_targets_log_are_no_runs_of_the_golden() -> None:
    one, other, third = (another_device(LOSS, seed) for seed in range(3))
    found = repeats(one, one[:-1], one[3:-2])
    assert (found.result, found.message.parameters["count"]) == (Outcome.NOT_DONE, 1)
    runs = [logged(loss, path=f"run{number}.log") for number, loss in enumerate((one, other, third))]
    kinds = EvidenceKind.LOG, EvidenceKind.REPEAT_LOG, EvidenceKind.REPEAT_LOG
    evidence = tuple(map(log, runs, kinds))
    assert run_to_end(repeatable(Pair(Side(), Side(evidence)))).result is Outcome.PASS
    target = Side((log(logged(third, path="target.log")),))
    assert run_to_end(repeatable(Pair(target, Side(evidence)))).result is Outcome.NOT_DONE


@pytest.mark.parametrize("steps", [1, 3, 9])
def test_a_few_steps_tell_nothing_of_the_noise(steps: int) -> None:
    found = repeats(*(another_device(LOSS, seed)[:steps] for seed in range(3)))
    assert (found.result, found.message.code) == (Outcome.NOT_DONE, "precheck.reference.few")
    few = full(another_device(LOSS)[:steps])
    assert (few.result, few.message.code) == (Outcome.NOT_DONE, "precheck.reference.few")


def test_losses_that_are_no_numbers_have_no_spread() -> None:
    broken = [another_device(LOSS, seed) for seed in range(3)]
    broken[2][-50:] = np.nan
    found = repeats(*broken)
    assert (found.result, found.message.code) == (Outcome.FAIL, "precheck.reference.repeatable.not_finite")


@pytest.mark.parametrize("copy", [LOSS, LOSS[:-1], LOSS[5:]])
def test_the_golden_itself_is_not_its_training_in_float32(copy: np.ndarray) -> None:
    found = full(copy)
    assert (found.result, found.message.code) == (
        Outcome.NOT_DONE,
        "precheck.reference.mixed_precision.one_run",
    )


def full(loss: np.ndarray, own: np.ndarray = LOSS, **others: np.ndarray) -> Finding:
    return mixed_precision(
        golden(
            log(logged(loss, path="fp32.log"), EvidenceKind.FULL_PRECISION_LOG), log(logged(own, **others))
        )
    )


def test_mixed_precision_that_trains_as_float32_passes() -> None:
    found = full(another_device(LOSS))
    assert found.result is Outcome.PASS
    assert found.golden_files == ("run.log", "fp32.log")
    assert {item.name for item in found.items} == {Series.LOSS}


@pytest.mark.parametrize("factor", [1.03, 0.95])
def test_mixed_precision_that_ends_elsewhere_is_no_reference(factor: float) -> None:
    found = full(LOSS * np.linspace(1, factor, len(LOSS)))
    assert found.result is Outcome.FAIL
    assert found.message.code == "precheck.reference.mixed_precision.fail"


def test_a_golden_that_became_nan_is_no_reference() -> None:
    broken = LOSS.copy()
    broken[500:] = np.nan
    found = full(LOSS, broken)
    assert found.result is Outcome.FAIL
    assert "nan" not in str(found.message.parameters).lower()


def test_without_both_logs_mixed_precision_is_not_done() -> None:
    run = logged(LOSS)
    assert mixed_precision(golden(log(run))).message.code.endswith("no_full")
    alone = golden(log(run, EvidenceKind.FULL_PRECISION_LOG))
    assert mixed_precision(alone).message.code.endswith("no_log")


def megatron(path: Path, skipped: list[int], steps: int = 1000, batch: int = 16) -> Evidence:
    """Write a log that tells of skipped steps and the batch size."""
    path.write_text(
        "".join(
            f" iteration {step:8d}/ {steps} | consumed samples: {step * batch} | learning rate: 1.0E-04 |"
            f" global batch size: {batch:5d} | lm loss: {LOSS[step - 1]:.6E} | loss scale: 65536.0 |"
            f" grad norm: 1.000 | number of skipped iterations: {int(step in skipped):3d} |"
            " number of nan iterations:   0 |\n"
            for step in range(1, steps + 1)
        )
    )
    return Evidence(str(path), (EvidenceKind.LOG,), log=logged(LOSS[:steps], path=str(path)))


def test_the_rate_of_overflows_is_limited_by_the_batch(tmp_path: Path) -> None:
    few, many = [100, 500], [*range(100, 800, 100)]
    for skipped, batch, result in (
        ([], 16, Outcome.PASS),
        (few, 16, Outcome.PASS),
        (few, 2048, Outcome.FAIL),
        (many, 16, Outcome.FAIL),
    ):
        side = Side((megatron(tmp_path / "golden.log", skipped, batch=batch),))
        found = run_to_end(overflow_rate(Pair(Side(), side)))
        assert found.result is result, (skipped, batch)
        assert found.items[0].golden.startswith(f"{len(skipped)}/1000")


def test_the_target_is_judged_too(tmp_path: Path) -> None:
    sides = [
        Side((megatron(tmp_path / name, skipped),))
        for name, skipped in (("target.log", [*range(10, 200, 10)]), ("golden.log", []))
    ]
    found = run_to_end(overflow_rate(Pair(sides[0], sides[1])))
    assert found.message.code == "precheck.reference.overflow_rate.fail.target"
    lacking = run_to_end(overflow_rate(Pair(sides[0], Side())))
    assert lacking.result is Outcome.NOT_DONE


def test_a_log_without_its_batch_takes_that_of_the_settings(tmp_path: Path) -> None:
    evidence = megatron(tmp_path / "golden.log", [100, 500])
    path = Path(evidence.path)
    path.write_text(path.read_text().replace(" global batch size:    16 |", ""))
    said = Evidence(
        "train.sh",
        (EvidenceKind.SCRIPT,),
        settings=(Setting("global-batch-size", "4096", Place("train.sh", 3), Dialect.MEGATRON),),
    )
    assert run_to_end(overflow_rate(golden(evidence))).result is Outcome.PASS
    assert run_to_end(overflow_rate(golden(evidence, said))).result is Outcome.FAIL


def test_losses_alone_do_not_tell_that_nothing_overflowed(tmp_path: Path) -> None:
    path = tmp_path / "loss.csv"
    evidence = Evidence(str(path), (EvidenceKind.LOG,), log=logged(LOSS, path=str(path)))
    for head, value, result in (
        ("loss", "2.0", Outcome.NOT_DONE),
        ("loss,lr", "2.0,1e-4", Outcome.NOT_DONE),
        ("loss,grad_norm", "2.0,1.5", Outcome.PASS),
        ("loss,loss_scale", "2.0,1024", Outcome.PASS),
        ("loss", "nan", Outcome.FAIL),
    ):
        path.write_text(f"step,{head}\n" + "".join(f"{step},{value}\n" for step in range(1, 51)))
        found = run_to_end(overflow_rate(golden(evidence)))
        assert found.result is result, head
    assert found.message.code == "precheck.reference.overflow_rate.fail.golden"


def test_norms_at_intervals_leave_steps_untold(tmp_path: Path) -> None:
    path = tmp_path / "loss.csv"
    path.write_text("step,loss,grad_norm\n" + "".join(f"{step},2.0,1.5\n" for step in range(10, 510, 10)))
    evidence = Evidence(str(path), (EvidenceKind.LOG,), log=logged(LOSS, path=str(path)))
    found = run_to_end(overflow_rate(golden(evidence)))
    assert found.message.code == "precheck.reference.overflow_rate.not_counted"


def test_a_log_that_counts_nothing_is_not_done(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_text("nothing here\n")
    found = run_to_end(overflow_rate(golden(Evidence(str(path), (EvidenceKind.LOG,), log=logged(LOSS)))))
    assert found.result is Outcome.NOT_DONE
