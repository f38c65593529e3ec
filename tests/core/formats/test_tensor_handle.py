"""Regions and flat ranges of mapped tensors, whatever their strides; and the file beneath them."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.errors import InputError
from core.formats.tensors import TensorError, TensorHandle, open_tensor

FILES = Path(__file__).resolve().parents[2] / "data" / "tensors"


@given(data=st.data())
def test_flat_ranges_of_strided_tensors(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    base = np.arange(np.prod([2 * size for size in shape]), dtype=np.int32).reshape(
        [2 * size for size in shape]
    )
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, 2]))) for _ in shape)
    axes = data.draw(st.permutations(range(len(shape))))
    array = base[steps].transpose(axes)
    handle = TensorHandle(array, DTYPES["int32"])
    start = data.draw(st.integers(0, handle.size))
    stop = data.draw(st.integers(start, handle.size))
    flat = np.ascontiguousarray(array).reshape(-1)
    np.testing.assert_array_equal(handle.flat(start, stop), flat[start:stop])
    chunks = list(handle.chunks(data.draw(st.integers(1, 50))))
    np.testing.assert_array_equal(np.concatenate(chunks), flat)


def test_a_region_is_read_without_the_rest() -> None:
    handle = open_tensor(str(FILES / "bfloat16.pt"))
    whole = handle.read()
    assert whole.dtype == np.float32
    np.testing.assert_array_equal(handle.read((slice(1, 3), 2)), whole[1:3, 2])
    assert handle.read((1, 2)).item() == whole[1, 2]


def test_numbers_have_native_order() -> None:
    array = np.arange(4, dtype=">f8")
    handle = TensorHandle(array, DTYPES["float64"])
    assert handle.bits().dtype == np.dtype(">f8")
    assert handle.read().dtype.isnative
    np.testing.assert_array_equal(handle.flat(1, 3), [1, 2])


def test_a_large_file_is_mapped_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.npy"
    shape = (1 << 33,)  # 32 GiB of float32 that the file system does not store
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
        stream.truncate(stream.tell() + shape[0] * 4)
    with open_tensor(str(path)) as handle:
        assert handle.size == shape[0]
        assert handle.read((slice(-3, None),)).tolist() == [0.0, 0.0, 0.0]


def test_a_closed_handle_holds_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(1 << 16))
    handle = open_tensor(str(tmp_path / "x.npy"))
    handle.close()
    assert handle.bits().size == 0


def test_a_changed_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros(4))
    status = path.stat()
    assert open_tensor(str(path), size=status.st_size, mtime_ns=status.st_mtime_ns).size == 4
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path), size=status.st_size + 1)
    assert caught.value.problem.code == "file_changed"
    os.utime(path, ns=(0, status.st_mtime_ns + 1))
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path), size=status.st_size, mtime_ns=status.st_mtime_ns)
    assert caught.value.problem.code == "file_rewritten"
    assert re.search(r" at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.", caught.value.problem.sentence())


def test_what_cannot_be_opened_at_all(tmp_path: Path) -> None:
    (tmp_path / "empty.pt").touch()
    (tmp_path / "text.pt").write_text("not a tensor at all")
    os.mkfifo(tmp_path / "pipe.pt")
    wanted = {
        "absent.pt": "file_missing",
        "empty.pt/inside.pt": "file_missing",
        "": "file_unreadable",
        "pipe.pt": "file_unreadable",
        "empty.pt": "file_empty",
        "text.pt": "tensor_unknown_format",
        "nul\0.pt": "file_unreadable",
    }
    for name, code in wanted.items():
        with pytest.raises(InputError) as caught:
            open_tensor(str(tmp_path / name))
        assert caught.value.problem.code == code, name


def test_every_cut_of_an_archive_is_a_problem(tmp_path: Path) -> None:
    content = (FILES / "float32.pt").read_bytes()
    path = tmp_path / "cut.pt"
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(TensorError):
            open_tensor(str(path))
    path.write_bytes(content[: len(content) - 100])
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path))
    assert caught.value.problem.code == "zip_no_directory"


def test_flipped_bytes_give_numbers_or_problems(tmp_path: Path) -> None:
    content = bytearray((FILES / "float32.pt").read_bytes())
    path = tmp_path / "flipped.pt"
    random = np.random.default_rng(5)
    for at in random.choice(len(content), 1500):
        damaged = content.copy()
        damaged[at] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        try:
            open_tensor(str(path)).read()
        except TensorError:
            continue


def test_zip64_archives(tmp_path: Path) -> None:
    path = tmp_path / "zip64.npz"
    np.save(tmp_path / "x.npy", np.arange(5.0))
    with zipfile.ZipFile(path, "w") as made, made.open("x.npy", "w", force_zip64=True) as stream:
        stream.write((tmp_path / "x.npy").read_bytes())
    assert open_tensor(str(path)).read().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("name", ["路径 有 空格", "a(b)+=,@~"])
def test_any_path_works(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    np.save(folder / f"{name}.npy", np.zeros(2))
    assert open_tensor(str(folder / f"{name}.npy")).size == 2
