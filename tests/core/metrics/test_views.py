"""What a service process answers to the window."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from core.metrics.plane import Plane, Region
from core.metrics.views import TensorFile, ValuePair, ViewRequest, tensor_view, values_at
from core.workers import Service

BASE = np.random.default_rng(3).standard_normal((3, 40, 50)).astype(np.float32)


def saved(path: Path, array: np.ndarray) -> TensorFile:
    np.save(path, array)
    return TensorFile(str(path))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[TensorFile, TensorFile]:
    return saved(tmp_path / "target.npy", BASE + 1), saved(tmp_path / "golden.npy", BASE)


def test_three_pictures_of_one_plane(pair: tuple[TensorFile, TensorFile]) -> None:
    plane = Plane(0, 2, (0, 7, 0))
    answer = tensor_view(ViewRequest(*pair, plane, Region(0, 3, 10, 20), (100, 100)))
    assert answer.target.picture is not None
    assert answer.golden.picture is not None
    assert answer.difference is not None
    np.testing.assert_array_equal(answer.golden.picture.values, BASE[:, 7, 10:20])
    np.testing.assert_array_equal(answer.target.picture.values, (BASE + 1)[:, 7, 10:20])
    np.testing.assert_allclose(answer.difference.values, 1, rtol=1e-6)
    assert answer.target.shape == (3, 40, 50)
    assert (answer.target.dtype, answer.target.plane_size) == ("float32", (3, 50))


def test_the_last_two_axes_are_shown_unless_asked(pair: tuple[TensorFile, TensorFile]) -> None:
    for plane in (None, Plane(5, 6, (0,))):
        answer = tensor_view(ViewRequest(*pair, plane))
        assert answer.golden.plane == Plane(1, 2, (0, 0, 0))
        assert answer.golden.picture is not None
        np.testing.assert_array_equal(answer.golden.picture.values, BASE[0])


def test_a_bad_side_does_not_stop_the_other(pair: tuple[TensorFile, TensorFile], tmp_path: Path) -> None:
    answer = tensor_view(ViewRequest(TensorFile(str(tmp_path / "absent.npy")), pair[1]))
    assert answer.target.problem is not None
    assert answer.target.problem.code == "file_missing"
    assert answer.target.picture is None
    assert answer.golden.picture is not None
    assert answer.difference is None
    alone = tensor_view(ViewRequest(pair[0], None))
    assert alone.golden.picture is alone.golden.problem is alone.difference is None


def test_other_shapes_have_no_difference(pair: tuple[TensorFile, TensorFile], tmp_path: Path) -> None:
    other = saved(tmp_path / "other.npy", BASE[0])
    answer = tensor_view(ViewRequest(pair[0], other))
    assert answer.difference is None
    assert answer.golden.shape == (40, 50)
    with_one = saved(tmp_path / "one.npy", BASE[:, None])
    answer = tensor_view(ViewRequest(pair[0], with_one))
    assert answer.difference is not None
    np.testing.assert_allclose(answer.difference.values, 1, rtol=1e-6)


def test_values_at_an_index(pair: tuple[TensorFile, TensorFile], tmp_path: Path) -> None:
    request = ViewRequest(*pair)
    assert values_at(request, (2, 3, 4)) == ValuePair(float((BASE + 1)[2, 3, 4]), float(BASE[2, 3, 4]))
    assert values_at(request, (3, 0, 0)) == values_at(request, (0, 0)) == ValuePair(None, None)
    large = saved(tmp_path / "large.npy", np.array(2**60 + 1))
    assert values_at(ViewRequest(large, None), ()) == ValuePair(2**60 + 1, None)


def test_a_service_process_answers(pair: tuple[TensorFile, TensorFile]) -> None:
    request = ViewRequest(*pair, max_pixels=(8, 8))
    service = Service()
    try:
        service.send(1, tensor_view, request)
        ticket, kind, answer = service.receive()
    finally:
        service.stop()
    assert (ticket, kind) == (1, "result")
    here = tensor_view(request)
    np.testing.assert_array_equal(answer.difference.values, here.difference.values)  # type: ignore[union-attr]
    assert pickle.loads(pickle.dumps(request)) == request


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 17, 1000])
def test_every_element_of_a_folded_tensor_has_one_place(count: int) -> None:
    plane = Plane.of((count,))
    rows, columns = plane.size((count,))
    places = [plane.index((count,), row, column) for row in range(rows) for column in range(columns)]
    assert [place for place in places if place is not None] == [(at,) for at in range(count)]
    assert abs(rows - columns) <= 1
