"""Forward calls that run again during the backward pass stand beside the first run and shift nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.match.operators import How, match_operators
from core.records.dump import Dump
from tests.builders.dumps import call, write_dump
from tests.builders.reading import read_only_cell

AGAIN = ["File /env/torch/utils/checkpoint.py, line 1102, in recompute_fn, \n fn(*args)"]
REENTRANT = ["File /env/torch/utils/checkpoint.py, line 300, in backward, \n outputs = ctx.run_function(*x)"]
FIRST = ["File /env/torch/utils/checkpoint.py, line 496, in checkpoint, \n ret = function(*args)"]
LAYERS = 3


def training(folder: Path, *, again: bool, stacks: list[str] | None = None, noise: float = 0.0) -> Dump:
    """Return a dump of three layers, with the forward of each run *again* before its backward."""
    chance = np.random.default_rng(5)
    values = [chance.standard_normal((4, 8)).astype(np.float32) for _ in range(LAYERS + 1)]
    values = [value * np.float32(1 + noise) for value in values]
    calls = {}
    frames = {}
    for layer in range(LAYERS):
        name = f"Functional.linear.{layer}.forward"
        calls[name] = call([values[layer]], [values[layer + 1]])
        frames[name] = FIRST
    for layer in reversed(range(LAYERS)):
        number = layer
        gradient = {"input": [values[layer]], "output": [values[layer]]}
        if again:
            number = 2 * LAYERS - 1 - layer
            name = f"Functional.linear.{number}.forward"
            calls["Functional.loss.0.backward"] = gradient
            calls[name] = call([values[layer]], [values[layer + 1]])
            frames[name] = stacks or FIRST
        calls[f"Functional.linear.{number}.backward"] = gradient
    if not again:
        calls["Functional.loss.0.backward"] = {"input": [values[0]], "output": [values[0]]}
    return read_only_cell(write_dump(folder, calls, stacks=frames if stacks else None))


@pytest.mark.parametrize("stacks", [AGAIN, REENTRANT, None])
def test_repeated_forwards_are_rows_of_one_side(tmp_path: Path, stacks: list[str] | None) -> None:
    target = training(tmp_path / "t", again=True, stacks=stacks)
    golden = training(tmp_path / "g", again=False, noise=1e-4)
    matching = match_operators(target, golden)
    pairs = matching.pairs
    found = {
        target.operator_name(left): golden.operator_name(right) if right >= 0 else ""
        for left, right in zip(pairs.target.tolist(), pairs.golden.tolist())
        if left >= 0
    }
    how = {
        target.operator_name(left): kind for left, kind in zip(pairs.target.tolist(), matching.how.tolist())
    }
    for layer in range(LAYERS):
        again = 2 * LAYERS - 1 - layer
        assert found[f"Functional.linear.{layer}.forward"] == f"Functional.linear.{layer}.forward"
        assert found[f"Functional.linear.{again}.forward"] == ""
        assert how[f"Functional.linear.{again}.forward"] == How.RECOMPUTE
        assert found[f"Functional.linear.{again}.backward"] == f"Functional.linear.{layer}.backward"
    assert not (pairs.target < 0).any()


def test_repetitions_of_both_sides_are_pairs(tmp_path: Path) -> None:
    target = training(tmp_path / "t", again=True, stacks=AGAIN)
    golden = training(tmp_path / "g", again=True, stacks=AGAIN, noise=1e-4)
    matching = match_operators(target, golden)
    assert matching.pairs.target.tolist() == matching.pairs.golden.tolist()


def test_a_second_micro_batch_is_no_repetition(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    calls = {}
    for batch in range(2):
        value = chance.standard_normal((4, 8)).astype(np.float32)
        calls[f"Functional.linear.{batch}.forward"] = call([value], [value + 1])
        calls[f"Functional.linear.{batch}.backward"] = {"input": [value], "output": [value]}
    target = read_only_cell(write_dump(tmp_path / "t", calls))
    assert How.RECOMPUTE not in match_operators(target, target).how
