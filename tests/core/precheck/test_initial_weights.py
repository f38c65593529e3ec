"""Initial weights: by checksum, by all elements, by statistics; names, shapes, formats, parts of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from builders.checkpoints import Array, checkpoint, statistics, statistics_of
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.checks.weights import initial
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.weights.keys import pair_keys
from core.precheck.weights.statistics import Printed, printed, statistics_agree
from core.progress import run_to_end
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting
from core.records.precheck import Outcome, Standing

BFLOAT16 = ml_dtypes.bfloat16
RANDOM = np.random.default_rng(0)
WEIGHTS = {
    "embed.weight": RANDOM.normal(size=(20, 8)).astype(np.float32),
    "layers.0.weight": RANDOM.normal(size=(8, 8)).astype(np.float32),
    "layers.0.bias": RANDOM.normal(size=8).astype(np.float32),
    "norm.weight": np.ones(8, np.float32),
}


def found(target: Sequence[Evidence], golden: Sequence[Evidence]) -> Finding:
    return run_to_end(initial(Pair(Side(tuple(target)), Side(tuple(golden)))))


def compared(folder: Path, target: dict[str, Array], golden: dict[str, Array] | None = None) -> Finding:
    sides = (("target", target), ("golden", golden if golden is not None else WEIGHTS))
    evidence = [checkpoint(folder / name / "model.safetensors", tensors) for name, tensors in sides]
    return found([evidence[0]], [evidence[1]])


def standings(finding: Finding) -> dict[str, Standing]:
    return {item.name: item.standing for item in finding.items}


def test_without_weights_on_a_side_nothing_is_done(tmp_path: Path) -> None:
    one = checkpoint(tmp_path / "model.safetensors", WEIGHTS)
    for sides, lacking in ((([], []), "both"), (([one], []), "golden"), (([], [one]), "target")):
        result = found(*sides)
        assert result.result is Outcome.NOT_DONE
        assert result.message.code == f"precheck.missing.weights.{lacking}"


def test_the_same_weights_pass_whatever_the_files(tmp_path: Path) -> None:
    result = compared(tmp_path, dict(reversed(WEIGHTS.items())))
    assert result.result is Outcome.PASS
    assert standings(result) == dict.fromkeys(WEIGHTS, Standing.EQUAL)
    names = list(WEIGHTS)
    parts = [
        checkpoint(tmp_path / f"part{number}.safetensors", {name: WEIGHTS[name] for name in names[number::2]})
        for number in range(2)
    ]
    whole = checkpoint(tmp_path / "whole.safetensors", WEIGHTS)
    assert found(parts, [whole]).result is Outcome.PASS


def test_another_number_fails_with_its_error(tmp_path: Path) -> None:
    weight = WEIGHTS["layers.0.weight"].copy()
    weight[3, 3] += 0.5
    result = compared(tmp_path, {**WEIGHTS, "layers.0.weight": weight})
    assert result.result is Outcome.FAIL
    assert result.message.parameters["first"] == "layers.0.weight"
    item = next(item for item in result.items if item.standing is Standing.DIFFERS)
    apart = np.linalg.norm(weight - WEIGHTS["layers.0.weight"]) / np.linalg.norm(WEIGHTS["layers.0.weight"])
    assert item.remark is not None
    assert item.remark.parameters["error"] == f"{100 * apart:.2g} %"
    assert item.target == "float32 [8, 8]"


def test_a_weight_of_one_side_fails(tmp_path: Path) -> None:
    less = {name: value for name, value in WEIGHTS.items() if name != "layers.0.bias"}
    for target, golden, which in ((less, WEIGHTS, "golden"), (WEIGHTS, less, "target")):
        result = compared(tmp_path, target, golden)
        assert result.result is Outcome.FAIL
        assert result.message.code == f"precheck.weights.initial.one_sided.{which}"
        assert result.message.parameters["first"] == "layers.0.bias"


@pytest.mark.parametrize("dtype", [BFLOAT16, np.float16])
def test_rounding_to_the_coarser_format_is_remarked_on(tmp_path: Path, dtype: type) -> None:
    small = {**WEIGHTS, "tiny": np.array([1e-7, 3e-6, -2e-8], np.float32)}
    result = compared(tmp_path, {name: value.astype(dtype) for name, value in small.items()}, small)
    assert result.result is Outcome.PASS
    assert standings(result)["embed.weight"] is Standing.REMARK
    assert "precheck.weights.initial.rounded" in [remark.code for remark in result.remarks]
    # ones are the same numbers in every format
    assert {item.name: item.remark.code for item in result.items if item.remark is not None}[
        "norm.weight"
    ] == "precheck.weights.initial.state.format"
    wrong = {name: (value * np.float32(1.1)).astype(dtype) for name, value in small.items()}
    assert compared(tmp_path, wrong, small).result is Outcome.FAIL


def test_numbers_rounded_before_they_were_saved_are_seen(tmp_path: Path) -> None:
    rounded = {name: value.astype(BFLOAT16).astype(np.float32) for name, value in WEIGHTS.items()}
    assert compared(tmp_path, rounded).result is Outcome.PASS
    assert (
        compared(tmp_path, rounded, {name: value * 2 for name, value in rounded.items()}).result
        is Outcome.FAIL
    )


def test_nan_on_both_sides_is_equal_and_on_one_is_not(tmp_path: Path) -> None:
    broken = {**WEIGHTS, "layers.0.bias": np.full(8, np.nan, np.float32)}
    assert compared(tmp_path, broken, broken).result is Outcome.PASS
    assert compared(tmp_path, broken).result is Outcome.FAIL
    other = {**broken, "layers.0.bias": np.full(8, -np.nan, np.float32)}
    assert compared(tmp_path, broken, other).result is Outcome.PASS


def test_what_wraps_the_model_is_taken_off_and_told(tmp_path: Path) -> None:
    wrapped = {f"module.model._orig_mod.{name}": value for name, value in WEIGHTS.items()}
    result = compared(tmp_path, wrapped)
    assert result.result is Outcome.PASS
    told = next(r for r in result.remarks if r.code == "precheck.weights.initial.wrappers")
    assert told.parameters["names"] == "model. _orig_mod."  # the reader knows what module. is


def test_other_shapes_fail_and_parts_of_ranks_are_not_done(tmp_path: Path) -> None:
    padded = {
        **WEIGHTS,
        "embed.weight": np.concatenate([WEIGHTS["embed.weight"], np.zeros((4, 8), np.float32)]),
    }
    assert compared(tmp_path, padded).result is Outcome.FAIL
    half = {**WEIGHTS, "layers.0.weight": WEIGHTS["layers.0.weight"][:4]}
    # Nothing says that these are parts: the width is another.
    assert compared(tmp_path, half).result is Outcome.FAIL
    ours = checkpoint(tmp_path / "mp_rank_00" / "model.safetensors", half)
    result = found([ours], [checkpoint(tmp_path / "whole" / "model.safetensors", WEIGHTS)])
    assert result.result is Outcome.NOT_DONE
    assert standings(result)["layers.0.weight"] is Standing.UNKNOWN
    setting = Setting("tensor-model-parallel-size", "2", Place("train.sh", 1), Dialect.MEGATRON)
    script = Evidence("train.sh", (EvidenceKind.SCRIPT,), settings=(setting,))
    evidence = [
        checkpoint(tmp_path / f"{number}.safetensors", side) for number, side in enumerate((half, WEIGHTS))
    ]
    assert found([evidence[0], script], [evidence[1]]).result is Outcome.NOT_DONE
    ranks = {f"mp_rank_{rank:02}/{name}": value for rank in range(2) for name, value in WEIGHTS.items()}
    assert compared(tmp_path, ranks).result is Outcome.NOT_DONE
    assert compared(tmp_path, ranks, ranks).result is Outcome.PASS


def test_tied_weights_and_buffers_of_one_side_are_no_fail(tmp_path: Path) -> None:
    tied = {
        **WEIGHTS,
        "lm_head.weight": WEIGHTS["embed.weight"],
        "rotary_emb.inv_freq": np.arange(4.0).astype("f4"),
    }
    result = compared(tmp_path, tied)
    assert result.result is Outcome.PASS
    assert standings(result)["lm_head.weight"] is Standing.REMARK
    assert standings(result)["rotary_emb.inv_freq"] is Standing.REMARK


def test_statistics_alone_and_against_a_checkpoint(tmp_path: Path) -> None:
    told = statistics({name: statistics_of(value) for name, value in WEIGHTS.items()})
    assert found([told], [told]).result is Outcome.PASS
    one = checkpoint(tmp_path / "model.safetensors", WEIGHTS)
    assert found([told], [one]).result is Outcome.PASS
    other = statistics({name: statistics_of(value * np.float32(1.01)) for name, value in WEIGHTS.items()})
    assert found([other], [told]).result is Outcome.FAIL
    assert found([other], [one]).result is Outcome.FAIL


def test_the_order_of_a_sum_is_remarked_on() -> None:
    first = {name: statistics_of(value) for name, value in WEIGHTS.items()}
    second = {name: (*row[:3], row[3] * (1 + 3e-7)) for name, row in first.items()}
    result = found([statistics(first)], [statistics(second)])
    assert result.result is Outcome.PASS
    assert "precheck.outside.only_sums" in [remark.code for remark in result.remarks]


def test_steps_are_told(tmp_path: Path) -> None:
    evidence = [
        checkpoint(tmp_path / f"iter_{step:07}" / "model.safetensors", WEIGHTS) for step in (100, 200)
    ]
    result = found([evidence[0]], [evidence[1]])
    assert result.result is Outcome.PASS
    assert "precheck.weights.initial.steps" in [remark.code for remark in result.remarks]


def test_a_file_that_has_gone_costs_its_tensors(tmp_path: Path) -> None:
    other = {**WEIGHTS, "layers.0.bias": WEIGHTS["layers.0.bias"] * 2}
    evidence = [
        checkpoint(tmp_path / f"{number}.safetensors", side) for number, side in enumerate((WEIGHTS, other))
    ]
    (tmp_path / "0.safetensors").unlink()
    result = found([evidence[0]], [evidence[1]])
    assert result.result is Outcome.NOT_DONE
    assert standings(result)["layers.0.bias"] is Standing.UNKNOWN


def test_a_file_that_was_replaced_by_another_shape_does_not_pass(tmp_path: Path) -> None:
    evidence = [
        checkpoint(tmp_path / f"{number}.safetensors", {"w": np.full(8, value, np.float32)})
        for number, value in enumerate((1, 2))
    ]
    checkpoint(tmp_path / "0.safetensors", {"w": np.full((2, 3), 2, np.float32)})
    assert found([evidence[0]], [evidence[1]]).result is Outcome.FAIL


def test_checksums_of_others_are_compared_among_themselves_only(tmp_path: Path) -> None:
    told = statistics(dict.fromkeys(WEIGHTS, (np.nan,) * 4))
    table = told.weights
    assert table is not None
    foreign = replace(told, weights=replace(table, digests=tuple(f"told:{name}" for name in WEIGHTS)))
    assert found([foreign], [foreign]).result is Outcome.PASS
    one = checkpoint(tmp_path / "model.safetensors", WEIGHTS)
    assert found([foreign], [one]).result is Outcome.NOT_DONE


FLOATS = st.floats(-1e4, 1e4, width=32).filter(lambda value: value == 0 or abs(value) > 1e-4)


@given(st.lists(FLOATS, min_size=40, max_size=40, unique=True), st.integers(4, 6), st.booleans())
def test_printing_with_fewer_digits_is_no_difference(values: list[float], digits: int, fixed: bool) -> None:
    exact = np.sort(np.array(values, np.float64).reshape(10, 4), axis=1)[:, ::-1].copy()
    shape = f".{digits}f" if fixed else f".{digits}g"
    rounded = np.vectorize(lambda value: float(format(value, shape)))(exact)
    hows = printed(rounded), printed(exact)
    for row in range(len(exact)):
        told = statistics_agree(rounded[row], exact[row], hows, 1e-9)
        assert told.equal


@given(st.lists(FLOATS, min_size=4, max_size=4), st.integers(0, 1), st.floats(1e-5, 10))
def test_other_extremes_are_a_difference(values: list[float], place: int, apart: float) -> None:
    exact = Printed(17, 400), Printed(17, 400)
    golden = np.array(values)
    target = golden.copy()
    target[place] += apart * max(abs(target[place]), 1)
    assert not statistics_agree(target, golden, exact, 1e-5).equal
    assert statistics_agree(golden, golden, exact, 1e-5).equal


@given(
    st.sets(st.text("abw.", min_size=1, max_size=6), max_size=12), st.sampled_from(["", "module.", "model."])
)
def test_each_name_is_paired_once(names: set[str], wrapper: str) -> None:
    target, golden = sorted(names), [wrapper + name for name in sorted(names)]
    pairs = pair_keys(target, golden)
    assert not pairs.target_only
    assert not pairs.golden_only
    assert all(wrapper + target[ours] == golden[theirs] for ours, theirs in pairs.pairs)
    assert len(pairs.pairs) == len(names)
