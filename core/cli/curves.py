"""``ulpscope curves``: are the curves of two trainings the same, from which step on are they not, and how."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.monitors import are_monitors, compare_monitors
from core.cli.status import Status
from core.curves.engine import CurveOptions
from core.curves.jobs import judge, read_runs, tried
from core.curves.limits import load_limits, shipped_limits
from core.errors import InputError, Problem
from core.formats.logs.patterns import LinePattern, load_patterns
from core.messages import text
from core.records.curves import Axis, CurvesReport, LoggedRun
from core.records.training import Judgement
from core.report.curves_report import SUFFIXES, curves_as_json, curves_as_text, write_curves
from core.report.files import check_output_file
from core.workers.worker import Worker

_SHOWN = 12
"""Findings that the terminal shows."""
_PATIENCE = 10
"""Seconds that a pattern may take for the first lines of a log."""
_UNREAD = 3
"""Lines that could not be read of which the terminal shows the text, of each log."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", metavar="TARGET_LOG", help=text("cli.help.curves_target"))
    parser.add_argument("golden", metavar="GOLDEN_LOG", help=text("cli.help.curves_golden"))
    parser.add_argument(
        "--golden-repeat", nargs="+", default=(), metavar="LOG", help=text("cli.help.golden_repeat")
    )
    parser.add_argument("--metric", nargs="+", default=(), metavar="NAME", help=text("cli.help.metric"))
    parser.add_argument("--shift", type=int, metavar="N", help=text("cli.help.shift"))
    axes = [axis.value for axis in Axis]
    parser.add_argument("--axis", choices=axes, help=text("cli.help.axis"))
    parser.add_argument("--pattern", metavar="REGEX", help=text("cli.help.pattern"))
    parser.add_argument("--limits", metavar="FILE", help=text("cli.help.curve_limits"))
    parser.add_argument("-o", "--output", metavar="OUT", help=text("cli.help.curves_output"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    logs = (arguments.target, arguments.golden, *arguments.golden_repeat)
    if arguments.output is not None:
        check_output_file(arguments.output, tuple(filter(None, (*logs, arguments.limits))), SUFFIXES)
    limits = load_limits(arguments.limits) if arguments.limits else shipped_limits()
    if are_monitors(arguments.target, arguments.golden):
        return compare_monitors(arguments, limits)
    options = CurveOptions(
        limits=limits,
        shift=arguments.shift,
        axis=Axis(arguments.axis) if arguments.axis else None,
        metrics=tuple(arguments.metric),
    )
    pattern = _pattern(arguments.pattern, logs) if arguments.pattern else None
    runs = drive(read_runs(logs, pattern), quiet=arguments.quiet)
    target, golden, *repeats = runs
    report = drive(judge(target, golden, repeats, options), quiet=arguments.quiet)
    if arguments.json:
        print_json(curves_as_json(report))
    else:
        _print(report, runs, arguments.quiet)
    if arguments.output is not None:
        write_curves(arguments.output, report)
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    return status_of(report)


def status_of(report: CurvesReport) -> Status:
    """Return 0 where the curves agree, 1 where they do not, 2 where nothing could be compared."""
    if report.verdict is Judgement.FAIL:
        return Status.DIFFERENT
    compared = any(judged.whole.steps for judged in report.series.values())
    return Status.SAME if compared else Status.TROUBLE


def _pattern(said: str, logs: Sequence[str]) -> LinePattern:
    """Return the saved pattern of that name, else what was said as an expression.

    Raises
    ------
    InputError
        ``pattern_too_slow``: it does not get through the first lines of a log in time. Regular expressions
        can take for ever, and nothing but the end of their process stops them.
    """
    saved = {pattern.name: pattern for pattern in load_patterns().patterns}
    pattern = saved.get(said, LinePattern(said, said))
    for path in logs:
        worker = Worker(tried, pattern, path)
        try:
            if not worker.pipe.poll(_PATIENCE):
                raise InputError(Problem("pattern_too_slow", path, {"seconds": _PATIENCE}))
            worker.receive()
        finally:
            worker.stop()
    return pattern


def _print(report: CurvesReport, runs: Sequence[LoggedRun], quiet: bool) -> None:
    lines = curves_as_text(report, _SHOWN)
    hidden = len(report.findings) - _SHOWN
    if hidden > 0:
        lines.append(text("curves.more_findings", count=hidden))
    print("\n".join(map(escaped, lines)))
    if quiet:
        return
    for run in runs:
        for line in run.unread_lines[:_UNREAD]:
            words = text("curves.unread_line", path=run.path, number=line.number, line=line.text)
            print(f"ulpscope: {escaped(words)}", file=sys.stderr)
    print_problems(report.problems, quiet=quiet)
