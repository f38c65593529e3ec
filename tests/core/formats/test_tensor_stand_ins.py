"""What stands beside the tensors of a checkpoint: inert, whatever it carries; and files of many tensors."""

from __future__ import annotations

import argparse
import builtins
import collections
import datetime
import os
import pickle
import types
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from core.errors import Problem
from core.formats.tensors import TensorError, TensorHandle, list_tensors, open_tensor, open_tensors
from core.formats.tensors.opcodes import Interpreter
from core.formats.tensors.rebuild import Inert, Refused
from core.formats.tensors.symbols import SYMBOLS, Builder

T = TypeVar("T")
TENSORS = Path(__file__).resolve().parents[2] / "data" / "tensors"


class Touch:
    """Runs a command when unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize(
    "value",
    [
        argparse.Namespace(lr=0.1, layers=[1, 2], inner=argparse.Namespace(x=None)),
        types.SimpleNamespace(a=1),
        {1, 2, 3},
        frozenset("ab"),
        complex(1, 2),
        collections.deque([1, 2]),
        collections.defaultdict(list, a=[1]),
        datetime.datetime(2024, 1, 2),
        np.float64(1.5),
        np.arange(6, dtype=np.uint32),
        np.random.RandomState(1).get_state(),
        Path("/a/b"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_plain_objects_are_passed_over(value: object) -> None:
    found = Interpreter(pickle.dumps({"beside": value, "kept": [1, "x"]}, protocol=2)).run()
    assert found["kept"] == [1, "x"]


@pytest.mark.parametrize("hide", [argparse.Namespace, types.SimpleNamespace])
def test_what_they_carry_is_read_as_strictly(hide: type, tmp_path: Path) -> None:
    witness = tmp_path / "touched"
    raw = pickle.dumps({"args": hide(inner={"x": [Touch(str(witness))]})}, protocol=2)
    with pytest.raises(Refused) as caught:
        Interpreter(raw).run()
    assert caught.value.parameters["name"] == "posix.system"
    assert not witness.exists()


@pytest.mark.parametrize(
    "name",
    [
        "builtins getattr", "builtins eval", "__builtin__ eval", "builtins __import__", "operator attrgetter",
        "functools partial", "copyreg _reconstructor", "torch load", "numpy.lib.npyio load", "os system",
    ],
)  # fmt: skip
def test_no_name_on_the_list_can_lead_to_another(name: str) -> None:
    assert name not in SYMBOLS
    module, function = name.split(" ")
    with pytest.raises(Refused):
        Interpreter(f"\x80\x02c{module}\n{function}\n.".encode("latin-1")).run()


def test_a_stand_in_keeps_nothing_and_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = pickle.dumps(argparse.Namespace(big="x" * 1000), protocol=2)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("imported")

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert Interpreter(raw).run() == Inert("argparse.Namespace")


def test_a_stand_in_is_no_container() -> None:
    namespace = b"cargparse\nNamespace\n)\x81"
    assert Interpreter(b"\x80\x02" + namespace + b"(K\x01K\x02e.").run() == Inert("argparse.Namespace")
    assert Interpreter(b"\x80\x02" + namespace + b"(K\x01K\x02u.").run() == Inert("argparse.Namespace")
    with pytest.raises(Refused):
        Interpreter(b"\x80\x02" + namespace + b")R.").run()


def test_every_stand_in_is_of_one_kind() -> None:
    inert = [name for name, symbol in SYMBOLS.items() if symbol.builder is Builder.INERT]
    assert "argparse Namespace" in inert
    assert all(name.count(" ") == 1 for name in inert)


def problem_or(read: Callable[[], T]) -> T | str:
    """Return what *read* gives, or the code of the problem that it raises."""
    try:
        return read()
    except TensorError as error:
        return error.problem.code


@pytest.mark.parametrize("path", sorted(TENSORS.glob("*.*")), ids=lambda path: path.name)
def test_all_tensors_of_a_file_are_those_opened_one_by_one(path: Path) -> None:
    if path.suffix == ".json":
        pytest.skip("what is in the others")
    names = problem_or(lambda: list_tensors(str(path)))
    if isinstance(names, str):
        assert problem_or(lambda: list(open_tensors(str(path)))) == names
        return
    found = dict(open_tensors(str(path)))
    assert list(found) == names
    for name, handle in found.items():
        if isinstance(handle, Problem):
            with pytest.raises(TensorError):
                open_tensor(str(path), member=name)
            continue
        assert isinstance(handle, TensorHandle)
        with open_tensor(str(path), member=name) as alone:
            assert alone.shape == handle.shape
            assert alone.dtype is handle.dtype
            assert alone.read().tobytes() == handle.read().tobytes()


def test_one_broken_tensor_costs_itself(tmp_path: Path) -> None:
    storage = b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"
    rest = b"\x89ccollections\nOrderedDict\n)RtR"
    good = b"ctorch._utils\n_rebuild_tensor_v2\n" + storage + b"K\x00K\x04\x85K\x01\x85" + rest
    long = b"ctorch._utils\n_rebuild_tensor_v2\n" + storage + b"K\x00K\x09\x85K\x01\x85" + rest
    raw = b"\x80\x02}(X\x01\x00\x00\x00a" + good + b"X\x01\x00\x00\x00b" + long + b"u."
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as made:
        made.writestr("archive/data.pkl", raw)
        made.writestr("archive/data/0", bytes(16))
    found = dict(open_tensors(str(tmp_path / "a.pt")))
    assert isinstance(found["a"], TensorHandle)
    assert isinstance(found["b"], Problem)
    assert found["b"].code == "tensor_truncated"
