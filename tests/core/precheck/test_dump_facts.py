"""What two dumps alone tell: weights, batches, formats, dropout, fused operators, the sequence of calls."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from builders.training_dumps import BFLOAT16, SmallStep, replace, write_step
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.errors import InputError
from core.precheck.checklist import kind_of
from core.precheck.dumps.facts import Agreement, DumpFacts
from core.precheck.dumps.padding import padding_of
from core.precheck.dumps.reading import facts_of_result, facts_of_runs
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.evidence import Evidence, EvidenceKind
from core.records.precheck import Outcome, Standing

GOLDEN = SmallStep()
TARGET = SmallStep(noise=1e-6)
PLAIN = CompareOptions(use_cache=False)
ROWS = (
    "mixed_precision.casts", "fused.in_dumps", "dataset.first_batch", "weights.in_dumps",
    "flow.start_step", "flow.two_runs", "flow.same_operators", "result.first_loss",
)  # fmt: skip


def facts_of(
    folder: Path, target: SmallStep, golden: SmallStep = GOLDEN, *, kind: str = "tensor"
) -> DumpFacts:
    """Write both sides and return their facts; *kind* is ``tensor``, ``statistics`` or ``checksum``."""
    paths = [
        write_step(folder / name, step, tensors=kind == "tensor", checksums=kind == "checksum")
        for name, step in (("target", target), ("golden", golden))
    ]
    return run_to_end(facts_of_runs(str(paths[0]), str(paths[1]), PLAIN))


def check(row: str, facts: DumpFacts | None) -> Finding:
    """Return what the row finds in two dumps alone."""
    kind = kind_of(row)
    assert kind is not None
    assert kind.examine is not None
    sides = [
        Side((Evidence(path, (EvidenceKind.DUMP,)),) if path else ())
        for path in ((facts.target_path, facts.golden_path) if facts else ("", ""))
    ]
    found = kind.examine(Pair(sides[0], sides[1], facts))
    if not isinstance(found, Finding):
        found = run_to_end(found)
    return found if isinstance(found, Finding) else run_to_end(found)


@pytest.mark.parametrize("kind", ["tensor", "statistics", "checksum"])
def test_two_devices_of_one_training_pass(tmp_path: Path, kind: str) -> None:
    facts = facts_of(tmp_path, TARGET, kind=kind)
    assert {row: check(row, facts).result for row in ROWS} == dict.fromkeys(ROWS, Outcome.PASS)
    assert check("flow.synchronised", facts).result is Outcome.NOT_DONE
    assert pickle.loads(pickle.dumps(facts)) == facts


def test_without_dumps_nothing_is_done() -> None:
    assert {check(row, None).result for row in (*ROWS, "flow.synchronised")} == {Outcome.NOT_DONE}


@pytest.mark.parametrize("kind", ["tensor", "statistics", "checksum"])
def test_another_weight_fails_and_is_named(tmp_path: Path, kind: str) -> None:
    weight = GOLDEN.weight("linear") * np.float32(1.5)
    facts = facts_of(tmp_path, replace(TARGET, weights={"linear": weight}), kind=kind)
    found = check("weights.in_dumps", facts)
    assert found.result is Outcome.FAIL
    assert [item.name for item in found.items if item.standing is Standing.DIFFERS] == [
        "Functional.linear.0.forward input.1"
    ]
    assert len(found.items) == 3
    assert check("dataset.first_batch", facts).result is Outcome.PASS


@pytest.mark.parametrize("kind", ["tensor", "checksum"])
def test_a_weight_in_another_order_is_another_weight(tmp_path: Path, kind: str) -> None:
    weight = GOLDEN.weight("linear")[::-1].copy()
    facts = facts_of(tmp_path, replace(TARGET, weights={"linear": weight}), kind=kind)
    assert check("weights.in_dumps", facts).result is Outcome.FAIL


def test_a_weight_that_was_rounded_is_remarked_on(tmp_path: Path) -> None:
    weight = GOLDEN.weight("linear").astype(BFLOAT16).astype(np.float32)
    facts = facts_of(tmp_path, replace(TARGET, weights={"linear": weight}))
    found = check("weights.in_dumps", facts)
    assert found.result is Outcome.PASS
    assert found.remarks
    assert facts.weights.counts == {Agreement.EQUAL: 2, Agreement.ROUNDED: 1}
    assert facts.weights.listed[0].rounded_to == "bfloat16"


def test_weights_of_a_later_step_tell_nothing_of_the_initial_ones(tmp_path: Path) -> None:
    other = replace(TARGET, seed=5)
    paths = [
        write_step(tmp_path / name / "step3" / "rank0", step)
        for name, step in (("target", other), ("golden", GOLDEN))
    ]
    facts = run_to_end(facts_of_runs(str(paths[0].parents[1]), str(paths[1].parents[1]), PLAIN))
    assert check("weights.in_dumps", facts).result is Outcome.NOT_DONE


def test_other_ids_fail(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, replace(TARGET, ids=GOLDEN.ids[::-1].copy()))
    found = check("dataset.first_batch", facts)
    assert found.result is Outcome.FAIL
    assert "Functional.embedding.0.forward input.0" in {item.name for item in found.items}
    assert check("weights.in_dumps", facts).result is Outcome.PASS


def test_the_side_of_the_padding_is_told(tmp_path: Path) -> None:
    left, right = GOLDEN.ids.copy(), GOLDEN.ids.copy()
    left[:, :2], right[:, -2:] = 0, 0
    facts = facts_of(tmp_path, replace(TARGET, ids=left), replace(GOLDEN, ids=right))
    codes = [remark.code for remark in check("dataset.first_batch", facts).remarks]
    assert "precheck.dataset.first_batch.padding.left" in codes


@pytest.mark.parametrize(("dropout", "result"), [((0.1, True), Outcome.FAIL), ((0.1, False), Outcome.PASS)])
def test_dropout_counts_where_it_drops(tmp_path: Path, dropout: tuple[float, bool], result: Outcome) -> None:
    golden = replace(GOLDEN, dropout=(0.1, False))
    facts = facts_of(tmp_path, replace(TARGET, dropout=dropout), golden)
    assert [call.active for call in facts.dropout] == [dropout[1], False]
    found = check("randomness.dropout", facts)
    assert found.result is result
    assert len(found.items) == 2


def test_other_formats_are_named_by_operator(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, replace(TARGET, dtype=BFLOAT16))
    assert [(cast.api, cast.target, cast.golden) for cast in facts.casts] == [
        ("linear", "bfloat16", "float32")
    ]
    found = check("mixed_precision.casts", facts)
    assert found.result is Outcome.FAIL
    assert (found.items[0].name, found.items[0].target, found.items[0].golden) == (
        "linear", "bfloat16", "float32",
    )  # fmt: skip


@pytest.mark.parametrize("swapped", [False, True])
def test_a_fused_operator_on_one_side_fails_and_explains_the_sequence(tmp_path: Path, swapped: bool) -> None:
    fused = replace(TARGET, fused=True)
    facts = facts_of(tmp_path, GOLDEN if swapped else fused, fused if swapped else GOLDEN)
    found = check("fused.in_dumps", facts)
    assert found.result is Outcome.FAIL
    assert found.message.parameters["operator"] == "Functional.scaled_dot_product_attention.0.forward"
    side = "golden" if swapped else "target"
    assert found.message.code == f"precheck.fused.in_dumps.fail.{side}"
    calls = check("flow.same_operators", facts)
    assert calls.result is Outcome.PASS
    assert calls.remarks


def test_a_call_more_fails(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, replace(TARGET, extra=True))
    found = check("flow.same_operators", facts)
    assert found.result is Outcome.FAIL
    assert [item.standing for item in found.items] == [Standing.TARGET_ONLY]
    assert found.items[0].name == "Torch.tanh.0.forward"
    assert check("fused.in_dumps", facts).result is Outcome.PASS


@pytest.mark.parametrize("kind", ["tensor", "statistics", "checksum"])
def test_a_copy_is_not_another_run(tmp_path: Path, kind: str) -> None:
    facts = facts_of(tmp_path, GOLDEN, kind=kind)
    few = check("flow.two_runs", facts)
    assert few.result is (Outcome.NOT_DONE if facts.sameness.compared < 10 else Outcome.FAIL)


def test_real_copies_and_one_path_twice_fail(dumps: Path) -> None:
    for kind in ("statistics_mix", "md5_mix", "tensor_L0"):
        path = str(dumps / kind / "golden")
        facts = run_to_end(facts_of_runs(path, path, PLAIN))
        assert facts.sameness.same_files
        assert facts.sameness.equal == facts.sameness.compared
        assert check("flow.two_runs", facts).result is Outcome.FAIL
        other = run_to_end(facts_of_runs(str(dumps / kind / "broken_gelu"), path, PLAIN))
        assert check("flow.two_runs", other).result is Outcome.PASS


def test_equal_results_with_an_extra_call_may_be_a_copy_that_lacks_it(dumps: Path) -> None:
    paths = [str(dumps / "statistics_mix" / name) for name in ("extra_call", "golden")]
    facts = run_to_end(facts_of_runs(paths[0], paths[1], PLAIN))
    found = check("flow.two_runs", facts)
    assert (found.result, found.message.code) == (Outcome.NOT_DONE, "precheck.flow.two_runs.calls")
    assert check("flow.same_operators", facts).result is Outcome.FAIL


@pytest.mark.parametrize(
    ("loss", "result"), [(2.51, Outcome.PASS), (2.6, Outcome.FAIL), (np.nan, Outcome.FAIL)]
)
def test_the_loss_of_the_dumps(tmp_path: Path, loss: float, result: Outcome) -> None:
    assert check("result.first_loss", facts_of(tmp_path, replace(TARGET, loss=loss))).result is result


def test_a_result_file_tells_the_same_as_the_dumps(tmp_path: Path, demo_pair: tuple[Path, Path]) -> None:
    result = tmp_path / "result.h5"
    paths = str(demo_pair[0]), str(demo_pair[1])
    run_to_end(compare_runs(*paths, PLAIN, result_path=str(result)))
    from_result, from_dumps = (
        run_to_end(facts_of_result(str(result))),
        run_to_end(facts_of_runs(*paths, PLAIN)),
    )
    for name in ("weights", "data", "casts", "fused", "sequence", "sameness", "target_loss", "golden_loss"):
        assert repr(getattr(from_result, name)) == repr(getattr(from_dumps, name)), name


def test_a_result_of_one_run_alone_is_refused(tmp_path: Path, dumps: Path) -> None:
    result = str(tmp_path / "alone.h5")
    run_to_end(compare_runs(str(dumps / "xor_L1" / "golden"), "", PLAIN, result_path=result))
    with pytest.raises(InputError) as refused:
        run_to_end(facts_of_result(result))
    assert refused.value.problem.code == "precheck_single_run"


def test_dumps_of_different_steps_do_not_begin_together(tmp_path: Path) -> None:
    paths = [write_step(tmp_path / name, TARGET) for name in ("a/step0/rank0", "b/step4/rank0")]
    facts = run_to_end(facts_of_runs(str(paths[0].parents[1]), str(paths[1].parents[1]), PLAIN))
    found = check("flow.start_step", facts)
    assert found.result is Outcome.FAIL
    assert (found.items[0].target, found.items[0].golden) == ("0", "4")


@given(
    arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(4, 9)), elements=st.integers(3, 9)),
    st.integers(2, 3),
    st.booleans(),
)
def test_padding_is_found_on_its_side(batch: np.ndarray, length: int, left: bool) -> None:
    batch = batch.copy()
    batch[:, 1::2] += 10  # no two neighbours are the same
    batch[:, slice(0, length) if left else slice(-length, None)] = 0
    assert padding_of(batch) == ("left" if left else "right")
    assert padding_of((batch > 0).astype(np.int64)) == ("left" if left else "right")
