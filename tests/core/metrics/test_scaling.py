"""Sums of squares of numbers whose squares float64 does not hold, against rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from builders.element_pairs import handle_of, sources_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.metrics.elementwise import compare_tensors
from core.metrics.inspection.elements import region_statistics
from core.progress import run_to_end

LARGEST = float(np.finfo(np.float64).max)
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def root(square: Fraction) -> Fraction:
    """Return the square root to more digits than float64 has, whatever the size."""
    shift = 1200
    return Fraction(math.isqrt(int(square * 4**shift)), 2**shift)


def exact(target: np.ndarray, golden: np.ndarray) -> dict[str, float]:
    """Return the numbers of all pairs that are finite on both sides; inf where float64 does not hold one."""
    pairs = []
    for t, g in zip(target.ravel().tolist(), golden.ravel().tolist()):
        t, g = complex(t), complex(g)
        if all(map(math.isfinite, (t.real, t.imag, g.real, g.imag))):
            pairs += [(Fraction(t.real), Fraction(g.real)), (Fraction(t.imag), Fraction(g.imag))]
    n = len(pairs) // 2
    norm_d, norm_t, norm_g = (
        root(sum((value * value for value in values), Fraction(0)))
        for values in ([t - g for t, g in pairs], [t for t, _ in pairs], [g for _, g in pairs])
    )
    inner = sum((t * g for t, g in pairs), Fraction(0))
    found = {"rmse": norm_d / root(Fraction(n)), "euclidean": norm_d}
    found |= {"target_norm": norm_t, "golden_norm": norm_g}
    if norm_g:
        found["relative_l2"] = norm_d / norm_g
        if norm_t:
            found["cosine"] = inner / norm_t / norm_g
    return {name: as_float(value) for name, value in found.items()}


def as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


SIZES = st.sampled_from([0.0, 1e-310, 1e-200, 1e-150, 1e-30, 1.0, 3.5, 1e20, 1e155, 1e200, 1e300])


@st.composite
def numbers(draw: st.DrawFn, count: int, *, special: bool) -> list[float]:
    values = []
    for _ in range(count):
        value = draw(SIZES) * draw(st.floats(0.5, 1.5)) * draw(st.sampled_from([1, -1]))
        chosen = draw(st.integers(0, 9))
        if chosen == 0:
            value = draw(st.sampled_from([LARGEST, -LARGEST]))
        elif chosen == 1 and special:
            value = draw(st.sampled_from([math.nan, math.inf, -math.inf]))
        values.append(value)
    return values


def turned(reals: np.ndarray) -> np.ndarray:
    """Return complex numbers of *reals*, each beside another."""
    made = np.empty(len(reals), complex)
    made.real, made.imag = reals, reals[::-1]
    return made


@st.composite
def sides(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    count = draw(st.integers(1, 8))
    special = draw(st.booleans())
    golden = np.array(draw(numbers(count, special=special)))
    target = np.array(draw(numbers(count, special=special)))
    shared = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    target = np.where(shared, golden, target)
    if draw(st.booleans()):
        return turned(target), turned(golden)
    return target, golden


MASKED = np.array([-LARGEST, 1.0, 2.0, -LARGEST])


@settings(max_examples=200, deadline=None)
@given(sides())
@example((MASKED + np.array([0, 0.01, 0.02, 0]), MASKED))
@example((np.array([1.0, LARGEST, 2.0]), np.array([1.01, np.nan, 2.0])))
@example((np.array([1e200, 1.0]), np.array([np.inf, 1.25])))
@example((np.array([LARGEST, 1.0, 7.0]), np.array([-LARGEST, 1.0, 7.0])))
@example((np.array([1e200, 1e-200]), np.array([1e200, 3e-200])))
@example((np.array([1e-200, 0.0]), np.array([1e200, 1e200])))
def test_no_square_is_lost(pair: tuple[np.ndarray, np.ndarray]) -> None:
    target, golden = pair
    finite = np.isfinite(target) & np.isfinite(golden)
    if not finite.any():
        return
    wanted = exact(target, golden)
    metrics = compare_tensors(handle_of(target), handle_of(golden))
    region = run_to_end(region_statistics(sources_of(handle_of(target), handle_of(golden))))
    if np.array_equal(target[finite], golden[finite]):
        assert (metrics.rmse, region.rmse) == (0, 0)
        return
    with np.errstate(over="ignore"):
        beyond_float64 = bool(np.isinf(np.abs(target[finite] - golden[finite])).any())
    for name, expected in wanted.items():
        for found in (metrics, region):
            if not hasattr(found, name) or (found is region and beyond_float64 and name != "cosine"):
                continue
            value = getattr(found, name)
            beyond = expected > LARGEST / 4 or (name == "relative_l2" and math.isinf(value))
            if beyond:  # a difference beyond float64 is its largest
                assert value > LARGEST / 16
            elif name == "cosine" and expected != 1:
                assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
            elif expected > 4 * SMALLEST_NORMAL:
                assert value == pytest.approx(expected, rel=1e-9, abs=0), (name, type(found))


@pytest.mark.parametrize("mask", [-LARGEST, -1e200, -1e150])
def test_a_mask_that_both_sides_share_hides_nothing(mask: float) -> None:
    random = np.random.default_rng(0)
    golden = random.standard_normal((200, 300))
    target = golden + 1e-3 * random.standard_normal(golden.shape)
    masked = random.random(golden.shape) < 0.4
    golden[masked] = target[masked] = mask
    rmse = math.sqrt(math.fsum(((target - golden) ** 2).ravel()) / golden.size)
    region = run_to_end(region_statistics(sources_of(handle_of(target), handle_of(golden))))
    assert compare_tensors(handle_of(target), handle_of(golden)).rmse == pytest.approx(rmse, rel=1e-12)
    assert region.rmse == pytest.approx(rmse, rel=1e-12)
