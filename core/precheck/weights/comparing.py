"""The initial weights of two runs, tensor by tensor: by checksum, by all elements, by statistics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from core.errors import InputError, Problem
from core.formats.evidence.weights.mindspore import is_mindspore, open_mindspore
from core.formats.evidence.weights.statistics import TOLD
from core.formats.tensors import open_tensors
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.precheck.weights.elements import elements_agree
from core.precheck.weights.keys import pair_keys, without_wrappers
from core.precheck.weights.statistics import Printed, printed, statistics_agree, statistics_of
from core.progress import Progress, Work
from core.records.columns import Float64
from core.records.evidence import Place, WeightTable

_COMPUTED = re.compile(
    r"(?:.*\.)?(?:inv_freq|rotary_emb\.\w+|position_ids|masked_bias|num_batches_tracked|_extra_state)|.*\.attn\.bias"
)
"""Buffers that the model computes itself; some trainers save them and some do not."""
_MOST_FILES = 32
"""Files of a side that stay mapped; the tensors of two checkpoints come in different orders."""


class WeightState(StrEnum):
    """How a tensor stands."""

    EQUAL = "equal"
    SUMS = "sums"
    """Statistics agree but for the order of summing."""
    FORMAT = "format"
    """The same numbers in another format."""
    ROUNDED = "rounded"
    DIFFERS = "differs"
    SHAPE = "shape"
    PARTED = "parted"
    """Parts of ranks: not comparable tensor by tensor."""
    UNKNOWN = "unknown"
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


class _Row(NamedTuple):
    key: str
    dtype: str
    shape: tuple[int, ...] | None
    digest: str
    statistics: Float64
    file: str
    member: str
    how: Printed
    place: Place

    @property
    def told(self) -> bool:
        """Whether its statistics are told, or can be computed; all NaN beside a checksum are not."""
        return bool(self.file) or not self.digest or not bool(np.isnan(self.statistics).all())

    @property
    def look(self) -> str:
        shape = str(list(self.shape)) if self.shape is not None else ""
        numbers = zip(("max", "min", "mean", "norm"), self.statistics.tolist())
        told = " ".join(f"{name} {value:.7g}" for name, value in numbers if not math.isnan(value))
        return f"{self.dtype} {shape}".strip() or self.digest[:12] or told


def compare_weights(
    target: Sequence[WeightTable], golden: Sequence[WeightTable], sum_tolerance: float
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
    """
    steps, chosen = _same_step(target, golden)
    rows = [_rows(tables) for tables in chosen]
    keys = pair_keys([row.key for row in rows[0]], [row.key for row in rows[1]])
    files = _Files(), _Files()
    problems: list[Problem] = []
    found = []
    total = len(keys.pairs)
    for number, (left, right) in enumerate(keys.pairs):
        yield Progress(number, total, Message("progress.weights", {"path": rows[0][left].place.path}))
        ours, theirs = rows[0][left], rows[1][right]
        try:
            state, error = _compare(ours, theirs, files, sum_tolerance)
        except InputError as problem:
            problems.append(problem.problem)
            state, error = WeightState.UNKNOWN, math.nan
        found.append(_pair(ours, theirs, state, error))
    found += [_pair(rows[0][left], rows[1][right], WeightState.PARTED) for left, right in keys.parted]
    for places, side, golden_side in ((keys.target_only, rows[0], False), (keys.golden_only, rows[1], True)):
        matched = {side[pair[int(golden_side)]].digest for pair in keys.pairs} - {""}
        for place in places:
            state = _alone(side[place], matched, golden_side)
            row = side[place]
            found.append(_pair(None, row, state) if golden_side else _pair(row, None, state))
    return WeightComparison(tuple(found), keys.wrappers, steps, tuple(problems))


def _same_step(
    target: Sequence[WeightTable], golden: Sequence[WeightTable]
) -> tuple[tuple[int, int], tuple[list[WeightTable], list[WeightTable]]]:
    """Return the earliest step that both have, else the earliest of each, and the tables of it."""
    common = {table.step for table in target} & {table.step for table in golden}
    steps = [min(common) if common else min(table.step for table in side) for side in (target, golden)]
    chosen = [[table for table in side if table.step == step] for side, step in zip((target, golden), steps)]
    return (steps[0], steps[1]), (chosen[0], chosen[1])


def _rows(tables: Iterable[WeightTable]) -> list[_Row]:
    """Return the tensors of *tables*, each name once: what one table lacks another may tell."""
    found: dict[str, _Row] = {}
    for table in tables:
        how = printed(table.statistics)
        for place, key in enumerate(table.keys):
            row = _Row(
                key, table.dtypes[place], table.shapes[place], table.digests[place], table.statistics[place],
                table.files[place], table.members[place], how, table.place,
            )  # fmt: skip
            known = found.setdefault(key, row)
            if not known.digest and row.digest:
                found[key] = row
    return list(found.values())


def _compare(
    ours: _Row, theirs: _Row, files: tuple[_Files, _Files], sum_tolerance: float
) -> tuple[WeightState, float]:
    if ours.shape is not None and theirs.shape is not None and ours.shape != theirs.shape:
        return (WeightState.PARTED if _is_part(ours.shape, theirs.shape) else WeightState.SHAPE), math.nan
    alike = ours.digest.startswith(TOLD) == theirs.digest.startswith(TOLD)
    if ours.digest and theirs.digest and alike and ours.digest == theirs.digest:
        return WeightState.EQUAL if ours.dtype == theirs.dtype else WeightState.FORMAT, 0.0
    if ours.file and theirs.file:
        return _by_elements(files[0].open(ours), files[1].open(theirs))
    if ours.told and theirs.told:
        statistics = [opened.statistics(row) for row, opened in zip((ours, theirs), files)]
        hows = _how(ours), _how(theirs)
        agreement = statistics_agree(statistics[0], statistics[1], hows, sum_tolerance)
        same = WeightState.SUMS if agreement.sums_apart else WeightState.EQUAL
        return (same, 0.0) if agreement.equal else (WeightState.DIFFERS, math.nan)
    comparable = bool(ours.digest and theirs.digest and alike and ours.dtype == theirs.dtype)
    return (WeightState.DIFFERS if comparable else WeightState.UNKNOWN), math.nan


def _how(row: _Row) -> Printed:
    return printed(np.empty((0, 4))) if row.file else row.how


def _is_part(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Return whether one shape is a part of the other along one dimension, as parallel ranks hold it."""
    if len(first) != len(second):
        return False
    apart = [(ours, theirs) for ours, theirs in zip(first, second) if ours != theirs]
    if len(apart) != 1:
        return False
    small, large = sorted(apart[0])
    return small > 1 and large % small == 0


def _by_elements(target: TensorHandle, golden: TensorHandle) -> tuple[WeightState, float]:
    agreement = elements_agree(target, golden)
    if agreement.equal:
        same = target.dtype.name == golden.dtype.name
        return (WeightState.EQUAL if same else WeightState.FORMAT), 0.0
    return (WeightState.ROUNDED if agreement.rounded else WeightState.DIFFERS), agreement.error


def _alone(row: _Row, matched: set[str], golden: bool) -> WeightState:
    if row.digest in matched:
        return WeightState.COPY
    if _COMPUTED.fullmatch(without_wrappers(row.key)):
        return WeightState.COMPUTED
    return WeightState.GOLDEN_ONLY if golden else WeightState.TARGET_ONLY


def _pair(ours: _Row | None, theirs: _Row | None, state: WeightState, error: float = math.nan) -> WeightPair:
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


class _Files:
    """The tensors of one side, a few files mapped at a time."""

    def __init__(self) -> None:
        self._tensors: dict[str, dict[str, TensorHandle | Problem]] = {}

    def open(self, row: _Row) -> TensorHandle:
        """Map the tensor of *row*.

        Raises
        ------
        InputError
            With a problem that says what is wrong with the file.
        """
        if row.file not in self._tensors:
            found = open_mindspore(row.file) if is_mindspore(row.file) else open_tensors(row.file)
            self._tensors[row.file] = dict(found)
            if len(self._tensors) > _MOST_FILES:
                del self._tensors[next(iter(self._tensors))]
        tensor = self._tensors[row.file].get(row.member)
        if isinstance(tensor, TensorHandle):
            return tensor
        raise InputError(tensor or Problem("tensor_no_member", row.file, {"member": row.member}))

    def statistics(self, row: _Row) -> Float64:
        """Return the statistics of *row*, of its tensor where nobody told them.

        Raises
        ------
        InputError
            As :meth:`open`.
        """
        if row.file and np.isnan(row.statistics).all():
            return statistics_of(self.open(row))
        return row.statistics
