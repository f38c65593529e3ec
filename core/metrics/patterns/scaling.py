"""A constant ratio, a sign flip or a constant offset, of all elements or of those that differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isqrt, log2, sqrt

import numpy as np

from core.dtypes import coarser
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import BITS, LONG_MANTISSA, NAMED_FACTOR
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.places import marks_of
from core.metrics.patterns.trial import Trial, chance_of
from core.progress import Work

_ROOTS = 128
"""Largest n whose square root is told."""
_MEDIAN = 8.0
"""Standard errors within which a median ratio is its named number, which may itself be rounded once."""
_APART = 4.0
"""How much further apart names must lie than the ratio is known."""


def find_scaling(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return the ratio or the offset that explains the difference, if there is one."""
    _, t, g = pair.sample.finite()
    bad = np.abs(t - g) > pair.tolerance(g)
    if not bad.any():
        return []
    for factor, offset in _proposals(pair, t[bad], g[bad]):
        yield pair.progress(0)
        trial = Trial(pair, max(abs(factor), 1e-300))
        trial.add(t, g, nearer(t, g, factor * g + offset))
        expected = factor * g[bad] + offset
        chance = chance_of(pair, t[bad], expected, abs(factor))
        few = _few_but_exact(pair, t[bad], g[bad], factor, offset)
        if not (trial.explains and (few or trial.convincing(chance, 1))):
            continue
        whole = yield from verified(pair, lambda g, f=factor, o=offset: f * g + o, abs(factor))  # type: ignore[misc]
        if whole.explains and (few or whole.convincing(chance, 1)):
            return [_told(pair, evidence, factor, offset, whole.share)]
    return []


def verified(pair: Pair, expected: Callable[[Values], Values], factor: float) -> Work[Trial]:
    """Try on all elements that those which differ are as *expected* of the golden."""
    trial = Trial(pair, factor)
    for block in pair.blocks():
        raw_t, raw_g = pair.block(block)
        t, g = (raw.astype(pair.working, copy=False) for raw in (raw_t, raw_g))
        keep = np.isfinite(t) & np.isfinite(g)
        hoped = nearer(t, g, expected(g).astype(pair.working, copy=False))
        trial.add(t[keep], g[keep], hoped[keep])
        yield pair.progress(block.top * pair.columns + block.right)
    return trial


def nearer(t: Values, g: Values, expected: Values) -> Values:
    """Return what is *expected* where that is nearer to the target than the golden is; else the golden."""
    return np.where(np.abs(t - expected) < np.abs(t - g), expected, g)


def _proposals(pair: Pair, t: Values, g: Values) -> list[tuple[float, float]]:
    """Return likely (factor, offset), the simplest first."""
    usable = np.abs(g) > pair.tolerance(g)
    found: list[tuple[float, float]] = []
    if usable.any():
        ratios = t[usable] / g[usable]
        ratio = complex(np.median(ratios.real), np.median(ratios.imag)) if pair.complex else None
        real = float(np.median(ratios.real))
        if 1e-12 < abs(real) < np.inf:
            named = _snapped(pair, real, int(np.count_nonzero(usable)))
            found += [(named, 0.0)] if named is not None else []
            found.append((real, 0.0))
        if ratio is not None and np.isfinite(ratio) and abs(ratio.imag) > pair.relative * abs(ratio):
            found.append((ratio, 0.0))  # type: ignore[arg-type]
    if not pair.complex:
        found.append((1.0, float(np.median(t - g))))
    return found


def _snapped(pair: Pair, ratio: float, number: int) -> float | None:
    """Return the named number that the median *ratio* of *number* elements is, within rounding.

    Only where the names lie so far apart that this is no accident.
    """
    unit = max(coarser(pair.target.dtype, pair.golden.dtype).unit_roundoff, pair.relative / _MEDIAN**2)
    allowed = max(unit * max(_MEDIAN / sqrt(number), 1.0), 1e-12)
    size = abs(ratio)
    inverse = size < 1.0
    wide = 1.0 / size if inverse else size
    if abs(size - 1.0) <= max(allowed, pair.relative):
        return float(np.copysign(1.0, ratio))
    whole = (float(round(wide)), sqrt(round(wide * wide))) if wide <= NAMED_FACTOR + 1 else ()
    for named in (2.0 ** round(log2(wide)), *whole):
        kind = _name_of(named)
        between = 0.5 / named**2 if kind == "root" else 1.0 / named if kind == "integer" else 0.5
        if abs(named / wide - 1.0) <= allowed and _APART * allowed <= between and kind:
            return float(np.copysign(1.0 / named if inverse else named, ratio))
    return None


def _name_of(size: float) -> str:
    """Return how a factor of at least 1 is named: ``power``, ``integer``, ``root`` or nothing."""
    if size > 1.0 and log2(size) == round(log2(size)):
        return "power" if size > NAMED_FACTOR or size == 2.0 else "integer"
    if not 1.0 < size <= NAMED_FACTOR:
        return ""
    if size == round(size):
        return "integer"
    square = round(size * size)
    return "root" if isqrt(square) ** 2 != square and square <= _ROOTS and sqrt(square) == size else ""


def _few_but_exact(pair: Pair, t: Values, g: Values, factor: float, offset: float) -> bool:
    """Return whether a few numbers of long mantissas stand in a named ratio: a scalar loss times 4."""
    dtype = coarser(pair.target.dtype, pair.golden.dtype)
    size = max(abs(factor), 1.0 / abs(factor) if factor else inf)
    if offset or pair.exact or pair.complex or dtype.precision < 2 * LONG_MANTISSA or not _name_of(size):
        return False
    exact = np.abs(t / factor / g - 1.0) <= 2.0 * dtype.unit_roundoff
    fraction = np.frexp(np.abs(g))[0] * 2.0**LONG_MANTISSA
    long = np.unique(g[fraction != np.rint(fraction)])
    # Around a hundred names, of which each is met to two units: 2^-15 by chance a number.
    return bool(exact.all()) and (long.size > 2 * BITS / LONG_MANTISSA or (pair.size == 1 and long.size == 1))


def _told(pair: Pair, evidence: Evidence, factor: float, offset: float, share: float) -> Pattern:
    marks = marks_of(pair, evidence)
    numbers: dict[str, Number] = {"count": evidence.bad, "elements": pair.size}
    partly = "part" if evidence.bad < 0.9 * pair.size else "all"
    percent = 100.0 * evidence.bad / pair.size
    common: dict[str, Parameter] = {"differing": evidence.bad, "elements": pair.size, "percent": percent}
    if isinstance(factor, complex):
        numbers |= {"real": factor.real, "imaginary": factor.imag}
        message = Message("pattern.complex_ratio", {"real": factor.real, "imaginary": factor.imag})
        return Pattern(PatternName.CONSTANT_RATIO, message, numbers, marks, share)
    if offset:
        message = Message(f"pattern.constant_offset.{partly}", {"offset": offset, **common})
        return Pattern(PatternName.CONSTANT_OFFSET, message, {**numbers, "offset": offset}, marks, share)
    if factor == -1.0:
        message = Message(f"pattern.sign_flip.{partly}", common)
        return Pattern(PatternName.SIGN_FLIP, message, numbers, marks, share)
    size = max(abs(factor), 1.0 / abs(factor))
    kind = _name_of(size)
    inverse = abs(factor) < 1.0
    numbers |= {"ratio": factor, "named": _spelled(size, kind, inverse, factor < 0)}
    parameters: dict[str, Parameter] = {"ratio": factor, "named": str(numbers["named"]), **common}
    scale = "loss_scale" if kind == "power" and size >= 2.0**8 else kind or "other"
    message = Message(f"pattern.constant_ratio.{scale}", parameters)
    return replace(Pattern(PatternName.CONSTANT_RATIO, message, numbers, marks), share=share)


def _spelled(size: float, kind: str, inverse: bool, negative: bool) -> str:
    if kind == "power":
        words = f"2^{'-' if inverse else ''}{round(log2(size))}"
    elif kind == "root":
        words = f"{'1/' if inverse else ''}sqrt({round(size * size)})"
    elif kind == "integer":
        words = f"{'1/' if inverse else ''}{round(size)}"
    else:
        words = f"{1.0 / size if inverse else size:.6g}"
    return f"-{words}" if negative else words
