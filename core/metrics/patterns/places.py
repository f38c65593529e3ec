"""Where a pair differs: a range of one axis, a set of slices, a box, a block in memory, a few elements."""

from __future__ import annotations

from math import comb, log2, prod

import numpy as np

from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import (
    APART,
    BITS,
    FEW,
    FILLED,
    FILLED_SLICES,
    LIGHT_TAILED,
    MARKS,
    PART,
)
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.progress import Work

Box = tuple[tuple[int, int], ...]

_MEMORY = 512
"""Overwrites of memory come in multiples of this many elements."""
_LARGE_MEMORY = 2048


def marks_of(pair: Pair, evidence: Evidence, what: str = "bad") -> tuple[Mark, ...]:
    """Return where elements of the mask *what* lie; nothing where they lie all over."""
    found = locate(pair, evidence, what)
    return found.marks if found is not None else ()


def find_places(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return where the pair differs, if that is a place and not all over."""
    if evidence.bad == 0:
        return []
    found = locate(pair, evidence, "bad")
    if found is None:
        found = yield from _few(pair, evidence)
    return [] if found is None else [found]


def find_zero_filled(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return where one side is zero and the other is not, if that is a range of an axis or a box."""
    found = []
    for what, side in (("extra", "golden"), ("missing", "target")):
        place = locate(pair, evidence, what)
        if place is None or place.name in (PatternName.SINGLE_ELEMENT, PatternName.FEW_ELEMENTS):
            continue
        if place.numbers.get("filled", 0.0) < FILLED:  # type: ignore[operator]
            continue
        count = evidence.extents[what].count
        parameters: dict[str, Parameter] = {"elements": count, "where": _words(place)}
        if place.name is PatternName.INDEX_RANGE:
            start, stop, axis = (int(place.numbers[key]) for key in ("start", "stop", "axis"))  # type: ignore[arg-type]
            kind = "from" if stop == pair.shape[axis] else "range"
            parameters |= {"start": start, "stop": stop - 1, "axis": axis}
            message = Message(f"pattern.zero_filled.{kind}.{side}.{word_of(pair, axis)}", parameters)
        else:
            message = Message(f"pattern.zero_filled.places.{side}", parameters)
        numbers = {**place.numbers, "zero_side": side, "count": count}
        share = min(1.0, count / max(evidence.bad, 1))
        found.append(Pattern(PatternName.ZERO_FILLED, message, numbers, place.marks, share))
    return found


def word_of(pair: Pair, axis: int) -> str:
    """Return what an axis is called: ``rows`` and ``columns`` of a matrix, otherwise ``axis``."""
    return ("rows", "columns")[axis] if pair.axes == 2 else "axis"


def _words(place: Pattern) -> str:
    mark = place.marks[0]
    return _words_of(mark.box) if mark.box is not None else _words_of((mark.flat,) if mark.flat else ())


def locate(pair: Pair, evidence: Evidence, what: str) -> Pattern | None:
    """Return the place that the elements of the mask *what* fill best; the plainest of equal ones."""
    extent = evidence.extents[what]
    if not extent.count or extent.count > PART * pair.size or not pair.shape:
        return None
    box = _box(pair, evidence, what)
    partial = [axis for axis, (start, stop) in enumerate(box) if stop - start < pair.shape[axis]]
    memory, area = _in_memory(pair, evidence, what), _area(pair, evidence, what, box)
    if pair.axes == 1 and memory is not None:
        return memory
    one = _range(pair, evidence, what, partial[0], box) if len(partial) == 1 else None
    found = [place for place in (one, _slices(pair, evidence, what), memory, area) if place is not None]
    return max(found, key=lambda place: round(float(place.numbers["filled"]), 2), default=None)  # type: ignore[arg-type]


def _area(pair: Pair, evidence: Evidence, what: str, box: Box) -> Pattern | None:
    """Tell a box that is filled."""
    count = evidence.extents[what].count
    volume = prod(stop - start for start, stop in box)
    choices = sum(2.0 * log2(length + 1) for length in pair.shape)
    if not _filled(count, volume, pair.size, choices, FILLED):
        return None
    numbers: dict[str, Number] = {
        "box": [list(ends) for ends in box],
        "count": count,
        "filled": count / volume,
    }
    message = Message("pattern.box", {"where": _words_of(box), "differing": count})
    return Pattern(PatternName.BOX, message, numbers, (Mark(box=box),))


def _box(pair: Pair, evidence: Evidence, what: str) -> Box:
    """Return the smallest box around all elements of a mask (a whole axis where its sums are not known)."""
    ends = []
    for axis, sums in enumerate(evidence.axes):
        there = np.flatnonzero(sums.counts(what)) if sums is not None else np.empty(0, np.int64)
        ends.append((int(there[0]), int(there[-1]) + 1) if there.size else (0, pair.shape[axis]))
    return tuple(ends)


def _filled(count: int, volume: int, size: int, choices: float, filled: float) -> bool:
    """Return whether *count* elements fill *volume* of *size* elements, beyond chance."""
    if volume >= size or count < filled * volume:
        return False
    return count * log2(size / volume) - choices >= BITS


def _range(pair: Pair, evidence: Evidence, what: str, axis: int, box: Box) -> Pattern | None:
    start, stop = box[axis]
    length, inside = pair.shape[axis], pair.length(axis)
    count = evidence.extents[what].count
    volume = (stop - start) * inside
    sums = evidence.axes[axis]
    if sums is None or not _filled(count, volume, pair.size, 2.0 * log2(length + 1), FILLED_SLICES):
        return None
    if np.count_nonzero(sums.counts(what)[start:stop]) < FILLED * (stop - start):
        return None
    kind = "one" if stop - start == 1 else "from" if stop == length else "range"
    word = word_of(pair, axis)
    numbers: dict[str, Number] = {
        "axis": axis, "start": start, "stop": stop, "length": length, "count": count,
        "filled": count / volume,
    }  # fmt: skip
    parameters: dict[str, Parameter] = {
        "start": start, "stop": stop - 1, "length": length, "axis": axis, "share": 100.0 * count / volume,
    }  # fmt: skip
    message = Message(f"pattern.index_range.{kind}.{word}", parameters)
    return Pattern(PatternName.INDEX_RANGE, message, numbers, (Mark(box=box),))


def _slices(pair: Pair, evidence: Evidence, what: str) -> Pattern | None:
    """Return the few whole slices of one axis that hold all elements of a mask."""
    count = evidence.extents[what].count
    for axis, sums in enumerate(evidence.axes):
        length = pair.shape[axis]
        if sums is None or length < 4:
            continue
        per_index = sums.counts(what)
        there = np.flatnonzero(per_index)
        inside = pair.length(axis)
        if not there.size or there.size > length // 2 or inside < 4:
            continue
        if np.count_nonzero(per_index[there] >= FILLED_SLICES * inside) < FILLED * there.size:
            continue
        choices = _log2_choices(length, there.size)
        if not _filled(count, there.size * inside, pair.size, choices, FILLED_SLICES):
            continue
        shown = there[:MARKS].tolist()
        numbers: dict[str, Number] = {
            "axis": axis,
            "indices": shown,
            "number": int(there.size),
            "length": length,
        }
        numbers |= {"count": count, "filled": count / (there.size * inside)}
        listed = ", ".join(map(str, there[:FEW].tolist())) + (" …" if there.size > FEW else "")
        parameters: dict[str, Parameter] = {
            "count": int(there.size), "length": length, "axis": axis, "listed": listed,
        }  # fmt: skip
        marks = tuple(Mark(box=_slice_box(pair, axis, at)) for at in shown)
        message = Message(f"pattern.index_set.{word_of(pair, axis)}", parameters)
        return Pattern(PatternName.INDEX_SET, message, numbers, marks)
    return None


def _slice_box(pair: Pair, axis: int, at: int) -> Box:
    return tuple((at, at + 1) if k == axis else (0, length) for k, length in enumerate(pair.shape))


def _log2_choices(length: int, number: int) -> float:
    if length <= 4096:
        return log2(comb(length, number))
    share = number / length
    return length * -(share * log2(share) + (1 - share) * log2(1 - share))


def _in_memory(pair: Pair, evidence: Evidence, what: str) -> Pattern | None:
    """Tell a range of memory that holds other values."""
    extent = evidence.extents[what]
    count, flat = extent.count, (extent.first, extent.last + 1)
    length = flat[1] - flat[0]
    if not _filled(count, length, pair.size, 2.0 * log2(pair.size + 1), FILLED):
        return None
    unit = _LARGE_MEMORY if length % _LARGE_MEMORY == 0 else _MEMORY if length % _MEMORY == 0 else 0
    others = evidence.different == count
    percent = 100.0 * length / pair.size
    numbers: dict[str, Number] = {
        "start": flat[0], "stop": flat[1], "length": length, "count": count, "filled": count / length,
        "share_of_tensor": length / pair.size, "multiple_of": unit or None, "others_equal": others,
    }  # fmt: skip
    rest = "equal" if others else "noise"
    parameters: dict[str, Parameter] = {
        "start": flat[0], "stop": flat[1] - 1, "length": length, "percent": percent, "unit": unit,
        "times": length // unit if unit else 0,
    }  # fmt: skip
    kind = "memory" if unit else "plain"
    message = Message(f"pattern.overwritten_block.{kind}.{rest}", parameters)
    return Pattern(PatternName.OVERWRITTEN_BLOCK, message, numbers, (Mark(flat=flat),))


def _few(pair: Pair, evidence: Evidence) -> Work[Pattern | None]:
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
    listed = "; ".join(f"[{', '.join(map(str, place))}]" for place in where)
    numbers: dict[str, Number] = {
        "places": [list(place) for place in where], "count": number, "others_equal": others,
        "target": [pair_of[0] for pair_of in values], "golden": [pair_of[1] for pair_of in values],
    }  # fmt: skip
    marks = tuple(Mark(box=tuple((at, at + 1) for at in place)) for place in where)
    rest = "equal" if others else "noise"
    if number == 1:
        parameters: dict[str, Parameter] = {
            "place": listed, "target": f"{values[0][0]}", "golden": f"{values[0][1]}", "elements": pair.size,
        }  # fmt: skip
        message = Message(f"pattern.single_element.{rest}", parameters)
        return Pattern(PatternName.SINGLE_ELEMENT, message, numbers, marks)
    message = Message(
        f"pattern.few_elements.{rest}", {"differing": number, "elements": pair.size, "listed": listed}
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


def _words_of(box: Box) -> str:
    return "[" + ", ".join(f"{start}:{stop}" for start, stop in box) + "]"
