"""Infinities that are meant accuse nobody unless something bad follows; saturation is no chance."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from builders.rank_notes import INF, NAN, OPTIONS, Notes, Values, births
from hypothesis import given, settings
from hypothesis import strategies as st

from core.overflow.engine import overflow_of_runs
from core.progress import run_to_end
from core.records.overflow import BirthKind, Mode, OverflowReport, Special

FORMATS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}
HOLES = np.array([[True, False, False], [False, True, False]])


def softmax(scores: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Return softmax over the last dimension, NaN for a row of −Inf."""
    with np.errstate(invalid="ignore"):
        share = np.exp(scores - scores.max(-1, keepdims=True))
        return np.asarray(share / share.sum(-1, keepdims=True), scores.dtype)


def masks(report: OverflowReport) -> list[str]:
    """Return the operators of the infinities that *report* expects."""
    return [birth.operator for birth in report.expected]


# ---- fills


def filled(notes: Notes, mask: np.ndarray, *, in_place: bool = False) -> None:  # type: ignore[type-arg]
    """Note attention with a mask of −Inf."""
    scores = Values().fresh()
    masked = np.where(mask, np.float32(-INF), scores)
    api = "Tensor.masked_fill_" if in_place else "Tensor.masked_fill"
    notes.call(api, [masked if in_place else scores, mask, -INF], [masked])
    shares = softmax(masked)
    notes.call("Functional.softmax", [masked, -1], [shares])
    notes.call("Torch.matmul", [shares, Values(1).fresh(3, 2)], [shares @ Values(1).fresh(3, 2)])


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
def test_a_mask_that_is_filled_in_is_expected(tmp_path: Path, in_place: bool, tensors: bool) -> None:
    notes = Notes()
    filled(notes, HOLES, in_place=in_place)
    report = notes.report(tmp_path, tensors=tensors)
    assert report.origins == ()
    assert masks(report) == [f"Tensor.masked_fill{'_' if in_place else ''}.0.forward"]
    assert report.expected[0].values == Special.MINUS_INF
    assert not report.expected[0].spreads


@pytest.mark.parametrize("in_place", [False, True])
def test_softmax_of_a_row_that_is_masked_whole_is_the_birth(tmp_path: Path, in_place: bool) -> None:
    notes = Notes()
    filled(notes, HOLES | np.array([[True], [False]]), in_place=in_place)
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Functional.softmax.0.forward")]
    assert report.origins[0].values == Special.NAN
    assert any(note.code == "overflow.note.cause" for note in report.origins[0].notes)


def test_softmax_of_a_masked_row_that_is_then_selected_away_is_expected(tmp_path: Path) -> None:
    """``torch.where(row_is_masked, 0, softmax(scores))``, as attention with padding does."""
    notes = Notes()
    masked = np.where(HOLES | np.array([[True], [False]]), np.float32(-INF), Values().fresh())
    notes.call("Tensor.masked_fill", [Values().fresh(), HOLES, -INF], [masked])
    shares = softmax(masked)
    notes.call("Functional.softmax", [masked, -1], [shares])
    clean = np.nan_to_num(shares)
    notes.call("Torch.nan_to_num", [shares], [clean])
    notes.call("Torch.matmul", [clean, Values(1).fresh(3, 2)], [Values(2).fresh(2, 2)])
    assert notes.report(tmp_path).origins == ()


def test_inf_that_stands_among_the_arguments_is_meant(tmp_path: Path) -> None:
    notes = Notes()
    notes.call("Torch.full", [[2, 3], INF], [np.full((2, 3), INF, np.float32)])
    assert births(notes.report(tmp_path)) == []


def test_inf_of_the_other_sign_is_not(tmp_path: Path) -> None:
    notes = Notes()
    notes.call("Torch.full", [[2, 3], -INF], [np.full((2, 3), INF, np.float32)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.full.0.forward")]


def test_nan_beside_a_filled_mask_is_not_meant(tmp_path: Path) -> None:
    notes = Notes()
    notes.call("Tensor.masked_fill", [Values().fresh(), HOLES, -INF], [Values().with_bad(NAN, -INF)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Tensor.masked_fill.0.forward")]


def test_a_mask_that_reaches_the_loss_is_an_error(tmp_path: Path) -> None:
    notes = Notes()
    masked = np.where(HOLES, np.float32(-INF), Values().fresh())
    notes.call("Tensor.masked_fill", [Values().fresh(), HOLES, -INF], [masked])
    notes.call("Functional.nll_loss", [masked], [np.array(INF, np.float32)])
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Functional.nll_loss.0.forward")]


# ---- masks made by arithmetic


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("share", [1.0, 0.5], ids=["smallest", "half of it"])
def test_arithmetic_with_the_smallest_number_of_a_format_makes_masks(
    tmp_path: Path, name: str, share: float
) -> None:
    """Scores plus the smallest number, twice: −Inf where both masks hide an element."""
    kind = FORMATS[name]
    smallest = np.asarray(ml_dtypes.finfo(kind).min, kind)
    bias = np.where(HOLES, smallest, np.asarray(0, kind)).astype(kind)
    scores = Values().fresh().astype(kind)
    once = (scores + bias).astype(kind)
    with np.errstate(over="ignore"):
        twice = (once.astype(np.float64) + bias.astype(np.float64)).astype(kind)
    assert np.isneginf(twice.astype(np.float64)).any()
    notes = Notes()
    notes.call("Tensor.__add__", [scores, bias], [once])
    if share == 1.0:
        notes.call("Tensor.__add__", [once, bias], [twice])
    else:
        notes.call("Tensor.mul", [bias, 1.5], [np.where(HOLES, np.asarray(-INF, kind), np.asarray(0, kind))])
        notes.call("Tensor.__add__", [once, np.where(HOLES, -INF, 0).astype(kind)], [twice])
    notes.call("Functional.softmax", [twice, -1], [softmax(twice.astype(np.float64)).astype(kind)])
    report = notes.report(tmp_path)
    assert report.origins == ()
    assert report.expected


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_float32_mask_that_is_cast_becomes_infinite_and_is_meant(tmp_path: Path, name: str) -> None:
    kind = FORMATS[name]
    bias = np.where(HOLES, np.finfo(np.float32).min, np.float32(0)).astype(np.float32)
    with np.errstate(over="ignore"):
        cast = bias.astype(kind)
    assert np.isneginf(cast.astype(np.float64)).any()
    notes = Notes()
    notes.call("Tensor.to", [bias], [cast])
    notes.call("Functional.softmax", [cast, -1], [Values().fresh().astype(kind)])
    report = notes.report(tmp_path)
    assert report.origins == ()
    assert masks(report) == ["Tensor.to.0.forward"]


def test_an_activation_that_does_not_fit_into_half_is_no_mask(tmp_path: Path) -> None:
    wide = Values().fresh()
    wide[0, 0] = -70000.0
    with np.errstate(over="ignore"):
        half = wide.astype(np.float16)
    notes = Notes()
    notes.call("Tensor.half", [wide], [half])
    notes.call("Functional.linear", [half, Values().fresh(3, 3).astype(np.float16)], [half])
    assert births(notes.report(tmp_path)) == [("output", 0, "Tensor.half.0.forward")]


def test_plus_inf_of_the_same_arithmetic_is_no_mask(tmp_path: Path) -> None:
    bias = np.where(HOLES, np.finfo(np.float16).max, np.float16(0)).astype(np.float16)
    with np.errstate(over="ignore"):
        twice = bias + bias
    notes = Notes()
    notes.call("Tensor.__add__", [bias, bias], [twice])
    report = notes.report(tmp_path)
    assert ("output", 0, "Tensor.__add__.0.forward") in births(report)


# ---- masks from outside


def test_a_mask_from_outside_is_expected(tmp_path: Path) -> None:
    bias = np.where(HOLES, np.float32(-INF), np.float32(0))
    scores = Values().fresh()
    notes = Notes()
    notes.call("Tensor.__add__", [scores, bias], [scores + bias])
    notes.call("Functional.softmax", [scores + bias, -1], [softmax(scores + bias)])
    query = Values(3).fresh()
    out = Values(4).fresh()
    notes.call("Functional.scaled_dot_product_attention", [query, query, query], [out], attn_mask=bias)
    report = notes.report(tmp_path)
    assert report.origins == ()
    assert masks(report)[0] == "Tensor.__add__.0.forward"


def test_minus_inf_from_outside_in_a_matrix_product_is_no_mask(tmp_path: Path) -> None:
    bad = np.where(HOLES, np.float32(-INF), Values().fresh())
    notes = Notes()
    notes.call("Functional.linear", [bad, Values().fresh(3, 3)], [Values().with_bad(-INF)])
    assert births(notes.report(tmp_path)) == [("input", 0, "Functional.linear.0.forward")]


def test_a_mask_from_outside_that_hides_a_whole_row_makes_softmax_the_birth(tmp_path: Path) -> None:
    bias = np.where(HOLES | np.array([[True], [False]]), np.float32(-INF), np.float32(0))
    masked = Values().fresh() + bias
    notes = Notes()
    notes.call("Tensor.__add__", [Values().fresh(), bias], [masked])
    notes.call("Functional.softmax", [masked, -1], [softmax(masked)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Functional.softmax.0.forward")]


# ---- logarithms of zero


def logarithm(notes: Notes, *, used: bool) -> None:
    """Note log of numbers with a zero, selected away or multiplied."""
    x = np.abs(Values().fresh()) + np.float32(0.1)
    x[0, 0] = 0
    with np.errstate(divide="ignore"):
        logs = np.log(x)
    notes.call("Torch.log", [x], [logs])
    if used:
        scaled = logs * np.where(x == 0, 0, 2).astype(np.float32)
        notes.call("Torch.mul", [logs, np.where(x == 0, 0, 2).astype(np.float32)], [scaled])
    else:
        notes.call("Torch.where", [x > 0, logs, x], [np.where(x > 0, logs, x)])


@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
def test_log_of_zero_that_is_selected_away_is_expected(tmp_path: Path, tensors: bool) -> None:
    notes = Notes()
    logarithm(notes, used=False)
    report = notes.report(tmp_path, tensors=tensors)
    assert report.origins == ()
    assert masks(report) == ["Torch.log.0.forward"]


def test_log_of_zero_that_becomes_nan_is_the_birth(tmp_path: Path) -> None:
    notes = Notes()
    with np.errstate(invalid="ignore"):
        logarithm(notes, used=True)
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Torch.log.0.forward")]
    assert report.expected == ()


def test_log_of_a_negative_number_is_a_birth(tmp_path: Path) -> None:
    notes = Notes()
    notes.call("Torch.log", [Values().fresh()], [Values().with_bad(NAN)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.log.0.forward")]


def test_tensors_alone_excuse_what_statistics_excuse(tmp_path: Path) -> None:
    notes = Notes()
    logarithm(notes, used=False)
    report = notes.report(tmp_path, tensors=True, statistics=False)
    assert births(report) == []
    assert masks(report) == ["Torch.log.0.forward"]


# ---- memory that nobody has written


def test_memory_that_is_written_before_it_is_used_accuses_nobody(tmp_path: Path) -> None:
    values = Values()
    garbage, x = values.with_bad(NAN, INF), values.fresh()
    notes = Notes()
    notes.call("Torch.empty", [[2, 3]], [garbage])
    notes.call("Tensor.copy_", [garbage, x], [x])
    notes.call("Torch.exp", [x], [values.fresh()])
    report = notes.report(tmp_path)
    assert report.origins == ()
    assert masks(report) == ["Torch.empty.0.forward"]


def test_memory_that_is_used_unwritten_is_a_birth(tmp_path: Path) -> None:
    values = Values()
    garbage = values.with_bad(INF)
    notes = Notes()
    notes.call("Torch.empty_like", [values.fresh()], [garbage])
    notes.call("Torch.square", [garbage], [values.with_bad(INF)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.empty_like.0.forward")]


def test_memory_with_an_old_nan_does_not_take_the_blame_from_the_call_that_made_it(tmp_path: Path) -> None:
    """Freed memory holds what was in it: after a birth, new buffers are full of NaN."""
    values = Values()
    bad, garbage = values.with_bad(NAN), values.with_bad(NAN)
    notes = Notes()
    notes.call("Torch.sqrt", [values.fresh()], [bad])
    notes.call("Torch.empty", [[2, 3]], [garbage])
    notes.call("Tensor.copy_", [garbage, bad], [bad])
    notes.call("Torch.square", [bad], [values.with_bad(NAN)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.sqrt.0.forward")]


# ---- saturation


def judged(
    folder: Path,
    target: np.ndarray,  # type: ignore[type-arg]
    golden: np.ndarray | None = None,  # type: ignore[type-arg]
    *,
    api: str = "Torch.matmul",
    arguments: tuple[float, ...] = (),
    tensors: bool = True,
) -> OverflowReport:
    """Return the report of one call that puts out *target*; the golden puts out *golden*."""
    sides = []
    for name, out in (("target", target), ("golden", golden)):
        if out is None:
            continue
        notes = Notes()
        x = Values().fresh(4, 4)
        notes.call(api, [x, *arguments], [out])
        sides.append(notes.write(folder / name, tensors=tensors))
    return run_to_end(overflow_of_runs(str(sides[0]), str(sides[1]) if len(sides) > 1 else "", OPTIONS))


def spread_out(size: int, scale: float, seed: int = 0) -> np.ndarray:  # type: ignore[type-arg]
    """Return normal numbers, float32."""
    return np.asarray(np.random.default_rng(seed).normal(0, scale, size), np.float32)


@pytest.mark.parametrize("name", ["float16", "float32"])
@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
def test_a_target_that_is_the_golden_clipped_to_half_saturates(
    tmp_path: Path, name: str, tensors: bool
) -> None:
    golden = spread_out(400, 60000.0)
    target = np.clip(golden, -65504, 65504).astype(name)
    report = judged(tmp_path, target, golden, tensors=tensors)
    (birth,) = report.origins
    assert (birth.kind, birth.values) == (BirthKind.SATURATION, Special.SATURATED)
    assert birth.operator == "Torch.matmul.0.forward"
    assert report.mode is Mode.SATURATION
    if tensors:
        assert birth.evidence["golden_beyond"] == np.count_nonzero(np.abs(golden) > 65504)


def test_the_plateau_alone_is_enough_where_the_tensor_is_there(tmp_path: Path) -> None:
    target = np.clip(spread_out(400, 60000.0), -65504, 65504).astype(np.float16)
    report = judged(tmp_path, target)
    assert births(report) == [("saturation", 0, "Torch.matmul.0.forward")]
    assert report.origins[0].evidence["at_limit"] == np.count_nonzero(np.abs(target) == 65504)


def test_zeros_where_the_golden_has_nan_are_silenced(tmp_path: Path) -> None:
    golden = spread_out(64, 1.0)
    golden[5:9] = np.nan
    report = judged(tmp_path, np.nan_to_num(golden, nan=0.0), golden)
    (birth,) = report.origins
    assert (birth.kind, birth.message.code) == (BirthKind.SATURATION, "overflow.birth.silenced")
    assert birth.evidence["zero_for_nan"] == 4


ORDINARY = {
    "relu6": (np.clip(spread_out(400, 8.0), 0, 6), ()),
    "hardtanh": (np.clip(spread_out(400, 70000.0), -65504, 65504), (-65504.0, 65504.0)),
    "clamp": (np.clip(spread_out(400, 70000.0), -65504, 65504), (-65504.0, 65504.0)),
    "dequantize": (np.round(np.clip(spread_out(400, 90.0), -128, 127)) * np.float32(0.05), ()),
    "one at the limit": (np.append(spread_out(400, 900.0), np.float32(65504)), ()),
    "one, negative": (np.append(spread_out(400, 900.0), np.float32(-65504)), ()),
    "constant": (np.full(400, 3.0, np.float32), ()),
    "fill": (np.full(400, 65504.0, np.float32), (65504.0,)),
}


@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("what", ORDINARY)
def test_ordinary_numbers_with_repeated_extremes_are_not_accused(
    tmp_path: Path, what: str, dtype: str, tensors: bool
) -> None:
    values, arguments = ORDINARY[what]
    api = f"Functional.{what}" if " " not in what else "Torch.matmul"
    report = judged(tmp_path, values.astype(dtype), api=api, arguments=arguments, tensors=tensors)
    assert report.origins == ()
    assert report.mode is Mode.UNKNOWN


def test_a_golden_with_the_same_plateau_accuses_nobody(tmp_path: Path) -> None:
    clipped = np.clip(spread_out(400, 60000.0), -65504, 65504).astype(np.float16)
    assert judged(tmp_path, clipped, clipped).origins == ()


@settings(max_examples=25)
@given(
    scale=st.floats(1e-3, 2e4),
    seed=st.integers(0, 1 << 16),
    dtype=st.sampled_from(["float16", "float32"]),
    at_limit=st.integers(0, 1),
)
def test_no_normal_sample_is_taken_for_a_plateau(
    tmp_path_factory: pytest.TempPathFactory, scale: float, seed: int, dtype: str, at_limit: int
) -> None:
    """Up to a third of the limit hardly an element comes to it; one that does is no plateau."""
    values = np.clip(spread_out(300, scale, seed), -65472, 65472)
    values[:at_limit] = 65504
    assert judged(tmp_path_factory.mktemp("normal"), values.astype(dtype)).origins == ()


@settings(max_examples=15)
@given(seed=st.integers(0, 1 << 16), scale=st.floats(4e4, 1e6), dtype=st.sampled_from(["float16", "float32"]))
def test_every_sample_that_was_clipped_is_taken_for_a_plateau(
    tmp_path_factory: pytest.TempPathFactory, seed: int, scale: float, dtype: str
) -> None:
    golden = spread_out(300, scale, seed)
    beyond = np.count_nonzero(np.abs(golden) > 65504)
    if beyond < 3:
        return
    target = np.clip(golden, -65504, 65504).astype(dtype)
    report = judged(tmp_path_factory.mktemp("clipped"), target, golden)
    assert [birth.kind for birth in report.origins] == [BirthKind.SATURATION]
    assert report.origins[0].evidence["golden_beyond"] == beyond


def test_a_mask_from_outside_that_masks_a_whole_row_accuses_the_call_that_makes_nan_of_it(
    tmp_path: Path,
) -> None:
    notes = Notes()
    mask = np.where(HOLES | np.array([[True], [False]]), np.float32(-INF), np.float32(0))
    query, out = Values().fresh(2, 3), Values(1).with_bad(NAN)
    notes.call("Functional.scaled_dot_product_attention", [query, query, query], [out], attn_mask=mask)
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Functional.scaled_dot_product_attention.0.forward")]
    assert any(note.code == "overflow.note.cause_outside" for note in report.origins[0].notes)
