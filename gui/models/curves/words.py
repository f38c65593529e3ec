"""Words for what curves show: series, steps, shares."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from core.errors import Problem
from core.messages import Message, render, text
from core.records.curves import CurvesReport, DumpAdvice, LoggedRun
from core.records.series import Series
from gui import numbers
from gui.names import shown

_NAMED = frozenset(str(series) for series in Series)
_REASONS = frozenset(("log_without_steps", "log_unreadable"))
"""Codes of problems of logs whose reason is told without the path."""


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


def reason(failure: Message | Problem) -> str:
    """Return why a run could not be read, where its name stands beside: the reason first, and no path."""
    if not isinstance(failure, Problem):
        return render(failure)
    if failure.code in _REASONS:
        return render(Message(f"gui.curves.why.{failure.code}", failure.parameters))
    return replace(failure, path=shown(Path(failure.path).name)).sentence()


def pattern_helps(failure: Message | Problem | None) -> bool:
    """Whether a pattern of the user's own may read the run that could not be read."""
    return isinstance(failure, Problem) and failure.code == "log_without_steps"


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
        if finding.message == report.sentence:  # said already
            continue
        lines.append(f"{text(f'training.weight.{finding.weight.value}')}: {render(finding.message)}")
    if report.advice:
        lines.append(advice_for_copying(report.advice))
    return "\n".join(lines)
