"""``ulpscope tensors`` tells the patterns of a pair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

Run = Callable[..., tuple[int, str, str]]


def test_patterns_are_printed_as_sentences_and_as_json(run: Run, tmp_path: Path) -> None:
    golden = np.random.default_rng(0).standard_normal((32, 48)).astype(np.float32)
    np.save(tmp_path / "a.npy", golden * 4)
    np.save(tmp_path / "b.npy", golden)
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy")
    assert status == 1
    assert "target = golden × 4, constant over the 1536 elements" in out
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")
    (pattern,) = json.loads(out)["patterns"]
    assert pattern["name"] == "constant_ratio"
    assert pattern["ratio"] == 4.0
    assert "gradient accumulation" in pattern["sentence"].lower()


def test_shapes_that_differ_have_patterns_too(run: Run, tmp_path: Path) -> None:
    golden = np.random.default_rng(1).standard_normal((32, 48)).astype(np.float32)
    np.savez(tmp_path / "a.npz", turned=golden.T, same=golden)
    np.savez(tmp_path / "b.npz", turned=golden, same=golden)
    _, out, _ = run("tensors", tmp_path / "a.npz", tmp_path / "b.npz", "--json")
    found = {item["name"]: item for item in json.loads(out)["tensors"]}
    assert [pattern["name"] for pattern in found["turned"]["patterns"]] == ["transpose"]
    assert found["turned"]["patterns"][0]["axes"] == [1, 0]
    assert found["same"]["patterns"] == []


def test_special_values_are_json(run: Run, tmp_path: Path) -> None:
    golden = np.random.default_rng(2).standard_normal((8, 64)).astype(np.float32)
    target = golden.copy()
    target[3, 5] = np.nan
    np.save(tmp_path / "a.npy", target)
    np.save(tmp_path / "b.npy", golden)
    _, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    (pattern,) = json.loads(out, parse_constant=refuse)["patterns"]
    assert pattern["name"] == "special_values"
    assert pattern["marks"] == [{"box": [[3, 4], [5, 6]]}]
