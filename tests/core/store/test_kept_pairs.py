"""What a result keeps of single rows: any dataclass with arrays, written and read back."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import ml_dtypes
import numpy as np
import pytest
from builders.results import gpt_result, result_info
from numpy.typing import NDArray

from core.errors import InputError
from core.messages import Message
from core.store.kept_pairs import load_kept
from core.store.results import load_cell, result_writer


class Colour(StrEnum):
    RED = "red"


class Box(NamedTuple):
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Part:
    values: NDArray[np.float32]
    box: Box
    none: NDArray[Any] | None = None


@dataclass(frozen=True)
class Whole:
    name: str
    colour: Colour
    parts: tuple[Part, ...]
    numbers: dict[float, float]
    said: Message
    alone: NDArray[Any]


ARRAYS = [
    np.arange(12, dtype=np.float16).reshape(3, 4),
    np.array([np.nan, np.inf, -0.0], ">f4"),
    np.array(7, np.int64),
    np.empty((0, 3), np.float32),
    np.array([True, False]),
    np.array([1 + 2j, np.nan * 1j], np.complex64),
    np.arange(5, dtype=ml_dtypes.bfloat16).view(np.uint16),
]


def value(alone: NDArray[Any]) -> Whole:
    parts = (Part(np.zeros((2, 2), np.float32), Box(1, 2)), Part(np.ones(3, np.float32), Box(3, 4)))
    said = Message("progress.looking_into", {"share": float("nan")})
    return Whole("a/b", Colour.RED, parts, {99.9: float("inf")}, said, alone)


def written(path: Path, *kept: tuple[int, object]) -> Path:
    cell = gpt_result()
    with result_writer(path, compressed=True) as writer:
        writer.add_cell(cell)
        for row, item in kept:
            writer.keep(cell.key, row, item)
        writer.finish(result_info(cell))
    return path


@pytest.mark.parametrize("alone", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_comes_back(tmp_path: Path, alone: NDArray[Any]) -> None:
    key = gpt_result().key
    back = load_kept(written(tmp_path / "r.h5", (3, value(alone))), key, 3, Whole)
    assert (back.name, back.colour, back.numbers) == ("a/b", Colour.RED, {99.9: float("inf")})
    assert np.isnan(back.said.parameters["share"])
    assert back.parts[1].box == Box(3, 4)
    assert back.parts[0].none is None
    np.testing.assert_array_equal(back.parts[1].values, np.ones(3))
    assert back.alone.dtype == alone.dtype
    assert back.alone.shape == alone.shape
    assert back.alone.tobytes() == alone.tobytes()


def test_the_cell_says_which_rows(tmp_path: Path) -> None:
    array = ARRAYS[0]
    path = written(tmp_path / "r.h5", (12, value(array)), (3, value(array)))
    cell = load_cell(path, gpt_result().key)
    assert cell.kept_rows == (3, 12)
    assert pickle.loads(pickle.dumps(cell)).kept_rows == (3, 12)


def test_files_without_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.h5")
    key = gpt_result().key
    assert load_cell(path, key).kept_rows == ()
    with pytest.raises(InputError) as caught:
        load_kept(path, key, 0, Whole)
    assert caught.value.problem.code == "not_kept"


def test_of_another_kind(tmp_path: Path) -> None:
    path = written(tmp_path / "r.h5", (0, Part(np.zeros(1, np.float32), Box(0, 1))))
    with pytest.raises(InputError) as caught:
        load_kept(path, gpt_result().key, 0, Whole)
    assert caught.value.problem.code == "kept_unreadable"


def test_a_flipped_byte_costs_its_own_entry(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    noisy = [Part(draw.random(5000, np.float32), Box(0, row)) for row in range(2)]
    path = written(tmp_path / "r.h5", *enumerate(noisy))
    key = gpt_result().key
    with h5py.File(path, "r") as file:
        dataset = file[f"cells/{key.label()}/kept/0/values"]
        assert dataset.fletcher32
        where = dataset.id.get_chunk_info(0)
        _, stored = dataset.id.read_direct_chunk(where.chunk_offset)
    content = bytearray(path.read_bytes())
    content[content.index(stored) + len(stored) // 2] ^= 4
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_kept(path, key, 0, Part)
    assert caught.value.problem.code == "store_damaged"
    np.testing.assert_array_equal(load_kept(path, key, 1, Part).values, noisy[1].values)


def test_nothing_else_is_kept(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        written(tmp_path / "r.h5", (0, Part(object(), Box(0, 1))))  # type: ignore[arg-type]
    assert not (tmp_path / "r.h5").exists()
