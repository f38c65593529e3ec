"""Judge every layer in every metric, and find where the target leaves the golden first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from core.curves.limits import shipped_limits
from core.curves.trends.findings import findings_of
from core.curves.trends.judged import Judged
from core.curves.trends.pairing import PairedNumbers, Sides
from core.curves.trends.replicas import departures
from core.formats.monitors.kinds import Phase, phase_of
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import Int64
from core.records.training import Judgement, Weight
from core.records.trends import Bool, TrendFinding, TrendJudgements, TrendPlace, TrendsReport, TrendTable

_LONELY = 0.01
"""Share of numbers that one side may lack before nothing is concluded from the others. An assumption."""

Order = tuple[int, ...]
"""When a number is computed: sorts so."""


def first_bad_cells(
    target: TrendTable, golden: TrendTable, *, limit: float | None = None, shift: int = 0
) -> Work[TrendsReport]:
    """Compare all that both sides recorded, and say where the target leaves the golden first.

    Parameters
    ----------
    target, golden
        The two sides.
    limit
        Relative difference that is allowed; ``trend_limit`` of the shipped limits unless given.
    shift
        Added to the target's steps to find the golden's.

    Returns
    -------
    TrendsReport
        ``fail`` where anything is over the limit or a finding is a fault; ``not_judged`` where nothing could
        be compared, the golden is broken somewhere, or layers, or more than one number in a hundred, stand on
        one side only; else ``pass``.
    """
    allowed = shipped_limits().trend_limit if limit is None else limit
    sides = Sides(target, golden, shift)
    metrics = _ordered(sides)
    judged = Judged(sides=sides, metrics=metrics, limit=allowed)
    gathered = _Gathered(metrics, sides.labels)
    for number, metric in enumerate(metrics):
        yield Progress(number, len(metrics), Message("progress.trends", {"metric": metric}))
        numbers = sides.paired(metric)
        gathered.add(number, phase_of(sides.kind(metric)), numbers, numbers.over(allowed))
        judged.look(metric, numbers, numbers.over(allowed))
        judged.departures += departures(target, golden, metric)
    judged.table = gathered.table()
    judged.first_bad = gathered.first_bad
    findings = findings_of(judged)
    verdict = _verdict(judged, findings)
    table = judged.table
    return TrendsReport(
        target_path=target.path,
        golden_path=golden.path,
        verdict=verdict,
        sentence=_sentence(judged, findings, verdict),
        layers=sides.labels,
        metrics=metrics,
        judgements=table,
        first_bad=judged.first_bad,
        steps=len(judged.steps),
        compared=int(table.compared.sum()),
        over=int(table.over.sum()),
        golden_broken=int(table.golden_broken.sum()),
        clipped=int(table.clipped.sum()),
        target_only=int(table.target_only.sum()),
        golden_only=int(table.golden_only.sum()),
        limit=allowed,
        shift=shift,
        findings=tuple(findings),
        problems=(*target.problems, *golden.problems),
    )


def _ordered(sides: Sides) -> tuple[str, ...]:
    """Return the metrics in the order in which a step runs through them."""
    found = sides.metrics
    place = {metric: number for number, metric in enumerate(found)}
    return tuple(sorted(found, key=lambda metric: (phase_of(sides.kind(metric)), place[metric])))


@dataclass
class _Gathered:
    """What the metrics looked at so far say."""

    metrics: tuple[str, ...]
    labels: tuple[str, ...]
    first_bad: TrendPlace | None = None
    _first: Order | None = None
    _parts: list[TrendJudgements] = field(default_factory=list)

    def add(self, number: int, phase: Phase, numbers: PairedNumbers, over: Bool) -> None:
        layers, row = np.unique(numbers.layer, return_inverse=True)
        count = len(layers)

        def counted(mask: Bool) -> Int64:
            return np.bincount(row[mask], minlength=count).astype(np.int64)

        size = np.abs(numbers.relative)
        size[numbers.target_broken] = np.inf
        size[~numbers.compared] = -1.0
        order = np.lexsort((-numbers.step, size, row))
        last = order[np.append(row[order][1:] != row[order][:-1], True)] if count else order
        first = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(first, row[over], numbers.step[over])
        first[counted(over) == 0] = -1
        self._parts.append(
            TrendJudgements(
                metric=np.full(count, number, np.int32),
                layer=layers.astype(np.int32),
                compared=counted(numbers.compared),
                over=counted(over),
                golden_broken=counted(numbers.golden_broken),
                clipped=counted(numbers.in_target & numbers.in_golden & numbers.unknown),
                target_only=counted(numbers.in_target & ~numbers.in_golden),
                golden_only=counted(numbers.in_golden & ~numbers.in_target),
                first_bad_step=first,
                worst=np.maximum(size[last], 0.0),
                worst_step=numbers.step[last],
                worst_rank=numbers.rank[last],
            )
        )
        self._note_first(number, phase, numbers, over)

    def table(self) -> TrendJudgements:
        return TrendJudgements.concatenate(self._parts)

    def _note_first(self, number: int, phase: Phase, numbers: PairedNumbers, over: Bool) -> None:
        rows = np.flatnonzero(over)
        if not len(rows):
            return
        late = phase > Phase.FORWARD
        micro = numbers.micro[rows].astype(np.int64)
        # What has no micro-step is there before the first one, or comes to be after the last.
        micro[micro < 0] = np.iinfo(np.int32).max if late else 0
        layer = -numbers.layer[rows] if phase is Phase.BACKWARD else numbers.layer[rows]
        best = np.lexsort((numbers.rank[rows], layer, micro, numbers.step[rows]))[0]
        row = int(rows[best])
        order = (int(numbers.step[row]), int(micro[best]), int(phase), int(layer[best]), number)
        if self._first is None or order < self._first:
            self._first = order
            self.first_bad = TrendPlace(
                self.metrics[number],
                self.labels[int(numbers.layer[row])],
                int(numbers.step[row]),
                int(numbers.rank[row]),
                int(numbers.micro[row]),
                float(numbers.target[row]),
                float(numbers.golden[row]),
                float(numbers.relative[row]),
            )


def _verdict(judged: Judged, findings: Iterable[TrendFinding]) -> Judgement:
    if any(finding.weight is Weight.FAULT for finding in findings):
        return Judgement.FAIL
    table = judged.table
    broken = table.golden_broken.any() or not table.compared.any()
    return Judgement.NOT_JUDGED if broken or _incomplete(judged) else Judgement.PASS


def _incomplete(judged: Judged) -> bool:
    return bool(judged.lone_layers) or judged.lonely_numbers > _LONELY * int(judged.table.compared.sum())


def _sentence(judged: Judged, findings: list[TrendFinding], verdict: Judgement) -> Message:
    table = judged.table
    facts = {
        "count": int(table.compared.sum()),
        "layers": len(np.unique(table.layer[table.compared > 0])),
        "limit": judged.limit,
    }
    if verdict is Judgement.PASS:
        return Message("trends.sentence.pass", facts)
    if verdict is Judgement.FAIL:
        return next(finding.message for finding in findings if finding.weight is Weight.FAULT)
    if not table.compared.any():
        return Message("trends.sentence.nothing")
    if table.golden_broken.any():
        return Message("trends.sentence.golden_broken", {**facts, "broken": int(table.golden_broken.sum())})
    return Message("trends.sentence.incomplete", facts)
