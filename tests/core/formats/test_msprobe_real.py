"""Dumps of the official dumper, against a walk over what ``json.loads`` gives."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from builders.dump_oracle import actual_slots, expected_slots, read_json, same
from builders.reading import read_only_cell
from builders.scaled_dump import scale_dump

from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.records.names import Direction, classify_name, forward_name
from core.records.stacks import decode_stack

DATA = Path(__file__).resolve().parents[2] / "data" / "msprobe"
KINDS = sorted(folder.name for folder in DATA.iterdir() if folder.is_dir())


def check_all(root: Path) -> int:
    """Compare every cell below *root* with the oracle; return how many slots that were."""
    run = find_run(root)
    assert not run.problems
    count = 0
    for source in run.cells.values():
        dump = run_to_end(read_cell(source))
        path = Path(source.files["dump"])
        content = read_json(path)
        expected = expected_slots(content, debug=path.name == "debug.json")
        actual = actual_slots(dump)
        assert len(actual) == len(expected), path
        for ours, theirs in zip(actual, expected):
            assert same(ours, theirs), (path, ours, theirs)
        if content["task"] != "structure":
            assert [dump.operator_name(row) for row in range(len(dump.operators))] == list(content["data"])
        assert (dump.task, dump.level, dump.framework) == (content["task"], content["level"], "pytorch")
        assert dump.problems == (), path
        count += len(actual)
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_small_dumps(kind: str) -> None:
    assert check_all(DATA / kind) > 0 or kind == "structure_mix"


@pytest.mark.parametrize(
    "part", ["msprobe/gpt/bench", "msprobe/gpt/overflow", "msprobe/cnn", "msprobe/odd", "ddp"]
)
def test_shared_dumps(cases: Path, part: str) -> None:
    assert check_all(cases / part) > 1000


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "debug"])
def test_operators_stacks_and_parents(kind: str) -> None:
    for source in find_run(DATA / kind).cells.values():
        dump = run_to_end(read_cell(source))
        folder = Path(source.files["dump"]).parent
        stacks: dict[str, list[str]] = {}
        for names, frames in read_json(folder / "stack.json").values():
            stacks |= dict.fromkeys(names, frames)
        parents = read_json(folder / "construct.json")
        scopes = {dump.strings[int(name)] for name in dump.scopes.name}
        names = [dump.operator_name(row) for row in range(len(dump.operators))]
        for row, name in enumerate(names):
            kind_, direction, occurrence = classify_name(name)
            operators = dump.operators
            assert (operators.kind[row], operators.direction[row], operators.occurrence[row]) == (
                kind_,
                direction,
                occurrence,
            )
            frames = stacks.get(name) or stacks.get(forward_name(name) or "", [])
            read = decode_stack(dump.stacks[int(operators.stack[row])])
            assert [f"File {f.path}, line {f.line}, in {f.function}, \n {f.code}" for f in read] == [
                frame.rstrip() for frame in frames
            ]
            parent = dump.strings[int(operators.parent[row])]
            if name in parents:
                assert parent == (parents[name] or "")
            assert not parent or parent in scopes or parent in names
            assert direction in set(Direction)


def test_slots_of_an_operator_are_neighbours() -> None:
    for source in find_run(DATA / "statistics_mix" / "golden").cells.values():
        dump = run_to_end(read_cell(source))
        counts = np.bincount(dump.slots.operator, minlength=len(dump.operators))
        assert counts.tolist() == dump.operators.slot_count.tolist()
        for row in range(len(dump.operators)):
            assert set(dump.slots.operator[list(dump.slots_of(row))].tolist()) <= {row}


def test_tensor_files_have_sizes_and_times() -> None:
    for source in find_run(DATA / "tensor_L1" / "golden").cells.values():
        dump = run_to_end(read_cell(source))
        assert dump.data_dir == source.files["data"]
        rows = np.flatnonzero(dump.slots.file >= 0)
        assert len(rows)
        for row in rows.tolist():
            facts = (Path(dump.data_dir) / dump.strings[int(dump.slots.file[row])]).stat()
            assert (dump.slots.file_size[row], dump.slots.file_mtime_ns[row]) == (
                facts.st_size,
                facts.st_mtime_ns,
            )


def test_memory_grows_with_the_columns_and_not_with_the_file(tmp_path: Path) -> None:
    source = next((DATA / "statistics_mix" / "golden").rglob("dump.json"))
    path = tmp_path / "dump.json"
    count = scale_dump(source, path, 8_000_000)
    tracemalloc.start()
    try:
        dump = read_only_cell(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(dump.operators) == count
    assert len(dump.slots) * len(read_json(source)["data"]) == count * len(expected_slots(read_json(source)))
    assert dump.problems == ()
    columns = sum(
        values.nbytes for table in (dump.operators, dump.slots) for values in table.columns().values()
    )
    assert peak < 4 * columns + 10_000_000  # a block and what is parsed of it
