"""When two initial weights are the same: rounding, copies, numbers that nobody told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from builders.checkpoints import Array, checkpoint, write_safetensors
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.read import read_evidence
from core.formats.tensors import open_tensor
from core.precheck.checks.weights import initial
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.weights.elements import Elements, elements_agree
from core.progress import run_to_end
from core.records.evidence import Evidence, Given
from core.records.precheck import Outcome, Standing

COARSE: dict[str, Any] = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
RANDOM = np.random.default_rng(2)
MATRIX = RANDOM.normal(size=(6, 4)).astype(np.float32)


def compared(folder: Path, target: dict[str, Array], golden: dict[str, Array]) -> Finding:
    sides = [
        Side((checkpoint(folder / str(number) / "model.safetensors", held),))
        for number, held in enumerate((target, golden))
    ]
    return run_to_end(initial(Pair(*sides)))


def remarks(finding: Finding) -> list[str]:
    return [remark.code.rpartition(".")[2] for remark in finding.remarks]


def agreement(folder: Path, target: Array, golden: Array) -> Elements:
    paths = [
        write_safetensors(folder / f"{place}.s", {"w": held}) for place, held in enumerate((target, golden))
    ]
    with open_tensor(str(paths[0])) as ours, open_tensor(str(paths[1])) as theirs:
        return elements_agree(ours, theirs)


NUMBERS = st.lists(st.floats(-6e4, 6e4, width=32, allow_subnormal=False), min_size=1, max_size=12)


@given(NUMBERS, st.sampled_from(sorted(COARSE)), st.booleans(), st.booleans())
def test_what_a_cast_gives_is_rounding(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], grid: str, wide: bool, turned: bool
) -> None:
    fine = np.array(values, np.float32)
    coarse = fine.astype(COARSE[grid])
    held = coarse.astype(np.float32) if wide else coarse
    sides = (held, fine) if turned else (fine, held)
    told = agreement(tmp_path_factory.getbasetemp(), *sides)
    assert told.equal or told.rounded


@given(NUMBERS, st.integers(0, 11), st.integers(2, 6), st.booleans())
def test_one_step_further_off_is_a_difference(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], place: int, steps: int, wide: bool
) -> None:
    fine = np.array([*values, 1.2345678], np.float32)  # no format of 16 bits has it
    bits = fine.astype(ml_dtypes.bfloat16).view(np.uint16)
    bits[place % len(values)] += steps  # as many neighbours away, towards larger magnitudes
    coarse = bits.view(ml_dtypes.bfloat16)
    told = agreement(tmp_path_factory.getbasetemp(), coarse.astype(np.float32) if wide else coarse, fine)
    assert not told.equal
    assert not told.rounded


@given(NUMBERS)
def test_truncating_is_rounding_and_a_mixture_is_none(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    fine = np.array([*values, 1.00390625 + 2**-9, -3.0234375], np.float32)
    cut = (fine.view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)
    told = agreement(folder, cut, fine)
    assert told.equal or told.rounded
    up = np.array([1 + 2**-8 + 2**-10, 1 + 2**-8 + 2**-10], np.float32)
    mixed = np.array([1, 1 + 2**-7], ml_dtypes.bfloat16)  # cut, and rounded
    assert not agreement(folder, mixed, up).rounded


@given(st.lists(st.floats(-1, 1, width=32, allow_subnormal=False), min_size=1, max_size=40))
def test_two_formats_of_one_origin_are_roundings(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    origin = np.array(values, np.float32)
    told = agreement(
        tmp_path_factory.getbasetemp(), origin.astype(ml_dtypes.bfloat16), origin.astype(np.float16)
    )
    assert told.equal or told.rounded


def test_a_norm_near_one_is_not_ones(tmp_path: Path) -> None:
    near = np.full(8, 0.993, np.float32)
    for ones in (np.ones(8, np.float32), np.ones(8, ml_dtypes.bfloat16)):
        assert compared(tmp_path, {"norm.weight": ones}, {"norm.weight": near}).result is Outcome.FAIL


@pytest.mark.parametrize("constant", [0, 1])
def test_equal_constants_are_no_copies(tmp_path: Path, constant: int) -> None:
    names = ("layers.0.bias", "layers.1.bias", "embed.weight", "lm_head.weight", "experts.1.weight")
    golden = {name: np.full((6, 4), constant, np.float32) for name in names} | {"w": MATRIX}
    for name in names:
        target = {key: value for key, value in golden.items() if key != name}
        assert compared(tmp_path, target, golden).result is Outcome.FAIL
        assert compared(tmp_path, golden, target).result is Outcome.FAIL


@pytest.mark.parametrize(
    ("kept", "lacking"),
    [
        ("model.embed_tokens.weight", "lm_head.weight"),
        ("shared.weight", "decoder.embed_tokens.weight"),
        ("transformer.wte.weight", "lm_head.weight"),
        ("embedding.word_embeddings.weight", "output_layer.weight"),
    ],
)
def test_a_tied_output_layer_is_remarked_on(tmp_path: Path, kept: str, lacking: str) -> None:
    result = compared(tmp_path, {kept: MATRIX, lacking: MATRIX}, {kept: MATRIX})
    assert result.result is Outcome.PASS
    assert remarks(result) == ["copy"]
    other = compared(tmp_path, {kept: MATRIX, lacking: MATRIX * 2}, {kept: MATRIX})
    assert other.result is Outcome.FAIL


def test_layers_that_begin_as_copies_are_not_tied(tmp_path: Path) -> None:
    golden = {f"mlp.experts.{number}.weight": MATRIX for number in range(4)}
    assert compared(tmp_path, {"mlp.experts.0.weight": MATRIX}, golden).result is Outcome.FAIL


def test_a_bias_of_attention_is_a_weight_and_a_mask_is_none(tmp_path: Path) -> None:
    bias, mask = np.zeros(4, np.float32), np.ones((1, 1, 4, 4), np.float32)
    for held, result in ((bias, Outcome.FAIL), (mask, Outcome.PASS)):
        assert compared(tmp_path, {"w": MATRIX, "h.0.attn.bias": held}, {"w": MATRIX}).result is result


@pytest.mark.parametrize("broken", [math.nan, math.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_what_is_not_finite_is_told(tmp_path: Path, broken: float, dtype: Any) -> None:
    whole = MATRIX.astype(dtype)
    bad = whole.copy()
    bad[2, 2] = broken
    both = compared(tmp_path, {"w": bad}, {"w": bad})
    assert both.result is Outcome.PASS
    assert remarks(both) == ["not_finite"]
    one = compared(tmp_path, {"w": bad}, {"w": whole})
    assert one.result is Outcome.FAIL
    assert remarks(one) == ["special"]
    assert [item.remark.code.rpartition(".")[2] for item in one.items if item.remark] == ["special"]


def told(folder: Path, **values: dict[str, object]) -> Evidence:
    path = folder / "weights.json"
    path.write_text(json.dumps({f"{name}.weight": numbers for name, numbers in values.items()}))
    (evidence,) = run_to_end(read_evidence(Given(str(path))))
    return evidence


@pytest.mark.parametrize("word", ["N/A", None, math.nan, "nan"])
def test_numbers_that_nobody_told_are_not_equal(tmp_path: Path, word: object) -> None:
    known = {"max": 1.0, "min": -1.0, "mean": 0.25, "norm": 3.0}
    side = Side((told(tmp_path, a=known, b=dict.fromkeys(known, word)),))
    result = run_to_end(initial(Pair(side, side)))
    assert result.result is Outcome.NOT_DONE
    assert [item.name for item in result.items if item.standing is Standing.UNKNOWN] == ["b.weight"]


def test_statistics_of_tied_weights_are_a_copy(tmp_path: Path) -> None:
    numbers = {"max": 1.0, "min": -1.0, "mean": 0.25, "norm": 3.0}
    target = Side((told(tmp_path, embed=numbers, lm_head=numbers),))
    golden = Side((told(tmp_path, embed=numbers),))
    assert remarks(run_to_end(initial(Pair(target, golden)))) == ["copy"]
    other = Side((told(tmp_path, embed=numbers, lm_head=numbers | {"norm": 3.5}),))
    assert run_to_end(initial(Pair(other, golden))).result is Outcome.FAIL


def test_extremes_alone_are_told(tmp_path: Path) -> None:
    side = Side((told(tmp_path, a={"max": 1.5, "min": -1.0}),))
    result = run_to_end(initial(Pair(side, side)))
    assert result.result is Outcome.PASS
    assert remarks(result) == ["extremes"]


def test_rows_of_an_embedding_are_no_parts(tmp_path: Path) -> None:
    small, large = (np.ones((rows, 8), np.float32) for rows in (100, 200))
    result = compared(tmp_path, {"embed.weight": small}, {"embed.weight": large})
    assert result.result is Outcome.FAIL
    assert [item.standing for item in result.items] == [Standing.DIFFERS]
