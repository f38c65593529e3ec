"""The cache gives back what was put in while the sources are unchanged, and never stands in the way."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.records.dump import Dump
from core.records.run import CellSource
from core.store.cache import Cache
from tests.builders.dumps import call, write_dump

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def source(tmp_path: Path) -> CellSource:
    write_dump(tmp_path / "run", {"Torch.f.0.forward": call([X, None, 3, "名"], [X * 2])}, tensors=True)
    (found,) = find_run(tmp_path / "run").cells.values()
    return found


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def parsed(source: CellSource) -> Dump:
    return run_to_end(read_cell(source))


def same(first: Dump, second: Dump) -> bool:
    tables = all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for table in ("operators", "slots", "scopes")
        for a, b in zip(getattr(first, table).columns().values(), getattr(second, table).columns().values())
    )
    pools = all(list(getattr(first, pool)) == list(getattr(second, pool)) for pool in ("strings", "stacks"))
    facts = ("format", "framework", "task", "level", "data_dir", "header", "problems")
    return tables and pools and all(getattr(first, name) == getattr(second, name) for name in facts)


def test_what_was_saved_comes_back(source: CellSource, cache: Cache) -> None:
    dump = parsed(source)
    assert cache.load(source) is None
    cache.save(source, dump)
    kept = cache.load(source)
    assert kept is not None
    assert same(kept, dump)


def test_a_tensor_file_rewritten_in_place_makes_the_entry_void(source: CellSource, cache: Cache) -> None:
    dump = parsed(source)
    cache.save(source, dump)
    assert cache.load(source) is not None
    path = Path(dump.data_dir) / dump.strings[int(dump.slots.file[dump.slots.file >= 0][0])]
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert cache.load(source) is None


def test_a_changed_source_is_parsed_anew(source: CellSource, cache: Cache) -> None:
    cache.save(source, parsed(source))
    path = Path(source.files["dump"])
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert cache.load(source) is None


def test_a_damaged_entry_is_not_there(source: CellSource, cache: Cache) -> None:
    cache.save(source, parsed(source))
    (entry,) = cache.directory.iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    assert cache.load(source) is None
    cache.save(source, parsed(source))
    assert cache.load(source) is not None


def test_a_cache_that_cannot_be_written_is_no_error(source: CellSource, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    cache = Cache(blocked)
    cache.save(source, parsed(source))
    assert cache.load(source) is None


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    sources = []
    for number in range(4):
        write_dump(tmp_path / str(number), {"Torch.f.0.forward": call([X], [X])})
        (found,) = find_run(tmp_path / str(number)).cells.values()
        cache.save(found, parsed(found))
        sources.append(found)
    size = max(path.stat().st_size for path in cache.directory.iterdir())
    for age, path in enumerate(sorted(cache.directory.iterdir(), key=lambda path: path.stat().st_mtime_ns)):
        os.utime(path, (1000 + age, 1000 + age))
    Cache(cache.directory, limit=2 * size).prune()
    assert [cache.load(found) is not None for found in sources] == [False, False, True, True]


def test_nothing_is_written_into_the_dump(source: CellSource, cache: Cache) -> None:
    folder = Path(source.files["dump"]).parent
    before = sorted(path.name for path in folder.rglob("*"))
    cache.save(source, parsed(source))
    assert sorted(path.name for path in folder.rglob("*")) == before
