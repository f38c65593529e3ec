"""Places where one side is zero and the other is not: an ignored mask, or something not computed."""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import BITS, FILLED, PART
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Pattern, PatternName
from core.metrics.patterns.places import locate, word_of
from core.metrics.patterns.wording import grouped, where_words

_RARE = 0.1
"""Largest share of zeros elsewhere of a side that need not be zero in all of a place."""


def _proven(pair: Pair, evidence: Evidence, place: Pattern, what: str, side: str) -> bool:
    """Return whether *side* is zero in a place because of the place, and not as it is anywhere."""
    nonzero = evidence.target_nonzero if side == "target" else evidence.golden_nonzero
    count = evidence.extents[what].count
    inside = round(count / float(place.numbers["filled"]))  # type: ignore[arg-type]
    outside = pair.size - inside
    slices = _slices_of(place)
    if slices is not None:
        sums = evidence.axes[int(place.numbers["axis"])]  # type: ignore[arg-type]
        assert sums is not None  # by which the place was found
        if not (sums.tt if side == "target" else sums.gg)[slices].any():
            elsewhere = (max(outside - nonzero, 0) + 1) / (outside + 1)
            return nonzero > 0 and inside * -log2(elsewhere) >= BITS
    elsewhere = (pair.size - nonzero - count) / max(outside, 1)
    return count >= FILLED * inside and elsewhere <= _RARE and inside <= PART * pair.size


def _slices_of(place: Pattern) -> NDArray[np.int64] | None:
    """Return the indices of an axis that a place is; nothing if it is something else."""
    numbers = place.numbers
    if place.name is PatternName.INDEX_RANGE:
        return np.arange(int(numbers["start"]), int(numbers["stop"]))  # type: ignore[arg-type]
    if place.name is PatternName.INDEX_SET and numbers["number"] == len(numbers["indices"]):  # type: ignore[arg-type]
        return np.asarray(numbers["indices"], np.int64)
    return None


def find_zero_filled(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return where one side is zero and the other is not, if that is a range of an axis or a box."""
    found = []
    for what, side in (("extra", "golden"), ("missing", "target")):
        place = locate(pair, evidence, what)
        if place is None or place.name in (PatternName.SINGLE_ELEMENT, PatternName.FEW_ELEMENTS):
            continue
        if not _proven(pair, evidence, place, what, side):
            continue
        count = evidence.extents[what].count
        parameters: dict[str, Parameter] = {
            "elements": grouped(count), "where": where_words(place.marks, pair.shape),
        }  # fmt: skip
        if place.name is PatternName.INDEX_RANGE:
            start, stop, axis = (int(place.numbers[key]) for key in ("start", "stop", "axis"))  # type: ignore[arg-type]
            kind = "one" if stop - start == 1 else "from" if stop == pair.shape[axis] else "range"
            parameters |= {"start": start, "stop": stop - 1, "axis": axis}
            message = Message(f"pattern.zero_filled.{kind}.{side}.{word_of(pair, axis)}", parameters)
        else:
            message = Message(f"pattern.zero_filled.places.{side}", parameters)
        numbers = {**place.numbers, "zero_side": side, "count": count}
        share = min(1.0, count / max(evidence.bad, 1))
        found.append(Pattern(PatternName.ZERO_FILLED, message, numbers, place.marks, share))
    return found
