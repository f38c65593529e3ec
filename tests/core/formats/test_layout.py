"""Which cell a folder is, and what a search finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from builders.dump_oracle import read_json
from builders.reading import read_only_cell, write_dump

from core.errors import InputError, Problem
from core.formats import search as search_module
from core.formats.registry import find_run, read_cell, register
from core.progress import Work, run_to_end
from core.records.dump import Dump
from core.records.run import CellKey, CellSource

DATA = {"Torch.add.0.forward": {"output": [None]}}


def keys(root: Path, *folders: str) -> dict[CellKey, str]:
    """Put a dump into each of *folders* of *root*; return what is found, by key."""
    for folder in folders:
        write_dump(root / folder, DATA)
    run = find_run(root)
    return {
        key: Path(source.files["dump"]).parent.relative_to(root).as_posix()
        for key, source in run.cells.items()
    }


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        (["step0/rank0", "step10/rank0", "step2/rank1"], [("", 0, 0), ("", 10, 0), ("", 2, 1)]),
        (["rank0", "rank3"], [("", 0, 0), ("", 0, 3)]),
        (["step5"], [("", 5, 0)]),
        (["."], [("", 0, 0)]),
        (["step1/rank"], [("", 1, 0)]),
        (["step1/rankNone"], [("", 1, 0)]),
        (["step1/rank_7"], [("", 1, 7)]),
        (["step0/proc99", "step0/proc100", "step1/proc5"], [("", 0, 0), ("", 0, 1), ("", 1, 0)]),
        (["step0/pid7"], [("", 0, 0)]),
        (["step0/rank0", "step0/proc1", "step0/rank2"], [("", 0, 0), ("", 0, 1), ("", 0, 2)]),
        (["a/b/step0/rank0", "a/b/step1/rank0"], [("", 0, 0), ("", 1, 0)]),
        (["gen/step0/rank0", "update/step0/rank0"], [("gen", 0, 0), ("update", 0, 0)]),
        (["x/gen/step0/rank0", "x/update/a/step0/rank0"], [("gen", 0, 0), ("update/a", 0, 0)]),
        (["pynative/step0/rank0", "graph/step0/rank0"], [("pynative", 0, 0), ("graph", 0, 0)]),
        (["step0/v/rank0", "step1/v/rank0"], [("", 0, 0), ("", 1, 0)]),
        (["a", "b"], [("a", 0, 0), ("b", 0, 0)]),
        (["模型 一/step0/rank0", "模型 二/step0/rank0"], [("模型 一", 0, 0), ("模型 二", 0, 0)]),
        (["stepping/step1/rank0", "ranked/step1/rank0"], [("stepping", 1, 0), ("ranked", 1, 0)]),
    ],
)
def test_folders_give_phase_step_and_rank(
    tmp_path: Path, folders: list[str], expected: list[tuple[str, int, int]]
) -> None:
    found = keys(tmp_path, *folders)
    assert {key: Path(folder) for key, folder in found.items()} == {
        CellKey(*key): Path(folder) for key, folder in zip(expected, folders)
    }
    assert list(found) == sorted(found)


def test_processes_get_ranks_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    found = keys(tmp_path, "step0/proc1000", "step0/proc99", "step0/proc101")
    assert list(found.values()) == ["step0/proc99", "step0/proc101", "step0/proc1000"]
    assert [key.rank for key in found] == [0, 1, 2]


def test_opening_a_step_rank_or_file_keeps_its_place(tmp_path: Path) -> None:
    keys(tmp_path, "run one/step3/rank1", "run one/step3/rank2")
    step = tmp_path / "run one" / "step3"
    assert list(find_run(step).cells) == [CellKey("", 3, 1), CellKey("", 3, 2)]
    assert list(find_run(step / "rank2").cells) == [CellKey("", 3, 2)]
    for name in ("dump.json", "stack.json", "construct.json"):
        (step / "rank2" / "stack.json").write_text("{}")
        (step / "rank2" / "construct.json").write_text("{}")
        (source,) = find_run(step / "rank2" / name).cells.values()
        assert source.key == CellKey("", 3, 2)
        assert Path(source.files["dump"]).name == "dump.json"
        assert set(source.files) == {"dump", "stack", "construct"}
    assert find_run(str(step)).path == str(step)


def test_two_folders_for_one_cell_lose_no_dump(tmp_path: Path) -> None:
    found = keys(tmp_path, "step0/rank0", "step0/rank_0", "step0/rank")
    assert sorted(found.values()) == ["step0/rank", "step0/rank0", "step0/rank_0"]
    problems = find_run(tmp_path).problems
    assert [problem.code for problem in problems] == ["same_cell", "same_cell"]
    assert "rank_0" in " ".join(problem.sentence("en") for problem in problems)


def test_dump_and_debug_in_one_folder(tmp_path: Path) -> None:
    write_dump(tmp_path, DATA)
    (tmp_path / "debug.json").write_text(json.dumps({"data": {"x.0.debug": None}}))
    run = find_run(tmp_path)
    assert list(run.cells) == [CellKey("", 0, 0), CellKey("debug", 0, 0)]
    assert run.problems == ()


def test_aclgraph_tensors_that_were_not_moved_yet(tmp_path: Path) -> None:
    for rank in (0, 1):
        folder = tmp_path / "dump_tensor_data" / f"rank{rank}"
        folder.mkdir(parents=True)
        (folder / "Aten.mm.default.0.input.0.pt").write_bytes(b"")
    assert list(find_run(tmp_path).cells) == [CellKey("", 0, 0), CellKey("", 0, 1)]


def test_the_folder_of_tensors_opens_the_dump_beside(tmp_path: Path) -> None:
    write_dump(tmp_path / "step0" / "rank0", DATA)
    data = tmp_path / "step0" / "rank0" / "dump_tensor_data"
    data.mkdir()
    (source,) = find_run(data).cells.values()
    assert Path(source.files["dump"]).name == "dump.json"


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the folders that a search lists."""
    real, found = search_module._list, []

    def watched(path: str) -> object:
        found.append(Path(path).name)
        return real(path)

    monkeypatch.setattr(search_module, "_list", watched)
    return found


def test_folders_of_tensors_are_not_entered(tmp_path: Path, listed: list[str]) -> None:
    write_dump(tmp_path / "rank0", DATA)
    (tmp_path / "rank0" / "dump_tensor_data" / "inner").mkdir(parents=True)
    (tmp_path / "rank1" / "api_stack_dump" / "inner").mkdir(parents=True)
    (tmp_path / "rank1" / "api_stack_dump.pkl").write_text('["a_0_forward_output", 0, [], "x", [], []]\n')
    (tmp_path / ".git").mkdir()
    assert len(find_run(tmp_path).cells) == 2
    assert sorted(listed) == sorted([tmp_path.name, "rank0", "rank1"])


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_links_are_followed_once(tmp_path: Path) -> None:
    write_dump(tmp_path / "real" / "step0" / "rank0", DATA)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "loop").symlink_to(tmp_path / "run")
    (tmp_path / "run" / "dumps").symlink_to(tmp_path / "real")
    (tmp_path / "run" / "nowhere").symlink_to(tmp_path / "gone")
    run = find_run(tmp_path / "run")
    assert (list(run.cells), run.problems) == ([CellKey("", 0, 0)], ())


def test_depth_and_number_of_folders_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dump(tmp_path / "/".join("abcdefghij") / "step0" / "rank0", DATA)
    assert len(find_run(tmp_path).cells) == 1
    write_dump(tmp_path / "/".join("abcdefghijklmno"), DATA)
    assert len(find_run(tmp_path).cells) == 1
    monkeypatch.setattr(search_module, "MAX_FOLDERS", 3)
    with pytest.raises(InputError) as caught:
        find_run(tmp_path)
    assert caught.value.problem.code == "search_stopped"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    write_dump(tmp_path / "step0" / "rank0", DATA)
    (tmp_path / "secret").mkdir(mode=0)
    try:
        run = find_run(tmp_path)
    finally:
        (tmp_path / "secret").chmod(0o700)
    assert [problem.code for problem in run.problems] == ["no_permission"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("x.h5", b"\x89HDF\r\n\x1a\n" + bytes(64), "hdf5_file"),
        ("dump.json", b"\x89HDF\r\n\x1a\n", "hdf5_file"),
        ("x.pt", b"PK\x03\x04" + bytes(30), "tensor_file"),
        ("x.npy", b"\x93NUMPY\x01\x00", "tensor_file"),
        ("x.pkl", b"\x80\x04\x95", "legacy_pickle_refused"),
        ("loss.json", b'{"log_history": []}', "not_a_dump"),
        ("notes.txt", b"hello", "not_a_dump"),
        ("empty.txt", b"", "not_a_dump"),
    ],
)
def test_files_that_are_no_dump(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        find_run(path)
    assert (caught.value.problem.code, caught.value.problem.path) == (code, str(path))
    assert str(path) in caught.value.problem.sentence("zh_CN")


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_run(tmp_path / "gone")
    assert caught.value.problem.code == "not_there"
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "stack.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        find_run(tmp_path)
    assert caught.value.problem.code == "nothing_found"
    assert caught.value.problem.parameters == {"count": 3}
    assert "3 folders" in caught.value.problem.sentence("en")


def test_json_files_of_another_name_open_alone(tmp_path: Path, cases: Path) -> None:
    for path in [*cases.glob("structure/*/tgt.json"), *cases.glob("structure/*/gold.json")]:
        assert len(read_only_cell(path).operators) > 0
    path = next(cases.glob("files/C64*")) / "gold.json"
    dump = read_only_cell(path)
    assert [dump.operator_name(row) for row in range(len(dump.operators))] == list(read_json(path)["data"])


def test_another_layer_registers_a_reader(tmp_path: Path) -> None:
    path = write_dump(tmp_path, DATA)
    (source,) = find_run(path).cells.values()
    with pytest.raises(InputError) as caught:
        run_to_end(read_cell(CellSource(source.key, "packed", {"file": "x.h5"})))
    assert caught.value.problem == Problem("unknown_format", "x.h5", {"format": "packed"})

    def reader(given: CellSource) -> Work[Dump]:
        return read_cell(CellSource(given.key, "msprobe", given.files))

    register("other", reader)
    assert len(run_to_end(read_cell(CellSource(source.key, "other", source.files))).operators) == 1


def test_info_files_of_the_overflow_check(tmp_path: Path) -> None:
    real = tmp_path / "forward_real_data_1" / "rank0"
    real.mkdir(parents=True)
    (real / "Torch*relu*0.0.npy").write_bytes(b"12345")
    leaf = {
        "type": "torch.Tensor",
        "datapath": "./forward_real_data_1/rank0/Torch*relu*0.0.npy",
        "requires_grad": True,
    }
    forward = {"Torch*relu*0": {"args": [leaf, {"type": "int", "value": 3}], "kwargs": {"x": leaf}}}
    # It grows by writing over the last brace, so a killed run leaves none.
    (tmp_path / "forward_info_77.json").write_text(json.dumps(forward)[:-1])
    (tmp_path / "backward_info_77.json").write_text(json.dumps({"Torch*relu*0": [leaf]}))
    (tmp_path / "stack_info_77.json").write_text("{}")
    run = find_run(tmp_path)
    assert [key.phase for key in run.cells] == ["backward_info_77", "forward_info_77"]
    backward, forward_dump = (run_to_end(read_cell(source)) for source in run.cells.values())
    assert [backward.slot_name(slot) for slot in range(len(backward.slots))] == ["input.0"]
    assert [forward_dump.slot_name(slot) for slot in range(3)] == ["input.0", "input.1", "input.x"]
    assert forward_dump.slots.file_size.tolist() == [5, -1, 5]
    assert [problem.code for problem in forward_dump.problems] == ["truncated"]
