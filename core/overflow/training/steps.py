"""The records of a training log put into order: each step once, events at the steps they belong to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.formats.logs.record import LogRecord
from core.records.series import Series

_INFORMING = frozenset(
    (
        Series.SKIPPED, Series.SKIPPED_TOTAL, Series.NAN_STEPS, Series.OVERFLOW, Series.GRAD_NORM,
        Series.LOSS_SCALE, Series.LOSS,
    )
)  # fmt: skip
"""Series of which at least one must be there for anything to be known of overflow."""
_COUNTING = frozenset(
    (Series.SKIPPED, Series.SKIPPED_TOTAL, Series.NAN_STEPS, Series.OVERFLOW, Series.LOSS_SCALE)
)
"""Series by which a log tells that a step did not overflow; a loss may be finite although its gradients were
not.
"""


@dataclass(slots=True)
class StepRecord:
    """What is known at one record: of the steps since the record before."""

    step: int
    skipped: int
    """Steps that the record says were skipped, or whose numbers are not finite."""
    scales: list[float]
    """Loss scales since the record before, in order of time."""
    total: int | None = None
    """Steps skipped since the training began, where the log counts so."""


@dataclass
class StepSequence:
    """All records in the order of steps."""

    records: list[StepRecord] = field(default_factory=list)
    trailing: StepRecord | None = None
    """Events after the last record."""
    forms: set[str] = field(default_factory=set)
    numbered: bool = False
    """Some records have the number of their step."""
    repeated: int = 0
    global_batch: int | None = None
    informing: bool = False
    counting: bool = False
    """Overflow itself is told of, not only losses and norms."""
    normed: bool = False
    """Gradient norms are logged: that of an overflowed step is no number."""


def sequence_of(records: Iterable[LogRecord]) -> StepSequence:
    """Put *records*, in the order of a log's lines, into the order of steps.

    Where the log goes back to an earlier step, after a restart or because ranks write at different times,
    what it said before of that step and later ones is dropped: the last word counts.
    """
    made = StepSequence()
    pending = _Events()
    for record in records:
        made.forms.add(record.form)
        made.informing |= not _INFORMING.isdisjoint(record.values)
        made.counting |= not _COUNTING.isdisjoint(record.values)
        made.normed |= Series.GRAD_NORM in record.values
        batch = record.values.get(Series.GLOBAL_BATCH, 0.0)
        if 0 < batch < 1e15:
            made.global_batch = max(made.global_batch or 0, int(batch))
        if record.event:
            pending.add(record)
            continue
        _add(made, record, pending)
        pending = _Events()
    if pending.count or pending.scales:
        last = made.records[-1].step if made.records else 0
        made.trailing = StepRecord(last + pending.count, pending.count, pending.scales)
    return made


def _add(made: StepSequence, record: LogRecord, events: _Events) -> None:
    """Take in a record of a step; one without a number counts only as long as none has one."""
    records = made.records
    last = records[-1].step if records else 0
    if record.step is None:
        if made.numbered and records:
            records[-1] = _joined(records[-1], _merged(last, record, events))
        else:
            records.append(_merged(last + 1, record, events))
        return
    merged = _merged(record.step, record, events)
    if not made.numbered:
        merged.skipped += sum(uncounted.skipped for uncounted in records)
        records.clear()
        made.numbered = True
    if records and last == record.step:  # said in two lines, or by two ranks
        merged = _joined(records[-1], merged)
    elif records and last > record.step:
        made.repeated += last - record.step + 1
    while records and records[-1].step >= record.step:
        records.pop()
    records.append(merged)


def _joined(first: StepRecord, second: StepRecord) -> StepRecord:
    """Return what two records of one step say together."""
    scales = first.scales + [scale for scale in second.scales if scale not in first.scales]
    total = first.total if second.total is None else second.total
    return StepRecord(second.step, max(first.skipped, second.skipped), scales, total)


class _Events:
    """Events between two records, each once however many ranks tell of it."""

    def __init__(self) -> None:
        self.count = 0
        self.scales: list[float] = []
        self._told: dict[tuple[str, str], set[int]] = {}
        self._announced = False

    def add(self, record: LogRecord) -> None:
        """Take an event in."""
        values = record.values
        scale = values.get(Series.LOSS_SCALE, math.nan)
        attempted = values.get(Series.ATTEMPTED_SCALE, math.nan)
        key = str(attempted), str(scale)
        told = self._told.setdefault(key, set())
        if record.rank >= 0 and told and record.rank not in told:
            told.add(record.rank)  # another rank says the same
            return
        told.add(record.rank)
        overflow = values.get(Series.OVERFLOW) == 1
        fell = bool(self.scales) and scale < self.scales[-1]
        if overflow or (fell and not self._announced):
            self.count += 1
        self._announced = overflow and math.isnan(scale)
        self.scales += [value for value in (attempted, scale) if not math.isnan(value)]


def _merged(step: int, record: LogRecord, events: _Events) -> StepRecord:
    """Return what *record* and the events before it say."""
    values = record.values
    said = max(_count(values.get(Series.SKIPPED)), _count(values.get(Series.NAN_STEPS)))
    broken = any(not math.isfinite(values.get(name, 0.0)) for name in (Series.LOSS, Series.GRAD_NORM))
    said = max(said, int(broken), int(values.get(Series.OVERFLOW) == 1))
    scale = values.get(Series.LOSS_SCALE, math.nan)
    scales = events.scales + ([scale] if math.isfinite(scale) else [])
    total = values.get(Series.SKIPPED_TOTAL)
    return StepRecord(step, max(said, events.count), scales, None if total is None else _count(total))


def _count(value: float | None) -> int:
    return int(value) if value is not None and 0 < value < 1e15 else 0
