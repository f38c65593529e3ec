"""Statistics of layers, target against golden, as JSON, as lines of text and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.messages import render, text
from core.records.trends import TrendDifference, TrendGrid, TrendPlace, TrendsReport
from core.report.cells import numbers
from core.report.json_report import json_safe
from core.report.small_files import write_document, write_rows

_JUDGED = ("compared", "over", "golden_broken", "clipped", "target_only", "golden_only")


def trends_as_json(report: TrendsReport) -> dict[str, Any]:
    """Return *report* as plain values: whole of what is over the limit, counts of the rest."""
    return {
        "target": report.target_path,
        "golden": report.golden_path,
        "verdict": report.verdict.value,
        "sentence": render(report.sentence),
        "steps": report.steps,
        "first_bad_step": report.first_bad.step if report.first_bad else None,
        "first_bad": _place(report.first_bad) if report.first_bad else None,
        "limit": report.limit,
        "shift": report.shift,
        "counts": {name: getattr(report, name) for name in _JUDGED},
        "metrics": list(report.metrics),
        "layers": len(report.layers),
        "over_limit": list(_over_limit(report)),
        "findings": [
            {
                "name": finding.name.value,
                "weight": finding.weight.value,
                "sentence": render(finding.message),
                "metric": finding.metric or None,
                "layer": finding.layer or None,
                "step": finding.step,
                "rank": finding.rank,
                "facts": {key: _plain(value) for key, value in finding.facts.items()},
            }
            for finding in report.findings
        ],
        "problems": [problem.sentence() for problem in report.problems],
    }


def trends_as_text(report: TrendsReport) -> list[str]:
    """Return *report* as lines for the console: the judgement, then what is to be known."""
    judged = text(f"training.judgement.{report.verdict.value}")
    lines = [f"{report.target_path} | {report.golden_path}: {judged}", f"  {render(report.sentence)}"]
    for finding in report.findings:
        if finding.message != report.sentence:
            weight = text(f"training.weight.{finding.weight.value}")
            lines.append(f"  {weight}: {render(finding.message)}")
    lines += [f"  {problem.sentence()}" for problem in report.problems]
    return lines


def write_trends(path: str | Path, report: TrendsReport) -> str:
    """Write *report* to *path*: all layers in all metrics as csv, or what :func:`trends_as_json` gives.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    if str(path).lower().endswith(".csv"):
        return write_rows(path, ("metric", "layer", *_JUDGED, "first_bad_step", "worst", "worst_step",
                                 "worst_rank"), _judgement_rows(report))  # fmt: skip
    return write_document(path, trends_as_json(report))


def write_grid(path: str | Path, grid: TrendGrid) -> str:
    """Write *grid* as csv, a line a layer, a column a step or rank; empty where nothing was recorded.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    places = [f"{grid.axis.value} {place}" for place in grid.places.tolist()]
    lines = (
        (layer, *numbers(values, nan="nan", absent=~present, word=""))
        for layer, values, present in zip(grid.layers, grid.values, grid.present)
    )
    return write_rows(path, (grid.metric, *places), lines)


def write_difference(path: str | Path, difference: TrendDifference) -> str:
    """Write *difference* as csv, a line a cell that either side has: layer, step or rank, both values, and
    their relative difference; empty where there is none.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    target = difference.target
    columns = ("metric", "layer", target.axis.value, "target", "golden", "relative")
    return write_rows(path, columns, _difference_rows(difference))


def _place(place: TrendPlace) -> dict[str, Any]:
    return {key: _plain(value) for key, value in place._asdict().items()}


def _plain(value: float | int | str) -> float | int | str | None:
    return value if isinstance(value, str) else json_safe(value)


def _over_limit(report: TrendsReport) -> Iterator[dict[str, Any]]:
    """Yield the layers that are over the limit in a metric, those that are so first before others."""
    table = report.judgements
    rows = np.flatnonzero(table.over > 0)
    for row in rows[np.argsort(table.first_bad_step[rows], kind="stable")].tolist():
        yield {
            "metric": report.metrics[table.metric[row]],
            "layer": report.layers[table.layer[row]],
            "compared": int(table.compared[row]),
            "over": int(table.over[row]),
            "first_bad_step": int(table.first_bad_step[row]),
            "worst": json_safe(float(table.worst[row])),
            "worst_step": int(table.worst_step[row]),
            "worst_rank": int(table.worst_rank[row]),
        }


def _judgement_rows(report: TrendsReport) -> Iterator[tuple[str, ...]]:
    table = report.judgements
    counts = [numbers(getattr(table, name)) for name in _JUDGED]
    return zip(
        [report.metrics[number] for number in table.metric.tolist()],
        [report.layers[number] for number in table.layer.tolist()],
        *counts,
        numbers(table.first_bad_step, absent=table.first_bad_step < 0, word=""),
        numbers(table.worst, absent=table.compared == 0, word=""),
        numbers(table.worst_step, absent=table.compared == 0, word=""),
        numbers(table.worst_rank, absent=table.compared == 0, word=""),
    )


def _difference_rows(difference: TrendDifference) -> Iterator[tuple[str, ...]]:
    grids = (difference.target, difference.golden, difference.relative)
    places = numbers(difference.target.places)
    for row, layer in enumerate(difference.target.layers):
        sides = [numbers(grid.values[row], nan="nan", absent=~grid.present[row], word="") for grid in grids]
        for place, *values in zip(places, *sides):
            if any(values):
                yield (difference.target.metric, layer, place, *values)
