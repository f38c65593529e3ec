"""One side all zero, zeros of other signs, and sums that stopped where an accumulator ran out of digits."""

from __future__ import annotations

from math import frexp

import numpy as np

from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import FEW
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.wording import grouped

_ACCUMULATORS = {
    256.0: "bfloat16",
    512.0: "bfloat16",
    2048.0: "float16",
    4096.0: "float16",
    2.0**24: "float32",
}
"""Where counting in a format stops: 2^p, or 2^(p + 1) with ties away from zero or in steps of two."""
_BEYOND = 1.05
"""How far the golden sum must be beyond the limit."""
_SCALARS = 4


def find_all_zero(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return whether one side is all zero and more than a few elements of the other are not."""
    for side, mine, other in (
        ("target", evidence.target_nonzero, evidence.golden_nonzero),
        ("golden", evidence.golden_nonzero, evidence.target_nonzero),
    ):
        # Few values against a zero side may as well be wrong themselves: they are told one by one.
        many = other > FEW or 2 * other > pair.size
        if mine == 0 and pair.size >= _SCALARS and many and evidence.bad:
            numbers: dict[str, Number] = {"side": side, "nonzero": other, "elements": pair.size}
            parameters = {"elements": grouped(pair.size), "nonzero": grouped(other)}
            message = Message(f"pattern.all_zero.{side}", parameters)
            return [Pattern(PatternName.ALL_ZERO, message, numbers)]
    return []


def find_signed_zeros(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return whether nothing differs but the signs of zeros."""
    if evidence.different or not evidence.signed_zeros:
        return []
    number = evidence.signed_zeros
    numbers: dict[str, Number] = {"count": number, "elements": pair.size}
    return [Pattern(PatternName.SIGNED_ZEROS, Message("pattern.signed_zeros", {"count": number}), numbers)]


def find_accumulator(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return whether a sum stands at a power of two where a short accumulator can't count on."""
    if pair.size > _SCALARS or pair.complex or pair.exact or not evidence.bad:
        return []
    t, g = (np.atleast_1d(side).reshape(-1) for side in (pair.sample.t, pair.sample.g))
    if not np.all(np.isfinite(t) & np.isfinite(g)):
        return []
    limits = [_ACCUMULATORS.get(abs(float(value)), "") for value in t]
    beyond = bool(np.all(np.abs(g) > _BEYOND * np.abs(t)) and np.all(np.sign(t) == np.sign(g)))
    if not all(limits) or not beyond:
        return []
    value = abs(float(t[0]))
    bits = frexp(value)[1] - 1
    numbers: dict[str, Number] = {
        "value": float(t[0]),
        "golden": float(g[0]),
        "power": bits,
        "format": limits[0],
    }
    parameters: dict[str, Parameter] = {
        "value": value,
        "power": bits,
        "format": limits[0],
        "golden": float(g[0]),
    }
    message = Message("pattern.low_precision_accumulator", parameters)
    return [Pattern(PatternName.LOW_PRECISION_ACCUMULATOR, message, numbers)]
