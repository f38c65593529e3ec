"""What the sides' disagreements about NaN and Inf look like: whole rows, saturation, overflow of a format."""

from __future__ import annotations

import numpy as np

from core.dtypes import DTYPES
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import FILLED
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.places import locate, word_of
from core.metrics.patterns.trial import separates
from core.progress import Work

_RANGES = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32")
"""Formats that golden values may leave."""
_KINDS = ("target_nan", "target_inf", "golden_nan", "golden_inf", "nan_for_inf", "inf_for_nan", "inf_sign")


def find_specials(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return all patterns of special values that only one side has."""
    counts = evidence.specials
    if not counts.disagreeing:
        return []
    found: list[Pattern] = []
    whole = max(evidence.bad, 1)
    for name, number in counts.saturated.items():
        parameters: dict[str, Parameter] = {"count": number, "format": name, "maximum": DTYPES[name].maximum}
        numbers: dict[str, Number] = {"count": number, "format": name, "maximum": DTYPES[name].maximum}
        numbers["golden_inf"] = counts.golden_inf
        message = Message("pattern.saturation", parameters)
        marks = _first(pair, evidence, "golden_inf")
        found.append(Pattern(PatternName.SATURATION, message, numbers, marks, number / whole))
    if counts.target_inf:
        overflow = yield from _overflow(pair, evidence)
        found += [overflow] if overflow is not None else []
    for name, number, kind, message in (
        (
            PatternName.NAN_FOR_INF,
            counts.nan_for_inf,
            "nan_for_inf",
            Message("pattern.nan_for_inf", {"count": counts.nan_for_inf}),
        ),
        (
            PatternName.INF_SIGN,
            counts.inf_sign,
            "inf_sign",
            Message("pattern.inf_sign", {"count": counts.inf_sign}),
        ),
        (
            PatternName.ZERO_FOR_NAN,
            counts.zero_for_nan,
            "golden_nan",
            Message("pattern.zero_for_nan", {"count": counts.zero_for_nan}),
        ),
    ):
        if number:
            marks = _first(pair, evidence, kind)
            found.append(Pattern(name, message, {"count": number}, marks, number / whole))
    told = sum(int(str(pattern.numbers["count"])) for pattern in found)
    slices = _slices(pair, evidence)
    if slices is not None:
        found.append(slices)
    elif told < counts.disagreeing:
        found.append(_places(pair, evidence))
    return found


def _overflow(pair: Pair, evidence: Evidence) -> Work[Pattern | None]:
    """Tell Inf exactly where the golden lies beyond the range of a format."""
    kept = 0.0
    finite = 0
    for block in pair.blocks():
        t, g = pair.block(block)
        both = np.isfinite(t) & np.isfinite(g)
        finite += int(np.count_nonzero(both))
        kept = max(kept, float(np.abs(g[both]).max(initial=0.0)))
        yield pair.progress(block.top * pair.columns + block.right)
    lost, number = evidence.specials.finite_beyond, evidence.specials.target_inf
    for name in _RANGES:
        dtype = DTYPES[name]
        # Rounding to nearest reaches the largest number from half a step beyond it.
        step = dtype.unit_roundoff * 2.0
        edge = dtype.maximum
        if lost >= edge * (1 - 8 * step) and kept <= edge * (1 + 8 * step) and lost > kept * (1 - 8 * step):
            if not separates(number, finite) and lost < edge:
                continue
            parameters: dict[str, Parameter] = {"count": number, "maximum": edge, "format": name}
            numbers: dict[str, Number] = {
                "count": number, "format": name, "maximum": edge, "smallest_lost": lost, "largest_kept": kept,
            }  # fmt: skip
            marks = _first(pair, evidence, "target_inf")
            share = number / max(evidence.bad, 1)
            return Pattern(
                PatternName.OVERFLOW, Message("pattern.overflow", parameters), numbers, marks, share
            )
    return None


def _slices(pair: Pair, evidence: Evidence) -> Pattern | None:
    """Tell special values that fill whole slices of an axis."""
    number = evidence.extents["special"].count
    for axis, sums in enumerate(evidence.axes):
        inside = pair.length(axis)
        if sums is None or inside < 2 or pair.shape[axis] < 2:
            continue
        there = np.flatnonzero(sums.special)
        full = np.count_nonzero(sums.special[there] >= FILLED * inside) == there.size
        if not full or not there.size or there.size == pair.shape[axis]:
            continue
        counts = evidence.specials
        kind = "nan" if counts.target_nan + counts.nan_for_inf >= number / 2 else "other"
        kind = "golden" if counts.golden_nan + counts.golden_inf >= number / 2 else kind
        listed = ", ".join(map(str, there[:16].tolist())) + (" …" if there.size > 16 else "")
        numbers: dict[str, Number] = {
            "axis": axis, "indices": there[:64].tolist(), "number": int(there.size), "count": number,
        }  # fmt: skip
        marks = tuple(
            Mark(box=tuple((at, at + 1) if k == axis else (0, n) for k, n in enumerate(pair.shape)))
            for at in there[:64].tolist()
        )
        parameters: dict[str, Parameter] = {"count": int(there.size), "listed": listed, "axis": axis}
        message = Message(f"pattern.special_slices.{kind}.{word_of(pair, axis)}", parameters)
        share = number / max(evidence.bad, 1)
        return Pattern(PatternName.SPECIAL_SLICES, message, numbers, marks, share)
    return None


def _places(pair: Pair, evidence: Evidence) -> Pattern:
    """Tell how many special values only one side has, and where they lie."""
    counts = evidence.specials
    number = evidence.extents["special"].count
    place = locate(pair, evidence, "special")
    first = pair.place(evidence.extents["special"].first)
    numbers: dict[str, Number] = {kind: getattr(counts, kind) for kind in _KINDS if getattr(counts, kind)}
    numbers |= {"count": number, "first": list(first)}
    parameters: dict[str, Parameter] = {
        "count": number, "first": "[" + ", ".join(map(str, first)) + "]",
        "nan": counts.target_nan + counts.nan_for_inf, "inf": counts.target_inf + counts.inf_for_nan,
        "golden": counts.golden_nan + counts.golden_inf,
    }  # fmt: skip
    marks = place.marks if place is not None else (Mark(box=tuple((at, at + 1) for at in first)),)
    message = Message("pattern.special_values", parameters)
    return Pattern(PatternName.SPECIAL_VALUES, message, numbers, marks, number / max(evidence.bad, 1))


def _first(pair: Pair, evidence: Evidence, kind: str) -> tuple[Mark, ...]:
    place = locate(pair, evidence, "special")
    if place is not None:
        return place.marks
    first = evidence.specials.first.get(kind)
    return () if first is None else (Mark(box=tuple((at, at + 1) for at in pair.place(first))),)
