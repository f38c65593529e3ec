"""``ulpscope curves`` on what monitors wrote: the statistics of every layer over steps and ranks."""

from __future__ import annotations

import argparse

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.status import Status
from core.curves.limits import CurveLimits
from core.curves.trends.judging import first_bad_cells
from core.errors import InputError, Problem
from core.formats.monitors.reading import is_monitor, read_trends
from core.messages import text
from core.progress import Work
from core.records.training import Judgement
from core.records.trends import TrendsReport
from core.report.trends_report import trends_as_json, trends_as_text, write_trends
from core.store.runs import holds_dump

_FOR_LOGS = ("golden_repeat", "metric", "axis", "pattern")
"""Options that mean nothing where layers are compared."""


def are_monitors(target: str, golden: str) -> bool:
    """Whether both are what a monitor wrote.

    Raises
    ------
    InputError
        ``curves_monitor_and_log``: only one is.
    """
    # a trend database that was made of a dump may lie inside it
    kinds = [is_monitor(path) and not holds_dump(path) for path in (target, golden)]
    if kinds[0] is not kinds[1]:
        monitor, other = (target, golden) if kinds[0] else (golden, target)
        raise InputError(Problem("curves_monitor_and_log", monitor, {"other": other}))
    return all(kinds)


def compare_monitors(arguments: argparse.Namespace, limits: CurveLimits) -> Status:
    """Compare two monitors and print the answer.

    Raises
    ------
    InputError
        ``curves_monitor_option``, or as :func:`core.formats.monitors.reading.read_trends`.
    """
    for name in _FOR_LOGS:
        if getattr(arguments, name):
            option = "--" + name.replace("_", "-")
            raise InputError(Problem("curves_monitor_option", arguments.target, {"option": option}))
    report = drive(_judged(arguments, limits), quiet=arguments.quiet)
    if arguments.json:
        print_json(trends_as_json(report))
    else:
        print("\n".join(map(escaped, trends_as_text(report))))
        print_problems(report.problems, quiet=arguments.quiet)
    if arguments.output is not None:
        write_trends(arguments.output, report)
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    return _STATUS[report.verdict]


_STATUS = {
    Judgement.PASS: Status.SAME,
    Judgement.FAIL: Status.DIFFERENT,
    Judgement.NOT_JUDGED: Status.DIFFERENT,
}


def _judged(arguments: argparse.Namespace, limits: CurveLimits) -> Work[TrendsReport]:
    target = yield from read_trends(arguments.target)
    golden = yield from read_trends(arguments.golden)
    shift = arguments.shift or 0
    return (yield from first_bad_cells(target, golden, limit=limits.trend_limit, shift=shift))
