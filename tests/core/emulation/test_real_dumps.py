"""Calls of real trainings: innocent ones are right, broken kernels are wrong, wrong arguments are right."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.emulation.replay.work import replay_all
from core.emulation.terms.outcome import NotReplayed, Replay, ReplayVerdict
from core.formats.registry import find_run, read_cell
from core.progress import run_to_end

Found = dict[tuple[int, int, str], Replay]


def replayed(path: Path) -> Found:
    found: Found = {}
    for key, source in find_run(path).cells.items():
        dump = run_to_end(read_cell(source))
        for item in run_to_end(replay_all(dump)):
            found[key.step, key.rank, dump.operator_name(item.operator)] = item
    return found


def wrong(found: Found) -> set[tuple[int, int, str]]:
    return {key for key, item in found.items() if item.verdict is ReplayVerdict.WRONG}


def largest_right(found: Found) -> float:
    return max(item.error for item in found.values() if item.verdict is ReplayVerdict.RIGHT)


def test_the_demo_pair(demo_pair: tuple[Path, Path]) -> None:
    target, golden = (replayed(path) for path in demo_pair)
    assert wrong(golden) == set()
    assert wrong(target) == {(step, 0, "Functional.gelu.1.forward") for step in (0, 1)}
    assert max(largest_right(golden), largest_right(target)) < 0.6
    assert min(target[key].error for key in wrong(target)) > 100


@pytest.mark.parametrize("side", ["golden", "bf16"])
def test_the_small_dumps(dumps: Path, side: str) -> None:
    found = replayed(dumps / "tensor_L1" / side)
    assert len(found) > 40
    assert all(item.verdict is ReplayVerdict.RIGHT for item in found.values())


def test_modules_by_their_parameters(dumps: Path) -> None:
    found = replayed(dumps / "tensor_L0" / "golden")
    verdicts = {name: item for (_, _, name), item in found.items()}
    assert verdicts["Module.blocks.0.norm_1.LayerNorm.forward.0"].assumed
    for name, item in verdicts.items():
        if ".Linear." in name and "parameters_grad" not in name:
            assert item.verdict is ReplayVerdict.RIGHT, name
        if ".Attention." in name:
            assert item.reason is NotReplayed.COMPOSITE_MODULE, name


def test_statistics_alone_are_not_replayed(dumps: Path) -> None:
    found = replayed(dumps / "statistics_mix" / "golden")
    assert found
    assert {item.verdict for item in found.values()} == {ReplayVerdict.NOT_REPLAYED}
    assert NotReplayed.MISSING_TENSOR in {item.reason for item in found.values()}


GUILTY = {
    "msprobe/cnn/bn_kernel/tensor_mix": {"Functional.batch_norm.1.forward"},
    # The broken kernel computes another function, whose gradient autograd then takes.
    "ddp/r1_gelu_kernel/tensor_L1": {"Functional.gelu.1.forward", "Functional.gelu.1.backward"},
}


def tensor_dumps(cases: Path) -> list[Path]:
    found = [
        *cases.glob("msprobe/*/*/tensor_*"),
        *cases.glob("msprobe/odd/*tensor*/*"),
        *cases.glob("ddp/*/tensor_L1"),
        *cases.glob("legacy/*/*"),
    ]
    return sorted(path for path in found if path.is_dir())


def test_the_cases(cases: Path) -> None:
    paths = tensor_dumps(cases)
    assert len(paths) > 20
    started = time.process_time()
    for path in paths:
        found = replayed(path)
        name = path.relative_to(cases).as_posix()
        assert {key[2] for key in wrong(found)} == GUILTY.get(name, set()), name
        assert largest_right(found) < 0.7, name
        if name in GUILTY:
            assert min(found[key].error for key in wrong(found)) > 100, name
        calls = [item for key, item in found.items() if not key[2].startswith("Module.")]
        open_ones = [item for item in calls if item.verdict is ReplayVerdict.NOT_REPLAYED]
        assert {item.reason for item in open_ones} <= {NotReplayed.COMMUNICATION}, name
    assert time.process_time() - started < 60


def test_overflow_of_the_format_is_right_and_counted(cases: Path) -> None:
    found = replayed(cases / "msprobe" / "gpt" / "overflow" / "tensor_mix")
    born = found[0, 0, "Torch.matmul.2.forward"]
    assert born.verdict is ReplayVerdict.RIGHT
    assert sum(slot.overflowed for slot in born.slots) > 0
