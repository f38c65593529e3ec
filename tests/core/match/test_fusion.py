"""Fused calls against small ones: bracketed by what goes in and comes out, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.match.fusion import FusedRegion, find_fused
from core.match.operators import match_operators
from core.records.dump import Dump
from tests.builders.dumps import call, write_dump
from tests.builders.reading import read_only_cell


def tensor(seed: int, *shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


X, GATE, SILU, OUT, NEXT = (tensor(seed, 4, 8) for seed in range(5))
BEFORE = {"Functional.linear.0.forward": call([X], [X])}
AFTER = {"Functional.linear.1.forward": call([OUT], [NEXT])}
SMALL = {
    "Functional.silu.0.forward": call([X], [SILU]),
    "Tensor.__mul__.0.forward": call([SILU, GATE], [OUT]),
}


def read(folder: Path, middle: dict[str, Any]) -> Dump:
    return read_only_cell(write_dump(folder, {**BEFORE, **middle, **AFTER}))


def fused(target: Dump, golden: Dump) -> list[FusedRegion]:
    return find_fused(target, golden, match_operators(target, golden).pairs)


def names(dump: Dump, slots: list[int]) -> list[str]:
    return [f"{dump.operator_name(int(dump.slots.operator[slot]))}.{dump.slot_name(slot)}" for slot in slots]


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_fused_call_is_bracketed_from_either_side(tmp_path: Path, noise: float) -> None:
    scale = np.float32(1 + noise)
    one = {"NPU.npu_swiglu.0.forward": call([X * scale, GATE * scale], [OUT * scale])}
    target, golden = read(tmp_path / "t", one), read(tmp_path / "g", SMALL)
    (region,) = fused(target, golden)
    assert [golden.operator_name(row) for row in region.golden] == list(SMALL)
    assert names(golden, [right for _, right in region.inputs]) == [
        "Functional.silu.0.forward.input.0",
        "Tensor.__mul__.0.forward.input.1",
    ]
    assert names(golden, [right for _, right in region.outputs]) == ["Tensor.__mul__.0.forward.output.0"]
    (turned,) = fused(golden, target)
    assert turned.outputs == tuple((right, left) for left, right in region.outputs)
    assert (turned.target, turned.golden) == (region.golden, region.target)


def test_a_wrong_result_is_bracketed_all_the_same(tmp_path: Path) -> None:
    one = {"NPU.npu_swiglu.0.forward": call([X, GATE], [OUT * 3])}
    target, golden = read(tmp_path / "t", one), read(tmp_path / "g", SMALL)
    (region,) = fused(target, golden)
    assert names(golden, [right for _, right in region.outputs]) == ["Tensor.__mul__.0.forward.output.0"]


def test_a_result_that_looks_like_one_inside_is_not_compared(tmp_path: Path) -> None:
    one = {"NPU.npu_swiglu.0.forward": call([X, GATE], [SILU])}
    small = {**SMALL, "Tensor.__mul__.0.forward": call([X + 9, GATE], [OUT])}
    (region,) = fused(read(tmp_path / "t", one), read(tmp_path / "g", small))
    assert not region.outputs


def test_nothing_in_common_is_no_region(tmp_path: Path) -> None:
    one = {"NPU.npu_swiglu.0.forward": call([tensor(9, 2, 2)], [tensor(8, 2, 2)])}
    assert not fused(read(tmp_path / "t", one), read(tmp_path / "g", SMALL))
    one = {"NPU.npu_swiglu.0.forward": call([X * 50], [OUT])}
    assert not fused(read(tmp_path / "t", one), read(tmp_path / "g", SMALL))


def test_neighbouring_fused_calls_have_regions_of_their_own(tmp_path: Path) -> None:
    between = tensor(11, 4, 8)
    two = {
        "NPU.npu_swiglu.0.forward": call([X, GATE], [between]),
        "NPU.npu_rms_norm.0.forward": call([between], [OUT]),
    }
    square = tensor(12, 4, 1)
    small = {
        "Functional.silu.0.forward": call([X], [SILU]),
        "Tensor.__mul__.0.forward": call([SILU, GATE], [between]),
        "Torch.rsqrt.0.forward": call([square], [square * 2]),
        "Tensor.__mul__.1.forward": call([between, square * 2], [OUT]),
    }
    target, golden = read(tmp_path / "t", two), read(tmp_path / "g", small)
    regions = fused(target, golden)
    assert [target.operator_name(region.target[0]) for region in regions] == list(two)
    assert names(golden, [right for region in regions for _, right in region.outputs]) == [
        "Tensor.__mul__.0.forward.output.0",
        "Tensor.__mul__.1.forward.output.0",
    ]


def test_the_swiglu_of_the_case_is_not_taken_for_compared(cases: Path) -> None:
    folder = cases / "structure" / "C39_fused"
    target, golden = read_only_cell(folder / "tgt.json"), read_only_cell(folder / "gold.json")
    (region,) = fused(target, golden)
    assert [target.operator_name(row) for row in region.target] == ["NPU.npu_swiglu.0.forward"]
    assert len(region.golden) == 2
    assert not region.outputs


@pytest.mark.parametrize("kind", ["statistics_mix", "md5_mix", "tensor_mix"])
def test_the_attention_of_the_real_pair(cases: Path, kind: str) -> None:
    target = read_only_cell(cases / "msprobe/gpt/sdpa" / kind / "step0" / "rank0")
    golden = read_only_cell(cases / "msprobe/gpt/bench" / kind / "step0" / "rank0")
    regions = fused(target, golden)
    forward = [region for region in regions if target.operator_name(region.target[0]).endswith("forward")]
    assert len(regions) == 4
    assert len(forward) == 2
    for region in forward:
        assert [target.slot_name(left) for left, _ in region.inputs] == ["input.0", "input.2"]
        assert [target.slot_name(left) for left, _ in region.transposed] == ["input.1"]
        assert len(region.golden) == 5
        ((_, result),) = region.outputs
        assert golden.slots.operator[result] == region.golden[-1]
