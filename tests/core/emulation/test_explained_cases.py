"""Real dumps by the official tool: fp16 and bf16 are explained, planted faults are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.compare.options import CompareOptions
from core.emulation.chips.profile import find_profile
from core.emulation.engine import EmulationOptions, emulate_runs
from core.progress import run_to_end
from core.records.emulation import Emulation, EmulationVerdict, GoldenVerdict

HIDDEN_FAULTS = {
    "msprobe/cnn/bn_kernel/tensor_mix": {"Functional.batch_norm.1.forward"},
    "ddp/r1_gelu_kernel/tensor_L1": {"Functional.gelu.1.forward", "Functional.gelu.1.backward"},
}
"""Faults under the API, by dump; they are the only calls that may be outside."""
INNOCENT = (
    "gpt/bench", "gpt/rerun", "gpt/bf16", "gpt/sdpa", "gpt/extraop", "gpt/overflow", "gpt/bench_ovf",
    "gpt/gelu_tanh", "gpt/ln_eps", "gpt/weight_mismatch", "cnn/bench", "cnn/fp16sim",
)  # fmt: skip
"""Also those whose arguments or weights are wrong: each call does what it was told to."""


def emulated(path: Path, profile: str) -> Emulation:
    asked = EmulationOptions(find_profile(profile))
    return run_to_end(emulate_runs(str(path), "", asked, CompareOptions(use_cache=False)))[0]


def outside(found: Emulation) -> set[str]:
    return {call.operator for call in found.calls if call.verdict is EmulationVerdict.OUTSIDE}


def share(found: Emulation, *verdicts: EmulationVerdict) -> float:
    replayed = [call for call in found.calls if call.verdict is not EmulationVerdict.NOT_REPLAYED]
    return sum(call.verdict in verdicts for call in replayed) / len(replayed)


@pytest.mark.parametrize("profile", ["910B", "950"])
@pytest.mark.parametrize("name", INNOCENT)
def test_innocent_calls_are_explained(cases: Path, name: str, profile: str) -> None:
    found = emulated(cases / "msprobe" / name / "tensor_mix", profile)
    inside = share(found, EmulationVerdict.INSIDE_ENVELOPE)
    bound = share(found, EmulationVerdict.INSIDE_BOUND)
    print(f"{name} under {profile}: {inside:.1%} inside the envelope, {bound:.1%} inside the bound")
    assert outside(found) == set()
    assert sum(found.not_replayed.values()) < 0.25 * len(found.calls)


@pytest.mark.parametrize("name", HIDDEN_FAULTS)
def test_a_broken_kernel_is_outside_on_every_chip(cases: Path, name: str) -> None:
    for profile in ("910A", "310P", "910B", "950"):
        assert outside(emulated(cases / name, profile)) == HIDDEN_FAULTS[name]


def test_half_pairs_of_the_small_dumps(dumps: Path) -> None:
    for side in ("golden", "bf16"):
        found = emulated(dumps / "tensor_L1" / side, "910B")
        assert found.share_explained == 1.0
        assert share(found, EmulationVerdict.INSIDE_ENVELOPE) > 0.3


def test_the_demo_pair(demo_pair: tuple[Path, Path]) -> None:
    asked = EmulationOptions(find_profile("910B"))
    work = emulate_runs(*map(str, demo_pair), asked, CompareOptions(use_cache=False))
    found = run_to_end(work)[0]
    assert outside(found) == {"Functional.gelu.1.forward"}
    assert GoldenVerdict.WRONG not in {call.golden for call in found.calls}
    swapped = emulate_runs(*map(str, reversed(demo_pair)), asked, CompareOptions(use_cache=False))
    wrong = [call for call in run_to_end(swapped)[0].calls if call.golden is GoldenVerdict.WRONG]
    assert {call.operator for call in wrong} == {"Functional.gelu.1.forward"}
