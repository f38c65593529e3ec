"""The tensor files that a dump names, and those that lie there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builders.reading import codes, read_only_cell, write_dump

from core.formats.data_folder import safe_name
from core.records.dump import Dump, SlotKind


def leaf(name: str) -> dict[str, object]:
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [1], "Max": 1.0, "data_name": name}


def dump_with(folder: Path, named: list[str], there: list[str]) -> Dump:
    write_dump(
        folder,
        {"a.0.forward": {"output": [leaf(name) for name in named]}},
        task="tensor",
        dump_data_dir="/x/y",
    )
    data = folder / "dump_tensor_data"
    data.mkdir()
    for name in there:
        (data / name).write_bytes(b"x" * 10)
    return read_only_cell(folder)


def parameters(dump: Dump, code: str) -> dict[str, object]:
    (found,) = [problem for problem in dump.problems if problem.code == code]
    assert found.sentence("en")
    return dict(found.parameters)


def test_missing_and_orphan_files_are_counted_once(tmp_path: Path) -> None:
    dump = dump_with(tmp_path, ["a.pt", "b.pt", "b.pt", "c.pt", ""], ["a.pt", "d.pt", "e.npy", "note.txt"])
    assert codes(dump) == ["missing_tensor_files", "orphan_tensor_files"]
    assert parameters(dump, "missing_tensor_files") == {"count": 2, "name": "b.pt"}
    assert parameters(dump, "orphan_tensor_files") == {"count": 2, "name": "d.pt"}
    assert dump.slots.file_size.tolist() == [10, -1, -1, -1, -1]
    assert [dump.strings[int(file)] for file in dump.slots.file] == ["a.pt", "b.pt", "b.pt", "c.pt", ""]
    assert dump.data_dir == str(tmp_path / "dump_tensor_data")
    assert dump.header["dump_data_dir"] == '"/x/y"'


def test_a_copy_through_windows_may_change_case(tmp_path: Path) -> None:
    dump = dump_with(tmp_path, ["Tensor.Add.0.pt"], ["tensor.add.0.PT".replace("PT", "pt")])
    assert codes(dump) == []
    assert dump.strings[int(dump.slots.file[0])] == "tensor.add.0.pt"
    assert dump.slots.file_size[0] == 10


@pytest.mark.parametrize(
    "name",
    [
        "../x.pt",
        "/etc/passwd",
        "a/../../x.pt",
        "..\\x.pt",
        "C:\\x.pt",
        "C:x.pt",
        "\\\\host\\x.pt",
        "a\0.pt",
        "..",
    ],
)
def test_no_name_leaves_the_folder(tmp_path: Path, name: str) -> None:
    assert safe_name(name) is None
    dump = dump_with(tmp_path, [name, "a.pt"], ["a.pt"])
    assert parameters(dump, "unsafe_file_names")["count"] == 1
    assert dump.slots.file.tolist()[0] == -1
    assert dump.slots.file_size.tolist() == [-1, 10]


def test_names_with_spaces_chinese_and_dots_are_fine() -> None:
    assert safe_name("模型 a..b.pt") == "模型 a..b.pt"
    assert safe_name("inner\\a.pt") == "inner/a.pt"


def test_tensors_much_newer_than_the_dump(tmp_path: Path) -> None:
    dump_with(tmp_path, ["a.pt", "b.pt"], ["a.pt", "b.pt"])
    facts = (tmp_path / "dump.json").stat()
    for name, hours in (("a.pt", 3), ("b.pt", 0.5)):
        late = facts.st_mtime + hours * 3600
        os.utime(tmp_path / "dump_tensor_data" / name, (late, late))
    dump = read_only_cell(tmp_path)
    assert codes(dump) == ["newer_tensor_files"]
    assert parameters(dump, "newer_tensor_files") == {"count": 1}


def test_the_folder_is_missing_altogether(tmp_path: Path) -> None:
    write_dump(tmp_path, {"a.0.forward": {"output": [leaf("a.pt")]}})
    dump = read_only_cell(tmp_path)
    assert codes(dump) == ["missing_tensor_files"]
    assert dump.data_dir == ""


def test_tensors_without_a_dump_file_are_shown_by_their_names(tmp_path: Path) -> None:
    data = tmp_path / "step2" / "rank1" / "dump_tensor_data"
    data.mkdir(parents=True)
    names = {
        "Functional.linear.0.forward.input.10.pt": ("Functional.linear.0.forward", "input.10"),
        "Functional.linear.0.forward.output.0.pt": ("Functional.linear.0.forward", "output.0"),
        "Functional.softmax.0.forward.kwargs.output.pt": ("Functional.softmax.0.forward", "input.output"),
        "Module.output.fc.Linear.forward.0.parameters.weight.pt": (
            "Module.output.fc.Linear.forward.0",
            "parameters.weight",
        ),
        "Module.fc.Linear.parameters_grad.0.weight.pt": (
            "Module.fc.Linear.parameters_grad.0",
            "parameters_grad.weight",
        ),
        "Module.fc.Linear.parameters_grad.bias.pt": (
            "Module.fc.Linear.parameters_grad",
            "parameters_grad.bias",
        ),
        "myvar.0.debug.k2.0.pt": ("myvar.0.debug", "value.k2.0"),
        "Aten.mm.default.0.input.0.pt": ("Aten.mm.default.0", "input.0"),
        "saved_7.pt": ("saved_7", "value"),
    }
    for order, name in enumerate(names):
        (data / name).write_bytes(b"")
        os.utime(data / name, (1e9 + order, 1e9 + order))
    dump = read_only_cell(tmp_path)
    rows = [
        (dump.operator_name(int(row)), dump.slot_name(slot)) for slot, row in enumerate(dump.slots.operator)
    ]
    assert rows == list(names.values())
    assert set(dump.slots.kind.tolist()) == {SlotKind.TENSOR}
    assert codes(dump) == ["only_tensor_files"]
    assert dump.data_dir == str(data)
