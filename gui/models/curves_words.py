"""Words for what curves show: series, steps, shares."""

from __future__ import annotations

import math

from core.messages import render, text
from core.records.curves import CurvesReport, DumpAdvice, LoggedRun
from core.records.series import Series
from gui import numbers
from gui.names import shown

_NAMED = frozenset(str(series) for series in Series)


def series_words(name: str) -> str:
    """Return what the series *name* is called: in words where it is a common one, else as the log has it."""
    return text(f"gui.curves.series.{name}") if name in _NAMED else shown(name)


def share(value: float, signed: bool = False) -> str:
    """Return a relative difference in per cent."""
    if math.isnan(value):
        return "—"
    sign = "+" if signed and value > 0 else ""
    if math.isinf(value) or abs(value) >= 1e6:
        return sign + numbers.compact(value, 3)
    return f"{sign}{numbers.compact(value * 100, 3)}{numbers.THIN_SPACE}%"


def steps_of(run: LoggedRun) -> int:
    """Return how many steps *run* logs: those of its loss, else of its longest series."""
    loss = run.curves.get(Series.LOSS)
    if loss is not None and len(loss.steps):
        return len(loss.steps)
    return max((len(curve.steps) for curve in run.curves.values()), default=0)


def advice_for_copying(advice: tuple[DumpAdvice, ...]) -> str:
    """Return the sentences of *advice*, and the line for the dumper's ``config.json``."""
    lines = [render(each.message) for each in advice]
    wanted = ", ".join(str(step) for step in sorted({each.dump_step for each in advice}))
    return "\n".join([*lines, f'"step": [{wanted}],'])


def report_for_copying(report: CurvesReport) -> str:
    """Return paths, verdict, sentence, findings and advice as plain text."""
    paths = [path for path in (report.target_path, report.golden_path, *report.repeat_paths) if path]
    lines = [*paths, f"{text(f'training.judgement.{report.verdict.value}')}: {render(report.sentence)}"]
    for finding in report.findings:
        lines.append(f"{text(f'training.weight.{finding.weight.value}')}: {render(finding.message)}")
    if report.advice:
        lines.append(advice_for_copying(report.advice))
    return "\n".join(lines)
