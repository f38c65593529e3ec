"""A constant ratio, a sign flip or a constant offset, of all elements or of those that differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isqrt, log2, sqrt

import numpy as np

from core.dtypes import coarser
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import BITS, LONG_MANTISSA, NAMED_FACTOR, PROBES
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.places import marks_of, where_of
from core.metrics.patterns.trial import Trial, chance_of
from core.metrics.patterns.wording import grouped
from core.progress import Work

_ROOTS = 128
"""Largest n whose square root is told."""
_MOST_AXES = 8
"""Dimensions whose products are tried as numbers of samples."""
_ERRORS = 4.0
"""Standard errors within which a ratio is its named number."""
_FACTOR_DIGITS = (24, 11, 8)
"""Significand bits of the formats that a factor may have been rounded to: float32, float16, bfloat16."""
_FEWEST = 3
"""Fewest values of the golden that prove a ratio or an offset; two are enough for opposite signs."""
_APART = 4.0
"""How much further apart names must lie than the ratio is known."""


def find_scaling(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return the ratio or the offset that explains the difference, if there is one."""
    _, t, g = pair.sample.finite()
    bad = np.abs(t - g) > pair.tolerance(g)
    if not bad.any():
        return []
    distinct = _distinct(pair, t[bad], g[bad])
    for factor, offset in _proposals(pair, t[bad], g[bad]):
        if pair.size > 1 and distinct < (_FEWEST if offset or factor != -1.0 else 2):
            continue
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
            return [told(pair, evidence, factor, offset, whole.share)]
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
            named = _snapped(pair, t[usable], g[usable], real)
            found += [(named, 0.0)] if named is not None else []
            found.append((real, 0.0))
        if ratio is not None and np.isfinite(ratio) and abs(ratio.imag) > pair.relative * abs(ratio):
            found.append((ratio, 0.0))  # type: ignore[arg-type]
    if not pair.complex:
        found.append((1.0, float(np.median(t - g))))
    return found


def _distinct(pair: Pair, t: Values, g: Values) -> int:
    """Return how many values the golden has, of some, apart from those at the end of a format's range."""
    step = -(-g.size // PROBES)
    t, g = t[::step], g[::step]
    ends = [side.dtype.maximum or np.inf for side in (pair.target, pair.golden)]
    return int(np.unique(g[(np.abs(t) < ends[0]) & (np.abs(g) < ends[1])]).size)


def _snapped(pair: Pair, t: Values, g: Values, ratio: float) -> float | None:
    """Return the named number, or a rounding of it, that is the ratio of *t* and *g*; *ratio* is its median.

    Only where names lie so far apart that this is no accident.
    """
    slope, allowed = _slope(pair, t, g, ratio)
    size = abs(slope)
    if abs(size - 1.0) <= max(allowed, pair.relative):
        return float(np.copysign(1.0, ratio))
    inverse = size < 1.0
    wide = 1.0 / size if inverse else size
    whole = (float(round(wide)), sqrt(round(wide * wide))) if wide <= NAMED_FACTOR + 1 else ()
    names = [(named, _name_of(named)) for named in (2.0 ** min(round(log2(wide)), 1023), *whole)]
    names += [(sqrt(number / (number - 1)), "bessel") for number in _lengths(pair)]
    for named, kind in names:
        exact = 1.0 / named if inverse else named
        near = any(abs(value / size - 1.0) <= allowed for value in _roundings(pair, exact))
        if near and _APART * allowed <= _between(named, kind):
            return float(np.copysign(exact, ratio))
    return None


def _between(named: float, kind: str) -> float:
    """Return the relative distance of the next number of the *kind*; 0 of what has no name."""
    if kind == "bessel":
        return 2.0 * (named - 1.0) ** 2  # 1 / 2n^2
    if kind == "root":
        return 0.5 / named**2
    return {"power": 0.5, "integer": 1.0 / named}.get(kind, 0.0)


def _slope(pair: Pair, t: Values, g: Values, ratio: float) -> tuple[float, float]:
    """Return the least squares ratio of the elements that agree with the median, and how far it may be off.

    That is relative, of several standard errors (H. White, Econometrica 48, 1980). Elements of one
    significand are rounded alike, so they count once.
    """
    agree = np.abs(t - ratio * g) <= pair.tolerance(ratio * g, abs(ratio))
    size = np.abs(g[agree]).max(initial=0.0)
    if not size:
        return ratio, pair.relative
    # Squares must stay in the range of float64.
    t, g = t[agree] / size, g[agree] / size
    weight = float(np.sum(np.abs(g) ** 2))
    slope = float(np.sum(t * np.conj(g)).real) / weight
    error = sqrt(float(np.sum(np.abs(t - slope * g) ** 2 * np.abs(g) ** 2))) / weight
    alike = g.size / np.unique(np.frexp(np.abs(g))[0]).size
    return slope, _ERRORS * sqrt(alike) * error / abs(slope) + 1e-12


def _roundings(pair: Pair, value: float) -> list[float]:
    """Return *value* exact and rounded to the formats that a factor, or a divisor, may have."""
    own = (pair.target.dtype.precision, pair.golden.dtype.precision)
    digits = [bits for bits in (*own, *_FACTOR_DIGITS) if bits]
    rounded = [_rounded(value, bits) for bits in digits]
    return [value, *rounded, *(1.0 / _rounded(1.0 / value, bits) for bits in digits)]


def _rounded(value: float, bits: int) -> float:
    fraction, power = np.frexp(value)
    return float(np.ldexp(np.rint(np.ldexp(fraction, bits)), power - bits))


def _lengths(pair: Pair) -> list[int]:
    """Return the numbers of elements, above 2, that a mean over some dimensions of the pair may be of."""
    found = {1}
    for length in pair.shape[:_MOST_AXES]:
        found |= {known * length for known in found}
    return sorted(number for number in found if number > 2)


def _samples(pair: Pair, size: float) -> int:
    """Return the n of which *size* is sqrt(n / (n − 1)): deviations estimated in two ways; or 0."""
    near = (n for n in _lengths(pair) if abs(sqrt(n / (n - 1)) / size - 1.0) < 1e-14)
    return next(near, 0)


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
    name = _name_of(size)
    if offset or pair.exact or pair.complex or dtype.precision < 2 * LONG_MANTISSA or not name:
        return False
    exact = np.abs(t / factor / g - 1.0) <= 2.0 * dtype.unit_roundoff
    fraction = np.frexp(np.abs(g))[0] * 2.0**LONG_MANTISSA
    long = np.unique(g[fraction != np.rint(fraction)])
    # Around a hundred names, of which each is met to two units: 2^-15 by chance a number.
    scalar = pair.size == long.size == 1 and name != "root"
    return bool(exact.all()) and (scalar or long.size > 2 * BITS / LONG_MANTISSA)


def told(pair: Pair, evidence: Evidence, factor: float, offset: float, share: float) -> Pattern:
    """Return a ratio or, where *factor* is 1, an offset in words."""
    marks = marks_of(pair, evidence)
    numbers: dict[str, Number] = {"count": evidence.bad, "elements": pair.size}
    partly = "part" if evidence.bad < 0.9 * pair.size else "all"
    common: dict[str, Parameter] = {
        "differing": grouped(evidence.bad), "elements": grouped(pair.size),
        "percent": 100.0 * evidence.bad / pair.size, "where": where_of(pair, marks),
    }  # fmt: skip
    if isinstance(factor, complex):
        numbers |= {"real": factor.real, "imaginary": factor.imag}
        parts: dict[str, Parameter] = {"real": factor.real, "imaginary": factor.imag, **common}
        message = Message("pattern.complex_ratio", parts)
        return Pattern(PatternName.CONSTANT_RATIO, message, numbers, marks, share)
    if offset:
        message = Message(f"pattern.constant_offset.{partly}", {"offset": offset, **common})
        return Pattern(PatternName.CONSTANT_OFFSET, message, {**numbers, "offset": offset}, marks, share)
    if factor == -1.0:
        message = Message(f"pattern.sign_flip.{partly}", common)
        return Pattern(PatternName.SIGN_FLIP, message, numbers, marks, share)
    size = max(abs(factor), 1.0 / abs(factor))
    inverse = abs(factor) < 1.0
    number = 0 if _name_of(size) else _samples(pair, size)
    kind = "bessel" if number else _name_of(size)
    numbers |= {"ratio": factor, "named": _spelled(size, kind, inverse, factor < 0)}
    if number:
        fraction = f"{number - 1}/{number}" if inverse else f"{number}/{number - 1}"
        numbers |= {"named": f"{'-' if factor < 0 else ''}sqrt({fraction})", "n": number}
    parameters: dict[str, Parameter] = {"ratio": factor, "named": str(numbers["named"]), **common}
    scale = "loss_scale" if kind == "power" and size >= 2.0**8 else kind or "other"
    message = Message(f"pattern.constant_ratio.{scale}", parameters)
    return replace(Pattern(PatternName.CONSTANT_RATIO, message, numbers, marks), share=share)


def _spelled(size: float, kind: str, inverse: bool, negative: bool) -> str:
    if kind == "power":
        power = round(log2(size))
        words = f"2^{'-' if inverse else ''}{power}" if power > 1 else "1/2" if inverse else "2"
    elif kind == "root":
        words = f"{'1/' if inverse else ''}sqrt({round(size * size)})"
    elif kind == "integer":
        words = f"{'1/' if inverse else ''}{round(size)}"
    else:
        words = f"{1.0 / size if inverse else size:.6g}"
    return f"-{words}" if negative else words
