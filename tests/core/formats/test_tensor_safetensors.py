"""``.safetensors``, against the project's own writer."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from core.formats.tensors import TensorError, list_tensors, open_tensor


def test_all_entries_are_read(tmp_path: Path) -> None:
    path = tmp_path / "several.safetensors"
    random = np.random.default_rng(3)
    tensors = {
        "weight": random.standard_normal((4, 5)).astype(np.float32),
        "half": random.standard_normal(7).astype(np.float16),
        "double": random.standard_normal((1, 2, 3)),
        "ids": np.arange(6, dtype=np.int64),
        "mask": np.array([True, False]),
        "bytes": np.arange(3, dtype=np.uint8),
        "number": np.array(2.5, np.float32),
        "none": np.zeros((0, 4), np.float32),
    }
    save_file(tensors, path, metadata={"format": "np"})
    assert set(list_tensors(str(path))) == set(tensors)
    for name, array in tensors.items():
        handle = open_tensor(str(path), member=name)
        assert handle.shape == array.shape
        assert handle.member == name
        assert handle.read().tobytes() == array.tobytes()


def write(path: Path, header: object, data: bytes = bytes(16)) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


@pytest.mark.parametrize(
    ("word", "dtype"),
    [("BF16", ml_dtypes.bfloat16), ("F8_E4M3", ml_dtypes.float8_e4m3fn), ("F8_E5M2", ml_dtypes.float8_e5m2)],
)
def test_formats_numpy_lacks(word: str, dtype: type, tmp_path: Path) -> None:
    values = np.array([1.5, -2.0, 0.25, 3.0]).astype(dtype)
    entry = {"dtype": word, "shape": [4], "data_offsets": [0, values.nbytes]}
    path = write(tmp_path / "x.safetensors", {"x": entry}, values.tobytes())
    np.testing.assert_array_equal(open_tensor(str(path)).read(), values.astype(np.float32))


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ({"x": {"dtype": "F32", "shape": [5], "data_offsets": [0, 20]}}, "tensor_truncated"),
        ({"x": {"dtype": "F32", "shape": [0, (1 << 62) - 1], "data_offsets": [0, 0]}}, "tensor_truncated"),
        ({"x": {"dtype": "F32", "shape": [5], "data_offsets": [0, 16]}}, "tensor_truncated"),
        ({"x": {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]}}, "tensor_truncated"),
        ({"x": {"dtype": "F32", "shape": [4], "data_offsets": [0, 1 << 50]}}, "safetensors_header"),
        ({"x": {"dtype": "F32", "shape": [3], "data_offsets": [0, 16]}}, "safetensors_header"),
        ({"x": {"dtype": "F32", "shape": [4], "data_offsets": [-16, 0]}}, "safetensors_header"),
        ({"x": {"dtype": "F32", "shape": [-4], "data_offsets": [0, 16]}}, "safetensors_header"),
        ({"x": {"dtype": "F32", "shape": [4], "data_offsets": [0]}}, "safetensors_header"),
        ({"x": {"dtype": "F4", "shape": [4], "data_offsets": [0, 2]}}, "tensor_dtype_unsupported"),
        ({"x": 3}, "safetensors_header"),
        ({"__metadata__": {}}, "tensor_none"),
        (b"{" * 5000, "safetensors_header"),
        (b'{"x": ', "safetensors_header"),
    ],
)
def test_headers_that_cannot_be_true(header: object, code: str, tmp_path: Path) -> None:
    path = write(tmp_path / "odd.safetensors", header)
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path))
    assert caught.value.problem.code == code


def test_a_header_beyond_the_limit_is_no_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "long.safetensors"
    path.write_bytes(struct.pack("<Q", 100_000_001) + b"{" + bytes(20))
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path))
    assert caught.value.problem.code == "tensor_unknown_format"
    path.write_bytes(struct.pack("<Q", 1000) + b"{}" + bytes(20))
    with pytest.raises(TensorError) as caught:
        open_tensor(str(path))
    assert caught.value.problem.code == "safetensors_header"
