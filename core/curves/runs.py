"""The records of a log as curves: each step once, resumes told, one rank of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Int64
from core.records.curves import Axis, Curve, LoggedRun, Resume, RunKind
from core.records.log_table import UNSAID, LogTable, SparseColumn
from core.records.series import Series

_INTERLEAVED = 0.05
"""Share of records going back from which no restarts are behind it, but several writers in one file."""

Mask = NDArray[np.bool_]


def run_of(table: LogTable) -> LoggedRun:
    """Return the curves of *table*."""
    ranks = tuple(int(rank) for rank in np.unique(table.rank) if rank != UNSAID)
    mine = np.isin(table.rank, (UNSAID, _main_rank(table, ranks)))
    numbering = _numbered(table, mine)
    valid, resumes = _last_words(numbering.step, mine & ~table.event)
    valid |= table.event & mine
    curves: dict[str, Curve] = {}
    steps = np.empty(0, np.int64)
    columns = _with_lost_losses(table)
    for name, column in columns.items():
        kept = valid[column.record]
        record, value = column if kept.all() else (column.record[kept], column.value[kept])
        curve = _curve(numbering.step[record], value)
        if np.array_equal(curve.steps, steps):
            curve = curve._replace(steps=steps)  # most are logged at the same steps, which are kept once
        steps = curve.steps
        if len(curve.steps):
            curves[name] = curve
    loss = columns.get(Series.LOSS)
    superseded = 0
    if loss is not None and Series.LOSS in curves:
        superseded = int(mine[loss.record].sum()) - len(curves[Series.LOSS].steps)
    return LoggedRun(
        table.path,
        RunKind.LOG,
        tuple(sorted(table.forms)),
        numbering.axis,
        curves,
        resumes,
        ranks,
        table.lines,
        table.unread,
        table.unread_lines,
        superseded,
        problems=table.problems,
    )


class _Numbering(NamedTuple):
    axis: Axis
    step: Int64
    """Step of each record."""


def _main_rank(table: LogTable, ranks: tuple[int, ...]) -> int:
    """Return the first rank that logs the loss, else the first one."""
    loss = table.columns.get(Series.LOSS)
    if loss is not None:
        telling = set(table.rank[loss.record].tolist())
        return next((rank for rank in ranks if rank in telling), UNSAID)
    return ranks[0] if ranks else UNSAID


def _numbered(table: LogTable, mine: Mask) -> _Numbering:
    """Return the step of each record: one without has that of the one before, an event that of the next."""
    regular = mine & ~table.event
    said = regular & (table.step >= 0)
    if said.any():
        axis = Axis.STEP
        step = np.where(said, table.step, UNSAID)
    else:
        said = regular & _has(table.columns.get(Series.LOSS), len(regular))
        said = said if said.any() else regular
        axis, step = _counted(table.columns.get(Series.EPOCH), said)
    at = np.arange(len(step))
    before = np.maximum.accumulate(np.where(said, at, -1))
    after = np.minimum.accumulate(np.where(said, at, len(step))[::-1])[::-1]
    if said.any():
        first, last = int(np.argmax(said)), len(said) - 1 - int(np.argmax(said[::-1]))
        before = np.where(before < 0, first, before)
        after = np.where(after >= len(step), last, after)
        step = step[np.where(table.event, after, before)]
    return _Numbering(axis, step.astype(np.int64))


def _has(column: SparseColumn | None, count: int) -> Mask:
    """Return which of *count* records have *column*."""
    made = np.zeros(count, bool)
    if column is not None:
        made[column.record] = True
    return made


def _counted(epochs: SparseColumn | None, regular: Mask) -> tuple[Axis, Int64]:
    """Give numbers to records that say no step: whole epochs, else a count that goes back where epochs do."""
    step = np.full(len(regular), UNSAID, np.int64)
    records = np.flatnonzero(regular)
    epoch = np.full(len(regular), np.nan)
    if epochs is not None:
        epoch[epochs.record] = epochs.value
    epoch = epoch[records]
    if len(records) and np.isfinite(epoch).all():
        whole = (epoch == np.floor(epoch)) & (np.abs(epoch) < 1e15)
        if whole.all() and len(np.unique(epoch)) == len(epoch):
            step[records] = epoch.astype(np.int64)
            return Axis.EPOCH, step
    number = np.arange(1, len(records) + 1, dtype=np.int64)
    for back in np.flatnonzero(epoch[1:] < epoch[:-1]) + 1:
        earlier = np.flatnonzero(epoch[:back] >= epoch[back])
        number[back:] += number[earlier[0]] - number[back]
    step[records] = number
    return Axis.COUNT, step


def _last_words(step: Int64, regular: Mask) -> tuple[Mask, tuple[Resume, ...]]:
    """Return which records count, and where the log goes back to an earlier step."""
    records = np.flatnonzero(regular)
    steps = step[records]
    back = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    valid = np.zeros(len(step), bool)
    if len(back) > max(_INTERLEAVED * len(steps), 20):
        valid[records] = True
        return valid, ()
    counts = np.ones(len(steps), bool)
    resumes: list[Resume] = []
    ends = [*back[1:].tolist(), len(steps)]
    for start, end in zip(back.tolist(), ends):
        low, high = int(steps[start]), int(steps[start:end].max())
        again = np.unique(steps[:start][steps[:start] >= low])
        resumes.append(Resume(low, int((again <= high).sum())))
        counts[:start] &= (steps[:start] < low) | (steps[:start] > high)
    valid[records] = counts
    return valid, tuple(resumes)


def _with_lost_losses(table: LogTable) -> Mapping[str, SparseColumn]:
    """Add a NaN where a trainer counts a loss that is not finite and prints none for it (Megatron-LM)."""
    nan_steps = table.columns.get(Series.NAN_STEPS)
    if nan_steps is None:
        return table.columns
    loss = table.columns.get(Series.LOSS, SparseColumn(np.empty(0, np.int64), np.empty(0)))
    lost = np.setdiff1d(nan_steps.record[nan_steps.value > 0], loss.record)
    if not len(lost):
        return table.columns
    record = np.concatenate([loss.record, lost])
    order = np.argsort(record, kind="stable")
    value = np.concatenate([loss.value, np.full(len(lost), np.nan)])
    return {**table.columns, Series.LOSS: SparseColumn(record[order], value[order])}


def _curve(steps: Int64, values: NDArray[np.float64]) -> Curve:
    """Return the last value of each step."""
    if len(steps) and (np.diff(steps) > 0).all():
        return Curve(steps, values)
    order = np.argsort(steps, kind="stable")
    steps, values = steps[order], values[order]
    last = np.append(steps[1:] != steps[:-1], True) if len(steps) else np.empty(0, bool)
    return Curve(steps[last], values[last])
