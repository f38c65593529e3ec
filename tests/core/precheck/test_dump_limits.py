"""What dumps do not show is never passed: other arguments, other ranks, parts, files that are cut off."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.training_dumps import SmallStep, replace, write_step

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.precheck.checks.dropout import dropout
from core.precheck.checks.dumps import casts, fused_in_dumps, same_operators
from core.precheck.checks.outside_values import first_batch, weights_in_dumps
from core.precheck.dumps.facts import DumpFacts, Recorded
from core.precheck.dumps.reading import facts_of_result, facts_of_runs
from core.precheck.finding import Finding
from core.precheck.jobs import PrecheckRequest, run_precheck
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.evidence import Given
from core.records.precheck import Outcome, Standing

PLAIN = CompareOptions(use_cache=False)
X = np.random.default_rng(5).normal(size=(4, 6)).astype(np.float32)
MADE = X * 2
MASK = np.tril(np.ones((4, 6), np.float32))


def facts_of(target: Path, golden: Path) -> DumpFacts:
    return run_to_end(facts_of_runs(str(target), str(golden), PLAIN))


def found(check: Callable[[Pair], Finding], facts: DumpFacts) -> Finding:
    return check(Pair(Side(), Side(), facts))


def step_with(folder: Path, name: str, taken: list[Any], given: Any, **kwargs: Any) -> Path:
    """Write a step whose middle call is *name*."""
    calls = {
        "Functional.relu.0.forward": call([X], [X * 2]),
        name: call([X * 2, *taken], [given], kwargs),
        "Functional.mse_loss.0.forward": call([given], [np.array(given.mean(), np.float32)]),
    }
    return write_dump(folder, calls)


OTHER_ARGUMENTS: Mapping[str, tuple[str, list[Any], dict[str, Any], list[Any], dict[str, Any], Outcome]] = {
    "epsilon": ("layer_norm", [1e-3], {}, [1e-5], {}, Outcome.FAIL),
    "a word": ("gelu", [], {"approximate": "tanh"}, [], {"approximate": "none"}, Outcome.FAIL),
    "a switch": ("attend", [True], {}, [False], {}, Outcome.FAIL),
    "a mask on one side": ("attend", [MASK], {}, [None], {}, Outcome.FAIL),
    "the same": ("layer_norm", [1e-5], {}, [1e-5], {}, Outcome.PASS),
    "a default spelt out": ("gelu", [], {"approximate": "none"}, [], {}, Outcome.PASS),
    "another value than the default": ("gelu", [], {"approximate": "tanh"}, [], {}, Outcome.NOT_DONE),
    "a default that nobody knows": ("attend", [None], {}, [0.125], {}, Outcome.NOT_DONE),
    "none spelt out": ("attend", [None], {}, [], {}, Outcome.PASS),
    "a switch that is off": ("attend", [], {"causal": False}, [], {}, Outcome.PASS),
    "by name and by position": ("layer_norm", [1e-5], {}, [], {"eps": 1e-5}, Outcome.PASS),
    "other values by name and position": ("attend", [2], {}, [], {"heads": 4}, Outcome.NOT_DONE),
    "a mask that one side does not pass": ("attend", [], {"mask": MASK}, [], {}, Outcome.FAIL),
    "counted from the end": ("softmax", [-1], {}, [1], {}, Outcome.PASS),
    "another dimension": ("softmax", [-1], {}, [0], {}, Outcome.FAIL),
    "a size left out": ("view", [-1, 6], {}, [4, 6], {}, Outcome.PASS),
    "a device": ("to", ["npu:0"], {}, ["cuda:1"], {}, Outcome.PASS),
}


@pytest.mark.parametrize("case", OTHER_ARGUMENTS)
def test_other_arguments_of_the_same_call(tmp_path: Path, case: str) -> None:
    api, ours, our_words, theirs, their_words, result = OTHER_ARGUMENTS[case]
    name = f"Functional.{api}.0.forward"
    facts = facts_of(
        step_with(tmp_path / "target", name, ours, X * 3, **our_words),
        step_with(tmp_path / "golden", name, theirs, X * 3, **their_words),
    )
    told = found(same_operators, facts)
    assert told.result is result
    wrong = [item for item in told.items if item.standing is Standing.DIFFERS]
    assert bool(wrong) is (result is Outcome.FAIL)
    if wrong:
        assert told.message.code == "precheck.flow.same_operators.arguments"
        assert told.message.parameters["operator"] == name


@pytest.mark.parametrize(("differs_before", "result"), [(False, Outcome.FAIL), (True, Outcome.PASS)])
def test_a_number_that_is_worked_out_of_data_follows_from_them(
    tmp_path: Path, differs_before: bool, result: Outcome
) -> None:
    paths = []
    for side, rate in (("target", 0.73918273645), ("golden", 0.74018273645)):
        made = X * (2.1 if differs_before and side == "target" else 2)
        calls = {
            "Functional.relu.0.forward": call([X], [made]),
            "Torch.mul.0.forward": call([made, rate], [X * 3]),
            "Functional.mse_loss.0.forward": call([X * 3], [np.array(1.5, np.float32)]),
        }
        paths.append(write_dump(tmp_path / side, calls))
    assert found(same_operators, facts_of(*paths)).result is result


DROPPING: Mapping[str, tuple[list[Any], dict[str, Any], float, bool | None]] = {
    "Functional.dropout.0.forward": ([0.1, True], {}, 1.4, True),
    "Functional.alpha_dropout.0.forward": ([0.1, False], {}, 1, False),
    "NPU._npu_dropout.0.forward": ([0.1], {}, 1.4, True),
    "Module.block.drop_path.DropPath.forward.0": ([], {}, 1.4, True),
    "Module.block.StochasticDepth.forward.0": ([], {}, 1, False),
    "NPU.npu_fusion_attention.0.forward": ([MADE, MADE, 4, "BSH", None, None, None, 0.1, 0.9], {}, 1.4, True),
    "NPU.npu_fusion_attention.1.forward": ([MADE, MADE, 4, "BSH"], {"keep_prob": 1.0}, 1.4, False),
    "NPU.npu_fusion_attention.2.forward": ([MADE, MADE, 4, "BSH"], {}, 1.4, False),
    "Functional.scaled_dot_product_attention.0.forward": ([MADE, MADE, None, 0.2], {}, 1.4, True),
    "Functional.scaled_dot_product_attention.1.forward": ([MADE, MADE], {"is_causal": True}, 1.4, False),
    "Functional.multi_head_attention_forward.0.forward": (
        [MADE, MADE, 6, 2, MADE, MADE, None, None, False, 0.3, MADE, MADE, True], {}, 1.4, True,
    ),
    "Functional.multi_head_attention_forward.1.forward": (
        [MADE, MADE, 6, 2, MADE, MADE, None, None, False, 0.3, MADE, MADE, False], {}, 1.4, False,
    ),
    "VF.lstm.0.forward": ([[MADE, MADE], [MADE, MADE], True, 2, 0.4, True, False, True], {}, 1.4, True),
    "VF.gru.0.forward": ([MADE, MADE, [MADE, MADE], True, 2, 0.4, False, False], {}, 1.4, False),
    "Torch.bernoulli.0.forward": ([], {}, 1.4, True),
    "Functional.rrelu.0.forward": ([0.1, 0.3, True], {}, 1.4, True),
    "Functional.rrelu.1.forward": ([0.1, 0.3, False], {}, 1.4, False),
    "Torch.rand_like.0.forward": ([], {}, 1.4, None),
    "Torch.bias_dropout_add.0.forward": ([MADE], {}, 1.4, None),
    "Torch.bias_dropout_add.1.forward": ([MADE], {"prob": 0.0}, 1.4, False),
}  # fmt: skip


@pytest.mark.parametrize("name", DROPPING)
def test_every_call_that_may_drop_is_judged(tmp_path: Path, name: str) -> None:
    taken, words, factor, active = DROPPING[name]
    given = (X * 2 * factor).astype(np.float32)
    paths = [step_with(tmp_path / side, name, taken, given, **words) for side in ("target", "golden")]
    facts = facts_of(*paths)
    assert [item.active for item in facts.dropout] == [active, active]
    results = {True: Outcome.FAIL, False: Outcome.PASS, None: Outcome.NOT_DONE}
    assert found(dropout, facts).result is results[active]


@pytest.mark.parametrize("name", ["Module.dropout_block.Linear.forward.0", "Functional.gelu.0.forward"])
def test_a_name_that_only_holds_the_word_drops_nothing(tmp_path: Path, name: str) -> None:
    paths = [step_with(tmp_path / side, name, [], X * 3) for side in ("target", "golden")]
    facts = facts_of(*paths)
    assert not facts.dropout
    assert found(dropout, facts).result is Outcome.PASS


def chosen(folder: Path) -> Path:
    """Write a dump of chosen operators: none takes what another one makes."""
    values = [X * factor for factor in (1, 3, 5, 7)]
    names = [f"Functional.softmax.{number}.forward" for number in range(2)]
    calls = {
        name: call([values[2 * i], -1], [values[2 * i + 1]])
        for i, name in enumerate(names)
    }  # fmt: skip
    return write_dump(folder, calls)


def test_a_dump_of_chosen_operators_does_not_show_the_others(tmp_path: Path) -> None:
    facts = facts_of(chosen(tmp_path / "target"), chosen(tmp_path / "golden"))
    assert facts.target_recorded is Recorded.PART
    for check in (dropout, fused_in_dumps, same_operators):
        assert found(check, facts).result is Outcome.NOT_DONE
        assert found(check, facts).message.code == "precheck.dumps.part.target"
    assert found(first_batch, facts).result is Outcome.NOT_DONE


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [
        ("tensor_L0", Recorded.MODULES), ("debug", Recorded.VALUES), ("structure_mix", Recorded.STRUCTURE),
        ("statistics_mix", Recorded.CALLS), ("xor_L1", Recorded.CALLS), ("four_ranks", Recorded.CALLS),
    ],
)  # fmt: skip
def test_real_dumps_tell_what_they_hold(dumps: Path, kind: str, recorded: Recorded) -> None:
    path = dumps / kind / "golden"
    facts = facts_of(path, path)
    assert facts.target_recorded is facts.golden_recorded is recorded
    result = Outcome.PASS if recorded.shows_all_calls else Outcome.NOT_DONE
    assert found(same_operators, facts).result is result
    assert found(dropout, facts).result is result


def test_calls_of_a_dump_without_arguments_may_drop(tmp_path: Path) -> None:
    names = ("Functional.linear.0.forward", "Functional.dropout.0.forward")
    for side in ("target", "golden"):
        write_dump(tmp_path / side, {name: call() for name in names})
    facts = facts_of(tmp_path / "target", tmp_path / "golden")
    assert facts.target_recorded is Recorded.STRUCTURE
    assert found(dropout, facts).message.code == "precheck.randomness.dropout.unknown"


@pytest.mark.parametrize("left_out", ["Module.", "backward"])
def test_what_one_side_does_not_dump_at_all_is_no_difference_of_the_runs(
    dumps: Path, tmp_path: Path, left_out: str
) -> None:
    golden = dumps / "statistics_mix" / "golden"
    target = shutil.copytree(golden, tmp_path / "target")
    for path in target.rglob("dump.json"):
        told = json.loads(path.read_text())
        told["data"] = {name: body for name, body in told["data"].items() if left_out not in name}
        path.write_text(json.dumps(told))
    facts = facts_of(target, golden)
    assert facts.sequence.not_dumped > 0
    told = found(same_operators, facts)
    assert told.result is Outcome.PASS
    assert "precheck.flow.same_operators.not_dumped" in [remark.code for remark in told.remarks]


def test_modules_of_one_side_are_not_compared_with_the_calls_of_the_other(dumps: Path) -> None:
    for kind in ("tensor_L1", "statistics_mix"):
        facts = facts_of(dumps / "tensor_L0" / "golden", dumps / kind / "golden")
        assert found(same_operators, facts).result is Outcome.NOT_DONE


def test_rows_that_look_at_one_rank_say_so(dumps: Path) -> None:
    path = dumps / "two_ranks" / "golden"
    facts = facts_of(path, path)
    for check in (casts, fused_in_dumps, same_operators, dropout):
        assert "precheck.dumps.one_rank" in [remark.code for remark in found(check, facts).remarks]


def cut(folder: Path, share: float) -> None:
    for path in folder.rglob("dump.json"):
        text = path.read_text()
        path.write_text(text[: int(len(text) * share)])


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("by_result", [False, True])
def test_nothing_passes_on_a_dump_that_is_cut_off(tmp_path: Path, both: bool, by_result: bool) -> None:
    paths = [write_step(tmp_path / side, SmallStep(), tensors=False) for side in ("target", "golden")]
    for path in paths[: 1 + both]:
        cut(path, 0.7)
    if by_result:
        result = str(tmp_path / "result.h5")
        run_to_end(compare_runs(str(paths[0]), str(paths[1]), PLAIN, result_path=result))
        facts = run_to_end(facts_of_result(result))
    else:
        facts = facts_of(*paths)
    assert facts.target_recorded is Recorded.CUT
    assert "truncated" in [problem.code for problem in facts.problems]
    checks = (casts, fused_in_dumps, same_operators, dropout, first_batch, weights_in_dumps)
    assert {found(check, facts).result for check in checks} == {Outcome.NOT_DONE}
    given = [(Given(str(path)),) for path in paths]
    report = run_to_end(run_precheck(PrecheckRequest(given[0], given[1])))
    assert "truncated" in [problem.code for problem in report.problems]


def two_ranks(folder: Path, second: SmallStep) -> Path:
    for rank, step in enumerate((SmallStep(), second)):
        write_step(folder / "step0" / f"rank{rank}", step)
    return folder


@pytest.mark.parametrize("by_result", [False, True])
@pytest.mark.parametrize("what", ["ids", "weights"])
def test_another_rank_with_other_values_fails(tmp_path: Path, what: str, by_result: bool) -> None:
    step = SmallStep()
    other = replace(step, ids=step.ids + 1)
    if what == "weights":
        other = replace(step, weights={"linear": step.weight("linear") * np.float32(1.5)})
    paths = [two_ranks(tmp_path / "target", other), two_ranks(tmp_path / "golden", step)]
    if by_result:
        result = str(tmp_path / "result.h5")
        run_to_end(compare_runs(str(paths[0]), str(paths[1]), PLAIN, result_path=result))
        facts = run_to_end(facts_of_result(result))
    else:
        facts = facts_of(*paths)
    check = first_batch if what == "ids" else weights_in_dumps
    told = found(check, facts)
    assert told.result is Outcome.FAIL
    assert str(told.message.parameters["first"]).startswith("rank1 ")
    fine = found(weights_in_dumps if what == "ids" else first_batch, facts)
    assert fine.result is Outcome.PASS
    assert [remark.parameters for remark in fine.remarks] == [{"ranks": "0, 1", "count": 2}]


def test_some_ranks_of_many_are_looked_at_and_named(tmp_path: Path) -> None:
    for side in ("target", "golden"):
        for rank in range(8):
            write_step(tmp_path / side / "step0" / f"rank{rank}", SmallStep(), tensors=False)
    facts = facts_of(tmp_path / "target", tmp_path / "golden")
    (remark,) = found(weights_in_dumps, facts).remarks
    assert remark.parameters == {"ranks": "0, 1, 4, 7", "count": 8}


def test_a_rank_whose_dump_is_cut_off_is_not_counted_as_looked_at(tmp_path: Path) -> None:
    paths = [two_ranks(tmp_path / side, SmallStep()) for side in ("target", "golden")]
    cut(paths[0] / "step0" / "rank1", 0.7)
    facts = facts_of(*paths)
    assert "truncated" in [problem.code for problem in facts.problems]
    (remark,) = found(weights_in_dumps, facts).remarks
    assert remark.parameters == {"ranks": "0", "count": 2}


def test_ids_that_cannot_be_compared_are_not_passed(tmp_path: Path) -> None:
    paths = [write_step(tmp_path / side, SmallStep(), tensors=False) for side in ("target", "golden")]
    written = json.loads((paths[0] / "dump.json").read_text())
    ids = written["data"]["Functional.embedding.0.forward"]["input_args"][0]
    ids |= dict.fromkeys(("Max", "Min", "Mean", "Norm"))
    (paths[0] / "dump.json").write_text(json.dumps(written))
    facts = facts_of(*paths)
    told = found(first_batch, facts)
    assert told.result is Outcome.NOT_DONE
    assert told.message.parameters == {"count": 1, "first": "Functional.embedding.0.forward input.0"}
    assert found(weights_in_dumps, facts).result is Outcome.PASS


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_tensors_that_cannot_be_read_are_told(tmp_path: Path, damage: str) -> None:
    paths = [write_step(tmp_path / side, SmallStep()) for side in ("target", "golden")]
    (place,) = paths[0].rglob("Functional.embedding.0.forward.input.0.npy")
    if damage == "gone":
        place.unlink()
    else:
        place.write_bytes(place.read_bytes()[:60])
    facts = facts_of(*paths)
    assert facts.problems
    told = found(first_batch, facts)
    assert "precheck.outside.unread" in [remark.code for remark in told.remarks]
    assert not found(weights_in_dumps, facts).remarks


def test_a_second_dump_of_a_side_is_named_as_not_looked_at(tmp_path: Path) -> None:
    paths = [write_step(tmp_path / name, SmallStep(), tensors=False) for name in ("a", "b", "golden")]
    given = tuple(Given(str(path)) for path in paths)
    report = run_to_end(run_precheck(PrecheckRequest(given[:2], given[2:])))
    (problem,) = (item for item in report.problems if item.code == "precheck_second_dump")
    assert problem.path == str(paths[1])
    assert problem.parameters == {"first": str(paths[0])}
