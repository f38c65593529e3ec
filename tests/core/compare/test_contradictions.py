"""Tensor files that are not what the record says, or not what was written."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.compare.tensor_files import compare_tensor_files
from core.formats.tensors.opening import open_tensor
from core.metrics.noise import NoiseTable
from core.progress import run_to_end
from core.records.result import CellResult
from core.report.json_report import json_rows
from tests.builders.dumps import call, write_dump

TENSORS = Path(__file__).resolve().parents[2] / "data" / "tensors"
F = "Torch.f.0.forward"
FILE = f"{F}.input.0.npy"
X = np.random.default_rng(7).standard_normal((4, 6)).astype(np.float32)


def compared(folder: Path) -> CellResult:
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False, processes=1)
    run_to_end(compare_runs(str(folder / "t"), str(folder / "g"), options, take=cells.append))
    return cells[0]


def pair(folder: Path, value: np.ndarray[Any, Any] = X) -> Path:
    """Write two equal dumps and return the file of the target's input."""
    for side in ("t", "g"):
        write_dump(folder / side, {F: call([value], [value])}, tensors=True)
    return folder / "t" / "dump_tensor_data" / FILE


def input_row(cell: CellResult) -> dict[str, Any]:
    return next(row for row in json_rows(cell) if row["slot"] == "input.0")


@pytest.mark.parametrize(
    "stored",
    [X[:3], X.astype(np.float16), np.ones((4, 6), np.int64), X.astype(np.complex64), np.float32(1)],
    ids=["other size", "narrower", "integers", "complex", "one number"],
)
def test_a_file_of_something_else_is_told_and_statistics_stand_in(tmp_path: Path, stored: Any) -> None:
    path = pair(tmp_path)
    np.save(path, stored)
    cell = compared(tmp_path)
    (found,) = cell.problems
    assert (found.code, found.path) == ("file_contradicts_record", str(path))
    assert found.parameters["recorded"] == "torch.float32 [4, 6]"
    assert found.parameters["found"] == f"{np.asarray(stored).dtype} {list(np.shape(stored))}"
    for language in ("en", "zh_CN"):
        assert str(path) in found.sentence(language)
        assert "torch.float32 [4, 6]" in found.sentence(language)
    row = input_row(cell)
    assert (row["verdict"], row["evidence"]) == ("equal", "statistics")


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (X, X.astype(np.float64)),
        (X.reshape(1, 4, 6), X.reshape(4, 6)),
        (X, X.reshape(6, 4)),
        (X.astype(ml_dtypes.bfloat16), X.astype(ml_dtypes.bfloat16).view(np.uint16)),
        (X.astype(ml_dtypes.bfloat16), X.astype(ml_dtypes.bfloat16).astype(np.float32)),
        (X.astype(np.float16), X.astype(np.float16).astype(np.float32)),
    ],
    ids=["wider", "squeezed", "reshaped", "bits", "bf16 as float32", "fp16 as float32"],
)
def test_what_dumpers_do_is_no_contradiction(tmp_path: Path, value: Any, stored: Any) -> None:
    path = pair(tmp_path, value)
    np.save(path, stored)
    codes = [problem.code for problem in compared(tmp_path).problems]
    assert "file_contradicts_record" not in codes


def test_parameters_are_taken_as_they_are(tmp_path: Path) -> None:
    for side in ("t", "g"):
        body = call([], [])
        write_dump(tmp_path / side, {F: body | {"parameters": {"weight": X}}}, tensors=True)
        np.save(tmp_path / side / "dump_tensor_data" / f"{F}.parameters.weight.npy", X[:2])
    cell = compared(tmp_path)
    assert [row["evidence"] for row in json_rows(cell)] == ["full"]
    assert "file_contradicts_record" not in [problem.code for problem in cell.problems]


def test_stale_files_are_told_once_a_side_and_compared(tmp_path: Path) -> None:
    pair(tmp_path)
    for slot in ("input.0", "output.0"):
        np.save(tmp_path / "t" / "dump_tensor_data" / f"{F}.{slot}.npy", X * np.float32(1.5))
    cell = compared(tmp_path)
    (found,) = cell.problems
    assert found.code == "statistics_contradict_file"
    assert found.parameters["count"] == 2
    assert found.parameters["name"] == f"{F} input.0"
    largest = float(np.abs(X).max())
    assert found.parameters["recorded"] == pytest.approx(largest)
    assert found.parameters["found"] == pytest.approx(1.5 * largest)
    assert found.sentence("en") != found.sentence("zh_CN")
    row = input_row(cell)
    assert (row["verdict"], row["evidence"]) == ("differs", "full")


def test_each_side_is_told_on_its_own(tmp_path: Path) -> None:
    pair(tmp_path)
    for side in ("t", "g"):
        np.save(tmp_path / side / "dump_tensor_data" / FILE, X * np.float32(2))
    paths = [problem.path for problem in compared(tmp_path).problems]
    assert paths == [str(tmp_path / side / "dump_tensor_data" / FILE) for side in ("t", "g")]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, bool, np.complex64])
def test_extremes_within_rounding_are_no_contradiction(tmp_path: Path, dtype: Any) -> None:
    value = (X * 3).astype(dtype)
    pair(tmp_path, value)
    for side in ("t", "g"):
        path = tmp_path / side / "dump.json"
        content = json.loads(path.read_text("utf-8"))
        record = content["data"][F]["input_args"][0]
        if not isinstance(record["Max"], bool):
            record["Max"] *= 1 + 2.0**-22
            record["Min"] *= 1 - 2.0**-22
        path.write_text(json.dumps(content), "utf-8")
    assert compared(tmp_path).problems == ()


def test_special_values_hide_the_extremes(tmp_path: Path) -> None:
    value = X.copy()
    value[0, 0] = np.nan
    path = pair(tmp_path, X)
    np.save(path, value)
    assert compared(tmp_path).problems == ()


def with_pt(folder: Path, *, damaged: str = "", zeroed: bool = False) -> Path:
    """Give both sides a ``.pt`` for their input, flip a bit in that of side *damaged*."""
    source = TENSORS / "float32.pt"
    with open_tensor(str(source)) as handle:
        value = np.array(handle.read())
    pair(folder, value)
    for side in ("t", "g"):
        data = folder / side / "dump_tensor_data"
        (data / FILE).unlink()
        place = shutil.copy(source, data / FILE.replace(".npy", ".pt"))
        record = folder / side / "dump.json"
        record.write_text(record.read_text("utf-8").replace(FILE, Path(place).name), "utf-8")
        content = bytearray(Path(place).read_bytes())
        if side == damaged:
            content[content.index(value.tobytes()) + 2] ^= 0x40
        if zeroed:  # as torch writes it when it is told to take no checksums
            with zipfile.ZipFile(place) as archive:
                for info in archive.infolist():
                    old = info.CRC.to_bytes(4, "little")
                    content = bytearray(bytes(content).replace(old, bytes(4)))
        Path(place).write_bytes(content)
    return folder / (damaged or "t") / "dump_tensor_data" / FILE.replace(".npy", ".pt")


@pytest.mark.parametrize("side", ["t", "g"])
def test_a_damaged_member_is_no_numeric_difference(tmp_path: Path, side: str) -> None:
    path = with_pt(tmp_path, damaged=side)
    cell = compared(tmp_path)
    (found,) = cell.problems
    assert (found.code, found.path) == ("tensor_damaged", str(path))
    assert str(path) in found.sentence("en")
    assert str(path) in found.sentence("zh_CN")
    row = input_row(cell)
    assert (row["verdict"], row["evidence"]) == ("equal", "statistics")
    others = {"t": "g", "g": "t"}[side]
    other = tmp_path / others / "dump_tensor_data" / path.name
    (bare,) = run_to_end(compare_tensor_files(str(path), str(other), NoiseTable.default()))
    assert [problem.code for problem in bare.problems] == ["tensor_damaged"]


def test_without_a_checksum_the_numbers_count(tmp_path: Path) -> None:
    with_pt(tmp_path, damaged="t", zeroed=True)
    assert input_row(compared(tmp_path))["verdict"] == "differs"


def test_an_intact_member_that_differs_is_compared(tmp_path: Path) -> None:
    path = with_pt(tmp_path)
    np.savez(path, value=np.full((3, 4), 7, np.float32))
    with open_tensor(str(path)) as handle:
        assert not handle.damaged(1 << 20)
        proof = handle._proof
        assert proof is not None
        handle._proof = proof._replace(checksum=proof.checksum ^ 1)
        assert handle.damaged(1 << 20)
        assert not handle.damaged(8), "too large to verify"
