"""What is known of the trends of two trainings once all metrics were looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.curves.trends.pairing import PairedNumbers, Sides
from core.curves.trends.replicas import Departure
from core.records.trends import Bool, TrendJudgements, TrendPlace


@dataclass
class Judged:
    """Filled metric by metric."""

    sides: Sides
    metrics: tuple[str, ...]
    limit: float
    table: TrendJudgements = field(default_factory=TrendJudgements.empty)
    first_bad: TrendPlace | None = None
    departures: list[Departure] = field(default_factory=list)
    steps: set[int] = field(default_factory=set)
    """Steps at which something was compared."""
    different: int = 0
    """Numbers of both sides that are not the same to the last bit."""
    too_small: int = 0
    """Numbers that the digits in the files cannot tell from what the limit allows."""
    rounding: float = 0.0
    broken: TrendPlace | None = None
    """The earliest number that is NaN or infinite on the target alone."""
    golden_broken: TrendPlace | None = None
    lonely_numbers: int = 0
    """Numbers of one side only, though both have their layer, metric, step and rank somewhere."""

    def look(self, metric: str, numbers: PairedNumbers, over: Bool) -> None:
        """Take note of one metric."""
        self.steps.update(np.unique(numbers.step[numbers.compared]).tolist())
        both = numbers.in_target & numbers.in_golden
        same = (numbers.target == numbers.golden) | (np.isnan(numbers.target) & np.isnan(numbers.golden))
        self.different += int((both & ~same).sum())
        if numbers.rounding:
            size = np.maximum(np.abs(numbers.golden), np.abs(numbers.target))
            with np.errstate(invalid="ignore"):
                blurred = numbers.compared & (size * self.limit < numbers.rounding) & ~over
            self.too_small += int((blurred & (numbers.scale * self.limit < numbers.rounding)).sum())
            self.rounding = max(self.rounding, numbers.rounding)
        self.broken = _earlier(self.broken, self._place(metric, numbers, numbers.target_broken))
        self.golden_broken = _earlier(self.golden_broken, self._place(metric, numbers, numbers.golden_broken))
        self.lonely_numbers += self._lonely(metric, numbers)

    @cached_property
    def lone_layers(self) -> list[tuple[str, bool]]:
        """Layers of one side only, and whether it is the target."""
        here, there = (set(table.labels) for table in (self.sides.target, self.sides.golden))
        return [(label, label in here) for label in self.sides.labels if (label in here) != (label in there)]

    def _place(self, metric: str, numbers: PairedNumbers, mask: Bool) -> TrendPlace | None:
        rows = np.flatnonzero(mask)
        if not len(rows):
            return None
        row = int(rows[np.lexsort((numbers.layer[rows], numbers.step[rows]))[0]])
        return TrendPlace(
            metric,
            self.sides.labels[int(numbers.layer[row])],
            int(numbers.step[row]),
            int(numbers.rank[row]),
            int(numbers.micro[row]),
            float(numbers.target[row]),
            float(numbers.golden[row]),
            float(numbers.relative[row]),
        )

    def _lonely(self, metric: str, numbers: PairedNumbers) -> int:
        target, golden = self.sides.target, self.sides.golden
        if metric not in target.metrics or metric not in golden.metrics:
            return 0
        lone = {label for label, _ in self.lone_layers}
        common = [number for number, label in enumerate(self.sides.labels) if label not in lone]
        lonely = (numbers.in_target != numbers.in_golden) & np.isin(numbers.layer, common)
        lonely &= np.isin(numbers.step, np.intersect1d(target.steps, golden.steps - self.sides.shift))
        lonely &= np.isin(
            numbers.rank, [rank for rank in target.ranks if self.sides.golden_rank(rank) in golden.ranks]
        )
        return int(lonely.sum())


def _earlier(known: TrendPlace | None, found: TrendPlace | None) -> TrendPlace | None:
    return known if found is None or (known is not None and known.step <= found.step) else found
