"""A pair that is an emulated 910A: that profile explains it, those of other arithmetic do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.emulated_chip import Ascend910A, Processor, write_network

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.emulation.chips.profile import find_profile, profile_names
from core.emulation.engine import EmulationOptions, emulate_runs
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis
from core.records.emulation import Emulation, EmulationVerdict, GoldenVerdict

CONVOLUTION = "Functional.conv2d.0.forward"
MATRIX = {
    "Functional.linear.0.forward",
    "Torch.matmul.0.forward",
    "Torch.matmul.1.forward",
    "Torch.matmul.1.backward",
    CONVOLUTION,
}
SATURATED = {"Torch.matmul.2.forward", "Torch.add.0.forward"}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return write_network(tmp_path / "golden", Processor())


def emulated(target: Path, golden: Path, profile: str) -> Emulation:
    options = CompareOptions(use_cache=False)
    asked = EmulationOptions(find_profile(profile))
    return run_to_end(emulate_runs(str(target), str(golden), asked, options))[0]


def outside(emulation: Emulation) -> set[str]:
    return {call.operator for call in emulation.calls if call.verdict is EmulationVerdict.OUTSIDE}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("profile", profile_names())
def test_only_its_own_arithmetic_explains_it(
    tmp_path: Path, golden: Path, profile: str, reverse: bool
) -> None:
    found = emulated(write_network(tmp_path / "target", Ascend910A(reverse)), golden, profile)
    assert not found.not_replayed
    if profile in ("910A", "310P"):  # nothing that is published tells their arithmetic apart
        assert outside(found) == set()
    else:  # HF32 of the 950, by which it convolves, has as many bits as half
        same = {CONVOLUTION} if profile == "950" else set()
        assert outside(found) == (MATRIX | SATURATED) - same
    assert {call.golden for call in found.calls} == {GoldenVerdict.RIGHT}


def test_a_result_more_exact_than_the_chip_is_no_fault(golden: Path) -> None:
    found = emulated(golden, golden, "910A")
    assert outside(found) == {"Torch.matmul.2.forward"}  # Inf is born, where that chip saturates


def diagnosed(target: Path, golden: Path, profile: str = "") -> Diagnosis:
    chip = find_profile(profile) if profile else None
    options = CompareOptions(use_cache=False)
    return run_to_end(diagnose_runs(str(target), str(golden), options, profile=chip))[1]


def test_the_diagnosis_hears_of_it(tmp_path: Path, golden: Path) -> None:
    target = write_network(tmp_path / "target", Ascend910A())
    unaware = {suspect.operator: suspect for suspect in diagnosed(target, golden).suspects}
    first = unaware["Functional.linear.0.forward"]
    assert "Ascend 910A" in str(first.evidence["explained_by"])
    assert first.message.code == "suspect.local_error_of_chip"
    aware = diagnosed(target, golden, "910A")
    assert not {suspect.operator for suspect in aware.suspects} & (MATRIX | SATURATED)
    remarks = {
        remark.operator for remark in aware.remarks if remark.message.code.endswith("explained_by_profile")
    }
    assert remarks >= MATRIX
    (saturation,) = (item for item in aware.remarks if item.operator == "Torch.matmul.2.forward")
    assert saturation.message.code == "suspect.saturated_by_profile"
    assert unaware["Torch.matmul.2.forward"].message.code == "suspect.saturated"
    wrong_chip = diagnosed(target, golden, "950")
    assert wrong_chip.first is not None
    assert wrong_chip.first.message.code == "suspect.outside_profile"
