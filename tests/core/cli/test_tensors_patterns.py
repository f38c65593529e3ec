"""``ulpscope tensors`` tells the patterns of a pair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.cli import tensors

Run = Callable[..., tuple[int, str, str]]


def test_patterns_are_printed_as_sentences_and_as_json(run: Run, tmp_path: Path) -> None:
    golden = np.random.default_rng(0).standard_normal((32, 48)).astype(np.float32)
    np.save(tmp_path / "a.npy", golden * 4)
    np.save(tmp_path / "b.npy", golden)
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy")
    assert status == 1
    assert "target = golden × 4, constant over the 1\u202f536 elements" in out
    assert out.index("target = golden") < out.index("cosine"), "what it is comes before the numbers"
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


def test_places_are_indices_and_classes_are_words(run: Run, tmp_path: Path) -> None:
    golden = np.random.default_rng(3).standard_normal((8, 64)).astype(np.float32)
    golden[0, 0], golden[2, 2] = np.inf, np.nan
    target = golden.copy()
    target[0, 0], target[3, 5], target[4, 6] = -np.inf, np.nan, 1e4
    np.save(tmp_path / "a.npy", target)
    np.save(tmp_path / "b.npy", golden)
    _, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line.strip()}
    assert rows["max_abs_at"] == "[4, 6]"
    assert "max_abs_index" not in rows
    assert rows["classes"] == (
        "509 finite on both sides; 1 NaN in target, finite in golden; 1 NaN on both sides; "
        "1 −Inf in target, +Inf in golden"
    )
    assert "1 infinity has the opposite sign, at [0, 0]." in out
    _, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")
    metrics = json.loads(out)["metrics"]
    assert (metrics["max_abs_index"], metrics["max_abs_at"]) == (4 * 64 + 6, [4, 6])


def test_large_files_are_read_in_a_process_of_their_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "a.npy", np.arange(6, dtype=np.float32))
    np.save(tmp_path / "b.npy", np.ones(6, np.float32))
    calls = ("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")
    here = run(*calls)
    monkeypatch.setattr(tensors, "LARGE", 0)
    assert run(*calls) == here
