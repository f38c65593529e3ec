"""One element of a pair, exactly."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.metrics.inspection.sources import PairSources, TensorFile
from core.metrics.inspection.values import ElementPair, values_at


def sources(folder: Path, target: np.ndarray, golden: np.ndarray | None) -> PairSources:
    files = []
    for name, array in (("target", target), ("golden", golden)):
        if array is not None:
            np.save(folder / f"{name}.npy", array)
        files.append(TensorFile(str(folder / f"{name}.npy")) if array is not None else None)
    return PairSources(files[0], files[1])


def test_values_difference_and_ulps(tmp_path: Path) -> None:
    golden = np.random.default_rng(3).standard_normal((3, 4, 5)).astype(np.float16)
    target = golden.copy()
    target[2, 3, 4] = np.nextafter(golden[2, 3, 4], np.float16(9))
    found = values_at(sources(tmp_path, target, golden), (2, 3, 4))
    t, g = float(target[2, 3, 4]), float(golden[2, 3, 4])
    assert found == ElementPair((2, 3, 4), t, g, t - g, 1.0)


@pytest.mark.parametrize("place", [(3, 0, 0), (0, 0), (0, -1, 0), ()])
def test_places_that_do_not_exist(tmp_path: Path, place: tuple[int, ...]) -> None:
    pair = sources(tmp_path, np.zeros((3, 4, 5)), np.zeros((3, 4, 5)))
    assert values_at(pair, place) == ElementPair(place, None, None)


def test_integers_are_exact(tmp_path: Path) -> None:
    pair = sources(tmp_path, np.array([2**60 + 1, -(2**63)]), np.array([2**60, 2**63 - 1]))
    assert values_at(pair, (0,)) == ElementPair((0,), 2**60 + 1, 2**60, 1)
    assert values_at(pair, (1,)).difference == 1 - 2**64
    alone = sources(tmp_path, np.array(2**60 + 1), None)
    assert values_at(alone, ()) == ElementPair((), 2**60 + 1, None)


def test_special_values_have_no_ulps(tmp_path: Path) -> None:
    pair = sources(tmp_path, np.array([np.inf, np.nan, 1.0]), np.array([1.0, np.nan, np.inf]))
    found = [values_at(pair, (at,)) for at in range(3)]
    assert [element.ulps for element in found] == [None, None, None]
    assert (found[0].difference, found[2].difference) == (math.inf, -math.inf)
    assert math.isnan(found[1].difference)  # type: ignore[arg-type]


def test_complex_and_bool(tmp_path: Path) -> None:
    pair = sources(tmp_path, np.array([1 + 2j]), np.array([1 - 1j]))
    assert values_at(pair, (0,)).difference == 3j
    pair = sources(tmp_path, np.array([True]), np.array([False]))
    assert values_at(pair, (0,)) == ElementPair((0,), True, False, 1)


def test_elements_of_other_shapes_are_not_compared(tmp_path: Path) -> None:
    """The same index is not the same element there."""
    numbers = np.arange(12.0)
    pair = sources(tmp_path, numbers.reshape(3, 4), numbers.reshape(4, 3) + 1)
    assert values_at(pair, (1, 2)) == ElementPair((1, 2), 6.0, 6.0)
    pair = sources(tmp_path, numbers.reshape(3, 4), numbers.reshape(3, 1, 4) + 1)  # but for a 1: the same
    assert values_at(pair, (1, 2)).difference == -1.0
