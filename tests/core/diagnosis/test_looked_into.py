"""A result that is taken home lets one look into the tensors that matter, without the dumps."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest
from builders.dumps import call, write_dump

from core.cli.main import main
from core.errors import InputError
from core.metrics.distributions.records import Bins
from core.metrics.elements.records import By, RegionStatistics
from core.metrics.inspection.distributions import DistributionRequest, Distributions, pair_distributions
from core.metrics.inspection.elements import (
    WorstElements,
    WorstRequest,
    region_statistics,
    region_values,
    save_array,
    value_window,
    worst_elements,
)
from core.metrics.inspection.kept.place import KeptPlace
from core.metrics.inspection.patterns import pair_patterns
from core.metrics.inspection.pictures import PairPictures, PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.inspection.values import ElementPair, values_at
from core.metrics.patterns.pattern import PatternName
from core.metrics.pictures.extremes import NAN
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Picture
from core.progress import run_to_end
from core.records.result import CellResult
from core.store.results import load_cell, load_info
from core.store.tensor_bytes import TensorPlace, place_of

SMALL, LARGE = "Functional.relu.0.forward", "Functional.gelu.0.forward"
DOUBLED = "Functional.linear.0.forward"
LARGE_SHAPE = (3, 400, 520)


@dataclass
class Taken:
    """A result, the dumps it was made of, and what was in them."""

    result: Path
    dumps: Path
    target: dict[str, np.ndarray]
    golden: dict[str, np.ndarray]

    @property
    def cell(self) -> CellResult:
        return load_cell(self.result, load_info(self.result).cells[0])

    def row(self, operator: str, slot: str = "output.0") -> int:
        cell = self.cell
        for row, at in enumerate(cell.rows.target_slot.tolist()):
            name = cell.target.operator_name(int(cell.rows.target_operator[row]))
            if at >= 0 and (name, cell.target.slot_name(at)) == (operator, slot):
                return row
        raise AssertionError(f"no {operator} {slot}")

    def sources(self, row: int) -> PairSources:
        cell = self.cell
        places = (
            place_of(cell.target, int(cell.rows.target_slot[row])),
            place_of(cell.golden, int(cell.rows.golden_slot[row])),
        )
        return PairSources(*places, KeptPlace(str(self.result), cell.key, row))

    def from_dumps(self, row: int) -> PairSources:
        """Return the same tensors where the dumps lie now."""
        sources = self.sources(row)
        assert isinstance(sources.target, TensorPlace)
        assert isinstance(sources.golden, TensorPlace)
        target, golden = (str(self.dumps / side / "dump_tensor_data") for side in ("t", "g"))
        return PairSources(replace(sources.target, folder=target), replace(sources.golden, folder=golden))


def values(seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return outputs of target and golden by call."""
    draw = np.random.default_rng(seed)
    small = draw.standard_normal((4, 9)).astype(ml_dtypes.bfloat16)
    large = draw.standard_normal(LARGE_SHAPE).astype(np.float32)
    doubled = draw.standard_normal((700, 600)).astype(np.float16)
    golden = {SMALL: small, LARGE: large, DOUBLED: doubled}
    target = {name: array.copy() for name, array in golden.items()}
    target[DOUBLED] *= np.float16(2)
    target[SMALL][2, 5] *= ml_dtypes.bfloat16(3)
    target[LARGE] *= np.float32(1 + 3e-7)
    target[LARGE][1, 200:240, 300:340] += np.float32(0.5)
    target[LARGE][1, 222, 333] = 44
    target[LARGE][2, 9, 9] = np.nan
    return target, golden


def compared(folder: Path, target: dict[str, np.ndarray], golden: dict[str, np.ndarray], output: str) -> Path:
    """Compare by the command line; the inputs of both sides are equal."""
    for side, outputs in (("t", target), ("g", golden)):
        calls = {name: call([golden[name]], [array]) for name, array in outputs.items()}
        write_dump(folder / side, calls, tensors=True)
    path = folder / output
    assert main(["compare", str(folder / "t"), str(folder / "g"), "-o", str(path), "--quiet"]) == 1
    return path


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Taken:
    """Return a result that was moved away from its dumps, which are no longer where they were."""
    folder = tmp_path_factory.mktemp("taken")
    target, golden = values()
    made = compared(folder / "server", target, golden, "r.h5")
    result = folder / "home.h5"
    shutil.move(made, result)
    shutil.move(folder / "server", folder / "elsewhere")
    return Taken(result, folder / "elsewhere", target, golden)


def test_the_differing_outputs_are_kept(taken: Taken) -> None:
    assert {taken.row(SMALL), taken.row(LARGE)} <= set(taken.cell.kept_rows)
    assert len(taken.cell.kept_rows) <= len(taken.cell.rows)


def test_small_tensors_are_kept_whole(taken: Taken) -> None:
    pair = open_pair(taken.sources(taken.row(SMALL)))
    assert pair.kept is not None
    assert pair.condensed is None
    assert pair.problems == (None, None)
    assert pair.both is not None
    for handle, side in zip(pair.both, (taken.target, taken.golden)):
        assert handle.dtype.name == "bfloat16"
        assert handle.read().tobytes() == side[SMALL].astype(np.float32).tobytes()


def test_large_tensors_are_kept_as_pictures(taken: Taken) -> None:
    kept = open_pair(taken.sources(taken.row(LARGE))).condensed
    assert kept is not None
    assert (kept.target.bits, kept.target.dtype, kept.target.shape) == (None, "float32", LARGE_SHAPE)
    whole, slice_ = kept.planes
    assert whole.plane == Plane.whole(LARGE_SHAPE)
    assert slice_.plane == Plane.of(LARGE_SHAPE, (1, 222, 333))
    for held in kept.planes:
        for side, drawn in zip(
            (taken.target[LARGE], taken.golden[LARGE], taken.target[LARGE] - taken.golden[LARGE]),
            (held.target, held.golden, held.difference),
        ):
            assert drawn is not None
            matrix = side.reshape(-1, 520) if held is whole else side[1]
            assert_is_picture(drawn, matrix)


def assert_is_picture(drawn: Picture, matrix: np.ndarray) -> None:
    """Check numbers against all elements, and each pixel against those of its block."""
    assert drawn.nan == np.isnan(matrix).sum()
    assert drawn.maximum == np.nanmax(matrix)
    (rows, columns), (tall, wide) = drawn.values.shape, drawn.block
    top, bottom, left, right = drawn.region
    padded = np.zeros((rows * tall, columns * wide), np.float32)
    padded[: bottom - top, : right - left] = matrix[top:bottom, left:right]
    blocks = padded.reshape(rows, tall, columns, wide)
    largest = np.nanmax(np.abs(blocks), axis=(1, 3))
    pixels = np.abs(drawn.values)
    assert ((pixels <= largest) & (pixels >= largest * (1 - 2**-12))).all()
    np.testing.assert_array_equal(drawn.classes == NAN, np.isnan(blocks).any(axis=(1, 3)))


def pictures(request: PictureRequest) -> PairPictures:
    found = [part for part in pair_pictures(request) if part is not None][-1]
    assert found.whole
    assert found.kept
    return found


@pytest.mark.parametrize("difference", Difference)
def test_a_pair_that_is_kept_whole_is_drawn_as_ever(taken: Taken, difference: Difference) -> None:
    sources = taken.sources(taken.row(SMALL))
    found = pictures(PictureRequest(sources, difference=difference))
    for side, array in ((found.target, taken.target[SMALL]), (found.golden, taken.golden[SMALL])):
        assert (side.dtype, side.problem) == ("bfloat16", None)
        assert side.picture is not None
        np.testing.assert_array_equal(side.picture.values, array.astype(np.float32))
    assert found.difference is not None
    assert np.flatnonzero(found.difference.values).tolist() == (
        [] if difference in (Difference.SIGN, Difference.CLASSES) else [2 * 9 + 5]
    )


@pytest.mark.parametrize("region", [None, Region(333, 801, 5, 500), Region(700, 730, 300, 340)])
@pytest.mark.parametrize("pixels", [(2000, 2000), (100, 100), (7, 300)])
def test_any_part_of_a_kept_picture(taken: Taken, region: Region | None, pixels: tuple[int, int]) -> None:
    plane = Plane.whole(LARGE_SHAPE)
    found = pictures(PictureRequest(taken.sources(taken.row(LARGE)), plane, region, pixels))
    arrays = (taken.target[LARGE], taken.golden[LARGE], taken.target[LARGE] - taken.golden[LARGE])
    for drawn, array in zip((found.target.picture, found.golden.picture, found.difference), arrays):
        assert drawn is not None
        assert all(have <= want for have, want in zip(drawn.values.shape, pixels))
        assert_is_picture(drawn, array.reshape(-1, 520))
        wanted = region or Region(0, 1200, 0, 520)
        assert drawn.region.top <= wanted.top < wanted.bottom <= drawn.region.bottom
        assert drawn.region.left <= wanted.left < wanted.right <= drawn.region.right


def assert_same(kept: Any, drawn: Any) -> None:
    """Check that two answers hold the same numbers; NaN is NaN."""
    np.testing.assert_equal(*(asdict(replace(answer, **_AWAY[type(answer)])) for answer in (kept, drawn)))


_AWAY: dict[type, dict[str, Any]] = {
    WorstElements: {"request": None, "rows": (), "kept": None},
    Distributions: {"request": None, "kept": None},
    RegionStatistics: {},
}
"""What answers from a result and from dumps need not have in common."""


@pytest.mark.parametrize("name", [SMALL, LARGE, DOUBLED])
class TestAnswersAreThoseFromTheDumps:
    @pytest.mark.parametrize("by", By)
    def test_worst(self, taken: Taken, name: str, by: By) -> None:
        row = taken.row(name)
        kept, drawn = (
            run_to_end(worst_elements(WorstRequest(sources, by, count=40)))
            for sources in (taken.sources(row), taken.from_dumps(row))
        )
        assert (kept.kept, drawn.kept) == (True, False)
        assert drawn.rows
        rows = [asdict(replace(one, kept=False)) for one in kept.rows]
        np.testing.assert_equal(rows, [asdict(one) for one in drawn.rows])
        assert_same(kept, drawn)

    @pytest.mark.parametrize("bins", Bins)
    def test_distributions(self, taken: Taken, name: str, bins: Bins) -> None:
        row = taken.row(name)
        kept, drawn = (
            run_to_end(pair_distributions(DistributionRequest(sources, bins)))
            for sources in (taken.sources(row), taken.from_dumps(row))
        )
        assert kept.kept
        assert drawn.values is not None
        assert_same(kept, drawn)

    def test_statistics_and_patterns(self, taken: Taken, name: str) -> None:
        row = taken.row(name)
        kept, drawn = (
            (run_to_end(region_statistics(sources)), run_to_end(pair_patterns(sources)))
            for sources in (taken.sources(row), taken.from_dumps(row))
        )
        assert_same(kept[0], drawn[0])
        assert kept[1] == drawn[1]
        assert (PatternName.CONSTANT_RATIO in [pattern.name for pattern in kept[1]]) is (name == DOUBLED)

    def test_window(self, taken: Taken, name: str) -> None:
        row = taken.row(name)
        shape = taken.target[name].shape
        worst = run_to_end(worst_elements(WorstRequest(taken.from_dumps(row), count=1))).rows[0].index
        plane = Plane.of(shape, worst)
        top, left = (max(at - 2, 0) for at in worst[-2:])
        kept, drawn = (
            value_window(sources, plane, top, left, 4, 5)
            for sources in (taken.sources(row), taken.from_dumps(row))
        )
        assert kept.inside[worst[-2] - top, worst[-1] - left]
        for ours, theirs in zip((kept.target, kept.golden), (drawn.target, drawn.golden)):
            assert ours is not None
            assert theirs is not None
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours[kept.inside], theirs[kept.inside])


def test_parts_that_are_not_kept_are_said(taken: Taken) -> None:
    sources = taken.sources(taken.row(LARGE))
    plane, part = Plane.whole(LARGE_SHAPE), Region(0, 9, 0, 9)
    distributions = run_to_end(pair_distributions(DistributionRequest(sources, plane=plane, rectangle=part)))
    worst = run_to_end(worst_elements(WorstRequest(sources, plane=plane, rectangle=part)))
    for problem in (distributions.problems[0], worst.problems[0]):
        assert problem is not None
        assert problem.code == "part_not_kept"
    with pytest.raises(InputError):
        region_values(sources, plane, part)
    assert not value_window(sources, plane, 0, 0, 9, 9).inside.any()
    with pytest.raises(InputError):
        run_to_end(save_array(sources, "target", str(taken.result.with_suffix(".npy"))))


def test_what_is_not_kept_is_said(taken: Taken) -> None:
    sources = taken.sources(taken.row(LARGE))
    other = pictures(PictureRequest(sources, Plane.of(LARGE_SHAPE, (0, 0, 0))))
    for side in (other.target, other.golden):
        assert side.picture is None
        assert side.shape == LARGE_SHAPE
        assert side.problem is not None
        assert side.problem.code == "slice_not_kept"
    ulps = pictures(PictureRequest(sources, Plane.of(LARGE_SHAPE, (1, 0, 0)), difference=Difference.ULP))
    assert ulps.target.picture is not None
    assert ulps.difference is None
    assert ulps.no_difference is not None


def test_a_damaged_entry_costs_itself_only(taken: Taken, tmp_path: Path) -> None:
    key = taken.cell.key
    with h5py.File(taken.result) as file:
        values = file[f"cells/{key.label()}/kept/{taken.row(LARGE)}/planes/0/target/values"]
        _, stored = values.id.read_direct_chunk(values.id.get_chunk_info(0).chunk_offset)
    content = bytearray(taken.result.read_bytes())
    content[content.index(stored) + len(stored) // 2] ^= 8
    (tmp_path / "damaged.h5").write_bytes(content)
    found = {}
    for name in (SMALL, LARGE):
        sources = taken.sources(taken.row(name))
        place = KeptPlace(str(tmp_path / "damaged.h5"), key, taken.row(name))
        found[name] = open_pair(PairSources(sources.target, sources.golden, place))
    assert found[SMALL].both is not None
    assert found[LARGE].kept is None
    assert found[LARGE].problems[0] is not None


def test_equal_inputs_of_a_suspect_are_kept_as_pictures(taken: Taken) -> None:
    row = taken.row(LARGE, "input.0")
    assert row in taken.cell.kept_rows
    kept = open_pair(taken.sources(row)).condensed
    assert kept is not None
    assert len(kept.planes) == 2
    assert not kept.worst
    assert run_to_end(pair_distributions(DistributionRequest(taken.sources(row)))).problems[0] is not None


def test_elements_around_the_largest_difference_are_exact(taken: Taken) -> None:
    kept = open_pair(taken.sources(taken.row(LARGE))).condensed
    assert kept is not None
    for place in ((1, 222, 333), (1, 206, 317), (1, 238, 349)):
        assert kept.element(place) == (taken.target[LARGE][place], taken.golden[LARGE][place])
    assert kept.element((0, 222, 333)) is None


def test_the_read_out_knows_them(taken: Taken) -> None:
    large, small = taken.sources(taken.row(LARGE)), taken.sources(taken.row(SMALL))
    known = values_at(large, (1, 222, 333))
    golden = taken.golden[LARGE][1, 222, 333]
    assert (known.target, known.golden, known.kept) == (44.0, golden.item(), True)
    assert known.difference == 44.0 - golden.item()
    assert known.ulps == pytest.approx(abs(44.0 - golden) / np.spacing(abs(golden)))
    assert values_at(large, (0, 0, 0)) == ElementPair((0, 0, 0), None, None, kept=True)
    exact = values_at(small, (0, 3))
    assert (exact.target, exact.kept) == (float(taken.target[SMALL][0, 3]), True)


def test_without_the_result_the_dumps_are_missing(taken: Taken) -> None:
    sources = taken.sources(taken.row(SMALL))
    pair = open_pair(PairSources(sources.target, sources.golden))
    assert pair.target is None
    assert pair.problems[0] is not None
    assert pair.kept is None


def test_reports_keep_nothing(tmp_path: Path) -> None:
    target, golden = values(1)
    path = compared(tmp_path, {SMALL: target[SMALL]}, {SMALL: golden[SMALL]}, "r.csv")
    assert path.read_bytes()[:1] != b"{"
