"""The released checker itself, on the same arrays: each figure and status as it has them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from core.dtypes import DTYPES
from core.emulation.standards import Variant, accumulated_rates, first_stage, measure

pytestmark = pytest.mark.integration

SPECIAL = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-5, 2.0**-10, 2.0**-20, 65504.0, 70000.0, 1e39]
FORMATS = ["float16", "bfloat16", "float32"]


@pytest.fixture(scope="module")
def checker() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = pytest.importorskip("torch")
        compare = "msprobe.pytorch.api_accuracy_checker.compare"
        try:
            module = pytest.importorskip(f"{compare}.compare", exc_type=ImportError)
        except pytest.skip.Exception:
            if os.environ.get("CI"):
                pytest.fail("CI must install the extra `integration`")
            raise
        from msprobe.pytorch.api_accuracy_checker import precision_standard as standard
        from msprobe.pytorch.api_accuracy_checker.compare.compare_input import CompareInput
        from msprobe.pytorch.api_accuracy_checker.precision_standard.absolute_threshold import (
            AbsolutethdCompare,
        )
        from msprobe.pytorch.api_accuracy_checker.precision_standard.accumulative_error_compare import (
            AccumulativeErrorCompare,
        )
        from msprobe.pytorch.api_accuracy_checker.precision_standard.benchmark_compare import BenchmarkCompare
        from msprobe.pytorch.api_accuracy_checker.precision_standard.ulp_compare import UlpCompare

        assert standard
        yield {
            "torch": torch,
            "comparator": module.Comparator,
            "column": module.CompareColumn,
            "registry": module.StandardRegistry,
            "input": CompareInput,
            "classes": (BenchmarkCompare, AbsolutethdCompare, UlpCompare),
            "accumulative": AccumulativeErrorCompare,
        }


def pair(name: str, seed: int, spread: int = 7, scale: float = 1.0) -> tuple[Any, Any]:
    """Return a device's numbers, rounded to the format, and a finer bench as the tool holds it."""
    random = np.random.default_rng(seed)
    bench = (
        scale * random.normal(size=300) * 10.0 ** random.integers(-spread - 2, spread - 2, 300, endpoint=True)
    )
    noise = 10.0 ** random.uniform(-8, -1)
    device = bench * (1 + random.normal(size=300) * noise)
    if seed % 3 and scale == 1.0:
        bench[:12] = random.choice(SPECIAL, 12)
        device[:12] = np.where(random.random(12) < 0.5, bench[:12], random.choice(SPECIAL, 12))
    with np.errstate(all="ignore"):
        if name == "float32":
            return device.astype(np.float32), bench
        if name == "float16":
            return device.astype(np.float16), bench.astype(np.float32)
        bits = (device.astype(np.float32).view(np.uint32) + 0x8000) & np.uint32(0xFFFF0000)
        return bits.view(np.float32), bench.astype(np.float32)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(12))
def test_every_figure_is_that_of_the_tool(checker: Any, name: str, seed: int) -> None:
    device, bench = pair(name, seed)
    torch = checker["torch"]
    theirs: dict[str, float] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for kind in checker["classes"]:
            compare = kind(checker["input"](bench, device, None, getattr(torch, name), None))
            compare._pre_compare()
            theirs |= compare._compute_metrics()
        rates = checker["accumulative"](checker["input"](bench, device, None, getattr(torch, name), None))
        rates._pre_compare()
        accumulative = rates._compute_metrics()
    ours = measure(device, bench, DTYPES[name], Variant.CODE)
    found = {
        "small_value_err_ratio": ours.small_value_error_share,
        "rmse": ours.rmse,
        "max_rel_error": ours.max_relative_error,
        "mean_rel_error": ours.mean_relative_error,
        "eb": ours.error_balance,
        "inf_nan_error_ratio": ours.special_error_rate,
        "rel_err_ratio": ours.relative_error_ratio,
        "abs_err_ratio": ours.absolute_error_ratio,
        "max_ulp_error": ours.max_ulp,
        "mean_ulp_error": ours.mean_ulp,
        "ulp_error_proportion": ours.ulp_share,
    }
    assert found.keys() == theirs.keys()
    for key, value in theirs.items():
        assert found[key] == pytest.approx(float(value), rel=2e-4, abs=1e-12, nan_ok=True), key
    rates_found = accumulated_rates(device, bench, DTYPES[name], Variant.CODE)
    assert rates_found.special_error_rate == pytest.approx(float(accumulative["inf_nan_error_ratio"]))
    assert rates_found.relative_error_ratio == pytest.approx(float(accumulative["rel_err_ratio"]))
    assert rates_found.absolute_error_ratio == pytest.approx(float(accumulative["abs_err_ratio"]))


@pytest.mark.parametrize("name", FORMATS)
def test_the_first_stage_says_what_the_tool_says(checker: Any, name: str) -> None:
    torch = checker["torch"]
    comparator = checker["comparator"].__new__(checker["comparator"])
    comparator.registry = comparator._register_compare_func()
    seen = set()
    for seed in range(60):
        device, bench = pair(name, seed, 2 * (seed % 2), 500.0 if seed % 4 else 1.0)
        tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in (bench, device)]
        if name == "bfloat16":
            tensors[1] = tensors[1].to(torch.bfloat16)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            status, column, _ = comparator._compare_torch_tensor("exp", *tensors, checker["column"](), False)
        ours = first_stage(device, bench, DTYPES[name])
        assert ours.status.value == str(status).lower(), seed
        if not isinstance(column.max_abs_err, str):
            assert ours.max_abs == pytest.approx(float(column.max_abs_err), nan_ok=True, rel=1e-3)
        if not isinstance(column.rel_err_thousandth, str):
            assert ours.below_thousandth == pytest.approx(float(column.rel_err_thousandth), abs=1e-9)
        seen.add(ours.status)
    assert len(seen) == 3


def test_the_tool_never_looks_the_operator_up(checker: Any) -> None:
    registry = checker["registry"]()
    category = registry._get_standard_category
    for name in ("matmul", "__add__", "abs", "conv2d", "exp"):
        assert category(name, "torch.float16", "torch.float32") == "benchmark"
    assert category("matmul", "torch.int64", "torch.float32") == "binary_consistency"
