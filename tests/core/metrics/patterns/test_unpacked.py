"""A packed pair has the patterns of the files it was packed from, whether it fits into memory or not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump

from core.compare.packing import pack
from core.errors import InputError
from core.formats.tensors.handle import TensorHandle
from core.metrics.patterns import unpacked as module
from core.metrics.patterns.engine import find_patterns
from core.metrics.patterns.unpacked import unpacked
from core.progress import run_to_end
from core.store.runs import ingest, open_run
from core.store.tensor_bytes import place_of

GOLDEN = np.random.default_rng(5).standard_normal((48, 64)).astype(np.float32)


def packed(folder: Path, values: np.ndarray) -> TensorHandle:
    cell = folder / "run" / "step0" / "rank0"
    write_dump(cell, {"Torch.relu.0.forward": call([values], [values])}, tensors=True)
    run_to_end(pack(str(folder / "run"), str(folder / "packed.h5")))
    dump = run_to_end(ingest(next(iter(open_run(folder / "packed.h5").cells.values())), None))
    place = place_of(dump, 0)
    assert place is not None
    return place.open()


@pytest.mark.parametrize("in_memory", [0, 1 << 20], ids=["in a file", "in memory"])
def test_packed_tensors_have_the_same_patterns(
    tmp_path: Path, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_IN_MEMORY", in_memory)
    monkeypatch.setattr(module, "_STEP", 1000)
    target = packed(tmp_path / "target", np.ascontiguousarray(GOLDEN.T))
    golden = packed(tmp_path / "golden", GOLDEN)
    assert target.grain is not None
    flat = run_to_end(unpacked(golden))
    assert flat.grain is None
    np.testing.assert_array_equal(flat.read(), GOLDEN)
    assert [found.name for found in run_to_end(find_patterns(target, golden))] == ["transpose"]


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_IN_MEMORY", 0)
    monkeypatch.setattr(module.tempfile, "TemporaryFile", no_room)
    handle = packed(tmp_path, GOLDEN)
    with pytest.raises(InputError) as refused:
        run_to_end(unpacked(handle))
    assert refused.value.problem.code == "no_room_to_unpack"
    assert "No space left" in refused.value.problem.sentence()
