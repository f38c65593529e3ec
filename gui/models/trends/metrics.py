"""Metrics to choose from: kinds, the statistics of each, and how much of each is over the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.records.trends import TrendsReport

_LIKED = ("norm", "max")
"""Statistics that are shown first where a metric has them."""


class HasMetrics(Protocol):
    """What a side is known by here."""

    @property
    def metrics(self) -> tuple[str, ...]: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Metric:
    """One of them."""

    name: str
    kind: str
    over: int
    """Numbers over the limit on all ranks; 0 where nothing is compared."""

    @property
    def statistic(self) -> str:
        """What is told of the kind: ``norm``, ``max``."""
        return self.name[len(self.kind) + 1 :]


@dataclass(frozen=True)
class Metrics:
    """All metrics, in the order in which a step runs through them."""

    every: tuple[Metric, ...]

    @classmethod
    def of(cls, target: HasMetrics, golden: HasMetrics | None, report: TrendsReport | None) -> Metrics:
        """Return the metrics of either side."""
        kinds: dict[str, str] = {}
        for side in (target, golden):
            if side is not None:
                for name, kind in zip(side.metrics, side.kinds):
                    kinds.setdefault(name, kind)
        if report is None:
            return cls(tuple(Metric(name, kind, 0) for name, kind in kinds.items()))
        table = report.judgements
        over = np.bincount(table.metric, table.over, len(report.metrics)).astype(int).tolist()
        return cls(tuple(Metric(name, kinds[name], count) for name, count in zip(report.metrics, over)))

    @property
    def names(self) -> list[str]:
        """Names of all."""
        return [metric.name for metric in self.every]

    @property
    def kinds(self) -> list[str]:
        """All kinds, each once."""
        return list(dict.fromkeys(metric.kind for metric in self.every))

    def of_kind(self, kind: str) -> list[Metric]:
        """Return the metrics of *kind*."""
        return [metric for metric in self.every if metric.kind == kind]

    def over(self, kind: str) -> int:
        """Return how many numbers of *kind* are over the limit."""
        return sum(metric.over for metric in self.of_kind(kind))

    def kind_of(self, name: str) -> str:
        """Return the kind of a metric."""
        return next((metric.kind for metric in self.every if metric.name == name), "")

    def like(self, kind: str, name: str) -> str:
        """Return the metric of *kind* with the statistic of the metric *name*, or the best that it has."""
        before = next((metric.statistic for metric in self.every if metric.name == name), "")
        found = self.of_kind(kind)
        wanted = [before, *_LIKED]
        ranked = sorted(found, key=lambda metric: _rank(metric.statistic, wanted))
        return ranked[0].name if ranked else ""

    @property
    def first(self) -> str:
        """The metric that is shown at first."""
        return self.like(self.kinds[0], "") if self.every else ""

    def next_bad(self, name: str, forward: bool) -> str:
        """Return the next metric with something over the limit, *name* itself if it is the only one."""
        names = self.names
        at = names.index(name) if name in names else -1
        step = 1 if forward else -1
        for distance in range(1, len(names) + 1):
            metric = self.every[(at + step * distance) % len(names)]
            if metric.over:
                return metric.name
        return ""


def _rank(statistic: str, wanted: Sequence[str]) -> int:
    return wanted.index(statistic) if statistic in wanted else len(wanted)
