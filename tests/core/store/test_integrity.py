"""A file of ours is whole or refused: flips, cuts, killed writers, foreign files."""

from __future__ import annotations

import random
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.store.integrity import USERBLOCK, read_seal, sealed_reader, sealed_writer
from core.store.schema import TENSORS, FileKind
from core.store.tables import write_array, write_json


def make(path: Path, kind: FileKind = FileKind.RESULT) -> Path:
    with sealed_writer(path, kind) as file:
        write_json(file, "info", {"text": "标杆", "numbers": [1, 2, 3]})
        write_array(file, "column", np.arange(5000, dtype=np.int32))
        write_array(file.create_group("rows"), "packed", np.arange(3000.0), compressed=True)
    return path


def read_all(path: Path, kind: FileKind) -> None:
    """Read every dataset, as using the file would."""
    with sealed_reader(path, (kind,)) as file:
        file.visititems(lambda _name, item: item[()] if isinstance(item, h5py.Dataset) else None)


def test_whole_file_is_read(tmp_path: Path) -> None:
    path = make(tmp_path / "a.h5")
    with sealed_reader(path, (FileKind.RESULT,)) as file:
        assert file["column"][()].tolist() == list(range(5000))


def test_plain_hdf5_readers_open_it(tmp_path: Path) -> None:
    with h5py.File(make(tmp_path / "a.h5")) as file:
        assert file["rows/packed"][10] == 10.0


@pytest.mark.parametrize("kind", list(FileKind))
def test_every_flipped_byte_is_noticed(tmp_path: Path, kind: FileKind) -> None:
    path = make(tmp_path / "a.h5", kind)
    whole = path.read_bytes()
    chance = random.Random(1)
    places = [*range(USERBLOCK), *chance.sample(range(USERBLOCK, len(whole)), 300)]
    for place in places:
        bad = bytearray(whole)
        bad[place] ^= chance.randrange(1, 256)
        path.write_bytes(bad)
        with pytest.raises(InputError):
            read_all(path, kind)


def test_a_flip_in_a_packed_tensor_is_noticed_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "packed.h5"
    with sealed_writer(path, FileKind.PACKED) as file:
        write_array(file, f"{TENSORS}/step0/rank0/op/output.0", np.random.default_rng(0).normal(size=200_000))
    whole = path.read_bytes()
    chance = random.Random(2)
    for place in chance.sample(range(len(whole)), 60):
        bad = bytearray(whole)
        bad[place] ^= 1 << chance.randrange(8)
        path.write_bytes(bad)
        with pytest.raises(InputError):
            read_all(path, FileKind.PACKED)


@given(st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_a_cut_file_is_refused(tmp_path_factory: pytest.TempPathFactory, share: float) -> None:
    path = make(tmp_path_factory.mktemp("cut") / "a.h5")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * (len(whole) - 1))])
    with pytest.raises(InputError):
        read_all(path, FileKind.RESULT)


def test_an_exception_while_writing_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with sealed_writer(tmp_path / "a.h5", FileKind.CACHE) as file:
            write_json(file, "info", {})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = make(tmp_path / "a.h5")
    before = path.read_bytes()
    with sealed_writer(path, FileKind.RESULT) as file:
        write_json(file, "info", {})
        assert path.read_bytes() == before
    assert path.read_bytes() != before


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 a zip", b"\x89HDF\r\n\x1a\n" + bytes(600), b"{}" * 400]
)
def test_foreign_files_have_no_seal(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign.h5"
    path.write_bytes(content)
    assert read_seal(path) is None
    with pytest.raises(InputError) as caught:
        read_all(path, FileKind.RESULT)
    assert str(path) in str(caught.value)


def test_a_result_is_no_packed_file(tmp_path: Path) -> None:
    path = make(tmp_path / "a.h5")
    with pytest.raises(InputError):
        read_all(path, FileKind.PACKED)
