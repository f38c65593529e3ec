"""A profile that was written is read again, and the emulation under it gives the device's own results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.simulated_chip import A2, FIRST, Array, SimulatedChip

from core.dtypes import DTYPES
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding, convert
from core.emulation.calibration.fitting import fit
from core.emulation.calibration.probes import Group, Probe, probes
from core.emulation.calibration.reading import Measured
from core.emulation.calibration.simulation import simulated
from core.emulation.calibration.writing import profile_of_calibration
from core.emulation.chips.chip import ChipComputing, usual_choice
from core.emulation.chips.profile import Basis, Profile, load_profile, shipped_profile
from core.emulation.operators.table import Matrix
from core.progress import run_to_end

ALL = probes()


def measured(results: Mapping[str, Array], device: str = "Ascend910B2") -> Measured:
    return Measured(device, "npu", "2.6.0", "2.6.0", {}, results, {})


def written(results: Mapping[str, Array], base: str, place: Path, device: str = "Ascend910B2") -> Profile:
    profile = shipped_profile(base)
    calibration = run_to_end(fit(ALL, results, profile))
    path = place / "mine.toml"
    path.write_text(profile_of_calibration(calibration, measured(results, device), profile), encoding="utf-8")
    return load_profile(path)


def emulated(profile: Profile, probe: Probe) -> Array:
    """Run a product through the arithmetic that ``emulate`` uses under *profile*."""
    matrix = Matrix.CONVOLUTION if probe.operation == "convolution" else Matrix.PRODUCT
    storage = DTYPES[probe.dtype]
    computing = ChipComputing(profile, replace(usual_choice(profile), fused=True), matrix, storage)
    left, right = (computing.product_operand(part) for part in probe.matrices())
    made = computing.product(left, right, lambda a, b, multiply: multiply(a, b))
    mode = Overflow(profile["overflow"]) if probe.dtype != "float32" else Overflow.INF_NAN
    return convert(made, Conversion(storage, Rounding(profile["output_rounding"]), mode)).reshape(probe.shape)


@pytest.mark.parametrize(("chip", "base"), [(A2, "910B"), (FIRST, "910A")], ids=["A2", "first"])
def test_the_emulation_under_the_profile_gives_the_devices_own_bits(
    chip: SimulatedChip, base: str, tmp_path: Path
) -> None:
    results = chip.results(ALL)
    profile = written(results, base, tmp_path)
    for probe in ALL:
        if probe.operation in ("matmul", "convolution") and probe.dtype in (
            "float32",
            *profile["operand_formats"],
        ):
            assert np.array_equal(emulated(profile, probe), results[probe.name], equal_nan=True), probe.name
    assert profile["block_half"] == 16
    assert profile.parameters["guard_bits"].basis is Basis.INFERRED
    assert profile.parameters["guard_bits"].source == f"calibrated on Ascend910B2, {len(ALL)} probes"
    assert profile.envelope["guard_bits"] == ("exact",)
    assert profile.envelope["accumulate_rounding"] == ("nearest_even",)
    assert profile.envelope["splits"] == (1,)
    assert profile.envelope["stores_intermediates"] == shipped_profile(base).envelope["stores_intermediates"]


def test_what_is_not_explained_stays_as_it_was(tmp_path: Path) -> None:
    chosen = [probe for probe in ALL if probe.group in (Group.OUTPUT, Group.FLOAT16_SUMS)]
    results = {probe.name: simulated(probe, {"guard_bits": 2}) for probe in chosen}
    results["float16_normal"][3, 3] += 0.5
    profile, base = written(results, "950", tmp_path), shipped_profile("950")
    for name in ("guard_bits", "accumulate_rounding", "block_half"):
        assert profile.parameters[name] == base.parameters[name]
    assert profile.envelope == base.envelope
    assert profile.parameters["output_rounding"].basis is Basis.INFERRED


def test_narrowed_parameters_keep_to_what_remains(tmp_path: Path) -> None:
    # Blocks of one product of 16 bits leave open which of many guard bits there are.
    chosen = [probe for probe in ALL if probe.group in (Group.OUTPUT, Group.FLOAT16_SUMS)]
    hidden: dict[str, Any] = {"block_half": 1, "guard_bits": 14}
    results = {probe.name: simulated(probe, hidden) for probe in chosen}
    profile = written(results, "910B", tmp_path)
    remaining = profile.envelope["guard_bits"]
    assert 14 in remaining
    assert 0 not in remaining
    assert profile["guard_bits"] in remaining
    assert "not ruled out" in profile.parameters["guard_bits"].source


def test_a_mode_that_the_base_does_not_have_is_added(tmp_path: Path) -> None:
    chosen = [probe for probe in ALL if probe.group is Group.OVERFLOW]
    results = {probe.name: simulated(probe, {"overflow": "saturate"}) for probe in chosen}
    profile = written(results, "950", tmp_path)
    assert profile["overflow"] == "saturate"
    assert profile["overflow_modes"] == ["inf_nan", "saturate"]


@pytest.mark.parametrize("device", ['"quoted" \\ name', "\x7f", "昇腾 910", "", "]\n[x]"])
def test_a_device_may_have_any_name(device: str, tmp_path: Path) -> None:
    chosen = [probe for probe in ALL if probe.group is Group.SUBNORMALS]
    results = {probe.name: simulated(probe, {}) for probe in chosen}
    clean = "".join(letter if letter.isprintable() else "?" for letter in device)
    profile = written(results, "910B", tmp_path, clean)
    assert profile.title == f"{clean} (calibrated)"
