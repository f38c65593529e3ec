"""Orders of sums: the vendor's tables, fractions, and what a huge number swallows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from builders.exact_rounding import rounded
from hypothesis import example, given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.emulation.arithmetic.reduction import ReductionOrder, reduce_sum
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding

DATA = Path(__file__).resolve().parents[3] / "data"
HALF, SINGLE = DTYPES["float16"], DTYPES["float32"]
TREE, REPEATS, SEQUENTIAL = (
    ReductionOrder.TREE,
    ReductionOrder.TREE_THEN_SEQUENTIAL,
    ReductionOrder.SEQUENTIAL,
)

ANOMALIES = {("inf", 15), ("-inf", 15)}
"""The table has 65344 and -65344 where 65504 and -65504 follow from every other row."""


def rows() -> list[tuple[list[str], int, float]]:
    table = json.loads((DATA / "reduction_saturation_a2.json").read_text(encoding="utf-8"))
    return [(special, ones, wanted) for special, ones, wanted in table["rows"]]


@pytest.mark.parametrize(("special", "ones", "wanted"), rows())
def test_sums_that_saturate_are_the_vendors(special: list[str], ones: int, wanted: float) -> None:
    values = np.array([float(value) for value in special] + [1.0] * ones, np.float32)
    saturating = Conversion(HALF, overflow=Overflow.SATURATE)
    found = reduce_sum(values, None, REPEATS, saturating)
    if (special[0], ones) in ANOMALIES:
        assert found == np.copysign(65504.0, wanted) != wanted
    else:
        assert found == wanted


def test_eleven_of_thirteen_rows_are_reproduced() -> None:
    assert len(rows()) - len(ANOMALIES) == 11


def tree(terms: list[float], conversion: Conversion) -> float:
    """Add neighbours with fractions."""
    while len(terms) > 1:
        pairs = [
            rounded(Fraction(x) + Fraction(y), conversion.format, conversion.rounding)
            for x, y in zip(terms[::2], terms[1::2])
        ]
        terms = pairs + terms[len(terms) - len(terms) % 2 :]
    return terms[0]


def in_order(terms: list[float], conversion: Conversion) -> float:
    total = terms[0]
    for term in terms[1:]:
        total = rounded(Fraction(total) + Fraction(term), conversion.format, conversion.rounding)
    return total


@given(
    st.lists(st.floats(-500, 500, width=16), min_size=1, max_size=40),
    st.sampled_from([HALF, SINGLE, DTYPES["bfloat16"]]),
    st.sampled_from(list(Rounding)),
)
@example([12.0, 500.0, 0.044708251953125], SINGLE, Rounding.NEAREST_AWAY)  # a tie of float32's own format
def test_orders_are_those_of_fractions(terms: list[float], dtype: object, rounding: Rounding) -> None:
    conversion = Conversion(dtype, rounding)  # type: ignore[arg-type]
    terms = [rounded(Fraction(term), conversion.format, rounding) for term in terms]
    values = np.array(terms, np.float32)
    assert reduce_sum(values, 0, TREE, conversion) == tree(terms, conversion)
    assert reduce_sum(values, 0, SEQUENTIAL, conversion) == in_order(terms, conversion)
    repeat = 16 // conversion.format.itemsize
    trees = [tree(terms[k : k + repeat], conversion) for k in range(0, len(terms), repeat)]
    assert reduce_sum(values, 0, REPEATS, conversion, repeat_bytes=16) == in_order(trees, conversion)


def leaves_below(order: ReductionOrder, i: int, j: int, count: int, repeat: int) -> int:
    """Return how many terms were added up by the time terms *i* < *j* meet."""
    if order is SEQUENTIAL:
        return j + 1
    if order is REPEATS and i // repeat != j // repeat:
        return min((j // repeat + 1) * repeat, count)
    first, last = (
        (0, count) if order is TREE else (i // repeat * repeat, min((i // repeat + 1) * repeat, count))
    )
    low, high, size = i - first, j - first, 1
    while low != high:
        low, high, size = low // 2, high // 2, size * 2
    return min((low + 1) * size, last - first) - low * size


@pytest.mark.parametrize("order", [TREE, REPEATS, SEQUENTIAL])
@pytest.mark.parametrize("count", [24, 32, 13])
def test_the_order_shows_in_the_results(order: ReductionOrder, count: int) -> None:
    """FPRev (Xie et al. 2025): what is added between a huge number and its opposite is swallowed."""
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    values = np.ones((len(pairs), count), np.float32)
    for row, (i, j) in zip(values, pairs):
        row[i], row[j] = 2.0**60, -(2.0**60)
    found = reduce_sum(values, 1, order, Conversion(SINGLE), repeat_bytes=32)
    for kept, (i, j) in zip(found, pairs):
        assert kept == count - leaves_below(order, i, j, count, 8)


def test_axes_and_edges() -> None:
    values = np.random.default_rng(0).integers(-9, 9, (3, 4, 5)).astype(np.float32)
    for axis in (0, -1, (0, 2), (2, 1), (0, 1, 2), None):
        for order in ReductionOrder:
            assert np.array_equal(reduce_sum(values, axis, order, Conversion(HALF)), values.sum(axis=axis))
    for order in ReductionOrder:
        assert np.array_equal(reduce_sum(values[:, :0], 1, order, Conversion(HALF)), np.zeros((3, 5)))
        assert reduce_sum(np.array([7e4], np.float32), 0, order, Conversion(HALF)) == np.inf
    with pytest.raises(np.exceptions.AxisError):
        reduce_sum(values, 3, TREE, Conversion(HALF))
    wide = values.astype(np.float64) + 2.0**-40
    assert reduce_sum(wide, None, TREE, Conversion(DTYPES["float64"])).dtype == np.float64
