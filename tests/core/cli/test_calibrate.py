"""``ulpscope calibrate``: probes out, results back, a profile that ``emulate`` takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.simulated_chip import A2, Array, write_results

from core.emulation.calibration.probes import probes
from core.emulation.chips.profile import load_profile

Run = Callable[..., tuple[int, str, str]]
NOT_CLAIMED = {"block_half", "guard_bits", "accumulate_rounding", "accumulator"}


@pytest.fixture(scope="module")
def of_a2() -> dict[str, Array]:
    return A2.results(probes())


@pytest.fixture
def kit(run: Run, tmp_path: Path) -> Path:
    status, out, _ = run("calibrate", "probes", tmp_path / "kit")
    assert status == 0
    assert "run_probes.py" in out
    assert str(tmp_path / "kit") in out
    return tmp_path / "kit"


def test_a_chip_that_is_explained_whole_ends_with_0(
    run: Run, kit: Path, of_a2: dict[str, Array], tmp_path: Path
) -> None:
    write_results(kit, of_a2)
    profile = tmp_path / "mine.toml"
    status, out, err = run("calibrate", "fit", kit, "-o", profile)
    assert (status, err) == (0, "")
    assert "Ascend910B2" in out
    assert "910B" in out
    assert "That is no proof" in out
    assert load_profile(profile)["float32_convolution"] == "hf32"
    status, out, _ = run("emulate", "--profile", profile, "--show-profile")
    assert status == 0
    assert "calibrated on Ascend910B2" in out


def test_the_document_holds_all_that_was_found(run: Run, kit: Path, of_a2: dict[str, Array]) -> None:
    broken = dict(of_a2)
    broken["float16_normal"] = broken["float16_normal"] + 1
    del broken["float16_long"], broken["float16_deep"]
    write_results(kit, broken)
    status, out, _ = run("calibrate", "fit", kit, "--based-on", "950", "--json", "--quiet")
    said = json.loads(out)
    assert status == 1
    assert said["based_on"] == "950"
    assert not said["explained"]
    states = {item["parameter"]: item["state"] for item in said["parameters"]}
    assert {name for name, state in states.items() if state == "not_explained"} == NOT_CLAIMED
    assert states["block_float32"] == "determined"
    (group,) = [item for item in said["groups"] if item["group"] == "float16_sums"]
    assert not group["fits"]
    assert 0.5 < group["share"] < 1
    assert group["closest"]["block_half"] == 16
    assert set(said["not_run"]) == {"float16_long", "float16_deep"}


def test_what_is_not_explained_is_said_in_words(run: Run, kit: Path, of_a2: dict[str, Array]) -> None:
    quick = {name: result for name, result in of_a2.items() if name.startswith(("float16", "ties"))}
    quick["float16_short"] = quick["float16_short"] + 1
    write_results(kit, quick, device="GeForce", kind="cuda")
    status, out, _ = run("calibrate", "fit", kit)
    assert status == 1
    assert "no setting gives all bits" in out
    assert "not claimed" in out
    assert "not of an NPU" in out
    assert "did not run" in out


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_trouble_ends_with_2_and_a_remedy(run: Run, kit: Path, language: str) -> None:
    for words in (
        ("fit", kit),
        ("fit", kit / "nowhere"),
        ("probes", kit),
        ("fit", kit, "-o", "mine.csv"),
    ):
        status, out, err = run("calibrate", *words, "--language", language)
        assert (status, out) == (2, "")
        assert err.startswith("ulpscope: ")
        assert "problem." not in err


def test_probes_as_a_document(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("calibrate", "probes", tmp_path / "kit", "--json")
    said = json.loads(out)
    assert status == 0
    assert Path(said["script"]).is_file()
    assert said["probes"] == len(probes())


@pytest.mark.integration
def test_the_script_runs_and_a_cpu_is_not_taken_for_an_npu(run: Run, kit: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    command = [sys.executable, str(kit / "run_probes.py"), "--device", "cpu"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert ran.returncode == 0, ran.stderr
    about: dict[str, Any] = json.loads((kit / "device.json").read_text(encoding="utf-8"))
    assert about["kind"] == "cpu"
    assert "torch.backends.cuda.matmul.allow_tf32" in about["switches"]
    status, out, _ = run("calibrate", "fit", kit, "--json", "-o", tmp_path / "cpu.toml")
    said = json.loads(out)
    assert status == 1
    assert not said["explained"]
    values = {item["parameter"]: item for item in said["parameters"]}
    # IEEE 754 and float32 operands are what a CPU has; the blocks of a Cube are not.
    assert values["float32_product"]["values"] == ["float32"]
    assert values["overflow"]["values"] == ["inf_nan"]
    assert values["output_rounding"]["values"] == ["nearest_even"]
    for name in ("block_half", "guard_bits", "accumulate_rounding"):
        assert values[name]["state"] != "determined"
    assert "guard_bits" not in (tmp_path / "cpu.toml").read_text(encoding="utf-8")
    load_profile(tmp_path / "cpu.toml")
