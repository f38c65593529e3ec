"""The answer about two curves as JSON, as lines of text, and the aligned numbers as csv."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.curves.deviation import deviation_of
from core.messages import render, text
from core.records.curves import CurveFinding, CurvesReport, DumpAdvice, SeriesJudgement, Span
from core.report.json_report import json_safe
from core.report.small_files import write_document, write_rows

SUFFIXES = (".csv", ".json")


def curves_as_json(report: CurvesReport) -> dict[str, Any]:
    """Return *report* as plain values, without the numbers of the curves themselves."""
    return {
        "verdict": report.verdict.value,
        "steps": report.steps,
        "first_bad_step": report.first_bad_step,
        "sentence": render(report.sentence),
        "findings": [_finding(finding) for finding in report.findings],
        "dump_next": [_advice(advice) for advice in report.advice],
        "target": report.target_path,
        "golden": report.golden_path,
        "golden_repeats": list(report.repeat_paths),
        "alignment": {
            "axis": report.alignment.axis.value,
            "shift": report.alignment.shift,
            "target_interval": report.alignment.target_interval,
            "golden_interval": report.alignment.golden_interval,
            "averaged": report.alignment.averaged,
        },
        "series": {name: _series(judgement) for name, judgement in report.series.items()},
        "limits": dict(report.limits),
        "problems": [problem.sentence() for problem in report.problems],
    }


def curves_as_text(report: CurvesReport, most: int | None = None) -> list[str]:
    """Return *report* as lines for a terminal: verdict and sentence, findings, what to dump next.

    Parameters
    ----------
    most
        Findings that are shown; ``None`` for all.
    """
    lines = [f"{text(f'training.judgement.{report.verdict.value}')}: {render(report.sentence)}"]
    if report.first_bad_step is not None:
        lines.append(text("curves.first_bad_step", step=report.first_bad_step))
    shown = [finding for finding in report.findings if finding.message != report.sentence][:most]
    for finding in shown:
        lines.append(f"  {text(f'training.weight.{finding.weight.value}')}: {render(finding.message)}")
    lines += [render(advice.message) for advice in report.advice]
    return lines


def write_curves(path: str, report: CurvesReport) -> str:
    """Write *report* to *path*: ``.json`` all of it, ``.csv`` the aligned numbers; return the path.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    if path.lower().endswith(".json"):
        return write_document(path, curves_as_json(report))
    heads = [text(f"curves.column.{name}") for name in ("series", "step", "target", "golden", "absolute")]
    return write_rows(path, [*heads, text("curves.column.relative")], _rows(report))


def _rows(report: CurvesReport) -> Iterator[list[str]]:
    for name, judgement in report.series.items():
        paired = judgement.paired
        with np.errstate(invalid="ignore", over="ignore"):
            absolute = paired.target - paired.golden
        relative = deviation_of(paired)
        columns = (paired.steps, paired.target, paired.golden, absolute, relative)
        for values in zip(*(column.tolist() for column in columns)):
            yield [name, *map(repr, values)]


def _finding(finding: CurveFinding) -> dict[str, Any]:
    return {
        "name": finding.name.value,
        "weight": finding.weight.value,
        "series": finding.series,
        "step": finding.step,
        "last_step": finding.last_step,
        "sentence": render(finding.message),
        **{
            name: json_safe(value) if isinstance(value, float) else value
            for name, value in finding.facts.items()
        },
    }


def _advice(advice: DumpAdvice) -> dict[str, Any]:
    directions = [name for name in ("forward", "backward") if getattr(advice, name)]
    return {"step": advice.step, "dump_step": advice.dump_step, "directions": directions}


def _series(judgement: SeriesJudgement) -> dict[str, Any]:
    return {
        "judgement": judgement.judgement.value,
        "first_over_limit": judgement.first_bad_step,
        "whole": _span(judgement.whole),
        "phases": {
            phase.phase.value: {"judgement": phase.judgement.value, **_span(phase.span)}
            for phase in judgement.phases
        },
        "noise_band_runs": judgement.band.runs if judgement.band is not None else 0,
    }


def _span(span: Span) -> dict[str, Any]:
    numbers = {
        name: None if math.isnan(value) else json_safe(value)
        for name, value in (
            ("mean_relative", span.mean_relative),
            ("mean_absolute", span.mean_absolute),
            ("bias", span.bias),
            ("largest_relative", span.largest_relative),
        )
    }
    ends = {"first_step": span.first_step, "last_step": span.last_step, "steps": span.steps}
    return {**ends, **numbers, "largest_step": span.largest_step}
