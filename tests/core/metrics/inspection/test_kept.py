"""Pairs of any dtype, rank and layout are kept, written and read back; nothing is lost of what is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest
from builders.element_pairs import handle_of, pairs, sources_of
from hypothesis import given, settings

from core.errors import InputError, Problem
from core.formats.tensors import TensorHandle
from core.metrics.inspection.elements import WorstRequest, region_statistics, worst_elements
from core.metrics.inspection.kept.condensing import condense
from core.metrics.inspection.kept.keeping import keep_pair
from core.metrics.inspection.kept.pair import KeptPair, KeptSide
from core.metrics.inspection.kept.pictures import part_of
from core.metrics.inspection.pictures import PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end
from core.records.run import CellKey
from core.store.integrity import sealed_writer
from core.store.kept_pairs import load_kept, write_kept
from core.store.schema import FileKind

KEY = CellKey("", 0, 0)


class Gone:
    """A tensor that was there when the result was made."""

    def open(self) -> TensorHandle:
        raise InputError(Problem("unreadable", "gone.npy", {"why": "gone"}))


@dataclass(frozen=True, eq=False)
class Held:
    """Stands in for a place in a result file."""

    pair: KeptPair
    path = ""

    def load(self) -> KeptPair:
        return self.pair


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "r.h5"


def written_and_read(path: Path, pair: KeptPair) -> KeptPair:
    with sealed_writer(path, FileKind.RESULT) as file:
        write_kept(file, KEY, 0, pair)
    return load_kept(path, KEY, 0, KeptPair)


@settings(max_examples=40)
@given(pairs())
def test_small_tensors_come_back_whole(path: Path, pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    target, golden = handle_of(pair[0], pair[2]), handle_of(pair[1], pair[3])
    kept = run_to_end(keep_pair(sources_of(target, golden), 0))
    assert kept is not None
    back = open_pair(PairSources(Gone(), Gone(), Held(written_and_read(path, kept))))
    assert back.both is not None
    assert back.problems == (None, None)
    for handle, was in zip(back.both, (target, golden)):
        assert (handle.dtype, handle.shape) == (was.dtype, was.shape)
        assert handle.read().tobytes() == np.ascontiguousarray(was.read()).tobytes()


@settings(max_examples=40)
@given(pairs())
def test_what_is_measured_comes_back(path: Path, pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    """Whatever the tensors, all of it can be measured, written and read."""
    target, golden = handle_of(pair[0], pair[2]), handle_of(pair[1], pair[3])
    sides = KeptPair(*(KeptSide(side.shape, side.dtype.name, side.stored.name) for side in (target, golden)))
    kept = run_to_end(condense(sources_of(target, golden), sides, target.size - 1, only_seen=False))
    back = written_and_read(path, kept)
    np.testing.assert_equal(asdict(back), asdict(kept))
    assert len(back.planes) == (2 if len(target.shape) > 2 or len(target.shape) == 1 else 1)
    if target.size and back.crop is not None:
        last = tuple(size - 1 for size in target.shape)
        found = back.element(last)
        assert found is not None
        for number, was in zip(found, (target, golden)):
            assert number.tobytes() == np.ascontiguousarray(was.read(last)).tobytes()


def test_pending_signs_and_conjugates_are_carried_out(path: Path) -> None:
    numbers = np.array([1 + 2j, 3 - 4j], np.complex64)
    turned = TensorHandle(numbers.copy(), handle_of(numbers).dtype, conjugate=True, negative=True)
    kept = run_to_end(keep_pair(sources_of(turned, handle_of(numbers)), 0))
    assert kept is not None
    handle = written_and_read(path, kept).target.handle()
    assert handle is not None
    np.testing.assert_array_equal(handle.read(), -np.conj(numbers))


def test_few_rows_are_never_made_one(path: Path) -> None:
    """A kept picture is made coarser only along the axis that has too many pixels."""
    golden = np.random.default_rng(1).standard_normal((3, 150_000), np.float32)
    target = golden.copy()
    target[1, 90_000:] += 1
    kept = run_to_end(keep_pair(sources_of(handle_of(target), handle_of(golden)), 150_000 + 90_000))
    assert kept is not None
    (held,) = written_and_read(path, kept).planes
    assert held.difference is not None
    for pixels in ((64, 40), (3, 512), (1024, 1)):
        made = part_of(held.difference, None, pixels)
        assert made.block[0] == 1
        assert made.values.shape[1] <= pixels[1]
        assert np.nanmax(np.abs(made.values), axis=1).tolist() == [0, 1, 0]
    assert part_of(held.difference, None, (2, 512)).values.shape[0] == 2


def test_shapes_that_differ(path: Path) -> None:
    """A golden of another shape is kept as it is; one that only differs by ones as well."""
    draw = np.random.default_rng(0)
    target, golden = (draw.standard_normal(shape, np.float32) for shape in ((400, 500), (500, 400)))
    sides = sources_of(handle_of(target), handle_of(golden))
    kept = run_to_end(keep_pair(sides, -1))
    assert kept is not None
    back = written_and_read(path, kept)
    assert (back.target.shape, back.golden.shape) == ((400, 500), (500, 400))
    assert back.target.bits is None
    assert back.planes[0].difference is None
    assert back.planes[0].golden.region == (0, 500, 0, 400)
    assert back.crop is None
    lost = PairSources(Gone(), Gone(), Held(back))
    found = run_to_end(worst_elements(WorstRequest(lost)))
    assert (found.rows, found.problems, found.kept) == ((), (None, None), True)
    assert run_to_end(region_statistics(lost)).target is not None
    one = run_to_end(keep_pair(sources_of(handle_of(target[:2]), handle_of(target[None, :2])), 0))
    assert one is not None
    assert one.golden.shape == (1, 2, 500)


def test_of_a_part_nothing_is_made_up(path: Path) -> None:
    golden = np.random.default_rng(2).standard_normal((400, 500), np.float32)
    kept = run_to_end(keep_pair(sources_of(handle_of(golden + 1), handle_of(golden)), 7))
    assert kept is not None
    lost = PairSources(Gone(), Gone(), Held(written_and_read(path, kept)))
    with pytest.raises(InputError) as caught:
        run_to_end(region_statistics(lost, Plane.of(golden.shape), Region(0, 3, 0, 4)))
    assert caught.value.problem.code == "part_not_kept"
    assert run_to_end(region_statistics(lost)).shape == (400, 500)


def test_a_tensor_of_one_axis_is_kept_as_a_line_too(path: Path) -> None:
    """It is drawn as a curve before anything else is chosen."""
    golden = np.random.default_rng(5).standard_normal(300_000, np.float32)
    target = golden.copy()
    target[123_456] += 8
    kept = run_to_end(keep_pair(sources_of(handle_of(target), handle_of(golden)), 123_456))
    assert kept is not None
    lost = PairSources(Gone(), Gone(), Held(written_and_read(path, kept)))
    for plane in (Plane.line(golden.shape), Plane.of(golden.shape)):
        for pictures in pair_pictures(PictureRequest(lost, plane, max_pixels=(1000, 1000))):
            assert pictures is not None
            assert pictures.golden.plane_size == plane.size(golden.shape)
            assert pictures.difference is not None
            assert pictures.difference.region == (
                0,
                *plane.size(golden.shape)[:1],
                0,
                plane.size(golden.shape)[1],
            )
            row, column = np.unravel_index(
                np.nanargmax(np.abs(pictures.difference.values)), pictures.difference.values.shape
            )
            place = plane.position(golden.shape, (123_456,))
            assert place is not None
            blocks = pictures.difference.block
            assert (row, column) == (place[0] // blocks[0], place[1] // blocks[1])
    other = list(pair_pictures(PictureRequest(lost, Plane((), (0,), (0,), 1000))))[-1]
    assert other is not None
    assert other.target.problem == Problem("slice_not_kept", "")


def test_a_side_that_cannot_be_opened() -> None:
    there = sources_of(handle_of(np.zeros(3, np.float32)), None)
    assert run_to_end(keep_pair(PairSources(there.target, Gone()), 0)) is None
