"""Files that torch wrote, against what torch said was in them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from core.formats.tensors import TensorError, list_tensors, open_tensor

FILES = Path(__file__).resolve().parents[2] / "data" / "tensors"
EXPECTED = json.loads((FILES / "expected.json").read_text("utf-8"))


def numbers(entry: dict) -> np.ndarray:
    values = entry["values"]
    if entry["dtype"].startswith("complex"):
        flat = [complex(float.fromhex(real), float.fromhex(imaginary)) for real, imaginary in values]
    elif values and isinstance(values[0], str):
        flat = [float.fromhex(value) for value in values]
    else:
        flat = values
    wide = np.array(flat, object if entry["dtype"] == "uint64" else None)
    return wide.reshape(entry["shape"])


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_tensor_is_read_as_torch_wrote_it(name: str) -> None:
    entry = EXPECTED[name]
    with open_tensor(str(FILES / name)) as handle:
        assert handle.dtype.name == entry["dtype"]
        assert handle.shape == tuple(entry["shape"])
        expected = numbers(entry)
        values = handle.read()
        assert values.dtype.itemsize >= handle.stored.itemsize
        np.testing.assert_array_equal(values, expected.astype(values.dtype))
        flat = handle.flat(0, handle.size)
        np.testing.assert_array_equal(flat, expected.astype(values.dtype).reshape(-1))


def test_bits_are_a_view_that_cannot_be_written() -> None:
    handle = open_tensor(str(FILES / "bfloat16.pt"))
    assert handle.bits().dtype == np.uint16
    assert not handle.bits().flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        handle.bits()[0, 0] = 1


def test_signed_zero_survives() -> None:
    assert np.signbit(open_tensor(str(FILES / "specials.pt")).read()[3])


def test_tensors_in_containers_have_names() -> None:
    path = str(FILES / "several.pt")
    assert list_tensors(path) == ["weight", "nested.bias.0", "nested.bias.1.0"]
    base = open_tensor(str(FILES / "float32.pt")).read()
    np.testing.assert_array_equal(open_tensor(path, member="weight").read(), base)
    np.testing.assert_array_equal(open_tensor(path, member="nested.bias.0").read(), base[0])
    assert open_tensor(path, member="nested.bias.1.0").dtype.name == "float16"


def test_a_bare_tensor_has_no_name() -> None:
    assert list_tensors(str(FILES / "float32.pt")) == [""]
    assert open_tensor(str(FILES / "float32.pt"), member="").shape == (6, 8)


@pytest.mark.parametrize(
    ("name", "member", "code"),
    [
        ("several.pt", None, "tensor_choice"),
        ("several.pt", "absent", "tensor_no_member"),
        ("float32.pt", "absent", "tensor_no_member"),
        ("legacy.pt", None, "pickle_legacy"),
    ],
)
def test_what_cannot_be_opened_says_why(name: str, member: str | None, code: str) -> None:
    with pytest.raises(TensorError) as caught:
        open_tensor(str(FILES / name), member=member)
    assert caught.value.problem.code == code
    assert name in caught.value.problem.sentence("en")
    assert name in caught.value.problem.sentence("zh_CN")


def test_the_dump_names_the_dtype_where_it_can_be_true() -> None:
    path = str(FILES / "float32.pt")
    handle = open_tensor(path, dtype="torch.bfloat16")
    assert (handle.dtype.name, handle.stored.name) == ("bfloat16", "float32")
    assert open_tensor(path, dtype="torch.int64").dtype.name == "float32"
    assert open_tensor(path, dtype="no such type").dtype.name == "float32"


def test_every_file_of_the_cases_opens(cases: Path) -> None:
    paths = [str(path) for path in cases.glob("msprobe/**/*.pt")]
    assert len(paths) > 1000
    for path in paths:
        handle = open_tensor(path)
        assert handle.read().shape == handle.shape


def test_opening_is_quick() -> None:
    """Thousands of files are opened in one compare; measured: 20 microseconds each."""
    path = str(FILES / "float32.pt")
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(20):
            open_tensor(path)
        best = min(best, (time.perf_counter() - start) / 20)
    assert best < 500e-6
