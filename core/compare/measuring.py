"""Tensor pairs measured element by element, spread over processes by bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.compare.contradictions import Claim, claim_of, extremes_contradict, refuse_contradicting
from core.compare.damage import refuse_damaged
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.elementwise import compare_tensors
from core.metrics.noise import NoiseTable
from core.metrics.tensor_metrics import TensorMetrics
from core.metrics.verdict import Judgement, judge_shapes, judge_tensors
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.result import METRICS, ClassCountTable, Evidence, Reason, RowTable, Verdict
from core.store.tensor_bytes import TensorPlace, place_of
from core.workers.together import Tickets, together

_PAIR_COST = 200_000
"""What opening a pair costs, in bytes that could be compared meanwhile."""
_WORTH_PROCESSES = 256 << 20
"""Cost from which starting processes pays."""
_BATCH = 4
"""Pairs that a process takes at a time."""
MEASURED = tuple(name for name in METRICS if name in TensorMetrics.__dataclass_fields__)
"""The columns of a result's rows that measuring fills."""


@dataclass(frozen=True, slots=True)
class TensorPair:
    """One row's tensors."""

    row: int
    target: TensorPlace
    golden: TensorPlace
    claims: tuple[Claim, Claim]
    """What the records of target and golden say of them."""

    @property
    def cost(self) -> int:
        """Bytes to read, and what opening costs."""
        return max(self.target.size, 0) + max(self.golden.size, 0) + _PAIR_COST


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out of one pair: a judgement with numbers, or the problem that prevented it."""

    row: int
    judgement: Judgement | None
    metrics: TensorMetrics | None = None
    problem: Problem | None = None
    contradicted: tuple[bool, bool] = (False, False)
    """Whether the recorded extremes of target and golden are not those of their files."""


def measure_rows(
    rows: RowTable,
    where: NDArray[np.int64],
    target: Dump,
    golden: Dump,
    noise: NoiseTable,
    processes: int,
) -> Work[tuple[ClassCountTable, tuple[Problem, ...]]]:
    """Replace the judgement of the rows *where* by one over all elements, where both tensors are there.

    A tensor that cannot be read costs its own row its numbers: what its statistics said stays.
    """
    pairs = _pairs(rows, where, target, golden)
    helpers = processes - 1 if sum(pair.cost for pair in pairs) >= _WORTH_PROCESSES else 0
    tickets = Tickets()
    call = (measure, (pairs, noise, tickets))
    results = yield from together(measure(pairs, noise, tickets), [call] * helpers)
    found = [item for part in results for item in part]
    counts, problems = _fill(rows, found)
    return counts, (*problems, *_contradictions(rows, found, (target, golden)))


def measure(pairs: Sequence[TensorPair], noise: NoiseTable, tickets: Tickets) -> Work[list[Measured]]:
    """Measure those of *pairs* that *tickets* gives to this process."""
    found = []
    while (first := tickets.take(_BATCH)) < len(pairs):
        for pair in pairs[first : first + _BATCH]:
            found.append(measure_pair(pair, noise))
        yield Progress(first, len(pairs), Message("progress.measure"))
    return found


def measure_pair(pair: TensorPair, noise: NoiseTable) -> Measured:
    """Measure one pair."""
    try:
        with pair.target.open() as target, pair.golden.open() as golden:
            for tensor, claim in zip((target, golden), pair.claims):
                refuse_contradicting(tensor, claim)
            judgement, metrics = judge_pair(target, golden, noise)
            contradicted = _contradicted(pair.claims, (target, golden), metrics)
        return Measured(pair.row, judgement, metrics, contradicted=contradicted)
    except InputError as error:
        return Measured(pair.row, None, None, error.problem)


def _contradicted(
    claims: tuple[Claim, Claim], tensors: tuple[TensorHandle, TensorHandle], metrics: TensorMetrics | None
) -> tuple[bool, bool]:
    if metrics is None:
        return False, False
    target, golden = (tensor.dtype.name for tensor in tensors)
    return (
        extremes_contradict(claims[0], metrics.target_max_abs, metrics, target),
        extremes_contradict(claims[1], metrics.golden_max_abs, metrics, golden),
    )


def judge_pair(
    target: TensorHandle, golden: TensorHandle, noise: NoiseTable
) -> tuple[Judgement, TensorMetrics | None]:
    """Return the verdict over two opened tensors, and their metrics unless the shapes forbid them.

    Raises
    ------
    InputError
        ``tensor_damaged``, where a difference comes from bytes that have changed on disk.
    """
    shapes, dtypes = (target.shape, golden.shape), (target.dtype, golden.dtype)
    decided = judge_shapes(*shapes)
    if decided is not None:
        return decided, None
    metrics = compare_tensors(target, golden)
    judgement = judge_tensors(metrics, dtypes, shapes, noise)
    if judgement.verdict > Verdict.NOT_COMPARED:
        refuse_damaged(target, golden)
    return judgement, metrics


def _pairs(rows: RowTable, where: NDArray[np.int64], target: Dump, golden: Dump) -> list[TensorPair]:
    left, right = rows.target_slot[where], rows.golden_slot[where]
    there = (target.slots.file_size[left] >= 0) & (golden.slots.file_size[right] >= 0)
    pairs = []
    for row, slot_t, slot_g in zip(where[there].tolist(), left[there].tolist(), right[there].tolist()):
        place_t, place_g = place_of(target, slot_t), place_of(golden, slot_g)
        if place_t is not None and place_g is not None:
            claims = claim_of(target, slot_t), claim_of(golden, slot_g)
            pairs.append(TensorPair(row, place_t, place_g, claims))
    return pairs


def _fill(rows: RowTable, found: list[Measured]) -> tuple[ClassCountTable, tuple[Problem, ...]]:
    """Write what was found into *rows*."""
    problems = [item.problem for item in found if item.problem is not None]
    judged = [item for item in found if item.judgement is not None]
    at = np.array([item.row for item in judged], np.int64)
    for position, name in enumerate(Judgement._fields):
        column = getattr(rows, name)
        column[at] = np.array([item.judgement[position] for item in judged if item.judgement], column.dtype)
    rows.evidence[at] = Evidence.FULL
    measured = [item for item in judged if item.metrics is not None]
    at = np.array([item.row for item in measured], np.int64)
    for name in MEASURED if measured else ():
        column = getattr(rows, name)
        column[at] = np.array([getattr(item.metrics, name) for item in measured], column.dtype)
    _mark_unreadable(rows, [item for item in found if item.problem is not None])
    special = [item for item in measured if item.metrics and any(item.metrics.class_counts[1:])]
    counts = np.array([item.metrics.class_counts for item in special if item.metrics], np.int64).reshape(
        -1, 16
    )
    table = ClassCountTable(np.array([item.row for item in special], np.int32), counts)
    return table, tuple(problems)


def _contradictions(rows: RowTable, found: list[Measured], dumps: tuple[Dump, Dump]) -> list[Problem]:
    """Return a problem for each side whose recorded extremes are not those of its files."""
    problems = []
    for side, (dump, operators, slots) in enumerate(
        zip(dumps, (rows.target_operator, rows.golden_operator), (rows.target_slot, rows.golden_slot))
    ):
        wrong = [item for item in found if item.contradicted[side]]
        if wrong:
            first = min(wrong, key=lambda item: item.row)
            place = place_of(dump, slot := int(slots[first.row]))
            operator = dump.operator_name(int(operators[first.row]))
            claim = claim_of(dump, slot)
            metrics = first.metrics
            actual = (metrics.target_max_abs, metrics.golden_max_abs)[side] if metrics is not None else 0.0
            problems.append(
                Problem(
                    "statistics_contradict_file",
                    place.path if place is not None else dump.data_dir,
                    {
                        "count": len(wrong),
                        "name": f"{operator} {dump.slot_name(slot)}",
                        "recorded": claim.largest if claim.largest is not None else 0.0,
                        "found": actual,
                    },
                )
            )
    return problems


def _mark_unreadable(rows: RowTable, failed: list[Measured]) -> None:
    for item in failed:
        if rows.evidence[item.row] == Evidence.NONE:
            unknown = item.problem is not None and item.problem.code == "unknown_dtype"
            rows.verdict[item.row] = Verdict.NOT_COMPARED
            rows.reason[item.row] = Reason.UNKNOWN_DTYPE if unknown else Reason.UNREADABLE
