"""``.npy`` and ``.npz``, against numpy's own writer."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.formats.tensors import TensorError, list_tensors, open_tensor, opening

KINDS = [
    "<f2",
    "<f4",
    ">f4",
    "<f8",
    ">f8",
    "<i1",
    "<i2",
    ">i4",
    "<i8",
    "<u1",
    "<u2",
    "<u4",
    ">u8",
    "|b1",
    "<c8",
    ">c16",
]


def code_of(path: Path, **options: str) -> str:
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path), **options)
    assert path.name in caught.value.problem.sentence("en")
    return caught.value.problem.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("npy")


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_numpy_saves_is_read_back(data: st.DataObject, folder: Path) -> None:
    dtype = np.dtype(data.draw(st.sampled_from(KINDS)))
    array = data.draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)))
    order = data.draw(st.sampled_from("CF"))
    version = data.draw(st.sampled_from([(1, 0), (2, 0), (3, 0)]))
    path = folder / "array.npy"
    with path.open("wb") as stream:
        np.lib.format.write_array(stream, np.asarray(array, order=order), version=version)
    handle = open_tensor(str(path))
    native = array.astype(dtype.newbyteorder("="))
    assert handle.shape == array.shape
    assert handle.read().tobytes() == native.tobytes()
    assert handle.flat(0, handle.size).tobytes() == native.tobytes()


def test_bf16_bits_need_the_dumps_word(tmp_path: Path) -> None:
    values = np.linspace(-3, 3, 50, dtype=np.float32).astype(ml_dtypes.bfloat16)
    path = tmp_path / "raw.npy"
    np.save(path, values.view("V2"))
    assert code_of(path) == "unknown_dtype"
    assert code_of(path, dtype="torch.float32") == "unknown_dtype"
    handle = open_tensor(str(path), dtype="BFloat16")
    assert handle.dtype.name == handle.stored.name == "bfloat16"
    np.testing.assert_array_equal(handle.read(), values.astype(np.float32))
    halves = open_tensor(str(path), dtype="torch.float16").read()
    np.testing.assert_array_equal(halves, values.view(np.float16))


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_one_raw_byte_is_fp8_where_the_dump_says_so(name: str, tmp_path: Path) -> None:
    codes = np.arange(256, dtype=np.uint8)
    np.save(tmp_path / "raw.npy", codes.view("V1"))
    read = open_tensor(str(tmp_path / "raw.npy"), dtype=name).read()
    np.testing.assert_array_equal(read, codes.view(getattr(ml_dtypes, name)).astype(np.float32))


def test_objects_are_refused_unread(tmp_path: Path) -> None:
    np.save(tmp_path / "object.npy", np.array([{}], object), allow_pickle=True)
    assert code_of(tmp_path / "object.npy") == "tensor_object"


@pytest.mark.parametrize(
    "array", [np.array(["text"]), np.zeros(2, "f4,i4"), np.zeros(2, "M8[s]"), np.zeros(2, "V5")]
)
def test_what_is_no_number_is_named(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "odd.npy", array)
    assert code_of(tmp_path / "odd.npy") == "tensor_dtype_unsupported"


def test_a_file_shorter_than_its_header_says(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.zeros((64, 64), np.float32))
    content = (tmp_path / "whole.npy").read_bytes()
    path = tmp_path / "cut.npy"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path))
    assert caught.value.problem.code == "tensor_truncated"
    assert caught.value.problem.parameters == {"need": 16384, "have": len(content) // 2 - 128}


def test_every_cut_is_a_problem(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.arange(6, dtype=np.int16))
    content = (tmp_path / "whole.npy").read_bytes()
    for length in range(len(content)):
        (tmp_path / "cut.npy").write_bytes(content[:length])
        assert code_of(tmp_path / "cut.npy")


def header(text: str, version: int = 1) -> bytes:
    data = text.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(data)) + data


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 << 60,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False}",
        "__import__('os').system('true')",
        "[" * 4000,
        "",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 65 + ")}",
    ],
)
def test_odd_headers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.npy"
    path.write_bytes(header(text) + bytes(64))
    assert code_of(path) == "npy_header"


def test_a_product_of_dimensions_beyond_any_file(tmp_path: Path) -> None:
    path = tmp_path / "huge.npy"
    shape = "(" + "1000000000000000000," * 4 + ")"
    path.write_bytes(header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}") + bytes(64))
    assert code_of(path) == "tensor_truncated"


def test_a_header_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.npy"
    path.write_bytes(b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + bytes(100))
    assert code_of(path) == "npy_header"
    path.write_bytes(b"\x93NUMPY\x04\x00" + struct.pack("<I", 10) + bytes(100))
    assert code_of(path) == "npy_header"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_members(save: object, tmp_path: Path) -> None:
    path = tmp_path / "several.npz"
    first, second = np.arange(12.0).reshape(3, 4), np.array([True, False])
    save(path, first=first, second=second)  # type: ignore[operator]
    assert list_tensors(str(path)) == ["first", "second"]
    np.testing.assert_array_equal(open_tensor(str(path), member="first").read(), first)
    np.testing.assert_array_equal(open_tensor(str(path), member="second").read(), second)
    assert code_of(path) == "tensor_choice"
    assert code_of(path, member="third") == "tensor_no_member"


def test_a_member_that_inflates_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, zeros=np.zeros(1 << 20))
    monkeypatch.setattr(opening, "MAX_INFLATED", 1 << 20)
    assert code_of(path) == "zip_too_large"


def test_a_member_that_inflates_to_more_than_it_says(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, zeros=np.zeros(1 << 20))
    content = path.read_bytes()
    real = struct.pack("<L", (1 << 23) + 128)
    at = content.rindex(real)
    path.write_bytes(content[:at] + struct.pack("<L", 1000) + content[at + 4 :])
    assert code_of(path) == "zip_broken"


def test_a_method_that_is_not_zips_own(tmp_path: Path) -> None:
    path = tmp_path / "bzip2.npz"
    stream = io.BytesIO()
    np.save(stream, np.zeros(4))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as made:
        made.writestr("a.npy", stream.getvalue())
    assert code_of(path) == "zip_compressed"


HUGE = [(0, (1 << 62) - 1), (1 << 40, 0, 1 << 40), (0, 1 << 61, 1 << 61), ((1 << 62) - 1, (1 << 62) - 1, 0)]


@pytest.mark.parametrize("shape", HUGE)
@pytest.mark.parametrize("fortran", [False, True])
def test_a_zero_excuses_no_huge_dimension(shape: tuple[int, ...], fortran: bool, tmp_path: Path) -> None:
    stream = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": fortran, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    (tmp_path / "huge.npy").write_bytes(stream.getvalue())
    assert code_of(tmp_path / "huge.npy") == "tensor_truncated"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as made:
        made.writestr("a.npy", stream.getvalue())
    assert code_of(tmp_path / "huge.npz") == "tensor_truncated"
