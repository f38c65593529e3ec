"""Formats that show: rounding to a coarser one and nothing else, hidden grids, products of short operands."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np

from core.dtypes import COMPUTING_FORMATS, DTYPES, DType, Kind
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import EVEN_BITS, GRID_ENOUGH
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.ulps import ulp_of
from core.progress import Work

_FRACTION = 23
"""Stored fraction bits of float32."""
_INCOHERENT = 0.1
"""Largest correlation of noise with the golden, and with its magnitude."""
_SPREAD = 64
_TAILS = (2.2, 4.0)
"""Fourth moment of sums of many products, in squares of the second; normal noise has 3."""
_OPERANDS = {"hf32": (2**-14.0, 2**-12.3), "tf32": (2**-12.3, 2**-10.5), "bfloat16": (2**-9.5, 2**-7.2)}
"""Relative L2 errors of long products whose operands were rounded to each format.

Rounding to nearest leaves a root mean square of about 0.4 unit roundoffs an operand; a product has two: 0.6,
and the sum keeps the ratio (measured 2.97e-4 = 0.61 · 2^-11 for operands of 11 bits).
"""


def grid_of(bits: int, values: Values) -> str:
    """Return the format whose grid float32 values sit on, from all their *bits* or'ed and a sample of them.

    Whole numbers sit on every grid, so the last two bits of it must also look random, and small whole numbers
    are no grid at all: nothing has rounded them.
    """
    zeros = (bits & -bits).bit_length() - 1 if bits else 0
    if not 12 <= zeros < 24:
        return ""
    words = values.astype(np.float32).view(np.uint32)
    words = words[words << np.uint32(1) != 0]
    if words.size < GRID_ENOUGH or _counts(values, 24 - zeros):
        return ""
    for position in (zeros, zeros + 1):
        share = np.count_nonzero(words & np.uint32(1 << position)) / words.size
        if not EVEN_BITS <= share <= 1 - EVEN_BITS:
            return ""
    if zeros >= 16:
        return "bfloat16" if zeros == 16 else ""
    half = zeros == 13 and bool(np.all(np.abs(values[np.isfinite(values)]) <= DTYPES["float16"].maximum))
    return "float16" if half else {13: "tf32", 12: "hf32"}.get(zeros, "")


def _counts(values: Values, bits: int) -> bool:
    """Return whether all *values* are multiples of one whole number that *bits* are enough for, unrounded."""
    size = np.abs(values[np.isfinite(values)])
    if not size.max(initial=0.0) < 2.0**53 or np.any(size != np.rint(size)):
        return False
    step = int(np.bitwise_or.reduce(size.astype(np.int64)))
    return bool(size.max(initial=0.0) < 2.0**bits * (step & -step))


def find_grids(pair: Pair, evidence: Evidence) -> dict[str, str]:
    """Return the hidden grid of ``target`` and ``golden``; empty where there is none."""
    if pair.complex or pair.exact:
        return {"target": "", "golden": ""}
    return {
        "target": grid_of(evidence.target_bits, pair.sample.t),
        "golden": grid_of(evidence.golden_bits, pair.sample.g),
    }


def tell_grids(grids: dict[str, str]) -> list[Pattern]:
    """Return a pattern for each grid that a float32 side hides."""
    found = []
    both = grids["target"] == grids["golden"]
    sides = ("both",) if both else ("target", "golden")
    for side in sides:
        grid = grids["target" if both else side]
        if grid:
            bits = _format(grid).precision
            numbers: dict[str, Number] = {"side": side, "grid": grid, "significand_bits": bits}
            message = Message(f"pattern.downcast_grid.{side}", {"format": grid, "bits": bits})
            found.append(Pattern(PatternName.DOWNCAST_GRID, message, numbers, (), 0.0))
    return found


def _format(name: str) -> DType:
    return DTYPES.get(name) or COMPUTING_FORMATS[name]


def find_rounding(pair: Pair, evidence: Evidence, grids: dict[str, str]) -> Work[list[Pattern]]:
    """Return whether every element is the golden rounded once to a coarser format."""
    for rounded, exact, side in (("target", "golden", "target"), ("golden", "target", "golden")):
        short, long = _real(pair, grids, rounded), _real(pair, grids, exact)
        if short is None or long is None or short.precision >= long.precision:
            continue
        worst = yield from _largest_ulps(pair, short)
        if worst <= 0.5:
            numbers: dict[str, Number] = {"format": short.name, "side": side, "largest_ulps": worst}
            numbers["differing"] = evidence.different
            parameters: dict[str, Parameter] = {"format": short.name, "ulps": worst}
            message = Message(f"pattern.rounding_only.{side}", parameters)
            return [Pattern(PatternName.ROUNDING_ONLY, message, numbers)]
    return []


def _real(pair: Pair, grids: dict[str, str], side: str) -> DType | None:
    """Return the format that the numbers of *side* really have."""
    if grids[side]:
        return _format(grids[side])
    dtype: DType = getattr(pair, side).dtype
    return dtype if dtype.kind is Kind.FLOAT else None


def _largest_ulps(pair: Pair, dtype: DType) -> Work[float]:
    """Return the largest difference in units of *dtype*; infinite where the sides disagree otherwise."""
    worst = 0.0
    for block in pair.blocks():
        t, g = (side.astype(np.float64) for side in pair.block(block))
        same = (t == g) | (np.isnan(t) & np.isnan(g))
        units = ulp_of(g, dtype)
        errors = np.where(same, 0.0, np.abs(t - g) / units)
        worst = max(worst, float(np.where(np.isfinite(errors), errors, np.inf).max()))
        if worst > 0.5:
            return worst
        yield pair.progress(block.top * pair.columns + block.right)
    return worst


def find_short_operands(pair: Pair, evidence: Evidence, grids: dict[str, str]) -> list[Pattern]:
    """Return whether the difference is what products of operands rounded to fewer bits leave.

    It must be noise of one size, spread evenly, and independent of the golden and its magnitude, as sums of
    many products have it; an error that goes with each element is none of that.
    """
    wide = pair.target.dtype.precision >= 24 and pair.golden.dtype.precision >= 24
    if pair.exact or pair.complex or not wide or any(grids.values()) or evidence.specials.disagreeing:
        return []
    _, t, g = pair.sample.finite()
    d = t - g
    size = float(np.sqrt(np.mean(g * g))) if g.size else 0.0
    root = float(np.sqrt(np.mean(d * d))) if d.size else 0.0
    if d.size < _SPREAD * _SPREAD / 4 or not size or not root or not size < np.inf:
        return []
    relative = root / size
    name = next((name for name, (low, high) in _OPERANDS.items() if low <= relative < high), "")
    tails = float(np.mean((d / root) ** 4))
    if not name or not _TAILS[0] < tails < _TAILS[1] or np.count_nonzero(d) < 0.9 * d.size:
        return []
    limit = max(_INCOHERENT, 4.0 / sqrt(d.size))
    related = (_correlation(d, g), _correlation(np.abs(d), np.abs(g)), float(np.mean(d)) / root)
    if max(map(abs, related)) > limit:
        return []
    bits = -log2(relative / 0.6)
    numbers: dict[str, Number] = {"effective_bits": bits, "relative_l2": relative, "format": name}
    parameters: dict[str, Parameter] = {"bits": bits, "relative": relative}
    message = Message(f"pattern.lower_precision.{name}", parameters)
    return [Pattern(PatternName.LOWER_PRECISION, message, numbers)]


def _correlation(first: Values, second: Values) -> float:
    a, b = first - first.mean(), second - second.mean()
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size else 0.0
