"""How the runs were run: first steps, left-over state, ranks that keep together, draws, losses, batches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.logged_runs import another_device, falling_loss, logged
from hypothesis import given
from hypothesis import strategies as st

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.precheck.checks.draws import draws
from core.precheck.checks.outside_values import first_batch
from core.precheck.checks.result import first_loss
from core.precheck.checks.start_step import start_step
from core.precheck.checks.synchronised import synchronised
from core.precheck.checks.two_runs import two_runs
from core.precheck.dumps.reading import facts_of_result, facts_of_runs
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.curves import Axis, Curve, LoggedRun
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, RandomCalls, Sample, Setting
from core.records.precheck import Outcome, Standing
from core.records.series import Series

LOSS = falling_loss(200)


def log(run: LoggedRun) -> Evidence:
    return Evidence(run.path, (EvidenceKind.LOG,), log=run)


def logs(target: LoggedRun | None, golden: LoggedRun | None) -> Pair:
    sides = [Side((log(run),) if run is not None else ()) for run in (target, golden)]
    return Pair(sides[0], sides[1])


def both_runs(pair: Pair) -> Finding:
    return run_to_end(two_runs(pair))


def test_one_side_without_a_log_is_not_done() -> None:
    run = logged(LOSS)
    for check in (start_step, both_runs, first_loss):
        for pair, lacking in (((None, None), "both"), ((run, None), "golden"), ((None, run), "target")):
            found = check(logs(*pair))
            assert found.result is Outcome.NOT_DONE
            assert found.message.code == f"precheck.missing.logs.{lacking}"


@pytest.mark.parametrize(
    ("first", "interval", "result"),
    [(1, 1, Outcome.PASS), (0, 1, Outcome.PASS), (10, 10, Outcome.PASS), (101, 1, Outcome.FAIL)],
)
def test_first_steps_are_the_same_but_for_counting_and_intervals(
    first: int, interval: int, result: Outcome
) -> None:
    golden = logged(LOSS, path="golden.log")
    values = LOSS if interval == 1 else LOSS[9::10]
    found = start_step(logs(logged(another_device(values), first, interval), golden))
    assert found.result is result
    assert found.items[0].standing is (
        Standing.EQUAL if first == 1 else Standing.REMARK if result is Outcome.PASS else Standing.DIFFERS
    )


@pytest.mark.parametrize(
    ("target", "golden", "result"),
    [
        ((0, 1), (0, 1), Outcome.PASS),
        ((1,), (0, 1), Outcome.NOT_DONE),
        ((1, 2), (1, 2), Outcome.PASS),
        ((5,), (4,), Outcome.FAIL),
    ],
)
def test_dumps_begin_where_they_begin_and_not_at_the_first_common_step(
    tmp_path: Path, target: tuple[int, ...], golden: tuple[int, ...], result: Outcome
) -> None:
    folders = tmp_path / "target", tmp_path / "golden"
    paths = [
        write_ranks(folder, {(step, 0): WEIGHT for step in steps})
        for folder, steps in zip(folders, (target, golden))
    ]
    facts = run_to_end(facts_of_runs(paths[0], paths[1], CompareOptions(use_cache=False)))
    found = start_step(Pair(Side(), Side(), facts))
    assert found.result is result
    assert (found.items[0].target, found.items[0].golden) == (str(target[0]), str(golden[0]))
    loss = first_loss(Pair(Side(), Side(), replace(facts, target_loss=2.0, golden_loss=2.0)))
    assert loss.result is (Outcome.PASS if result is Outcome.PASS else Outcome.NOT_DONE)
    apart = first_loss(Pair(Side(), Side(), replace(facts, target_loss=2.0, golden_loss=3.0)))
    assert apart.result is Outcome.FAIL


def test_counted_records_tell_no_first_step() -> None:
    found = start_step(logs(logged(LOSS, axis=Axis.COUNT), logged(LOSS)))
    assert found.result is Outcome.NOT_DONE


def test_one_log_twice_is_one_run(tmp_path: Path) -> None:
    run = logged(LOSS, path=str(tmp_path / "a.log"))
    for other in (run, replace(run, path=str(tmp_path / "copy.log"))):
        assert both_runs(logs(run, other)).result is Outcome.FAIL
    assert both_runs(logs(run, logged(another_device(LOSS), path="b.log"))).result is Outcome.PASS
    # a log that tells nothing proves nothing
    assert both_runs(logs(run, logged(np.ones(3), path="b.log"))).result is Outcome.NOT_DONE


@given(st.floats(1e-3, 1e3), st.floats(-0.05, 0.05))
def test_the_first_loss_may_differ_by_one_percent(golden: float, apart: float) -> None:
    target = golden * (1 + apart)
    relative = abs(target - golden) / golden
    if abs(relative - 0.01) < 1e-9:
        return
    values = LOSS.copy()
    values[0] = golden
    other = values.copy()
    other[0] = target
    found = first_loss(logs(logged(other), logged(values)))
    assert found.result is (Outcome.PASS if relative < 0.01 else Outcome.FAIL)


@pytest.mark.parametrize(
    "values", [(np.nan, 2.0), (2.0, np.nan), (np.nan, np.nan), (np.inf, np.inf), (1.0, 0.0)]
)
def test_what_is_not_finite_never_passes(values: tuple[float, float]) -> None:
    losses = [np.concatenate([[value], LOSS[1:]]) for value in values]
    assert first_loss(logs(logged(losses[0]), logged(losses[1]))).result is Outcome.FAIL


def samples(run: LoggedRun, batch: int) -> LoggedRun:
    """Return *run* with the samples that it consumed."""
    steps = run.curves[Series.LOSS].steps
    counted = Curve(steps, np.asarray(steps * batch, np.float64))
    return replace(run, curves={**run.curves, Series.CONSUMED_SAMPLES: counted})


@pytest.mark.parametrize("batch", [32, 64, 128])
def test_the_first_loss_and_step_are_those_of_a_step_whatever_the_batch(batch: int) -> None:
    golden = samples(logged(LOSS, path="golden.log"), 64)
    target = samples(logged(another_device(LOSS), path="target.log"), batch)
    found = first_loss(logs(target, golden))
    assert found.result is Outcome.PASS
    assert found.message.parameters["step"] == 1
    assert found.items[0].golden == f"{LOSS[0]:.7g}"
    assert found.items[0].remark is None
    # one counts from 0: both steps are named
    counted = samples(logged(another_device(LOSS), first=0, path="target.log"), batch)
    remark = first_loss(logs(counted, golden)).items[0].remark
    assert remark is not None
    assert (remark.code, remark.parameters) == ("precheck.step.laid", {"target": 0, "golden": 1})
    assert start_step(logs(counted, golden)).result is Outcome.PASS


def test_logs_that_were_not_looked_at_are_counted() -> None:
    first, others = logged(LOSS, path="a.log"), [logged(LOSS * 2, path=f"{name}.log") for name in "bc"]
    target = Side(tuple(map(log, (first, *others))))
    golden = Side((log(logged(another_device(LOSS), path="d.log")),))
    for check in (first_loss, start_step):
        (remark,) = check(Pair(target, golden)).remarks
        assert (remark.code, remark.parameters) == (
            "precheck.logs.unseen.target",
            {"path": "a.log", "count": 2},
        )
    assert not first_loss(Pair(golden, golden)).remarks


def test_a_later_step_tells_nothing_of_the_first_loss() -> None:
    golden = logged(LOSS)
    late = first_loss(logs(logged(LOSS[99:], first=100), golden))
    assert (late.result, late.message.code) == (Outcome.NOT_DONE, "precheck.result.first_loss.late")
    assert first_loss(logs(logged(LOSS[99:] * 1.1, first=100), golden)).result is Outcome.FAIL
    both = [logged(LOSS[99:], first=100), logged(another_device(LOSS)[99:], first=100)]
    assert first_loss(logs(*both)).result is Outcome.PASS
    means = LOSS.reshape(-1, 10).mean(axis=1)
    assert first_loss(logs(logged(means, first=10, interval=10), golden)).result is Outcome.PASS


def test_losses_without_a_common_step_are_not_done() -> None:
    found = first_loss(logs(logged(LOSS[:5], first=1), logged(LOSS[:5], first=1000)))
    assert found.message.code == "precheck.result.first_loss.nothing_common"


def script(*settings: tuple[str, str]) -> Evidence:
    at = Place("train.sh", 4)
    return Evidence(
        "train.sh",
        (EvidenceKind.SCRIPT,),
        settings=tuple(Setting(name, value, at, Dialect.MEGATRON) for name, value in settings),
    )


WEIGHT = np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32)


def write_ranks(folder: Path, weights: dict[tuple[int, int], np.ndarray]) -> str:
    """Write a call with a weight for each step and rank."""
    x = np.ones((2, 4), np.float32)
    for (step, rank), weight in weights.items():
        calls = {"Functional.linear.0.forward": call([x * (rank + 1), weight], [x @ weight.T])}
        write_dump(folder / f"step{step}" / f"rank{rank}", calls)
    return str(folder)


def ranks(tmp_path: Path, target: dict[tuple[int, int], np.ndarray], *said: Evidence) -> Outcome:
    golden = {(step, rank): WEIGHT * (step + 1) for step in range(2) for rank in range(4)}
    paths = write_ranks(tmp_path / "target", target), write_ranks(tmp_path / "golden", golden)
    facts = run_to_end(facts_of_runs(*paths, CompareOptions(use_cache=False)))
    return synchronised(Pair(Side(said), Side(), facts)).result


def test_a_result_file_tells_of_the_ranks_too(tmp_path: Path) -> None:
    weights = {(step, rank): WEIGHT * (1 + step * (rank + 1)) for step in range(2) for rank in range(2)}
    paths = write_ranks(tmp_path / "target", weights), write_ranks(tmp_path / "golden", weights)
    options, result = CompareOptions(use_cache=False), str(tmp_path / "result.h5")
    run_to_end(compare_runs(*paths, options, result_path=result))
    facts = run_to_end(facts_of_result(result))
    assert facts.target_replicas is not None
    assert [item.rank for item in facts.target_replicas.ranks] == [0, 1]
    assert synchronised(Pair(Side(), Side(), facts)).message.code == "precheck.flow.synchronised.fail.target"


def test_replicas_that_stay_equal_pass(tmp_path: Path) -> None:
    weights = {(step, rank): WEIGHT * (step + 1) for step in range(2) for rank in range(4)}
    assert ranks(tmp_path, weights) is Outcome.PASS


def test_replicas_that_part_after_the_update_fail(tmp_path: Path) -> None:
    weights = {(step, rank): WEIGHT * (1 + step * (rank + 1)) for step in range(2) for rank in range(2)}
    assert ranks(tmp_path, weights) is Outcome.FAIL


def test_ranks_that_began_apart_may_hold_parts_unless_the_settings_say_no(tmp_path: Path) -> None:
    weights = {(step, rank): WEIGHT * (1 + step + 3 * rank) for step in range(2) for rank in range(2)}
    assert ranks(tmp_path / "unknown", weights) is Outcome.NOT_DONE
    whole = script(("tensor-model-parallel-size", "1"), ("pipeline-model-parallel-size", "1"))
    assert ranks(tmp_path / "whole", weights, whole) is Outcome.FAIL


def test_dumps_of_the_first_step_alone_do_not_show_whether_ranks_keep_together(tmp_path: Path) -> None:
    assert ranks(tmp_path, {(0, 0): WEIGHT, (0, 1): WEIGHT}) is Outcome.NOT_DONE


@pytest.mark.parametrize(("apart", "result"), [(0.0, Outcome.PASS), (0.1, Outcome.FAIL)])
def test_ranks_log_one_gradient_norm(apart: float, result: Outcome) -> None:
    norms = np.linspace(3, 1, len(LOSS))
    sides = []
    for side in ("target", "golden"):
        runs = [
            replace(
                logged(LOSS * (1 + 0.01 * rank), path=f"{side}{rank}.log", grad_norm=norms + apart * rank),
                ranks=(rank,),
            )
            for rank in range(2)
        ]
        sides.append(Side(tuple(map(log, runs))))
    found = synchronised(Pair(sides[0], sides[1]))
    assert found.result is result
    assert synchronised(Pair(sides[0], Side())).result is (
        Outcome.NOT_DONE if result is Outcome.PASS else Outcome.FAIL
    )


def drawn(*calls: tuple[str, str, int]) -> Side:
    counts = tuple(RandomCalls(*one) for one in calls)
    return Side((Evidence("random.json", (EvidenceKind.RANDOM_CALLS,), random_calls=counts),))


def test_draws_are_counted_place_by_place_whatever_the_folders() -> None:
    here = drawn(("torch.randn", "File /home/a/train.py, line 3, in init", 2), ("random.random", "", 5))
    there = drawn(("torch.randn", "File C:\\b\\train.py, line 3, in init", 2), ("random.random", "", 5))
    assert draws(Pair(here, there)).result is Outcome.PASS
    more = drawn(("torch.randn", "File /home/a/train.py, line 3, in init", 3), ("random.random", "", 5))
    found = draws(Pair(more, there))
    assert found.result is Outcome.FAIL
    assert found.message.parameters["first"] == "torch.randn"
    elsewhere = drawn(("torch.randn", "File /home/a/data.py, line 3, in init", 2), ("random.random", "", 5))
    assert {item.standing for item in draws(Pair(elsewhere, there)).items} == {
        Standing.EQUAL, Standing.TARGET_ONLY, Standing.GOLDEN_ONLY,
    }  # fmt: skip
    assert draws(Pair(here, Side())).result is Outcome.NOT_DONE
    assert draws(Pair(drawn(), drawn())).result is Outcome.NOT_DONE


def saved(*samples: tuple[int, str, float]) -> Side:
    rows = tuple(Sample(step, 0, name, value, 0.0, np.nan, value) for step, name, value in samples)
    return Side((Evidence("batches.json", (EvidenceKind.SAMPLES,), samples=rows),))


def test_saved_batches_are_the_same_or_not() -> None:
    golden = saved((0, "ids", 90.0), (0, "labels", 91.0), (1, "ids", 80.0))
    assert first_batch(Pair(golden, golden)).result is Outcome.PASS
    assert first_batch(Pair(saved((0, "ids", 90.0), (0, "labels", 91.0)), golden)).result is Outcome.PASS
    found = first_batch(Pair(saved((0, "ids", 90.5), (0, "labels", 91.0)), golden))
    assert (found.result, found.message.parameters["first"]) == (Outcome.FAIL, "step0/rank0 ids")
    assert first_batch(Pair(saved((0, "ids", 90.0)), golden)).result is Outcome.FAIL
    assert first_batch(Pair(saved((7, "ids", 90.0)), golden)).result is Outcome.NOT_DONE
    assert first_batch(Pair(Side(), golden)).result is Outcome.NOT_DONE
    nan = saved((0, "ids", np.nan))
    assert first_batch(Pair(nan, nan)).result is Outcome.PASS
