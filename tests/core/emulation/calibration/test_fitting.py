"""Hidden parameters are found again; what no setting gives is not claimed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from builders.simulated_chip import A2, FIRST, Array, SimulatedChip

from core.emulation.arithmetic.nvidia import TENSOR_CORES
from core.emulation.calibration.findings import Calibration, Finding, State
from core.emulation.calibration.fitting import fit
from core.emulation.calibration.probes import TELLS, Group, Probe, probes
from core.emulation.calibration.simulation import simulated
from core.emulation.chips.profile import shipped_profile
from core.progress import run_to_end

ALL = probes()
HALF = (Group.OUTPUT, Group.FLOAT16_SUMS, Group.FLOAT16_ORDER)


def of_groups(*groups: Group) -> list[Probe]:
    return [probe for probe in ALL if probe.group in groups]


def fitted(chosen: Iterable[Probe], results: Mapping[str, Array], base: str = "910B") -> dict[str, Finding]:
    return by_name(calibrated(chosen, results, base))


def calibrated(chosen: Iterable[Probe], results: Mapping[str, Array], base: str = "910B") -> Calibration:
    return run_to_end(fit(list(chosen), results, shipped_profile(base)))


def by_name(calibration: Calibration) -> dict[str, Finding]:
    return {finding.parameter: finding for finding in calibration.findings}


def engine(chosen: Iterable[Probe], **hidden: Any) -> dict[str, Array]:
    return {probe.name: simulated(probe, hidden) for probe in chosen}


def is_determined(found: Mapping[str, Finding], **wanted: Any) -> None:
    for name, value in wanted.items():
        assert (found[name].state, found[name].values) == (State.DETERMINED, (value,)), name


def test_a_chip_as_published_is_determined_whole() -> None:
    calibration = calibrated(ALL, A2.results(ALL))
    is_determined(
        by_name(calibration),
        float32_product="float32", float32_convolution="hf32", hf32_format="hf32", block_half=16,
        block_float32=4, block_hf32=8, operand_rounding="nearest_even", guard_bits="exact",
        accumulate_rounding="nearest_even", accumulator="float32", output_rounding="nearest_even",
        bf16_rounding="nearest_away", overflow="inf_nan", flush_subnormals=False, reduction_order="tree",
        reduction_format="float32", splits=1, reverse=False,
    )  # fmt: skip
    assert calibration.explained
    assert calibration.complete
    assert all(by_name(calibration)[name].state is State.NO_EFFECT for name in ("nan_to_zero",))


def test_a_chip_that_casts_to_half_and_saturates_is_determined() -> None:
    calibration = calibrated(ALL, FIRST.results(ALL), "910A")
    is_determined(
        by_name(calibration),
        float32_product="float16", float32_convolution="float16", operand_rounding="nearest_even",
        block_half=16, guard_bits="exact", accumulate_rounding="nearest_even", overflow="saturate",
        nan_to_zero=True,
    )  # fmt: skip
    assert calibration.complete


def test_truncation_and_flushing_are_determined() -> None:
    groups = (*HALF, Group.SUBNORMALS, Group.REDUCTION)
    chip = SimulatedChip({"float16": 8}, toward_zero=True, flushes=True, sequential_sums=True)
    chosen = of_groups(*groups)
    found = fitted([one for one in chosen if one.dtype != "bfloat16"], chip.results(chosen_half(chosen)))
    is_determined(
        found,
        block_half=8, guard_bits="exact", accumulate_rounding="toward_zero", flush_subnormals=True,
        reduction_order="sequential",
    )  # fmt: skip


def chosen_half(chosen: Iterable[Probe]) -> list[Probe]:
    return [probe for probe in chosen if probe.dtype != "bfloat16"]


@pytest.mark.parametrize("name", ["V100", "A100", "H100"])
def test_the_published_adders_of_gpus_are_determined_from_half_results(name: str) -> None:
    core = TENSOR_CORES[name]
    chosen = of_groups(*HALF)
    hidden = {
        "block_half": core.block,
        "guard_bits": core.guard_bits,
        "accumulate_rounding": core.accumulate.value,
    }
    found = fitted(chosen, engine(chosen, **hidden))
    is_determined(found, **hidden, splits=1, reverse=False)


@pytest.mark.parametrize("seed", range(6))
def test_what_remains_holds_what_was_hidden(seed: int) -> None:
    generator = np.random.default_rng(seed)
    groups = (Group.OUTPUT, Group.FLOAT32_SUMS, Group.FLOAT32_ORDER, Group.PRODUCT_OPERANDS)
    chosen = of_groups(*groups)
    policy = str(generator.choice(["float16", "hf32", "float32"]))
    block = {"float16": "block_half", "hf32": "block_hf32", "float32": "block_float32"}[policy]
    hidden: dict[str, Any] = {
        "float32_product": policy,
        "hf32_format": str(generator.choice(["hf32", "hf32_10"])),
        "operand_rounding": str(generator.choice(["nearest_even", "nearest_away", "toward_zero"])),
        block: int(generator.choice([1, 2, 4, 8, 16, 32])),
        "guard_bits": ["exact", 0, 1, 3, 7, 12][generator.integers(6)],
        "accumulate_rounding": str(generator.choice(["nearest_even", "toward_zero"])),
        "splits": int(generator.choice([1, 2, 4, 8])),
    }
    calibration = calibrated(chosen, engine(chosen, **hidden))
    found = by_name(calibration)
    assert calibration.explained
    for name, value in hidden.items():
        assert value in found[name].values, (name, found[name])
    is_determined(found, float32_product=policy, **{block: hidden[block]})


def test_an_accumulator_of_half_is_found() -> None:
    chosen = of_groups(*HALF)
    is_determined(fitted(chosen, engine(chosen, accumulator="float16")), accumulator="float16")


@pytest.mark.parametrize("probe", ["float16_ties", "float16_normal"])
def test_one_wrong_bit_bars_all_claims_about_the_adder(probe: str) -> None:
    chosen = of_groups(*HALF)
    results = engine(chosen)
    wrong = results[probe].astype(np.float16)
    wrong.view(np.uint16)[5, 7] ^= 1
    calibration = calibrated(chosen, {**results, probe: wrong.astype(np.float32)})
    found = by_name(calibration)
    for name in ("block_half", "guard_bits", "accumulate_rounding", "accumulator"):
        assert found[name].state is State.NOT_EXPLAINED
        assert name not in calibration.setting
    assert not calibration.explained
    (group,) = [one for one in calibration.groups if one.group is Group.FLOAT16_SUMS]
    assert group.best["block_half"] == 16
    size = sum(one.operands[0].shape[0] * 16 for one in chosen if one.group is Group.FLOAT16_SUMS)
    assert group.share == pytest.approx(1 - 1 / size)
    is_determined(found, output_rounding="nearest_even")


def test_sums_in_another_precision_are_not_fitted() -> None:
    chosen = of_groups(*HALF)
    results = engine(of_groups(Group.OUTPUT))
    for probe in chosen:
        if probe.group is not Group.OUTPUT:
            left, right = (part.astype(np.float64) for part in probe.operands)
            results[probe.name] = (left @ right).astype(np.float16).astype(np.float32)
    calibration = calibrated(chosen, results)
    assert by_name(calibration)["guard_bits"].state is State.NOT_EXPLAINED
    assert not calibration.explained


def test_groups_that_disagree_are_told_apart_and_nothing_is_claimed_of_what_they_share() -> None:
    chosen = of_groups(*HALF, Group.PRODUCT_OPERANDS, Group.FLOAT32_SUMS, Group.FLOAT32_ORDER)
    results = engine(chosen, block_float32=1)
    tensor_core = {"block_half": 8, "guard_bits": 1, "accumulate_rounding": "toward_zero"}
    results |= engine(of_groups(Group.FLOAT16_SUMS, Group.FLOAT16_ORDER), **tensor_core)
    calibration = calibrated(chosen, results)
    found = by_name(calibration)
    assert found["guard_bits"].state is State.NOT_EXPLAINED
    assert found["guard_bits"].by_group[Group.FLOAT16_SUMS] == (1,)
    assert "exact" in found["guard_bits"].by_group[Group.FLOAT32_SUMS]
    assert found["accumulate_rounding"].by_group[Group.FLOAT32_SUMS] == ("nearest_even",)
    is_determined(found, block_half=8, block_float32=1)
    assert not calibration.explained


def test_the_order_over_k_may_change_with_the_shape() -> None:
    chosen = of_groups(*HALF)
    results = engine(chosen)
    results |= engine([one for one in chosen if one.name == "float16_deep"], splits=4)
    calibration = calibrated(chosen, results)
    assert calibration.order_varies
    assert calibration.orders == ((1, False), (4, False))
    assert by_name(calibration)["splits"].values == (1, 4)
    assert by_name(calibration)["splits"].state is State.NARROWED
    is_determined(by_name(calibration), block_half=16, guard_bits="exact")


def test_an_order_that_is_not_tried_leaves_the_adder_as_it_is() -> None:
    chosen = of_groups(*HALF)
    results = engine(chosen)
    results |= engine([one for one in chosen if one.name == "float16_deep"], splits=16)
    found = fitted(chosen, results)
    assert found["splits"].state is State.NOT_EXPLAINED
    is_determined(found, block_half=16)


def test_what_did_not_run_is_not_told() -> None:
    chosen = of_groups(Group.OUTPUT)
    found = fitted(chosen, engine(chosen))
    assert {name for name, one in found.items() if one.state is State.DETERMINED} == {"output_rounding"}
    assert found["guard_bits"].state is State.NOT_TOLD
    assert len(found["guard_bits"].values) > 2


@pytest.mark.parametrize("rounding", ["nearest_even", "nearest_away", "toward_zero", "up", "down", "to_odd"])
def test_every_rounding_of_results_and_layer_norms_is_told(rounding: str) -> None:
    chosen = of_groups(Group.OUTPUT, Group.LAYER_NORM)
    found = fitted(chosen, engine(chosen, output_rounding=rounding, bf16_rounding=rounding))
    is_determined(found, output_rounding=rounding, bf16_rounding=rounding)


@pytest.mark.parametrize("order", ["tree", "tree_then_sequential", "sequential"])
@pytest.mark.parametrize("held", ["float32", "float16"])
def test_the_order_and_format_of_sums_are_told(order: str, held: str) -> None:
    chosen = of_groups(Group.REDUCTION)
    found = fitted(chosen, engine(chosen, reduction_order=order, reduction_format=held))
    is_determined(found, reduction_order=order, reduction_format=held)


def test_every_parameter_is_told_by_some_group() -> None:
    told = {name for names in TELLS.values() for name in names}
    assert told == set(by_name(calibrated([], {})))
