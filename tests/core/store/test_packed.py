"""A packed file is the run: same rows, same bytes, readable by any HDF5 reader, and compared like a dump."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import ml_dtypes
import numpy as np
import pytest

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.compare.packing import pack
from core.errors import InputError
from core.progress import run_to_end
from core.records.result import CellResult, Evidence, Verdict
from core.store.runs import ingest, open_run
from core.store.tensor_bytes import place_of
from tests.builders.dumps import call, write_dump

RNG = np.random.default_rng(3)
ARRAYS = {
    "float32": RNG.standard_normal((7, 300)).astype(np.float32),
    "deep": RNG.standard_normal((3, 5, 700, 120)).astype(np.float32),
    "flat": RNG.standard_normal(400_000),
    "bfloat16": RNG.standard_normal((4, 5)).astype(ml_dtypes.bfloat16),
    "scalar": np.array(2.5, np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "bool": np.array([True, False]),
    "complex": np.array([1 + 2j, 3 - 4j], np.complex64),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    calls = {f"Torch.{name}.0.forward": call([array, 3, None], [array]) for name, array in ARRAYS.items()}
    write_dump(tmp_path / "run" / "step0" / "rank0", calls, tensors=True)
    write_dump(tmp_path / "run" / "step0" / "rank1", calls, tensors=True)
    return tmp_path / "run"


@pytest.fixture
def packed(run: Path, tmp_path: Path) -> Path:
    result = run_to_end(pack(str(run), str(tmp_path / "packed.h5")))
    assert (result.cells, result.operators, result.tensors) == (2, 16, 32)
    assert result.problems == ()
    return tmp_path / "packed.h5"


def test_tensors_are_the_same_whole_in_parts_and_flat(run: Path, packed: Path) -> None:
    sides = [run_to_end(ingest(open_run(path).cells[("", 0, 1)], None)) for path in (run, packed)]  # type: ignore[index]
    for slot in range(len(sides[0].slots)):
        places = [place_of(side, slot) for side in sides]
        if places[0] is None:
            assert places[1] is None
            continue
        assert places[1] is not None
        with places[0].open() as plain, places[1].open() as kept:
            assert kept.shape == plain.shape
            assert kept.size == plain.size
            np.testing.assert_array_equal(kept.read(), plain.read())
            for start, stop in (
                (0, kept.size),
                (1, 2),
                (kept.size // 3, kept.size // 2),
                (kept.size, kept.size + 5),
            ):
                np.testing.assert_array_equal(kept.flat(start, stop), plain.flat(start, stop))
            if plain.size and plain.shape:
                np.testing.assert_array_equal(kept.read((..., slice(1, 2))), plain.read((..., slice(1, 2))))


def test_packed_against_its_run_is_equal_in_full_evidence(run: Path, packed: Path) -> None:
    cells: list[CellResult] = []
    run_to_end(compare_runs(str(packed), str(run), CompareOptions(use_cache=False), take=cells.append))
    assert [cell.key.rank for cell in cells] == [0, 1]
    for cell in cells:
        tensors = cell.rows.count > 0
        assert (cell.rows.evidence[tensors] == Evidence.FULL).all()
        assert set(cell.rows.verdict.tolist()) == {Verdict.EQUAL, Verdict.NOT_COMPARED}  # the empty ones


def test_packed_opens_without_the_run(run: Path, packed: Path, tmp_path: Path) -> None:
    shutil.rmtree(run)
    moved = packed.rename(tmp_path / "搬走.h5")
    found = open_run(moved)
    assert found.format == "msprobe"
    assert (found.steps, found.ranks) == ([0], [0, 1])
    dump = run_to_end(ingest(next(iter(found.cells.values())), None))
    place = place_of(dump, 0)
    assert place is not None
    np.testing.assert_array_equal(place.open().read(), ARRAYS["float32"])


def test_any_hdf5_reader_sees_the_tensors(packed: Path) -> None:
    with h5py.File(packed) as file:
        plain = file["tensors/step0/rank0/Torch.float32.0.forward/output.0"]
        np.testing.assert_array_equal(plain[()], ARRAYS["float32"])
        assert plain.fletcher32
        assert plain.compression == "gzip"


def test_only_operators_that_match(run: Path, tmp_path: Path) -> None:
    result = run_to_end(pack(str(run), str(tmp_path / "some.h5"), "Torch.b*"))
    assert (result.operators, result.tensors) == (4, 8)
    with pytest.raises(InputError, match="no operator"):
        run_to_end(pack(str(run), str(tmp_path / "none.h5"), "nothing*"))
    assert not (tmp_path / "none.h5").exists()


def test_a_broken_tensor_is_left_out_and_named(run: Path, tmp_path: Path) -> None:
    broken = run / "step0" / "rank0" / "dump_tensor_data" / "Torch.flat.0.forward.output.0.npy"
    broken.write_bytes(broken.read_bytes()[:200])
    result = run_to_end(pack(str(run), str(tmp_path / "some.h5")))
    assert result.tensors == 31
    assert any(str(broken) in problem.sentence() for problem in result.problems)
