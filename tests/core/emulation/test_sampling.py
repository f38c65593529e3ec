"""Calls that are too large: evenly spread rows of them are replayed, and it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.dumps import call
from builders.reading import read_only_cell
from builders.replay_answers import write_calls

from core.emulation.chips.calls import Emulator
from core.emulation.chips.profile import find_profile
from core.emulation.engine import emulation_of
from core.emulation.telling import remarks_of
from core.records.emulation import CallEmulation, EmulationVerdict
from core.records.run import CellKey

Array = np.ndarray[Any, Any]
PROFILE = find_profile("910B")


def normal(*shape: int, seed: int = 2) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def wide(array: Array) -> Array:
    return array.astype(np.float64)


def emulated(folder: Path, name: str, body: Any, limit: int, *, sample: bool = True) -> CallEmulation:
    dump = read_only_cell(write_calls(folder / "step0" / "rank0", {name: body}))
    return Emulator(CellKey("", 0, 0), dump, None, PROFILE, memory_limit=limit, sample=sample).emulate(0)


def wide_softmax(x: Array) -> Array:
    power = np.exp(wide(x) - wide(x).max(-1, keepdims=True))
    return np.asarray(power / power.sum(-1, keepdims=True))


def softmax(x: Array) -> Array:
    return wide_softmax(x).astype(np.float16)


X, W = normal(400, 32), normal(400, 32, seed=3)
STACK, LONG = normal(40, 6, 8), normal(2, 3, 80, 16)
CALLS: dict[str, Any] = {
    "Functional.linear": call([X, W], [(wide(X) @ wide(W).T).astype(np.float16)]),
    "Torch.matmul": call([X, normal(32, 32)], [(wide(X) @ wide(normal(32, 32))).astype(np.float16)]),
    "Torch.bmm": call(
        [STACK, STACK.swapaxes(1, 2).copy()], [(wide(STACK) @ wide(STACK).swapaxes(1, 2)).astype(np.float16)]
    ),
    "Torch.add": call([X, W], [(wide(X) + wide(W)).astype(np.float16)]),
    "Torch.mul": call([X, W[:1]], [(wide(X) * wide(W[:1])).astype(np.float16)]),
    "Torch.__add__": call([LONG, LONG[0, 0]], [(wide(LONG) + wide(LONG[0, 0])).astype(np.float16)]),
    "Tensor.__matmul__": call(
        [LONG, LONG.swapaxes(-1, -2).copy()], [(wide(LONG) @ wide(LONG).swapaxes(-1, -2)).astype(np.float16)]
    ),
    "Functional.log_softmax": call([LONG], [np.log(wide_softmax(LONG)).astype(np.float16)], {"dim": -1}),
    "Torch.exp": call([X], [np.exp(wide(X)).astype(np.float16)]),
    "Functional.softmax": call([X], [softmax(X)], {"dim": -1}),
}


LIMITS = {"Functional.linear": 700_000, "Tensor.__matmul__": 400_000}
"""Bytes for calls whose second operand is needed whole."""


@pytest.mark.parametrize("api", CALLS)
def test_rows_stand_for_the_call(tmp_path: Path, api: str) -> None:
    body = CALLS[api]
    found = emulated(tmp_path, f"{api}.0.forward", body, LIMITS.get(api, 150_000))
    assert found.verdict.explained, found
    (slot,) = found.slots
    assert slot.sampled
    assert slot.shape == body["output"][0].shape
    assert 8 * slot.shape[-1] <= slot.elements < np.prod(slot.shape)
    assert [message.code for message in remarks_of(emulation_of(PROFILE, [found]))] == [
        "emulation.remark.sampled"
    ]


def test_a_wrong_row_is_found_where_it_lies(tmp_path: Path) -> None:
    made = (wide(X) @ wide(W).T).astype(np.float16)
    made[-1, 7] += np.float16(3.0)
    found = emulated(tmp_path, "Functional.linear.0.forward", call([X, W], [made]), 700_000)
    assert found.verdict is EmulationVerdict.OUTSIDE
    assert found.slots[0].worst is not None
    assert found.slots[0].worst.index == (399, 7)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Functional.softmax.0.forward", call([X], [softmax(X.T.copy()).T.copy()], {"dim": 0})),
        ("Torch.sum.0.forward", call([X], [wide(X).sum(0).astype(np.float16)], {"dim": 0})),
        ("Functional.layer_norm.0.forward", call([X, [400, 32]], [X])),
    ],
)
def test_what_works_along_the_rows_is_not_cut(tmp_path: Path, name: str, body: Any) -> None:
    found = emulated(tmp_path, name, body, 150_000)
    assert (found.verdict, found.reason) in [
        (EmulationVerdict.NOT_REPLAYED, "too_large"),
        (EmulationVerdict.NOT_REPLAYED, "shape_mismatch"),
    ]


def test_without_leave_and_without_room_nothing_is_cut(tmp_path: Path) -> None:
    body = CALLS["Functional.linear"]
    assert (
        emulated(tmp_path / "a", "Functional.linear.0.forward", body, 400_000, sample=False).reason
        == "too_large"
    )
    assert emulated(tmp_path / "b", "Functional.linear.0.forward", body, 1000).reason == "too_large"


def test_a_square_operand_is_not_taken_for_rows(tmp_path: Path) -> None:
    square = normal(64, 64)
    body = call([square, square], [(wide(square) @ wide(square)).astype(np.float16)])
    found = emulated(tmp_path, "Torch.matmul.0.forward", body, 200_000)
    assert found.slots[0].sampled
    assert found.verdict.explained
