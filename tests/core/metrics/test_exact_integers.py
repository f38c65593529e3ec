"""Integers and booleans: no wrap, no rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.elementwise import compare_tensors
from core.metrics.tensor_metrics import TensorMetrics

NAMES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


def compare(target: np.ndarray, golden: np.ndarray) -> TensorMetrics:
    sides = [TensorHandle(array.view(), DTYPES[array.dtype.name]) for array in (target, golden)]
    return compare_tensors(*sides)


def integers(name: str) -> st.SearchStrategy[int]:
    if name == "bool":
        return st.integers(0, 1)
    limits = np.iinfo(name)
    edges = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1]
    return st.sampled_from(edges) | st.integers(int(limits.min), int(limits.max))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), first=st.sampled_from(NAMES), second=st.sampled_from(NAMES))
def test_any_two_types(data: st.DataObject, first: str, second: str) -> None:
    size = data.draw(st.integers(1, 12))
    t = data.draw(st.lists(integers(first), min_size=size, max_size=size))
    g = data.draw(st.lists(integers(second), min_size=size, max_size=size))
    metrics = compare(np.array(t, first), np.array(g, second))
    differences = [abs(left - right) for left, right in zip(t, g)]
    worst = max(differences)
    assert metrics.max_abs_exact == worst
    assert metrics.max_abs == float(worst)
    assert metrics.max_abs_index == (differences.index(worst) if worst else -1)
    assert metrics.different_count == sum(difference != 0 for difference in differences)
    wanted = next((at for at, difference in enumerate(differences) if difference), -1)
    assert metrics.first_different_index == wanted
    assert metrics.identical_bytes == (not worst and first == second)
    assert metrics.count == size


@pytest.mark.parametrize(
    ("target", "golden", "worst"),
    [
        (np.array(3, np.uint8), np.array(5, np.uint8), 2),
        (np.array([2**63 - 1]), np.array([-(2**63)]), 2**64 - 1),
        (np.array([2**60]), np.array([2**60 + 1]), 1),
        (np.array([2**64 - 1], np.uint64), np.array([-(2**63)]), 2**64 - 1 + 2**63),
        (np.array([2**64 - 1], np.uint64), np.array([-1]), 2**64),
    ],
)
def test_extremes_do_not_wrap(target: np.ndarray, golden: np.ndarray, worst: int) -> None:
    metrics = compare(target, golden)
    assert metrics.max_abs_exact == worst
    assert metrics.equal_count == 0
    assert metrics.euclidean >= metrics.max_abs


def test_one_token_id_of_many() -> None:
    golden = np.random.default_rng(1).integers(0, 50000, (4, 100000))
    target = golden.copy()
    target[3, 5] += 1
    metrics = compare(target, golden)
    assert (metrics.different_count, metrics.first_different_index, metrics.max_abs) == (1, 300005, 1.0)


def test_booleans() -> None:
    metrics = compare(np.array([True, False, True]), np.array([True, True, True]))
    assert (metrics.different_count, metrics.first_different_index, metrics.max_abs_exact) == (1, 1, 1)
