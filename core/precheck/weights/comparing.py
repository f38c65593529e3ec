"""The initial weights of two runs, tensor by tensor: by checksum, by all elements, by statistics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from core.errors import InputError, Problem
from core.formats.evidence.weights.checkpoint import twice_told
from core.formats.evidence.weights.parts import missing_parts
from core.formats.evidence.weights.statistics import TOLD
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.precheck.weights.elements import elements_agree
from core.precheck.weights.keys import pair_keys, without_wrappers
from core.precheck.weights.no_weights import is_computed, is_tied
from core.precheck.weights.rows import OpenFiles, WeightRow, rows_of
from core.precheck.weights.statistics import Printed, printed, statistics_agree
from core.progress import Progress, Work
from core.records.columns import Float64
from core.records.evidence import Place, WeightTable

_EXTREMES = 2
"""Numbers of the statistics that are no sum: the largest and the smallest."""


class WeightState(StrEnum):
    """How a tensor stands."""

    EQUAL = "equal"
    NOT_FINITE = "not_finite"
    """Equal, and NaN or infinite in the same places."""
    EXTREMES = "extremes"
    """Largest and smallest number agree, and nothing else is told."""
    SUMS = "sums"
    """Statistics agree but for the order of summing."""
    FORMAT = "format"
    """The same numbers in another format."""
    ROUNDED = "rounded"
    DIFFERS = "differs"
    SPECIAL = "special"
    """They differ, and some elements are NaN or infinite on one side alone."""
    SHAPE = "shape"
    PARTED = "parted"
    """Parts of ranks: not comparable tensor by tensor."""
    UNKNOWN = "unknown"
    UNTOLD = "untold"
    """Statistics without a number that both sides tell: NaN, or N/A."""
    LACKING = "lacking"
    """On one side alone, and the other's files are not whole."""
    TARGET_ONLY = "target_only"
    GOLDEN_ONLY = "golden_only"
    COPY = "copy"
    """On one side alone, and a copy of another tensor there: weights that are tied."""
    COMPUTED = "computed"
    """On one side alone, and no weight: the model computes it."""


class WeightPair(NamedTuple):
    """One tensor of the two sides."""

    name: str
    golden_name: str
    state: WeightState
    target: str
    """Dtype and shape, as people read them."""
    golden: str
    error: float = math.nan
    target_place: Place | None = None
    golden_place: Place | None = None


@dataclass(frozen=True)
class WeightComparison:
    """All tensors of the two sides."""

    pairs: tuple[WeightPair, ...]
    wrappers: tuple[str, ...]
    """What was taken off some names to find their partners."""
    steps: tuple[int, int]
    """Steps of the training that the weights belong to; -1 where not told."""
    problems: tuple[Problem, ...] = ()
    """Tensors that could not be compared."""
    doubts: tuple[tuple[Problem, ...], tuple[Problem, ...]] = ((), ())
    """Why the weights of target and golden are not known as a whole: parts that are not there, two tensors of
    one name."""


def compare_weights(
    target: Sequence[WeightTable],
    golden: Sequence[WeightTable],
    sum_tolerance: float,
    *,
    parallel: bool = False,
) -> Work[WeightComparison]:
    """Compare the earliest weights of both sides; several tables of a side are parts of one.

    Tensors whose checksums differ are compared element by element where both files are there. Memory is
    bounded: files are mapped, and read a piece at a time.

    Parameters
    ----------
    target, golden
        Tables of each side.
    sum_tolerance
        What the order of summing may make of a mean or norm: :class:`~core.precheck.limits.PrecheckLimits`.
    parallel
        The settings of a side say that its ranks hold parts of tensors; names of files may say so too.
    """
    steps, chosen = _same_step(target, golden)
    files = OpenFiles(), OpenFiles()
    sides = []
    for tables, opened in zip(chosen, files):
        sides.append((yield from _rows(tables, opened, sum_tolerance)))
    rows = [side for side, _ in sides]
    doubts = [(*twice, *_missing(side)) for side, twice in sides]
    keys = pair_keys([row.key for row in rows[0]], [row.key for row in rows[1]])
    problems: list[Problem] = []
    found = []
    total = len(keys.pairs)
    for number, (left, right) in enumerate(keys.pairs):
        yield Progress(number, total, Message("progress.weights", {"path": rows[0][left].place.path}))
        ours, theirs = rows[0][left], rows[1][right]
        try:
            state, error = _compare(ours, theirs, files, sum_tolerance, parallel)
        except InputError as problem:
            problems.append(problem.problem)
            state, error = WeightState.UNKNOWN, math.nan
        if state in (WeightState.EQUAL, WeightState.FORMAT) and (ours.special or theirs.special):
            state = WeightState.NOT_FINITE
        found.append(_pair(ours, theirs, state, error))
    found += [_pair(rows[0][left], rows[1][right], WeightState.PARTED) for left, right in keys.parted]
    for places, side, golden_side in ((keys.target_only, rows[0], False), (keys.golden_only, rows[1], True)):
        matched = [side[pair[int(golden_side)]] for pair in keys.pairs]
        for place in places:
            row = side[place]
            state = WeightState.GOLDEN_ONLY if golden_side else WeightState.TARGET_ONLY
            if is_computed(row):
                state = WeightState.COMPUTED
            elif is_tied(row, matched, files[golden_side]):
                state = WeightState.COPY
            found.append(_pair(None, row, state) if golden_side else _pair(row, None, state))
    return WeightComparison(tuple(found), keys.wrappers, steps, tuple(problems), (doubts[0], doubts[1]))


def _same_step(
    target: Sequence[WeightTable], golden: Sequence[WeightTable]
) -> tuple[tuple[int, int], tuple[list[WeightTable], list[WeightTable]]]:
    """Return the earliest step that both have, else the earliest of each, and the tables of it."""
    common = {table.step for table in target} & {table.step for table in golden}
    steps = [min(common) if common else min(table.step for table in side) for side in (target, golden)]
    chosen = [[table for table in side if table.step == step] for side, step in zip((target, golden), steps)]
    return (steps[0], steps[1]), (chosen[0], chosen[1])


def _rows(
    tables: Iterable[WeightTable], files: OpenFiles, sum_tolerance: float
) -> Work[tuple[list[WeightRow], list[Problem]]]:
    """Return the tensors of *tables*, each name once, and the first one that two tables hold unequal.

    What one table lacks another may tell. Across tables, names are the same without what wraps the model.
    """
    found: dict[str, WeightRow] = {}
    twice: list[Problem] = []
    bare: dict[str, str] = {}
    for table in tables:
        for row in rows_of(table):
            key = row.key if row.key in found else bare.get(without_wrappers(row.key), row.key)
            known = found.setdefault(key, row)
            if known is row:
                continue
            yield Progress(0, 0, Message("progress.weights", {"path": row.place.path}))
            if not twice and _unequal(row, known, files, sum_tolerance):
                place = row.file or row.place.path
                twice.append(twice_told(place, known.file or known.place.path, [row.key]))
            if not known.digest and row.digest:
                found[key] = row._replace(key=key)
        for key in table.keys:
            bare.setdefault(without_wrappers(key), key)
    return list(found.values()), twice


def _unequal(row: WeightRow, known: WeightRow, files: OpenFiles, sum_tolerance: float) -> bool:
    """Return whether two tensors of one name and side are known to be different ones."""
    try:
        state, _ = _compare(row, known, (files, files), sum_tolerance, False)
    except InputError:
        return False  # the comparison of the sides tells it
    return state in (WeightState.DIFFERS, WeightState.SPECIAL, WeightState.SHAPE, WeightState.PARTED)


def _missing(rows: Iterable[WeightRow]) -> list[Problem]:
    files = {row.file for row in rows} - {""}
    missing = missing_parts(files)
    return [Problem("weights_parts_missing", missing[0], {"count": len(missing)})] if missing else []


def _compare(
    ours: WeightRow,
    theirs: WeightRow,
    files: tuple[OpenFiles, OpenFiles],
    sum_tolerance: float,
    parallel: bool,
) -> tuple[WeightState, float]:
    if ours.shape is not None and theirs.shape is not None and ours.shape != theirs.shape:
        parted = (parallel or ours.ranked or theirs.ranked) and _is_part(ours.shape, theirs.shape)
        return (WeightState.PARTED if parted else WeightState.SHAPE), math.nan
    alike = ours.digest.startswith(TOLD) == theirs.digest.startswith(TOLD)
    if ours.digest and theirs.digest and alike and ours.digest == theirs.digest:
        return WeightState.EQUAL if ours.dtype == theirs.dtype else WeightState.FORMAT, 0.0
    if ours.file and theirs.file:
        return _by_elements(files[0].open(ours), files[1].open(theirs))
    if ours.told and theirs.told:
        statistics = [opened.statistics(row) for row, opened in zip((ours, theirs), files)]
        return _by_statistics(
            statistics[0], statistics[1], (_how(ours), _how(theirs)), sum_tolerance
        ), math.nan
    comparable = bool(ours.digest and theirs.digest and alike and ours.dtype == theirs.dtype)
    return (WeightState.DIFFERS if comparable else WeightState.UNKNOWN), math.nan


def _by_statistics(
    target: Float64, golden: Float64, hows: tuple[Printed, Printed], sum_tolerance: float
) -> WeightState:
    agreement = statistics_agree(target, golden, hows, sum_tolerance)
    if not agreement.equal:
        return WeightState.DIFFERS
    if np.isnan(target[:2]).any() or np.isnan(golden[:2]).any():
        return WeightState.UNTOLD
    if agreement.sums_apart:
        return WeightState.SUMS
    return WeightState.EQUAL if agreement.compared > _EXTREMES else WeightState.EXTREMES


def _how(row: WeightRow) -> Printed:
    return printed(np.empty((0, 4))) if row.file else row.how


def _is_part(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Return whether one shape is a part of the other along one dimension, as parallel ranks hold it."""
    if len(first) != len(second):
        return False
    apart = [(ours, theirs) for ours, theirs in zip(first, second) if ours != theirs]
    if len(apart) != 1:
        return False
    small, large = sorted(apart[0])
    return small > 0 and large % small == 0


def _by_elements(target: TensorHandle, golden: TensorHandle) -> tuple[WeightState, float]:
    agreement = elements_agree(target, golden)
    if agreement.equal:
        same = target.dtype.name == golden.dtype.name
        return (WeightState.EQUAL if same else WeightState.FORMAT), 0.0
    if agreement.special:
        return WeightState.SPECIAL, agreement.error
    return (WeightState.ROUNDED if agreement.rounded else WeightState.DIFFERS), agreement.error


def _pair(
    ours: WeightRow | None, theirs: WeightRow | None, state: WeightState, error: float = math.nan
) -> WeightPair:
    return WeightPair(
        ours.key if ours else "",
        theirs.key if theirs else "",
        state,
        ours.look if ours else "",
        theirs.look if theirs else "",
        error,
        ours.place if ours else None,
        theirs.place if theirs else None,
    )
