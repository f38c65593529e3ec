"""A result is taken from the last time for the same files, options and pairs, and for nothing else."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump

from core.compare.options import CompareOptions
from core.diagnosis import jobs
from core.diagnosis.jobs import result_of_pair
from core.errors import InputError
from core.progress import run_to_end
from core.records.notes import Notes
from core.store import kept
from core.store.kept import is_kept, made_of_result, make_room, result_folder
from core.store.notes import save_notes

F = "Functional.relu.0.forward"
X = np.arange(8, dtype=np.float32)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Return target and golden, with tensors."""
    for side in ("t", "g"):
        write_dump(tmp_path / side, {F: call([X], [X])}, tensors=True)
    return tmp_path / "t", tmp_path / "g"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets an entry for each comparison."""
    made: list[int] = []
    compare = jobs.diagnose_runs

    def count(*arguments: object, **options: object) -> object:
        made.append(1)
        return compare(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "diagnose_runs", count)
    return made


def opened(pair: tuple[Path, Path], options: CompareOptions | None = None, anew: bool = False) -> str:
    return run_to_end(result_of_pair(*map(str, pair), options or CompareOptions(), anew))


def test_the_second_opening_compares_nothing(pair: tuple[Path, Path], counted: list[int]) -> None:
    first = opened(pair)
    assert Path(first).parent == result_folder()
    assert opened(pair) == first
    assert len(counted) == 1
    assert opened(pair, anew=True) == first
    assert len(counted) == 2


def test_a_changed_file_is_compared_again(pair: tuple[Path, Path], counted: list[int]) -> None:
    seen = {opened(pair)}
    for path in [*pair[0].rglob("*"), *pair[1].rglob("*")]:
        if path.is_file():
            status = path.stat()
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))
            now = opened(pair)
            assert now not in seen, path
            seen.add(now)
    assert len(counted) == len(seen) > 3


def test_a_tensor_that_keeps_size_and_time_is_compared_again(
    pair: tuple[Path, Path], counted: list[int]
) -> None:
    first = opened(pair)
    tensor = next(path for path in pair[0].rglob("*") if path.suffix in (".npy", ".pt"))
    status, held = tensor.stat(), bytearray(tensor.read_bytes())
    held[-3] ^= 1
    tensor.write_bytes(held)
    os.utime(tensor, ns=(status.st_atime_ns, status.st_mtime_ns))  # as `cp -p` and backups leave it
    assert opened(pair) != first


def test_a_cache_that_cannot_be_written_is_said_in_words(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ULPSCOPE_CACHE_DIR", str(blocked))
    with pytest.raises(InputError) as caught:
        opened(pair)
    assert caught.value.problem.code == "cache_unwritable"
    assert str(blocked) in caught.value.problem.sentence()


def test_a_file_in_the_place_of_another_is_not_taken(pair: tuple[Path, Path]) -> None:
    result = opened(pair)
    places = [
        Path(made_of_result(result, name, Notes, lambda name=name: Notes(explained={"a": name}))[1])
        for name in ("one", "other")
    ]
    places[0].write_bytes(places[1].read_bytes())
    value, _ = made_of_result(result, "one", Notes, lambda: Notes(explained={"a": "one"}))
    assert value.explained == {"a": "one"}


def test_other_options_sides_and_pairs_are_other_results(pair: tuple[Path, Path], counted: list[int]) -> None:
    found = {opened(pair), opened((pair[1], pair[0])), opened(pair, replace(CompareOptions(), steps=(0,)))}
    save_notes(*map(str, pair), Notes(pairs={F: F}))
    found.add(opened(pair))
    found.add(run_to_end(result_of_pair(str(pair[0]), "", CompareOptions())))
    assert len(found) == len(counted) == 5


def test_what_was_used_longest_ago_goes_first(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Path(opened(pair))
    second = Path(opened((pair[1], pair[0])))
    os.utime(first, (1000, 1000))
    os.utime(second, (500, 500))
    assert is_kept(second)
    monkeypatch.setattr(kept, "_MOST_FILES", 1)
    make_room()
    assert second.exists()
    assert not first.exists()
    assert not is_kept(first)


def test_what_is_made_of_a_result_is_made_once_for_the_same_bytes(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    result = opened(pair)
    moved = tmp_path / "moved.h5"
    moved.write_bytes(Path(result).read_bytes())
    made: list[str] = []

    def make() -> Notes:
        made.append("")
        return Notes(explained={"a": "b"})

    for path in (result, str(moved), result):
        value, flat = made_of_result(path, "notes", Notes, make)
        assert value == Notes(explained={"a": "b"})
        assert Path(flat).parent == result_folder()
    assert len(made) == 1
    made_of_result(result, "others", Notes, make)
    Path(flat).write_bytes(b"broken")
    made_of_result(result, "notes", Notes, make)
    assert len(made) == 3


def test_a_folder_that_cannot_be_written_costs_only_time(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = opened(pair)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "write_flat", full)
    assert made_of_result(result, "notes", Notes, Notes) == (Notes(), "")
