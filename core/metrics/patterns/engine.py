"""All patterns of a pair, best first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.metrics.noise import NoiseTable
from core.metrics.patterns.conjugates import find_conjugate
from core.metrics.patterns.constants import find_accumulator, find_all_zero, find_signed_zeros
from core.metrics.patterns.evidence import Evidence, gather
from core.metrics.patterns.factors import find_factors
from core.metrics.patterns.function_of_value import find_function
from core.metrics.patterns.growth import find_growth
from core.metrics.patterns.integers import find_masks, find_ties
from core.metrics.patterns.long_integers import find_long_offset
from core.metrics.patterns.order import find_order
from core.metrics.patterns.other_shapes import find_other_shape
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Pattern, PatternName
from core.metrics.patterns.places import find_places
from core.metrics.patterns.rounding import find_grids, find_rounding, find_short_operands, tell_grids
from core.metrics.patterns.scaling import find_scaling
from core.metrics.patterns.special_places import find_specials
from core.metrics.patterns.underflow import find_underflow
from core.metrics.patterns.unpacked import unpacked
from core.metrics.patterns.zeros import find_zero_filled
from core.metrics.shapes import comparable
from core.progress import Work

_ANSWERS = (PatternName.OTHER_ORDER, PatternName.SHIFT)
"""What is the answer though some elements are beyond it, as those that a shift lets in."""
_SPECIAL = (
    PatternName.SPECIAL_SLICES,
    PatternName.SPECIAL_VALUES,
    PatternName.SATURATION,
    PatternName.OVERFLOW,
    PatternName.NAN_FOR_INF,
    PatternName.ZERO_FOR_NAN,
    PatternName.INF_SIGN,
)
"""What is told of NaN and Inf, before anything else."""
_WHOLE = 0.97
"""Share explained from which a pattern is the answer and weaker ones are left out."""


def find_patterns(
    target: TensorHandle, golden: TensorHandle, noise: NoiseTable | None = None
) -> Work[tuple[Pattern, ...]]:
    """Return the patterns that the difference of two tensors has, best first; none where nothing differs.

    Every claim is tested against all elements: it must explain what differs down to the noise of the formats,
    in a way that chance cannot. Memory does not grow with the tensors. *noise* says what noise is (shipped
    table).

    Raises
    ------
    InputError
        If a large packed tensor cannot be unpacked.
    """
    work = _search(target, golden, noise)
    while True:
        # Special values are expected anywhere; what numpy warns of is sorted out by comparing.
        with np.errstate(all="ignore"):
            try:
                progress = next(work)
            except StopIteration as end:
                return tuple(end.value)
        yield progress


def _search(target: TensorHandle, golden: TensorHandle, noise: NoiseTable | None) -> Work[list[Pattern]]:
    if target.size == 0 or golden.size == 0:
        return []
    target, golden = (yield from unpacked(target)), (yield from unpacked(golden))
    if not comparable(target.shape, golden.shape):
        return (yield from find_other_shape(target, golden))
    pair = Pair(target, golden if golden.shape == target.shape else golden.reshaped(target.shape), noise)
    evidence = yield from gather(pair)
    if not evidence.different:
        return find_signed_zeros(pair, evidence)
    found = yield from _explanations(pair, evidence)
    return sorted((_counted(pair, evidence, pattern) for pattern in found), key=_order)


def _counted(pair: Pair, evidence: Evidence, pattern: Pattern) -> Pattern:
    """Return *pattern* with how many elements differ beyond noise, and of how many, among its numbers."""
    return replace(pattern, numbers={"bad": evidence.bad, "of": pair.size, **pattern.numbers})


def _order(pattern: Pattern) -> tuple[bool, bool, float]:
    """Return what is told first: NaN and Inf, then zeros, which factors may follow from, then by share."""
    return pattern.name not in _SPECIAL, pattern.name is not PatternName.ZERO_FILLED, -pattern.share


def _explanations(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return what explains a difference: the one answer where there is one, with facts beside it."""
    grids = find_grids(pair, evidence)
    facts = tell_grids(grids)
    whole = find_masks(pair, evidence) or find_all_zero(pair, evidence) or find_accumulator(pair, evidence)
    if whole and whole[0].name is PatternName.MASK_FLIPS:
        # A causal mask that is off by one has few flips, too.
        whole = (yield from find_order(pair, evidence)) or whole
    if not whole:
        whole = yield from find_ties(pair, evidence)
    if whole:
        return whole + facts
    underflow = yield from find_underflow(pair, evidence)
    if _answered(underflow):
        return underflow + facts
    rounding = yield from find_rounding(pair, evidence, grids)
    if rounding:
        return rounding + facts
    if not evidence.bad:
        return underflow + facts
    specials = yield from find_specials(pair, evidence)
    numeric: list[Pattern] = []
    if evidence.specials.disagreeing < evidence.bad:
        numeric = yield from _numeric(pair, evidence)
        if not _answered(numeric):
            other = yield from _under_own_noise(pair)
            numeric = max(numeric, other, key=_best)
    if not numeric and not specials:
        numeric = find_short_operands(pair, evidence, grids)
    return specials + underflow + numeric + facts


def _under_own_noise(pair: Pair) -> Work[list[Pattern]]:
    """Return what explains the part of a difference that is larger than the noise of the pair itself."""
    noisier = pair.noisier()
    if noisier is None:
        return []
    evidence = yield from gather(noisier)
    if evidence.bad == evidence.specials.disagreeing:
        return []  # NaN and Inf, which are told already
    found = yield from _numeric(noisier, evidence)
    return [_counted(noisier, evidence, pattern) for pattern in found]


def _numeric(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return what explains the finite part of a difference."""
    for search in (find_long_offset, find_scaling, find_conjugate, find_order):
        yield pair.progress(0)
        found = yield from search(pair, evidence)
        if _answered(found):
            return found
    yield pair.progress(0)
    zeros = find_zero_filled(pair, evidence)
    factors = yield from find_factors(pair, evidence)
    if factors:
        return zeros + factors
    places = yield from find_places(pair, evidence)
    places = _without_repetition(places, zeros)
    if places or zeros:
        return places + zeros
    return find_growth(pair, evidence) or find_function(pair, evidence)


def _without_repetition(places: list[Pattern], zeros: list[Pattern]) -> list[Pattern]:
    """Leave out places that the zeros of a side already tell."""
    told = {pattern.marks for pattern in zeros if pattern.share >= _WHOLE}
    return [pattern for pattern in places if pattern.marks not in told]


def _best(found: list[Pattern]) -> float:
    return max((pattern.share for pattern in found), default=0.0)


def _answered(found: list[Pattern]) -> bool:
    return any(pattern.share >= _WHOLE or pattern.name in _ANSWERS for pattern in found)
