"""What the sides' disagreements about NaN and Inf look like: whole rows, saturation, overflow of a format."""

from __future__ import annotations

from math import log2

import numpy as np

from core.dtypes import DTYPES, DType, Kind
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import FEW, FILLED, MARKS
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.places import locate, word_of
from core.metrics.patterns.trial import separates
from core.metrics.patterns.wording import grouped, index_words, listed, where_words
from core.progress import Work

_ON_THE_WAY = ("float16", "bfloat16")
"""Formats that values may have had before they were stored in a longer one."""
_MOST_SLACK = 1 / 8
"""Largest relative distance from the end of a format's range at which the sides' noise may part values."""
_BEYOND_ZEROS = 6.0
"""Improbability, as -log2, that zeros lie where the golden is NaN because there are zeros anyway."""
_KINDS = ("target_nan", "target_inf", "golden_nan", "golden_inf", "nan_for_inf", "inf_for_nan", "inf_sign")
_TOLD = ("target_nan", "target_inf", "golden_nan", "golden_inf", "inf_for_nan")
"""Kinds with a sentence of their own where no other occurs."""


def find_specials(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return all patterns of special values that only one side has."""
    counts = evidence.specials
    if not counts.disagreeing:
        return []
    found: list[Pattern] = []
    whole = max(evidence.bad, 1)
    for name, number in counts.saturated.items():
        parameters: dict[str, Parameter] = {
            **_counted(number), "format": name, "maximum": DTYPES[name].maximum,
        }  # fmt: skip
        numbers: dict[str, Number] = {"count": number, "format": name, "maximum": DTYPES[name].maximum}
        numbers["golden_inf"] = counts.golden_inf
        message = Message("pattern.saturation", parameters)
        marks = _first(pair, evidence, "golden_inf")
        found.append(Pattern(PatternName.SATURATION, message, numbers, marks, number / whole))
    if counts.target_inf:
        overflow = yield from _overflow(pair, evidence)
        found += [overflow] if overflow is not None else []
    for name, number, kind in (
        (PatternName.NAN_FOR_INF, counts.nan_for_inf, "nan_for_inf"),
        (PatternName.INF_SIGN, counts.inf_sign, "inf_sign"),
        (PatternName.ZERO_FOR_NAN, counts.zero_for_nan, "zero_for_nan"),
    ):
        if number and (kind != "zero_for_nan" or _replaced(pair, evidence)):
            first = pair.place(counts.first[kind])
            message = Message(f"pattern.{kind}", {**_counted(number), "first": index_words(first)})
            numbers = {"count": number, "first": list(first)}
            found.append(Pattern(name, message, numbers, _first(pair, evidence, kind), number / whole))
    told = sum(int(str(pattern.numbers["count"])) for pattern in found)
    slices = _slices(pair, evidence)
    if slices is not None:
        found.insert(0, slices)
    elif told < counts.disagreeing:
        found.append(_places(pair, evidence))
    return found


def _replaced(pair: Pair, evidence: Evidence) -> bool:
    """Return whether the target's zeros where the golden is NaN are more than the zeros it has anyway."""
    counts = evidence.specials
    number = counts.zero_for_nan
    if number < FILLED * (counts.golden_nan + counts.shared_nan):
        return False
    others = pair.size - evidence.target_nonzero - number  # zeros elsewhere
    share = (others + 1) / (pair.size - number + 1)
    return number * -log2(share) >= _BEYOND_ZEROS


def _ranges_of(pair: Pair) -> list[DType]:
    """Return the formats in which the target may have become infinite: its own, or one on the way."""
    own = pair.target.dtype
    if own.kind is not Kind.FLOAT:
        return []
    return [own, *(DTYPES[name] for name in _ON_THE_WAY if DTYPES[name].maximum < own.maximum)]


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
    if lost <= kept:
        return None
    for dtype in _ranges_of(pair):
        # Rounding reaches the largest number from half a step beyond it, and the sides differ by noise.
        slack = min(16.0 * dtype.unit_roundoff, _MOST_SLACK)
        edge = dtype.maximum
        if lost >= edge * (1 - slack) and kept <= edge * (1 + slack):
            if not separates(number, finite) and lost < edge:
                continue
            first = index_words(pair.place(evidence.specials.first["target_inf"]))
            parameters: dict[str, Parameter] = {
                **_counted(number), "maximum": edge, "format": dtype.name, "first": first,
            }  # fmt: skip
            numbers: dict[str, Number] = {
                "count": number, "format": dtype.name, "maximum": edge, "smallest_lost": lost,
                "largest_kept": kept,
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
        numbers: dict[str, Number] = {
            "axis": axis, "indices": there[:MARKS].tolist(), "number": int(there.size), "count": number,
        }  # fmt: skip
        marks = tuple(
            Mark(box=tuple((at, at + 1) if k == axis else (0, n) for k, n in enumerate(pair.shape)))
            for at in there[:MARKS].tolist()
        )
        parameters: dict[str, Parameter] = {
            "count": int(there.size), "listed": listed(there.tolist(), FEW), "axis": axis,
        }  # fmt: skip
        message = Message(f"pattern.special_slices.{kind}.{word_of(pair, axis)}", parameters)
        share = number / max(evidence.bad, 1)
        return Pattern(PatternName.SPECIAL_SLICES, message, numbers, marks, share)
    return None


def _places(pair: Pair, evidence: Evidence) -> Pattern:
    """Tell how many special values only one side has, and where they lie."""
    counts = evidence.specials
    number = evidence.extents["special"].count
    place = locate(pair, evidence, "special")
    places = [pair.place(flat) for flat in evidence.extents["special"].places[:FEW]]
    numbers: dict[str, Number] = {kind: getattr(counts, kind) for kind in _KINDS if getattr(counts, kind)}
    numbers |= {"count": number, "first": list(places[0])}
    marks = tuple(Mark(box=tuple((at, at + 1) for at in index)) for index in places)
    whole = number == pair.size
    if whole:  # which is no place that could be located
        marks = (Mark(box=tuple((0, length) for length in pair.shape)),)
    elif place is not None:
        marks = place.marks
    elif number > FEW:
        marks = marks[:1]
    kinds = [kind for kind in _KINDS if getattr(counts, kind)]
    kind = kinds[0] if len(kinds) == 1 and kinds[0] in _TOLD else "mixed"
    where = where_words(marks, pair.shape) + (" …" if place is None and not whole and number > FEW else "")
    parameters: dict[str, Parameter] = {
        **_counted(number), "where": where,
        "nan": grouped(counts.target_nan + counts.nan_for_inf),
        "inf": grouped(counts.target_inf + counts.inf_for_nan),
        "golden": grouped(counts.golden_nan + counts.golden_inf),
    }  # fmt: skip
    filled = number > 1 and (whole or (place is not None and place.numbers["filled"] == 1.0))
    message = (
        Message(f"pattern.special_box.{kind}", parameters)
        if filled
        else Message(f"pattern.special_values.{kind}", parameters)
    )
    return Pattern(PatternName.SPECIAL_VALUES, message, numbers, marks, number / max(evidence.bad, 1))


def _counted(number: int) -> dict[str, Parameter]:
    return {"count": number, "number": grouped(number)}


def _first(pair: Pair, evidence: Evidence, kind: str) -> tuple[Mark, ...]:
    place = locate(pair, evidence, "special")
    if place is not None:
        return place.marks
    first = evidence.specials.first.get(kind)
    return () if first is None else (Mark(box=tuple((at, at + 1) for at in pair.place(first))),)
