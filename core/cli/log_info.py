"""What ``ulpscope info`` says of a training log, and of what a monitor wrote."""

from __future__ import annotations

from typing import Any

from core.cli.console import drive, escaped, print_json, print_problems, table
from core.cli.status import Status
from core.curves.jobs import read_run
from core.errors import Problem
from core.formats.logs.reading import is_training_log
from core.formats.monitors.reading import is_monitor, read_trends
from core.messages import text
from core.records.curves import LoggedRun
from core.records.series import Series
from core.records.trends import TrendTable


def is_log_or_monitor(path: str) -> bool:
    """Whether *path* is a training log or what a monitor wrote, by some of its content."""
    return is_training_log(path) or is_monitor(path)


def show_log(path: str, as_json: bool, quiet: bool) -> Status:
    """Print what the log or monitor at *path* holds."""
    if is_training_log(path):
        run = drive(read_run(path), quiet=quiet).run
        facts, problems = _log_facts(run), run.problems
    else:
        found = drive(read_trends(path), quiet=quiet)
        facts, problems = _monitor_facts(found), found.problems
    facts["problems"] = [problem.sentence() for problem in problems]
    if as_json:
        print_json(facts)
        return Status.SAME
    _print(facts, problems, quiet)
    return Status.SAME


def _log_facts(run: LoggedRun) -> dict[str, Any]:
    telling = run.curves.get(Series.LOSS) or max(
        run.curves.values(), key=lambda curve: len(curve.steps), default=None
    )
    steps = telling.steps.tolist() if telling is not None else []
    return {
        "format": "log",
        "forms": list(run.forms),
        "numbering": run.axis.value,
        "records": len(steps),
        "first_step": steps[0] if steps else None,
        "last_step": steps[-1] if steps else None,
        "series": list(run.curves),
        "restarts": [resume.step for resume in run.resumes],
        "ranks": list(run.ranks),
        "lines": run.lines,
        "unread": run.unread,
    }


def _monitor_facts(found: TrendTable) -> dict[str, Any]:
    return {
        "format": "monitor",
        "forms": list(found.forms),
        "layers": len(found.layers),
        "metrics": list(found.metrics),
        "steps": found.steps.tolist(),
        "ranks": list(found.ranks),
        "rows": found.rows,
        "unread": found.unread,
    }


def _print(facts: dict[str, Any], problems: tuple[Problem, ...], quiet: bool) -> None:
    rows = []
    for name, value in facts.items():
        if name == "problems" or value in (None, []):
            continue
        words = ", ".join(map(str, value[:_LISTED])) if isinstance(value, list) else str(value)
        more = f", … ({len(value)})" if isinstance(value, list) and len(value) > _LISTED else ""
        rows.append((text(f"cli.log.{name}"), escaped(words + more)))
    print(table(rows))
    print_problems(problems, quiet=quiet)


_LISTED = 20
"""Items of a list that the terminal shows."""
