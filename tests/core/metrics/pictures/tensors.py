"""Tensors of every format and layout, and what of two numbers a picture shall show, computed plainly."""

from __future__ import annotations

import cmath
import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

from core.dtypes import DTYPES, DType, Kind
from core.formats.tensors import TensorHandle
from core.metrics.pictures.kinds import Difference, PairClass, Part

FLOAT32_MAX = float(np.finfo(np.float32).max)
LAYOUTS = ("contiguous", "transposed", "strided", "big-endian", "flagged")


def numpy_type(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def handle_of(array: np.ndarray, *, conjugate: bool = False, negative: bool = False) -> TensorHandle:
    dtype = DTYPES[array.dtype.newbyteorder("=").name]
    bits = array.view() if dtype.native else array.view(dtype.storage)
    return TensorHandle(bits, dtype, conjugate=conjugate, negative=negative)


def numbers(random: np.random.Generator, name: str, shape: tuple[int, ...], special: float) -> np.ndarray:
    """Numbers small and at both ends of the format, zeros of both signs, and a share of special ones."""
    dtype, kind = DTYPES[name], numpy_type(name)
    if dtype.kind is Kind.BOOL:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind is Kind.INTEGER:
        ends = np.iinfo(kind)
        near = random.integers(-3, 4, shape) if ends.min else random.integers(0, 7, shape)
        far = random.integers(ends.min, ends.max, shape, dtype=kind, endpoint=True)
        return np.where(random.random(shape) < 0.5, near.astype(kind), far)
    if dtype.kind is Kind.COMPLEX:
        part = "float32" if name == "complex64" else "float64"
        real, imaginary = (numbers(random, part, shape, special / 2) for _ in range(2))
        made = np.empty(shape, kind)
        made.real, made.imag = real, imaginary
        return made
    values = random.standard_normal(shape) * 3
    ends = random.choice([0.0, -0.0, dtype.maximum, -dtype.maximum, dtype.smallest_subnormal], shape)
    values = np.where(random.random(shape) < 0.2, ends, values)
    specials = random.choice([np.nan, np.inf, -np.inf], shape)
    return np.where(random.random(shape) < special, specials, values).astype(kind)


@st.composite
def tensors(draw: st.DrawFn, name: str, shape: tuple[int, ...]) -> tuple[TensorHandle, np.ndarray]:
    """A handle of any layout, and its numbers as Python's own: exact."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    array = numbers(random, name, shape, draw(st.sampled_from([0.0, 0.0, 0.1, 1.0])))
    layout, dtype = draw(st.sampled_from(LAYOUTS)), DTYPES[name]
    seen = array.astype(object) if dtype.kind is not Kind.FLOAT else array.astype(np.float64).astype(object)
    if layout == "transposed":
        return handle_of(array.T.copy().T), seen
    if layout == "strided" and shape:
        return handle_of(np.repeat(array, 2, -1)[..., ::2]), seen
    if layout == "big-endian" and dtype.native and dtype.itemsize > 1:
        return handle_of(array.astype(array.dtype.newbyteorder(">"))), seen
    if layout == "flagged" and dtype.kind is Kind.COMPLEX:
        return handle_of(array, conjugate=True), np.asarray(np.conj(array)).astype(object)
    if layout == "flagged" and dtype.kind is Kind.FLOAT:
        negated = np.asarray(-seen, object)
        return handle_of(array, negative=True), negated
    return handle_of(array), seen


def is_special(value: Any) -> bool:
    return not isinstance(value, int) and not cmath.isfinite(value)


def seen(value: Any, part: Part) -> Any:
    """Return what is to be seen of one number: a float or an int."""
    if not isinstance(value, complex):
        return int(value) if isinstance(value, bool) else value
    if part is Part.REAL:
        return value.real
    if part is Part.IMAGINARY:
        return value.imag
    if is_special(value):
        return math.nan if cmath.isnan(value) and not cmath.isinf(value) else math.inf
    if part is Part.PHASE:
        return math.atan2(value.imag, value.real)
    return float(min(math.hypot(value.real, value.imag), np.finfo(np.float64).max))


def plain_difference(t: Any, g: Any, difference: Difference, part: Part, dtype: DType) -> float:
    """Return what is to be seen of two numbers, exactly and rounded once; *dtype* is the coarser."""
    if difference is Difference.CLASSES:
        return float(_pair_class(t, g))
    if isinstance(t, complex) or isinstance(g, complex):
        t, g = complex(t), complex(g)
    a, b = seen(t, part), seen(g, part)
    whole = part in (Part.MAGNITUDE, Part.PHASE)
    if is_special(t if whole else a) or is_special(g if whole else b):
        if whole and (t == g or (cmath.isnan(t) and cmath.isnan(g))):
            return 0.0
        if not whole and (a == b or (a != a and b != b)):
            return 0.0
        if whole and isinstance(t, complex):
            with np.errstate(all="ignore"):
                return float(np.abs(np.complex128(t) - np.complex128(g)))
        return float(a) - float(b)
    return _finite_difference(t, g, a, b, difference, part, dtype)


def _finite_difference(
    t: Any, g: Any, a: Any, b: Any, difference: Difference, part: Part, dtype: DType
) -> float:
    if difference is Difference.SIGN:
        signs = [(value > 0) - (value < 0) for value in (a, b)]
        return float((signs[0] > signs[1]) - (signs[0] < signs[1]))
    exact = Fraction(a) - Fraction(b)
    if isinstance(t, complex) and part is Part.MAGNITUDE:
        real, imaginary = Fraction(t.real) - Fraction(g.real), Fraction(t.imag) - Fraction(g.imag)
        scale = max(abs(real), abs(imaginary), Fraction(1))
        exact = Fraction(math.hypot(real / scale, imaginary / scale)) * scale
    if isinstance(t, complex) and part is Part.PHASE:
        exact -= Fraction(2 * math.pi) * round(exact / Fraction(2 * math.pi))
    most = Fraction(np.finfo(np.float64).max)
    exact = max(min(exact, most), -most)
    if difference is Difference.RELATIVE:
        exact = exact / abs(Fraction(b)) if b else Fraction((exact > 0) - (exact < 0)) * 2**200
    if difference is Difference.ULP and dtype.precision:
        exponent = math.frexp(max(abs(b), dtype.smallest_normal))[1] - 1
        exact /= Fraction(2) ** (exponent - dtype.precision + 1)
    return float(max(min(exact, most), -most))


def _pair_class(t: Any, g: Any) -> PairClass:
    if not is_special(t):
        return PairClass.GOLDEN_SPECIAL if is_special(g) else PairClass.FINITE
    if not is_special(g):
        return PairClass.TARGET_NAN if cmath.isnan(t) else PairClass.TARGET_INF
    same = t == g or (cmath.isnan(t) and cmath.isnan(g))
    return PairClass.SAME_SPECIAL if same else PairClass.OTHER_SPECIAL
