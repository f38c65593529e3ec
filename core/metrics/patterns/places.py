"""Where a pair differs: a range of one axis, a set of slices, a box, a block in memory, a few elements."""

from __future__ import annotations

from math import comb, log2, prod

import numpy as np

from core.messages import Message, Parameter
from core.metrics.patterns.edges import sharp
from core.metrics.patterns.evidence import AxisSums, Evidence
from core.metrics.patterns.few import find_few
from core.metrics.patterns.limits import BITS, FEW, FILLED, FILLED_SLICES, MARKS, PART, UNRELATED
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.wording import Box, box_words, grouped, listed, where_words
from core.progress import Work

_MEMORY = 512
"""Overwrites of memory come in multiples of this many elements."""
_LARGE_MEMORY = 2048
_COINCIDENCE = 4
"""Rows that a multiple of memory must hold at least: one row may be as long by its shape."""


def where_of(pair: Pair, marks: tuple[Mark, ...]) -> str:
    """Return the end of a clause that says where: a colon and the places, or nothing."""
    return f": {where_words(marks, pair.shape)}" if marks else ""


def marks_of(pair: Pair, evidence: Evidence) -> tuple[Mark, ...]:
    """Return where finite elements differ beyond noise; nothing where they lie all over."""
    found = locate(pair, evidence, "finite")
    return found.marks if found is not None else ()


def find_places(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return where the pair differs, if that is a place and not all over."""
    if evidence.bad == 0:
        return []
    found = locate(pair, evidence, "bad")
    if found is None:
        found = yield from find_few(pair, evidence)
    return [] if found is None else [found]


def word_of(pair: Pair, axis: int) -> str:
    """Return what an axis is called: ``rows`` and ``columns`` of a matrix, otherwise ``axis``."""
    return ("rows", "columns")[axis] if pair.axes == 2 else "axis"


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
    # A range of memory that is a whole box of indices is told as the box.
    both = (area, memory) if area is not None and "flat" in area.numbers else (memory, area)
    found = [place for place in (one, _slices(pair, evidence, what), *both) if place is not None]
    return max(found, key=lambda place: round(float(place.numbers["filled"]), 2), default=None)  # type: ignore[arg-type]


def _area(pair: Pair, evidence: Evidence, what: str, box: Box) -> Pattern | None:
    """Tell a box that is filled."""
    count = evidence.extents[what].count
    volume = prod(stop - start for start, stop in box)
    choices = sum(2.0 * log2(length + 1) for length in pair.shape)
    if not _filled(count, volume, pair.size, choices, FILLED):
        return None
    cut = [axis for axis, (start, stop) in enumerate(box) if stop - start < pair.shape[axis]]
    sums = evidence.axes[cut[0]]
    if what == "bad" and len(cut) == 1 and sums is not None and not sharp(pair, sums, cut[0], *box[cut[0]]):
        return None
    numbers: dict[str, Number] = {
        "box": [list(ends) for ends in box],
        "count": count,
        "filled": count / volume,
    }
    where = box_words(box, pair.shape)
    memory = _memory_of(pair, box, numbers)
    if memory is not None:
        share = 100.0 * count / volume
        message = Message("pattern.box.memory", {"where": where, "share": share, **memory})
    elif count == volume:
        message = Message("pattern.box.whole", {"where": where, "elements": grouped(count)})
    else:
        share = 100.0 * count / volume
        message = Message("pattern.box.part", {"where": where, "differing": grouped(count), "share": share})
    return Pattern(PatternName.BOX, message, numbers, (Mark(box=box),))


def _in_a_row(pair: Pair, box: Box) -> tuple[int, int] | None:
    """Return the range of memory that *box* is, if it is one: no dimension behind a range is cut."""
    outer = next((axis for axis, (start, stop) in enumerate(box) if stop - start > 1), pair.axes)
    if any(box[axis] != (0, pair.shape[axis]) for axis in range(outer + 1, pair.axes)):
        return None
    start = 0
    for (low, _), length in zip(box, pair.shape):
        start = start * length + low
    return start, start + prod(stop - low for low, stop in box)


def _memory_of(pair: Pair, box: Box, numbers: dict[str, Number]) -> dict[str, Parameter] | None:
    """Return the words for a box that overwritten memory may have filled; add its range to *numbers*.

    Such are some rows of a longer dimension, in a number that overwrites come in and that is no accident.
    """
    flat = _in_a_row(pair, box)
    if flat is None:
        return None
    numbers["flat"] = list(flat)
    outer = next((axis for axis, (start, stop) in enumerate(box) if stop - start > 1), pair.axes - 1)
    rows, inside = box[outer][1] - box[outer][0], prod(pair.shape[outer + 1 :])
    length = flat[1] - flat[0]
    unit = _unit(length)
    if not _COINCIDENCE <= rows < pair.shape[outer] or unit < _COINCIDENCE * inside:
        return None
    numbers["multiple_of"] = unit
    return {
        "first": flat[0], "last": flat[1] - 1, "length": grouped(length), "unit": grouped(unit),
        "times": length // unit,
    }  # fmt: skip


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
    if what == "bad" and not sharp(pair, sums, axis, start, stop):
        return None
    if np.count_nonzero(sums.counts(what)[start:stop]) < FILLED * (stop - start):
        return None
    numbers: dict[str, Number] = {
        "axis": axis, "start": start, "stop": stop, "length": length, "count": count,
        "filled": count / volume,
    }  # fmt: skip
    parameters: dict[str, Parameter] = {
        "start": start, "stop": stop - 1, "length": grouped(length), "axis": axis,
        "share": 100.0 * count / volume, "where": box_words(box, pair.shape),
    }  # fmt: skip
    memory = _memory_of(pair, box, numbers) if stop < length else None
    if memory is not None:
        message = Message("pattern.box.memory", {**parameters, **memory})
    else:
        kind = "one" if stop - start == 1 else "range"
        if kind == "range" and stop == length:
            kind = "padding" if _unrelated(sums, start) else "from"
        message = Message(f"pattern.index_range.{kind}.{word_of(pair, axis)}", parameters)
    return Pattern(PatternName.INDEX_RANGE, message, numbers, (Mark(box=box),))


def _unrelated(sums: AxisSums, start: int) -> bool:
    """Return whether the sides are unrelated from *start* on, as where one is not used."""
    tt, gg, tg = (float(part[start:].sum()) for part in (sums.tt, sums.gg, sums.tg))
    return bool(abs(tg) <= UNRELATED * np.sqrt(tt * gg))


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
        first, last = int(there[0]), int(there[-1]) + 1
        together = there.size >= FILLED * (last - first)
        if what == "bad" and together and not sharp(pair, sums, axis, first, last):
            continue
        shown = there[:MARKS].tolist()
        numbers: dict[str, Number] = {
            "axis": axis,
            "indices": shown,
            "number": int(there.size),
            "length": length,
        }
        numbers |= {"count": count, "filled": count / (there.size * inside)}
        parameters: dict[str, Parameter] = {
            "count": int(there.size), "length": grouped(length), "axis": axis,
            "listed": listed(there.tolist(), FEW),
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


def _unit(length: int) -> int:
    """Return the number of elements that overwrites come in and that *length* is a multiple of, or 0."""
    return next((unit for unit in (_LARGE_MEMORY, _MEMORY) if length % unit == 0), 0)


def _in_memory(pair: Pair, evidence: Evidence, what: str) -> Pattern | None:
    """Tell a range of memory that holds other values."""
    extent = evidence.extents[what]
    count, flat = extent.count, (extent.first, extent.last + 1)
    length = flat[1] - flat[0]
    if not _filled(count, length, pair.size, 2.0 * log2(pair.size + 1), FILLED) or length > PART * pair.size:
        return None
    outer = next(axis for axis, size in enumerate(pair.shape) if size > 1)
    sums, inside = evidence.axes[outer], pair.length(outer)
    if what == "bad" and sums is not None:
        start, stop = -(-flat[0] // inside), flat[1] // inside
        around = flat[0] // inside, -(-flat[1] // inside)
        if stop > start and not sharp(pair, sums, outer, start, stop, around):
            return None
    unit = _unit(length)
    others = evidence.different == count
    percent = 100.0 * length / pair.size
    numbers: dict[str, Number] = {
        "start": flat[0], "stop": flat[1], "length": length, "count": count, "filled": count / length,
        "share_of_tensor": length / pair.size, "multiple_of": unit or None, "others_equal": others,
    }  # fmt: skip
    rest = "equal" if others else "noise"
    parameters: dict[str, Parameter] = {
        "start": flat[0], "stop": flat[1] - 1, "length": grouped(length), "percent": percent,
        "unit": grouped(unit), "times": length // unit if unit else 0,
        "where": where_of(pair, (Mark(flat=flat),)) if pair.axes > 1 else "",
    }  # fmt: skip
    kind = "memory" if unit else "plain"
    message = Message(f"pattern.overwritten_block.{kind}.{rest}", parameters)
    return Pattern(PatternName.OVERWRITTEN_BLOCK, message, numbers, (Mark(flat=flat),))
