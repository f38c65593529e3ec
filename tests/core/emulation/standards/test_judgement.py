"""Which standard judges which operator, and both sides of every threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.dtypes import DTYPES
from core.emulation.standards import (
    FirstStage,
    Standard,
    StandardJudgement,
    Status,
    Variant,
    first_stage,
    judge,
)
from core.messages import LANGUAGES, render

F16, BF16, F32 = (DTYPES[name] for name in ("float16", "bfloat16", "float32"))
JUST = 1 + 2**-30


def said(name: str, device: Any, bench: Any, control: Any = None, **options: Any) -> StandardJudgement:
    options = {"dtype": F32, "variant": Variant.CODE} | options
    arrays = [None if item is None else np.asarray(item) for item in (device, bench, control)]
    found = judge(name, arrays[0], arrays[1], control=arrays[2], **options)
    for reason in found.reasons:
        for language in LANGUAGES:
            assert render(reason, language) != reason.code
    assert found.passed or found.reasons
    return found


# ---- first stage


def staged(relative: float, share: float, dtype: Any) -> FirstStage:
    """Judge 10000 values around 1000, *share* of which are off by *relative*."""
    bench = np.full(10000, 1000.0)
    device = bench.copy()
    device[: round(10000 * share)] *= 1 + relative
    return first_stage(device, bench, dtype)


@pytest.mark.parametrize(
    ("relative", "share", "dtype", "status"),
    [
        (0.02, 0.0099, F16, Status.WARNING),
        (0.02, 0.0100, F16, Status.ERROR),
        (0.002, 0.0009, F16, Status.PASS),
        (0.002, 0.0010, F16, Status.WARNING),
        (0.002, 1.0, BF16, Status.WARNING),
        (0.002, 0.0009, F32, Status.WARNING),
        (0.002, 0.0010, F32, Status.ERROR),
        (0.0002, 0.0000, F32, Status.PASS),
        (0.0002, 0.0001, F32, Status.WARNING),
        (0.0002, 0.0001, DTYPES["float64"], Status.WARNING),
    ],
)
def test_shares_of_relative_errors(relative: float, share: float, dtype: Any, status: Status) -> None:
    assert staged(relative, share, dtype).status is status


def test_the_cosine_comes_first() -> None:
    angle = math.acos(0.99)
    for turn, status in ((angle * JUST, Status.ERROR), (angle / JUST, Status.PASS)):
        small = np.array([math.cos(turn), math.sin(turn)]) * 1e-4
        found = first_stage(small, np.array([1e-4, 0.0]), F32)
        assert found.cosine == pytest.approx(0.99)
        assert found.status is status


def test_the_largest_difference_comes_second() -> None:
    bench = np.array([1e-9, 1.0])
    for away, status in ((0.001 / JUST, Status.PASS), (0.001 * JUST, Status.ERROR)):
        assert first_stage(bench + np.array([away, 0.0]), bench, F32).status is status


def test_first_stage_of_special_tensors() -> None:
    zero, one, nan = np.zeros(2), np.ones(2), np.full(2, np.nan)
    assert first_stage(zero, zero, F16).status is Status.PASS
    assert first_stage(one, zero, F16).status is Status.ERROR
    assert first_stage(zero, one, F16).status is Status.ERROR
    assert first_stage(nan, nan, F16).status is Status.ERROR  # NaN is never near
    assert first_stage(np.full(2, np.inf), one, F32).status is Status.ERROR
    assert first_stage(np.empty(0), np.empty(0), F32).status is Status.PASS
    assert first_stage(np.float64(3.0), np.float64(-3.0), F32).status is Status.ERROR
    assert math.isnan(first_stage(np.float64(3.0), np.float64(3.0), F32).cosine)
    assert first_stage(one, np.ones(3), F32).status is Status.ERROR
    with pytest.raises(ValueError, match="complex"):
        first_stage(one, one, DTYPES["complex64"])


def test_whole_numbers_are_equal_or_wrong() -> None:
    numbers = np.array([1, 2, 3])
    int32, boolean = DTYPES["int32"], DTYPES["bool"]
    assert first_stage(numbers, numbers, int32).status is Status.PASS
    off = first_stage(numbers + np.array([0, 0, 1]), numbers, int32)
    assert (off.status, off.max_abs) == (Status.ERROR, 1.0)
    assert first_stage(numbers + 1, numbers, int32, "npu_dynamic_quant").status is Status.PASS
    assert first_stage(numbers + 2, numbers, int32, "npu_dynamic_quant").status is Status.ERROR
    assert first_stage(numbers == 1, numbers == 2, boolean).status is Status.ERROR


# ---- which standard


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("__add__", Standard.ABSOLUTE_THRESHOLD),
        ("abs", Standard.BINARY_CONSISTENCY),
        ("matmul", Standard.ULP),
        ("conv2d", Standard.THOUSANDTH),
        ("test_api", Standard.ACCUMULATIVE_ERROR),
        ("softmax", Standard.BENCHMARK),
    ],
)
def test_the_standard_meant_is_not_the_one_released(name: str, standard: Standard) -> None:
    found = said(name, [1.0], [1.0], [1.0])
    assert (found.standard, found.released_standard) == (standard, Standard.BENCHMARK)
    assert found.passed


def test_the_format_comes_before_the_operator() -> None:
    tiny = DTYPES["float8_e4m3fn"]
    assert said("softmax", [1.0], [1.0], dtype=tiny).standard is Standard.ULP
    assert said("softmax", [1.0], [1.0], dtype=tiny).released_standard is Standard.ULP
    assert said("matmul", [1.0], [1.0], input_dtype=tiny).released_standard is Standard.ABSOLUTE_THRESHOLD
    whole = said("matmul", [1], [2], dtype=DTYPES["int64"])
    assert (whole.standard, whole.passed) == (Standard.BINARY_CONSISTENCY, False)
    double = said("matmul", [1.0], [1.0], dtype=DTYPES["float64"])
    assert (double.passed, double.released_standard) == (None, None)


# ---- edges


@pytest.mark.parametrize("variant", Variant)
def test_absolute_threshold(variant: Variant) -> None:
    for factor, passed in ((1 / JUST, True), (JUST, False)):
        away = 2.0**-10 * (1 + 2**-23) * factor
        assert said("__add__", [1 + away], [1.0], dtype=F16, variant=variant).passed is passed
        small = 2.0**-16 * factor
        assert said("__add__", [small], [0.0], dtype=F16, variant=variant).passed is passed
    assert said("__add__", [np.nan], [1.0], dtype=F16, variant=variant).passed is False


def test_the_slip_in_the_code_is_kept_where_it_is_asked_for() -> None:
    """1e-16 stands for 2^-16: bfloat16 sums may hardly differ near 0."""
    assert said("__add__", [1e-8], [0.0], dtype=BF16, variant=Variant.CODE).passed is False
    assert said("__add__", [1e-8], [0.0], dtype=BF16, variant=Variant.DOCUMENT).passed is True


def test_binary_consistency() -> None:
    assert said("abs", [1.0, 2.0], [1.0, 2.0]).passed is True
    assert said("abs", [1.0, 2.0], [1.0, 2.0 * JUST]).passed is False
    assert said("abs", [np.nan], [np.nan], variant=Variant.CODE).passed is False
    assert said("abs", [np.nan], [np.nan], variant=Variant.DOCUMENT).passed is True


@pytest.mark.parametrize(("wrong", "by_code", "by_document"), [(0, 1, 1), (1, 1, 0), (2, 0, 0)])
def test_thousandth(wrong: int, by_code: int, by_document: int) -> None:
    bench = np.ones(1000)
    device = bench.copy()
    device[:wrong] = 1.01
    assert said("conv2d", device, bench, variant=Variant.CODE).passed is bool(by_code)
    assert said("conv2d", device, bench, variant=Variant.DOCUMENT).passed is bool(by_document)


def test_ulp_of_half_formats_counts_a_share() -> None:
    bench = np.ones(1000)
    one = bench.copy()
    one[:1] += 2 * 2.0**-10
    assert said("mm", one, bench, dtype=F16).passed is None  # 0.001 is not below 0.001
    assert said("mm", one, bench, one, dtype=F16).passed is False  # nor below the control's
    two = bench.copy()
    two[:2] += 2 * 2.0**-10
    assert said("mm", one, bench, two, dtype=F16).passed is True
    assert said("mm", np.ones(1001), np.ones(1001), dtype=F16).passed is True


def test_the_code_grants_a_floor_to_the_share_of_the_control() -> None:
    bench = np.ones(1000)
    three = bench.copy()
    three[:3] += 2 * 2.0**-7
    assert said("mm", three, bench, bench, dtype=BF16, variant=Variant.CODE).passed is True
    assert said("mm", three, bench, bench, dtype=BF16, variant=Variant.DOCUMENT).passed is False


def test_ulp_of_float32_has_a_mean() -> None:
    bench = np.ones(8)
    for units, passed in ((63.9, True), (64.0, None)):
        assert said("mm", bench + units * 2.0**-23, bench).passed is passed
    few = np.ones(100)
    few[:4] += 1e-2
    assert said("mm", few, np.ones(100)).passed is True
    few[:5] += 1e-2
    assert said("mm", few, np.ones(100), np.ones(100)).passed is False


def test_ulp_of_special_values_must_agree() -> None:
    bench, nan = np.ones(2000), np.ones(2000)
    nan[0] = np.nan
    assert said("mm", nan, bench, bench).passed is False
    assert said("mm", nan, bench, nan).passed is True
    assert said("mm", nan, bench).passed is None


@pytest.mark.parametrize(
    ("name", "level", "rmse", "largest"),
    [("softmax", "L0", 2, 10), ("embedding", "L1", 1.5, 5), ("layer_norm", "L2", 1.2, 2)],
)
def test_benchmark_ratios(name: str, level: str, rmse: float, largest: float) -> None:
    bench = np.full(1000, 4.0)
    control = bench.copy()
    control[:] += 0.004  # every relative error is 0.001, above the floor 2^-14
    device = bench + 0.004 * rmse / 1.0001
    found = said(name, device, bench, control)
    assert (found.level, found.passed) == (level, True)
    assert found.ratios["rmse"] == pytest.approx(rmse / 1.0001)
    worse = said(name, bench + 0.004 * rmse * 1.0001, bench, control)
    assert worse.passed is False
    assert {reason.code for reason in worse.reasons} >= {"standard.benchmark.rmse"}
    # One element far off, which a mean of 1000 hardly shows.
    control[:] = bench
    control[0] += 0.004
    control[1:500] += 0.003
    for factor, passed in ((largest / 1.001, True), (largest * 1.001, False)):
        device[:] = control
        device[0] = bench[0] + 0.004 * factor
        found = said(name, device, bench, control)
        assert found.passed is passed
        codes = [reason.code for reason in found.reasons]
        assert codes == ([] if passed else ["standard.benchmark.max_relative_error"])


def test_benchmark_floors_and_small_values() -> None:
    bench = np.full(10, 4.0)
    exact = said("softmax", bench + 4.0 * 2.0**-14, bench, bench)
    assert exact.ratios["max_relative_error"] == pytest.approx(1.0)
    small = np.zeros(100)
    control, device = small.copy(), small.copy()
    control[:10] = 1e-8
    device[:20] = 1e-8
    assert said("softmax", device, small, control).passed is True
    device[:21] = 1e-8
    judged = said("softmax", device, small, control)
    assert [reason.code for reason in judged.reasons] == ["standard.benchmark.small_value_error_share"]


def test_the_code_has_no_level_for_gelu() -> None:
    arrays = [1.0], [1.0], [1.0]
    assert said("gelu", *arrays, variant=Variant.CODE).level == "L0"
    assert said("gelu", *arrays, variant=Variant.DOCUMENT).level == "L2"


def test_the_benchmark_needs_a_control() -> None:
    found = said("softmax", [1.0], [1.0])
    assert found.passed is None
    assert [reason.code for reason in found.reasons] == ["standard.needs_control"]
    assert found.metrics is not None
    assert said("softmax", np.empty(0), np.empty(0)).passed is True


def test_accumulative_error() -> None:
    """Relative and absolute within 2^-11 for float32, and not all to one side."""
    bench = np.array([2.0, 2.0, 0.5, 0.5])
    sides = np.array([1, -1, 1, -1])
    bound = 2.0**-11
    size = np.where(bench > 1, bench + 2**-52, 1.0) * bound
    assert said("test_api", bench + sides * size / JUST, bench).passed is True
    assert said("test_api", bench + sides * size * JUST, bench).passed is False
    tilted = said("test_api", bench + 1e-4 * np.array([1, 1, 1, -1]), bench)
    assert [reason.code for reason in tilted.reasons] == ["standard.accumulative.balance"]


def test_other_shapes_are_refused() -> None:
    for dtype in (F32, DTYPES["float64"], DTYPES["int32"]):
        with pytest.raises(ValueError, match="shapes"):
            judge("mm", np.zeros(2), np.zeros(3), dtype=dtype, variant=Variant.CODE)
    with pytest.raises(ValueError, match="shapes"):
        judge("mm", np.zeros(2), np.zeros(2), control=np.zeros(3), dtype=F32, variant=Variant.CODE)
