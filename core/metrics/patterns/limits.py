"""All limits of the search for patterns, each with its reason. Those of formats stand in the noise table."""

from __future__ import annotations

CHUNK = 128 * 1024
"""Elements at a time: small enough for the second-level cache and for a progress every few milliseconds."""
SAMPLE = 128 * 1024
"""Elements on which hypotheses are tried before they are verified on all."""
PROBES = 4096
"""Differing elements on which a hypothesis of another order is tried."""
FIRST_PROBES = 64
"""Probes of the first try, which nearly every wrong order fails."""
AXIS = 1 << 18
"""Longest axis whose every index has sums of its own: longer than any vocabulary or context."""

BITS = 40.0
"""Improbability that a claim needs, as -log2 of the chance that unrelated values agree as well. 2^-40 leaves
room for a thousand hypotheses a pair and a million pairs a run."""
AGREE = 0.99
"""Share of elements that must agree with a hypothesis; the rest are crossing values and outliers."""
REDUCTION = 8.0
"""By how much a hypothesis must reduce the root mean square of the difference: no fit reduces noise so far,
unless it has nearly as many parameters as there are elements, and :data:`BITS` sees to that."""
MANY_FACTORS = 1 / 3
"""Most parameters an element that a hypothesis may fit."""

OWN_NOISE = 20.0
"""Median errors within which all of a pair's own noise lies: of normal noise, additive or relative, more than
five standard deviations."""
MOST_NOISE = 0.25
"""Largest relative error that may still be noise of a pair; beyond, its elements differ."""
LOOSE = 0.05
"""Relative noise allowed to other orders and scales where nearly all elements differ: that of bf16 behind
many layers."""

FILLED = 0.75
"""Share of a box or range that differs if it was overwritten; foreign values may agree to the noise."""
FILLED_SLICES = 0.3
"""Share of the slices of a range that differs if those slices are what is wrong (they may hold zeros)."""
UNRELATED = 0.5
"""Largest cosine of two sides, in a range up to the end, that is taken for padding or an ignored length."""
PART = 0.9
"""Longest range, as a share of its axis, that is worth telling."""
JUMP = 3.0
"""Ratio of the errors inside and outside the edge of a range; where errors grow they are alike."""
FEW = 16
"""Elements that are told one by one."""
APART = 1000.0
"""How far a single wrong element must stand out of the largest other difference."""
LIGHT_TAILED = 8.0
"""Largest value of light-tailed noise, in root mean squares."""
MARKS = 64
"""Most places that are marked."""

GROWTH_INDICES = 16
"""Shortest axis on which growth can be seen."""
GROWTH_RANK = 0.8
"""Rank correlation of error and index; 16 shuffled numbers reach it once in ten thousand times."""
GROWTH_RATIO = 3.0
"""Least growth from the first eighth to the last eighth of the indices; a random walk gives 3.9."""
GROWTH_START = 0.5
"""Largest relative error in the first eighth: what is unrelated from the start does not grow."""
GROWTH_EXCESS = 0.01
"""Least share of elements beyond noise: growth of noise itself says little."""

NAMED_FACTOR = 64
"""Largest integer that is told as a number of accumulation steps or devices."""
LONG_MANTISSA = 12
"""Significand bits that a number must use so that its ratio to another one proves something."""
EVEN_BITS = 0.25
"""Least share of ones, and of zeros, in the last bits of values that were rounded to a grid."""
GRID_ENOUGH = 32
"""Non-zero elements without which the last bits prove nothing."""
ZEROED = 8
"""Fewest elements that make an underflow."""
TIE_ROWS = 0.25
"""Largest share of rows of a top-k whose ids near ties change."""
TIE_CHANGED = 0.25
"""Largest share of the ids of one row that change near a tie, or one id; more is another row."""
TIE_IDS = 4096
"""Ids of a top-k stay below this: experts, blocks; those of a vocabulary do not."""
TIE_WIDTH = 64
"""Longest row that is taken for the ids of a top-k."""
