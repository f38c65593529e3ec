"""Every reference against torch in float64, through a dump: right as it is, wrong once it is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.reading import read_only_cell
from builders.replay_answers import Answers, write_calls

from core.emulation.replay.work import replay_all
from core.emulation.terms.outcome import Replay, ReplayVerdict
from core.progress import run_to_end
from core.records.dump import Dump

TINY = 1e-9
"""Relative change of the outputs: millions of float64 roundings, a hundredth of a float32 one."""


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers("float64")


def replayed(folder: Path, calls: dict[str, dict[str, Any]]) -> dict[str, Replay]:
    dump: Dump = read_only_cell(write_calls(folder / "step0" / "rank0", calls))
    return {dump.operator_name(item.operator): item for item in run_to_end(replay_all(dump))}


def test_torch_is_right(answers: Answers, tmp_path: Path) -> None:
    calls = answers.calls()
    found = replayed(tmp_path, calls)
    assert len(found) == len(calls) > 400
    wrong = {
        name: (item.verdict, item.reason, item.detail, item.error)
        for name, item in found.items()
        if item.verdict is not ReplayVerdict.RIGHT
    }
    assert not wrong
    # Each tensor that torch gave was judged, but for the statistics beside a normalization.
    for name, item in found.items():
        given = [value for value in flat(calls[name]["output"]) if isinstance(value, np.ndarray)]
        assert len(item.slots) == len(given), name


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_torch_is_right_in_half_formats(tmp_path: Path, name: str) -> None:
    """Its kernels store intermediate results now and then; none of that is an error."""
    found = replayed(tmp_path, Answers(name).calls())
    assert len(found) > 390
    wrong = {key: item.error for key, item in found.items() if item.verdict is not ReplayVerdict.RIGHT}
    assert not wrong


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_a_gross_change_is_wrong_in_half_formats(tmp_path: Path, name: str) -> None:
    calls = Answers(name).calls()
    touched = {
        key: {**body, "output": [shifted(item) for item in body["output"]]} for key, body in calls.items()
    }
    found = replayed(tmp_path, touched)
    judged = [item for key, item in found.items() if any(map(is_half, flat(calls[key]["output"])))]
    missed = [item for item in judged if item.verdict is not ReplayVerdict.WRONG]
    assert len(judged) > 300
    assert not missed


def is_half(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.itemsize == 2 and value.size > 0


def shifted(value: Any) -> Any:
    if isinstance(value, list):
        return [shifted(item) for item in value]
    if not is_half(value):
        return value
    wide = value.astype(np.float64)
    size = np.abs(np.where(np.isfinite(wide), wide, 0.0)).max()
    return np.asarray(wide + max(size, 1.0)).astype(value.dtype)


def test_a_tiny_change_is_wrong(answers: Answers, tmp_path: Path) -> None:
    calls = answers.calls()
    touched = {}
    for name, body in calls.items():
        values = flat(body["output"])
        if any(isinstance(item, np.ndarray) and item.dtype == np.float64 and item.any() for item in values):
            touched[name] = {**body, "output": [changed(item) for item in body["output"]]}
        else:
            touched[name] = body
    found = replayed(tmp_path, touched)
    unnoticed = [
        name
        for name, body in touched.items()
        if body is not calls[name] and found[name].verdict is not ReplayVerdict.WRONG
    ]
    assert not unnoticed


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, list) else [value]


def changed(value: Any) -> Any:
    if isinstance(value, list):
        return [changed(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        size = np.abs(np.where(np.isfinite(value), value, 0.0)).max(initial=0.0)
        return np.asarray(value + TINY * size)
    return value


def test_whole_numbers_are_exact(answers: Answers, tmp_path: Path) -> None:
    name, body = next(
        (name, body)
        for name, body in answers.calls().items()
        if name.startswith("Torch.add") and body["output"][0].dtype == np.int64
    )
    off = {**body, "output": [body["output"][0] + np.eye(1, len(body["output"][0]), dtype=np.int64)[0]]}
    assert replayed(tmp_path, {name: off})[name].verdict is ReplayVerdict.WRONG
