"""Elements that can be counted on fingers, with both their values."""

from __future__ import annotations

import numpy as np

from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import APART, FEW, LIGHT_TAILED
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.wording import grouped, index_words, shortest
from core.progress import Work


def find_few(pair: Pair, evidence: Evidence) -> Work[Pattern | None]:
    """Tell elements that can be counted on fingers, if the others are equal, or noise far below them."""
    places = evidence.extents["bad"].places
    number = len(places)
    if number > FEW or number * 4 > pair.size:
        return None
    others = evidence.different == number
    if not others:
        largest, root, smallest = yield from _rest(pair, places)
        if pair.size < 256 or largest > LIGHT_TAILED * root or smallest < APART * largest:
            return None
    where = [pair.place(flat) for flat in places]
    values = [
        tuple(float(abs(side[0])) if pair.complex else side[0].item() for side in pair.raw(at, at + 1))
        for at in places
    ]
    told = "; ".join(map(index_words, where))
    numbers: dict[str, Number] = {
        "places": [list(place) for place in where], "count": number, "others_equal": others,
        "target": [pair_of[0] for pair_of in values], "golden": [pair_of[1] for pair_of in values],
    }  # fmt: skip
    marks = tuple(Mark(box=tuple((at, at + 1) for at in place)) for place in where)
    rest = "equal" if others else "noise"
    if number == 1:
        parameters: dict[str, Parameter] = {
            "place": told,
            "target": shortest(values[0][0], pair.target.dtype.unit_roundoff),
            "golden": shortest(values[0][1], pair.golden.dtype.unit_roundoff),
        }  # fmt: skip
        message = Message(f"pattern.single_element.{rest}", parameters)
        return Pattern(PatternName.SINGLE_ELEMENT, message, numbers, marks)
    message = Message(
        f"pattern.few_elements.{rest}", {"differing": number, "elements": grouped(pair.size), "listed": told}
    )
    return Pattern(PatternName.FEW_ELEMENTS, message, numbers, marks)


def _rest(pair: Pair, places: list[int]) -> Work[tuple[float, float, float]]:
    """Return how far all but *places* differ, largest and root mean square, and how far these do at least.

    In units of what is noise at each element.
    """
    largest = total = 0.0
    for block in pair.blocks():
        start = block.top * pair.columns + block.left
        t, g = (side.astype(pair.working).reshape(-1) for side in pair.block(block))
        units = np.abs(t - g) / pair.tolerance(g)
        inside = [at - start for at in places if start <= at < start + units.size]
        units[inside] = 0.0
        units = units[np.isfinite(units)].astype(np.float64)
        largest = max(largest, float(units.max(initial=0.0)))
        total += float((units * units).sum())
        yield pair.progress(start)
    smallest = np.inf
    for at in places:
        t, g = (side.astype(pair.working) for side in pair.raw(at, at + 1))
        found = float((np.abs(t - g) / pair.tolerance(g))[0])
        smallest = min(smallest, found if np.isfinite(found) else np.inf)
    return largest, float(np.sqrt(total / pair.size)), smallest
