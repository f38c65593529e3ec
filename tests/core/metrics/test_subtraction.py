"""Differences of integers and floats of all widths, against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.metrics.elements.differences import signed_differences
from core.metrics.pictures.differences import Subtraction
from core.metrics.pictures.kinds import Difference

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


@st.composite
def value(draw: st.DrawFn, name: str, near: int) -> np.ndarray:
    dtype = np.dtype(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        number = draw(st.integers(limits.min, limits.max) | st.integers(-5, 5) | st.just(near))
        return np.array([min(max(number, limits.min), limits.max)], dtype)
    with np.errstate(over="ignore"):
        number = draw(st.floats(-1e5, 1e5) | st.just(float(near)) | st.floats(-1e-3, 1e-3))
        return np.array([number]).astype(dtype)


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from(INTEGERS), st.sampled_from(INTEGERS + FLOATS), st.booleans())
def test_every_mix_is_rounded_once(data: st.DataObject, one: str, other: str, swap: bool) -> None:
    near = data.draw(st.integers(-(2**63), 2**64 - 1))
    t, g = data.draw(value(one, near)), data.draw(value(other, near + data.draw(st.integers(-3, 3))))
    if swap:
        t, g = g, t
    if not (np.isfinite(t).all() and np.isfinite(g).all()):
        return
    exact = Fraction(t[0].item()) - Fraction(g[0].item())
    formats = DTYPES[t.dtype.name], DTYPES[g.dtype.name]
    picture = Subtraction(formats, formats, Difference.ABSOLUTE)
    found = picture.of(t, g)
    rounded = float(exact)
    assert signed_differences(t, g)[0] == pytest.approx(rounded, rel=2.0**-52, abs=0)
    if found.dtype == np.float32:
        rounded = float(np.float32(rounded))
    assert found[0] == pytest.approx(rounded, rel=2.0**-52 if found.dtype == np.float64 else 2.0**-23, abs=0)
    if Fraction(rounded) == exact:
        assert found[0] == rounded
        assert signed_differences(t, g)[0] == rounded


def test_a_negative_integer_against_its_neighbours() -> None:
    t = np.array([-1, -2, -(2**40), -(2**53) - 1, -(2**63)], np.int64)
    g = np.array([-1.0000001, -2.0000000001, -(2.0**40) - 2.0**-12, -(2.0**53), -(2.0**63)])
    exact = [float(Fraction(int(a)) - Fraction(float(b))) for a, b in zip(t, g)]
    formats = DTYPES["int64"], DTYPES["float64"]
    assert Subtraction(formats, formats, Difference.ABSOLUTE).of(t, g).tolist() == exact
    assert signed_differences(t, g).tolist() == exact


def test_special_values_stay_what_they_are_beside_integers() -> None:
    t, g = np.array([1, 2, 3], np.int64), np.array([np.inf, -np.inf, np.nan])
    np.testing.assert_equal(signed_differences(t, g), [-np.inf, np.inf, np.nan])


@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_the_difference_of_finite_numbers_is_finite(kind: str) -> None:
    largest = np.finfo(np.float64).max
    t, g = np.array([largest, -largest, 1, np.inf], kind), np.array([-largest, largest, 1, 1], kind)
    found = signed_differences(t, g)
    assert found[:3].tolist() == [largest, -largest, 0]
    assert not np.isfinite(found[3])
