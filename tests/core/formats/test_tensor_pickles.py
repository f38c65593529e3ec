"""Hostile pickles: nothing is run, the name is named, time and memory stay bounded."""

from __future__ import annotations

import builtins
import os
import pickle
import posixpath
import resource
import struct
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from core.formats.tensors import TensorError, list_tensors, open_tensor
from core.formats.tensors.opcodes import Interpreter
from core.formats.tensors.rebuild import Refused

STORAGE = b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x10tQ"
"""Opens the argument tuple of a rebuild call and puts a storage of 16 floats into it."""


def archive(path: Path, data: bytes, content: bytes = bytes(64), **more: bytes) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as made:
        made.writestr("archive/data.pkl", data)
        made.writestr("archive/data/0", content)
        for name, text in more.items():
            made.writestr(f"archive/{name}", text)
    return str(path)


def tensor(
    shape: bytes, stride: bytes, offset: bytes = b"K\x00", function: bytes = b"_rebuild_tensor_v2"
) -> bytes:
    rest = b"\x89ccollections\nOrderedDict\n)RtR."
    return b"\x80\x02ctorch._utils\n" + function + b"\n" + STORAGE + offset + shape + stride + rest


def problem_of(path: str) -> TensorError:
    with pytest.raises(TensorError) as caught:
        open_tensor(path)
    assert path in caught.value.problem.sentence("en")
    return caught.value


class Touch:
    """Runs a command when unpickled."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> object:
        return self.call


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    ("function", "name"),
    [(os.system, "posix.system"), (eval, "eval"), (exec, "exec"), (subprocess.Popen, ".Popen")],
)
def test_a_pickle_that_would_run_something_is_refused_by_name(
    function: object, name: str, protocol: int, tmp_path: Path
) -> None:
    witness = tmp_path / "touched"
    data = pickle.dumps(Touch(function, f"touch {witness}"), protocol)
    error = problem_of(archive(tmp_path / "evil.pt", data))
    assert error.problem.code == "pickle_refused"
    said = str(error.problem.parameters["name"])
    # Text opcodes of protocols 0 and 1 may be refused before the name is reached.
    assert name in said or protocol < 2
    assert not witness.exists()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.", "posix.system"),
        (b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.", "builtins.eval"),
        (b"\x80\x02(X\x02\x00\x00\x00lsiposix\nsystem\n.", "posix.system"),
        (b"\x80\x02(cbuiltins\nexec\nX\x01\x00\x00\x001o.", "builtins.exec"),
        (b"\x80\x02(ctorch\nSize\nX\x01\x00\x00\x001o.", "OBJ"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"\x80\x02\x83\x01\x00.", "EXT2"),
        (b"\x80\x02\x84\x01\x00\x00\x00.", "EXT4"),
        (b"\x80\x04ctorch\nSize\n)}\x92.", "NEWOBJ_EX"),
        (b"\x80\x02Pname\n.", "PERSID"),
        (b"\x80\x02ctorch.hub\nload\n.", "torch.hub.load"),
        (b"\x80\x02cnumpy.testing\nmeasure\n.", "numpy.testing.measure"),
        (b"\x80\x02K\x01)R.", "int"),
        (b"\x80\x02K\x01}b.", "int"),
    ],
)
def test_each_way_to_code_is_refused_by_name(data: bytes, name: str, tmp_path: Path) -> None:
    error = problem_of(archive(tmp_path / "evil.pt", data))
    assert error.problem.code == "pickle_refused"
    assert error.problem.parameters["name"] == name
    assert name in error.problem.sentence("en")


@pytest.mark.parametrize("name", ["Size", "device", "FloatStorage", "float32", "Tensor"])
def test_an_allowed_name_is_not_called_with_odd_arguments(name: str, tmp_path: Path) -> None:
    data = b"\x80\x02ctorch\n" + name.encode() + b"\nK\x01R."
    assert problem_of(archive(tmp_path / "odd.pt", data)).problem.code == "pickle_arguments"


def test_names_are_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("imported")

    monkeypatch.setattr(builtins, "__import__", refuse)
    data = tensor(b"K\x10\x85", b"K\x01\x85")
    assert Interpreter(data).run().shape == (16,)
    with pytest.raises(Refused):
        Interpreter(b"\x80\x02cantigravity\nx\n.").run()


GOOD = tensor(b"K\x04K\x04\x86", b"K\x04K\x01\x86")


def test_the_hand_made_pickle_is_a_tensor(tmp_path: Path) -> None:
    assert open_tensor(archive(tmp_path / "good.pt", GOOD)).shape == (4, 4)


@pytest.mark.parametrize(
    "data",
    [
        tensor(b"K\x11\x85", b"K\x01\x85"),
        tensor(b"K\x10\x85", b"K\x01\x85", offset=b"K\x01"),
        tensor(b"K\x04K\x04\x86", b"K\x05K\x01\x86"),
        tensor(b"K\x02\x85", b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x3f\x85"),
        tensor(b"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x3f\x85", b"K\x00\x85"),
        tensor(b"K\x01\x85", b"K\x01\x85", offset=b"J\xff\xff\xff\x7f"),
        tensor(b"K\x00\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x3f\x86", b"K\x01K\x01\x86"),
    ],
)
def test_no_element_may_lie_outside_its_storage(data: bytes, tmp_path: Path) -> None:
    assert problem_of(archive(tmp_path / "outside.pt", data)).problem.code == "tensor_truncated"


def test_a_storage_has_the_elements_that_it_claims(tmp_path: Path) -> None:
    cut = archive(tmp_path / "cut.pt", GOOD, content=bytes(60))
    assert problem_of(cut).problem.code == "tensor_truncated"
    small = archive(tmp_path / "part.pt", tensor(b"K\x02\x85", b"K\x01\x85"), content=bytes(60))
    assert problem_of(small).problem.code == "tensor_truncated"


@pytest.mark.parametrize(
    "data",
    [
        tensor(b"K\x04\x85", b"K\x04K\x01\x86"),
        tensor(b"J\xff\xff\xff\xff\x85", b"K\x01\x85"),
        tensor(b"K\x04\x85", b"J\xff\xff\xff\xff\x85"),
        tensor(b"K\x04\x85", b"K\x01\x85", offset=b"J\xff\xff\xff\xff"),
        tensor(b"G?\xf0\x00\x00\x00\x00\x00\x00\x85", b"K\x01\x85"),
        tensor(b"(" + b"K\x01" * 65 + b"t", b"(" + b"K\x01" * 65 + b"t"),
        tensor(b"K\x04\x85", b"K\x01\x85", function=b"_rebuild_tensor_v3"),
        tensor(b"K\x04\x85", b"K\x01\x85", function=b"_rebuild_parameter"),
    ],
)
def test_arguments_that_make_no_tensor(data: bytes, tmp_path: Path) -> None:
    assert problem_of(archive(tmp_path / "odd.pt", data)).problem.code == "pickle_arguments"


def test_every_cut_of_a_pickle_is_a_problem(tmp_path: Path) -> None:
    for length in range(len(GOOD)):
        with pytest.raises(Refused):
            Interpreter(GOOD[:length]).run()


def test_damaged_pickles_never_raise_anything_else() -> None:
    for at in range(len(GOOD)):
        for value in range(0, 256, 5):
            data = GOOD[:at] + bytes([value]) + GOOD[at + 1 :]
            try:
                Interpreter(data).run()
            except Refused:
                continue


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02" + b"]" * (6 << 20) + b".",
        b"\x80\x02]" + b"]a" * (6 << 20) + b".",
        b"\x80\x02" + b"(" * (6 << 20) + b".",
        b"\x80\x02K\x01" + b"2" * (6 << 20) + b".",
        b"\x80\x02)" + b"\x85" * (6 << 20) + b".",
    ],
    ids=["lists", "appends", "marks", "copies", "nesting"],
)
def test_floods_end_at_a_limit(data: bytes, tmp_path: Path) -> None:
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert problem_of(archive(tmp_path / "flood.pt", data)).problem.code == "pickle_limit"
    assert time.perf_counter() - start < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # kilobytes


def test_references_to_references_are_looked_at_once(tmp_path: Path) -> None:
    # Each tuple holds the one before twice: 2**100 leaves if every path is walked.
    data = b"\x80\x02)q\x00" + b"h\x00h\x00\x86q\x00" * 100 + b"."
    start = time.perf_counter()
    assert list_tensors(archive(tmp_path / "laughs.pt", data)) == []
    assert time.perf_counter() - start < 5


def test_keys_that_take_for_ever_to_hash_are_refused(tmp_path: Path) -> None:
    data = b"\x80\x02)q\x00" + b"h\x00h\x00\x86q\x00" * 100 + b"}h\x00K\x01s."
    start = time.perf_counter()
    assert problem_of(archive(tmp_path / "keys.pt", data)).problem.code == "pickle_broken"
    assert time.perf_counter() - start < 5


def test_a_list_inside_itself_ends(tmp_path: Path) -> None:
    assert list_tensors(archive(tmp_path / "cycle.pt", b"\x80\x02]q\x00h\x00a.")) == []


def test_a_huge_number_is_refused(tmp_path: Path) -> None:
    data = b"\x80\x02\x8b" + struct.pack("<I", 1 << 20) + bytes(1 << 20) + b"."
    assert problem_of(archive(tmp_path / "number.pt", data)).problem.code == "pickle_broken"


def test_big_endian_storages_are_swapped(tmp_path: Path) -> None:
    content = struct.pack(">16f", *range(16))
    path = archive(tmp_path / "big.pt", GOOD, content, byteorder=b"big")
    assert open_tensor(path).read().reshape(-1).tolist() == list(range(16))
    assert open_tensor(path).flat(3, 5).tolist() == [3.0, 4.0]
    wrong = archive(tmp_path / "odd.pt", GOOD, content, byteorder=b"middle")
    assert problem_of(wrong).problem.code == "zip_broken"


def test_a_bare_pickle_is_refused_unread(tmp_path: Path) -> None:
    witness = tmp_path / "touched"
    path = tmp_path / "bare.pt"
    path.write_bytes(pickle.dumps(Touch(os.system, f"touch {witness}"), 2))
    assert problem_of(str(path)).problem.code == "pickle_bare"
    assert not witness.exists()
    assert posixpath.basename(str(path)) in problem_of(str(path)).problem.sentence("zh_CN")
