"""What is to be said about the trends of two trainings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.trends.judged import Judged
from core.curves.trends.replicas import Departure
from core.messages import Message, Parameter
from core.records.training import Weight
from core.records.trends import (
    TrendFinding,
    TrendFindingName,
    TrendPlace,
    TrendTable,
)

_NAMED = 3
"""Names that a sentence lists."""
_SAME = 100
"""Numbers from which it is news that all are the same."""


def findings_of(judged: Judged) -> list[TrendFinding]:
    """Return the findings, those that matter most first."""
    order = list(Weight)
    found = [*_differences(judged), *_ranks(judged), *_missing(judged), *_data(judged)]
    return sorted(found, key=lambda finding: order.index(finding.weight))


def _at(
    name: TrendFindingName, weight: Weight, code: str, place: TrendPlace, facts: dict[str, Parameter]
) -> TrendFinding:
    where: dict[str, Parameter] = {
        "metric": place.metric,
        "layer": place.layer,
        "step": place.step,
        "rank": place.rank,
        "target": place.target,
        "golden": place.golden,
        "relative": abs(place.relative),
        **facts,
    }
    return TrendFinding(
        name, weight, Message(code, where), place.metric, place.layer, place.step, place.rank, where
    )


def _differences(judged: Judged) -> Iterator[TrendFinding]:
    table = judged.table
    over = int(table.over.sum())
    if judged.first_bad is not None:
        facts: dict[str, Parameter] = {
            "count": over,
            "layers": len(np.unique(table.layer[table.over > 0])),
            "limit": judged.limit,
        }
        finite = np.isfinite(judged.first_bad.relative)
        code = "trends.first_layer" if finite else "trends.first_layer_broken"
        yield _at(TrendFindingName.FIRST_LAYER, Weight.FAULT, code, judged.first_bad, facts)
    if judged.broken is not None and judged.broken != judged.first_bad:
        name = TrendFindingName.NOT_FINITE
        yield _at(name, Weight.FAULT, "trends.not_finite", judged.broken, {})
    if judged.golden_broken is not None:
        count = int(table.golden_broken.sum())
        name = TrendFindingName.GOLDEN_BROKEN
        yield _at(name, Weight.WARNING, "trends.golden_broken", judged.golden_broken, {"count": count})


def _ranks(judged: Judged) -> Iterator[TrendFinding]:
    """Yield for each rank that leaves its fellows where it does so first."""
    by_rank: dict[int, list[Departure]] = {}
    for departure in judged.departures:
        by_rank.setdefault(departure.rank, []).append(departure)
    for rank, found in sorted(by_rank.items()):
        first = min(found, key=lambda departure: departure.step)
        facts: dict[str, Parameter] = {
            "rank": rank,
            "metric": first.metric,
            "layer": judged.sides.target.labels[first.layer],
            "step": first.step,
            "value": first.value,
            "others": first.others,
            "count": sum(len(departure.numbers) for departure in found),
        }
        code = "trends.rank_stands_out" if rank >= 0 else "trends.ranks_differ"
        weight = Weight.FAULT if any(departure.proven for departure in found) else Weight.WARNING
        yield TrendFinding(
            TrendFindingName.RANK_STANDS_OUT,
            weight,
            Message(code, facts),
            first.metric,
            str(facts["layer"]),
            first.step,
            rank if rank >= 0 else None,
            facts,
        )


def _missing(judged: Judged) -> Iterator[TrendFinding]:
    target, golden = judged.sides.target, judged.sides.golden
    shift = judged.sides.shift
    if not judged.table.compared.any():
        name = TrendFindingName.NOTHING_COMMON
        yield TrendFinding(name, Weight.WARNING, Message("trends.nothing_common"))
    for side, is_target in (("target", True), ("golden", False)):
        layers = [label for label, on_target in judged.lone_layers if on_target is is_target]
        if layers:
            facts = _listed(layers)
            message = Message(f"trends.missing_layers.{side}", facts)
            yield TrendFinding(
                TrendFindingName.MISSING_LAYERS, Weight.WARNING, message, layer=layers[0], facts=facts
            )
        mine, other = (target, golden) if is_target else (golden, target)
        metrics = [metric for metric in mine.metrics if metric not in other.metrics]
        if metrics:
            facts = _listed(metrics)
            message = Message(f"trends.missing_metrics.{side}", facts)
            yield TrendFinding(
                TrendFindingName.MISSING_METRICS, Weight.NOTE, message, metrics[0], facts=facts
            )
        steps = np.setdiff1d(
            mine.steps - (0 if is_target else shift), other.steps - (shift if is_target else 0)
        )
        if len(steps):
            numbers: dict[str, Parameter] = {
                "count": len(steps), "first": int(steps[0]), "last": int(steps[-1])
            }  # fmt: skip
            message = Message(f"trends.missing_steps.{side}", numbers)
            yield TrendFinding(TrendFindingName.MISSING_STEPS, Weight.NOTE, message, facts=numbers)
        ranks = sorted(set(mine.ranks) - set(other.ranks))
        if ranks and max(len(target.ranks), len(golden.ranks)) > 1:
            facts = _listed([str(rank) for rank in ranks])
            message = Message(f"trends.missing_ranks.{side}", facts)
            yield TrendFinding(TrendFindingName.MISSING_RANKS, Weight.WARNING, message, facts=facts)
    if judged.lonely_numbers:
        message = Message("trends.missing_numbers", {"count": judged.lonely_numbers})
        yield TrendFinding(TrendFindingName.MISSING_NUMBERS, Weight.WARNING, message)


def _data(judged: Judged) -> Iterator[TrendFinding]:
    table = judged.table
    compared = int(table.compared.sum())
    if compared >= _SAME and not judged.different:
        message = Message("trends.same_data", {"count": compared})
        yield TrendFinding(TrendFindingName.SAME_DATA, Weight.WARNING, message)
    if clipped := int(table.clipped.sum()):
        message = Message("trends.clipped", {"count": clipped})
        yield TrendFinding(TrendFindingName.CLIPPED, Weight.WARNING, message)
    if judged.too_small:
        facts: dict[str, Parameter] = {"count": judged.too_small, "unit": judged.rounding}
        message = Message("trends.rounded", facts)
        yield TrendFinding(TrendFindingName.ROUNDED, Weight.NOTE, message, facts=facts)
    for side, table_of_side in (("target", judged.sides.target), ("golden", judged.sides.golden)):
        yield from _reading(side, table_of_side)


def _reading(side: str, table: TrendTable) -> Iterator[TrendFinding]:
    if table.unread:
        message = Message(f"trends.unread.{side}", {"count": table.unread})
        yield TrendFinding(TrendFindingName.UNREAD_ROWS, Weight.WARNING, message)
    if table.replaced:
        message = Message(f"trends.repeated.{side}", {"count": table.replaced})
        yield TrendFinding(TrendFindingName.REPEATED, Weight.NOTE, message)


def _listed(names: list[str]) -> dict[str, Parameter]:
    shown = ", ".join(names[:_NAMED])
    return {"count": len(names), "names": f"{shown} ..." if len(names) > _NAMED else shown}
