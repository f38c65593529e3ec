"""Pictures of a pair, as a service process answers them to the window."""

from __future__ import annotations

import os
import pickle
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from core.messages import Message
from core.metrics.inspection import pictures
from core.metrics.inspection.kept.pair import KeptPair, KeptPlane, KeptSide
from core.metrics.inspection.pictures import PairPictures, PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources, TensorFile, open_pair
from core.metrics.pictures import reduction
from core.metrics.pictures.drawing import OUTSIDE, difference_picture, picture
from core.metrics.pictures.kinds import Difference, Part
from core.metrics.pictures.plane import Plane, Region
from core.workers.service import Service
from tests.core.metrics.pictures.tensors import handle_of

BASE = np.random.default_rng(3).standard_normal((3, 40, 50)).astype(np.float32)


def saved(path: Path, array: np.ndarray) -> TensorFile:
    np.save(path, array)
    return TensorFile(str(path))


def known(path: Path, array: np.ndarray) -> TensorFile:
    """Save, with what a dump would know of the file."""
    np.save(path, array)
    status = path.stat()
    return TensorFile(str(path), None, None, status.st_size, status.st_mtime_ns)


def answer(request: PictureRequest) -> PairPictures:
    *_, last = pair_pictures(request)
    assert last is not None
    assert last.whole
    return last


@pytest.fixture
def pair(tmp_path: Path) -> PairSources:
    return PairSources(saved(tmp_path / "target.npy", BASE + 1), saved(tmp_path / "golden.npy", BASE))


def test_three_pictures_of_one_plane(pair: PairSources) -> None:
    plane = Plane((0,), (2,), (0, 7, 0))
    found = answer(PictureRequest(pair, plane, Region(0, 3, 10, 20), (100, 100)))
    assert found.target.picture is not None
    assert found.golden.picture is not None
    assert found.difference is not None
    np.testing.assert_array_equal(found.golden.picture.values, BASE[:, 7, 10:20])
    np.testing.assert_array_equal(found.target.picture.values, (BASE + 1)[:, 7, 10:20])
    np.testing.assert_allclose(found.difference.values, 1, rtol=1e-6)
    assert found.target.shape == (3, 40, 50)
    assert (found.target.dtype, found.target.plane_size) == ("float32", (3, 50))


@pytest.mark.parametrize("difference", Difference)
def test_each_kind_of_difference(pair: PairSources, difference: Difference) -> None:
    found = answer(PictureRequest(pair, difference=difference)).difference
    assert found is not None
    t, g = (BASE + 1)[0].astype(float), BASE[0].astype(float)
    wanted = {
        Difference.ABSOLUTE: t - g,
        Difference.RELATIVE: (t - g) / np.abs(g),
        Difference.ULP: (t - g) / np.spacing(np.abs(BASE[0])),
        Difference.SIGN: (np.sign(t) > np.sign(g)) * 1.0,
        Difference.CLASSES: np.zeros_like(g),
    }
    np.testing.assert_allclose(found.values, wanted[difference], rtol=1e-6)


def test_parts_of_complex_numbers(tmp_path: Path) -> None:
    numbers = (BASE[0] + 1j * BASE[1]).astype(np.complex64)
    sources = PairSources(saved(tmp_path / "t.npy", numbers.conj()), saved(tmp_path / "g.npy", numbers))
    found = answer(PictureRequest(sources, part=Part.IMAGINARY))
    assert found.golden.picture is not None
    assert found.difference is not None
    np.testing.assert_array_equal(found.golden.picture.values, BASE[1])
    np.testing.assert_allclose(found.difference.values, -2 * BASE[1], rtol=1e-6)


def test_the_last_two_axes_are_shown_unless_asked(pair: PairSources) -> None:
    for plane in (None, Plane((5,), (6,), (0,))):
        found = answer(PictureRequest(pair, plane))
        assert found.golden.plane == Plane((1,), (2,), (0, 0, 0))
        assert found.golden.picture is not None
        np.testing.assert_array_equal(found.golden.picture.values, BASE[0])


def test_a_bad_side_does_not_stop_the_other(pair: PairSources, tmp_path: Path) -> None:
    found = answer(PictureRequest(PairSources(TensorFile(str(tmp_path / "absent.npy")), pair.golden)))
    assert found.target.problem is not None
    assert found.target.problem.code == "file_missing"
    assert found.target.picture is None
    assert found.golden.picture is not None
    assert found.difference is None
    alone = answer(PictureRequest(PairSources(pair.target, None)))
    assert alone.golden.picture is alone.golden.problem is alone.difference is None


def test_other_shapes_have_no_difference(pair: PairSources, tmp_path: Path) -> None:
    other = saved(tmp_path / "other.npy", BASE[0])
    found = answer(PictureRequest(PairSources(pair.target, other)))
    assert found.difference is None
    assert found.no_difference is not None
    assert found.golden.shape == (40, 50)
    with_one = saved(tmp_path / "one.npy", BASE[:, None])
    found = answer(PictureRequest(PairSources(pair.target, with_one)))
    assert found.difference is not None
    np.testing.assert_allclose(found.difference.values, 1, rtol=1e-6)


def test_a_large_picture_is_shown_as_it_grows(pair: PairSources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_SHOWN_EVERY", 0.0)
    monkeypatch.setattr(reduction, "_TILE", 100)
    monkeypatch.setattr(reduction, "_BREATH", 0.0)
    monkeypatch.setattr(reduction, "_PARTIAL", 0.0)
    shown = [found for found in pair_pictures(PictureRequest(pair, max_pixels=(20, 25))) if found is not None]
    first, last = shown[0], shown[-1]
    assert first.target.picture is not None
    assert first.golden.picture is first.difference is None
    assert (first.target.picture.classes & OUTSIDE).any()
    assert [found.whole for found in shown] == [False] * (len(shown) - 1) + [True]
    assert last.target.picture is not None
    assert not (last.target.picture.classes & OUTSIDE).any()


def test_others_have_their_turn_meanwhile(tmp_path: Path) -> None:
    array = np.random.default_rng(0).standard_normal((4000, 4000)).astype(np.float16)
    sources = PairSources(saved(tmp_path / "t.npy", array), saved(tmp_path / "g.npy", -array))
    waits, begin = [], time.perf_counter()
    for _ in pair_pictures(PictureRequest(sources, max_pixels=(500, 500), difference=Difference.ULP)):
        waits.append(time.perf_counter() - begin)
        begin = time.perf_counter()
    assert len(waits) >= 4
    assert sorted(waits)[len(waits) // 2] < 0.1  # the machine may be busy: the median is not


def test_an_answer_is_kept_until_a_file_changes(pair: PairSources, tmp_path: Path) -> None:
    request = PictureRequest(pair, Plane((0,), (1,), (0, 0, 3)))
    first = answer(request)
    assert list(pair_pictures(pickle.loads(pickle.dumps(request)))) == [first]
    saved(tmp_path / "target.npy", BASE + 2)
    os.utime(tmp_path / "target.npy", ns=(1, 1))
    second = answer(request)
    assert second is not first
    assert second.difference is not None
    np.testing.assert_allclose(second.difference.values, 2, rtol=1e-6)


def test_a_file_that_is_not_the_dumps_any_more_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "target.npy"
    sources = PairSources(known(path, np.tile(BASE, (1, 30, 1))), None)  # large enough to be mapped
    assert answer(PictureRequest(sources)).target.picture is not None
    os.utime(path, ns=(1, 1))
    found = answer(PictureRequest(sources))
    assert found.target.picture is None
    assert found.target.problem is not None
    assert found.target.problem.code == "file_rewritten"


def test_a_file_that_comes_later_is_found(tmp_path: Path) -> None:
    sources = PairSources(TensorFile(str(tmp_path / "late.npy")), None)
    assert open_pair(sources).target is None
    saved(tmp_path / "late.npy", BASE)
    assert open_pair(sources).target is not None
    assert open_pair(sources) is open_pair(sources)


@dataclass(frozen=True)
class Kept:
    """What a result would hold of a pair: the pictures of one plane."""

    dtype: str
    path = ""

    def load(self) -> KeptPair:
        array = BASE[0].astype(self.dtype)
        target, golden = handle_of(array * 2), handle_of(array)
        plane = Plane.of(array.shape)
        sides = [picture(side, plane, None, (20, 25)) for side in (target, golden)]
        difference = difference_picture(target, golden, plane, None, (20, 25))
        side = KeptSide(array.shape, self.dtype, self.dtype)
        return KeptPair(side, side, (KeptPlane(plane, sides[0], sides[1], difference),))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_without_bytes_a_result_answers_what_it_can(dtype: str) -> None:
    sources = PairSources(None, None, Kept(dtype))
    found = answer(PictureRequest(sources, max_pixels=(20, 25)))
    assert found.kept
    assert found.golden.picture is not None
    assert found.difference is not None
    wanted = np.abs(BASE[0]).reshape(20, 2, 25, 2).max((1, 3))
    np.testing.assert_allclose(np.abs(found.golden.picture.values), wanted, rtol=1e-6)
    np.testing.assert_allclose(np.abs(found.difference.values), wanted, rtol=1e-6)
    relative = answer(PictureRequest(sources, difference=Difference.RELATIVE))
    assert relative.golden.picture is not None
    assert relative.difference is None
    assert relative.no_difference == Message("gui.tensors.absolute_only")
    real = answer(PictureRequest(sources, part=Part.REAL))
    assert (real.golden.picture is None) == (dtype == "complex64")


def test_what_is_kept_is_bounded(pair: PairSources, monkeypatch: pytest.MonkeyPatch) -> None:
    made = answer(PictureRequest(pair))
    monkeypatch.setattr(pictures, "_cache", pictures.PictureCache(3 * made.nbytes))
    requests = [PictureRequest(pair, Plane.of((3, 40, 50), (at,)), max_pixels=(40, 50)) for at in range(3)]
    answers = [answer(request) for request in requests]
    answers.append(answer(PictureRequest(pair, max_pixels=(41, 50))))
    assert answer(requests[1]) is answers[1]
    assert answer(requests[0]) is not answers[0]


def test_a_service_process_answers(pair: PairSources) -> None:
    request = PictureRequest(pair, max_pixels=(8, 8))
    service = Service()
    said = []
    try:
        service.send(1, pair_pictures, request)
        while not said or said[-1][1] == "part" or said[-1][1] == "begun":
            said.append(service.receive())
    finally:
        service.stop()
    parts = [value for _, kind, value in said if kind == "part" and value is not None]
    assert (said[0][1], said[-1][1]) == ("begun", "result")
    assert parts[-1].whole
    np.testing.assert_array_equal(parts[-1].difference.values, answer(request).difference.values)  # type: ignore[union-attr]
    assert pickle.loads(pickle.dumps(request)) == request
