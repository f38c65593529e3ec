"""The official dumper, run live: what it writes today is read whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from builders.official_dumper import dump, dumper_version, settings

from core.formats.registry import find_run, read_cell
from core.formats.tensors import open_tensor
from core.progress import run_to_end
from core.records.dump import SlotKind
from core.records.run import CellKey

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def dumper() -> str:
    version = dumper_version()
    if version is None:
        if os.environ.get("CI"):
            pytest.fail("CI must install the extra `integration`")
        pytest.skip("needs the extra `integration`: torch and mindstudio-probe")
    return version


def test_tensor_dump_is_read_whole(tmp_path: Path) -> None:
    config = settings("tensor", "mix", summary_mode="statistics")
    folder = dump(tmp_path / "run", ["device", "bf16"], config, ["--steps", "2"])
    found = find_run(str(folder))
    assert list(found.cells) == [CellKey("", step, rank) for step in (0, 1) for rank in (0, 1)]
    assert not found.problems
    for key, source in found.cells.items():
        read = run_to_end(read_cell(source))
        assert not read.problems
        assert (read.framework, read.task, read.level) == ("pytorch", "tensor", "mix")
        written = json.loads((folder / key.label() / "dump.json").read_text(encoding="utf-8"))["data"]
        assert [read.operator_name(row) for row in range(len(read.operators))] == list(written)
        files = {file.name for file in (folder / key.label() / "dump_tensor_data").iterdir()}
        tensors = np.flatnonzero(read.slots.kind == SlotKind.TENSOR)
        assert {read.strings[int(read.slots.file[slot])] for slot in tensors} == files
        for slot in tensors:
            path = Path(read.data_dir) / read.strings[int(read.slots.file[slot])]
            with open_tensor(str(path), dtype=read.dtype(int(slot))) as handle:
                assert handle.shape == read.shape(int(slot))
                if np.issubdtype(handle.read().dtype, np.floating):
                    norm = np.linalg.norm(handle.read().astype(np.float64))
                    assert norm == pytest.approx(read.slots.norm[slot], rel=1e-2, nan_ok=True)


@pytest.mark.parametrize("mode", ["statistics", "md5", "xor"])
def test_statistics_dump_is_read_whole(tmp_path: Path, mode: str) -> None:
    folder = dump(
        tmp_path / "run", ["golden"], settings("statistics", "mix", summary_mode=mode), ["--optimizer"]
    )
    (source,) = find_run(str(folder)).cells.values()
    read = run_to_end(read_cell(source))
    assert not read.problems
    assert len(read.operators) > 100
    # The xor checksum of a 0-d tensor is, in the dumper's own words, its value: a number, not a checksum.
    known = read.slots.checksum if mode != "statistics" else read.slots.known
    lacking = [
        read.slot_name(slot)
        for slot in np.flatnonzero(read.slots.kind == SlotKind.TENSOR)
        if known[slot] < (mode == "statistics") and (read.shape(slot) or mode != "xor")
    ]
    assert not lacking
