"""``ulpscope overflow``: where NaN, Inf and saturation are born in a run, and how they spread."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.numbers import positive, whole_numbers
from core.cli.rooms import Rooms
from core.cli.status import Status
from core.compare.options import CompareOptions
from core.errors import InputError, Problem
from core.formats.msprobe.anomalies import is_anomalies
from core.messages import render, text
from core.overflow.engine import overflow_of_runs
from core.overflow.jobs import overflow_of_result
from core.overflow.official import read_official
from core.overflow.training.history import is_training_log, overflow_history
from core.overflow.training.limits import OverflowLimits, load_limits, shipped_limits
from core.records.overflow import Birth, OverflowReport, Spread
from core.records.stacks import calling_frame
from core.records.training import Judgement, TrainingOverflow
from core.report.files import check_output_file
from core.report.overflow_report import overflow_as_json, write_overflow
from core.report.training_report import training_as_json, training_as_text
from core.store.notes import load_notes
from core.store.runs import is_result

_SUFFIXES = (".csv", ".json")
_SHOWN = 3
"""Births that the terminal shows when nobody asks for more, and paths of the first one's spread."""
_PATHS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("run", metavar="RUN", help=text("cli.help.overflow_run"))
    parser.add_argument(
        "golden", nargs="?", default="", metavar="GOLDEN", help=text("cli.help.overflow_golden")
    )
    parser.add_argument("--step", type=whole_numbers, default=(), metavar="N", help=text("cli.help.step"))
    parser.add_argument("--rank", type=whole_numbers, default=(), metavar="N", help=text("cli.help.rank"))
    parser.add_argument("--mapping", nargs="+", default=(), metavar="FILE", help=text("cli.help.mapping"))
    parser.add_argument("--first", type=positive, metavar="N", help=text("cli.help.first"))
    parser.add_argument("--headroom", action="store_true", help=text("cli.help.headroom"))
    parser.add_argument("--log", nargs="+", default=(), metavar="FILE", help=text("cli.help.log"))
    parser.add_argument("--limits", metavar="FILE", help=text("cli.help.overflow_limits"))
    parser.add_argument("-o", "--output", metavar="OUT", help=text("cli.help.overflow_output"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.output is not None:
        inputs = (arguments.run, arguments.golden, *arguments.log, *arguments.mapping, arguments.limits)
        check_output_file(arguments.output, tuple(filter(None, inputs)), _SUFFIXES)
    limits = load_limits(arguments.limits) if arguments.limits else shipped_limits()
    if is_training_log(arguments.run):
        return _only_logs((arguments.run, *arguments.log), limits, arguments)
    report = _examine(arguments)
    histories, unread = _read_logs(arguments.log, limits)
    report = replace(report, problems=(*report.problems, *unread))
    rooms = Rooms(arguments) if arguments.headroom else None
    if arguments.json:
        said = overflow_as_json(report, arguments.first)
        said |= rooms.as_json() if rooms is not None else {}
        print_json(said | {"training": [training_as_json(history) for history in histories]})
    else:
        lines = as_lines(report, arguments.first)
        lines += rooms.as_text() if rooms is not None else []
        print("\n".join(map(escaped, [*lines, *_histories(histories)])))
        print_problems(report.problems, quiet=arguments.quiet)
    if arguments.output is not None:
        write_overflow(arguments.output, report)
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    return max(status_of(report), status_of_training(histories), key=_SEVERITY.index)


_SEVERITY = (Status.SAME, Status.DIFFERENT, Status.TROUBLE)


def _read_logs(paths: Sequence[str], limits: OverflowLimits) -> tuple[list[TrainingOverflow], list[Problem]]:
    """Judge the logs; one that cannot be read costs its own judgement and no other."""
    histories, problems = [], []
    for path in paths:
        try:
            histories.append(overflow_history(path, limits))
        except InputError as error:
            problems.append(error.problem)
    return histories, problems


def _only_logs(paths: tuple[str, ...], limits: OverflowLimits, arguments: argparse.Namespace) -> Status:
    """Judge training logs alone."""
    if arguments.golden or arguments.output is not None or arguments.headroom:
        raise InputError(Problem("log_alone", arguments.run))
    histories = [overflow_history(path, limits) for path in paths]
    if arguments.json:
        print_json({"training": [training_as_json(history) for history in histories]})
    else:
        print(escaped("\n".join(_histories(histories)).lstrip("\n"), lines=True))
    return status_of_training(histories)


def _histories(histories: list[TrainingOverflow]) -> list[str]:
    return [line for history in histories for line in ("", *training_as_text(history))]


def status_of_training(histories: list[TrainingOverflow]) -> Status:
    """Return 1 if a log fails its limit or tells too little to be judged."""
    passed = all(history.judgement is Judgement.PASS for history in histories)
    return Status.SAME if passed else Status.DIFFERENT


def _examine(arguments: argparse.Namespace) -> OverflowReport:
    official = is_anomalies(arguments.run)
    if arguments.golden and (official or is_result(arguments.run)):
        raise InputError(Problem("finished_analysis", arguments.run))
    if official:
        return read_official(arguments.run)
    if is_result(arguments.run):
        work = overflow_of_result(arguments.run, arguments.step, arguments.rank)
        return drive(work, quiet=arguments.quiet)
    options = CompareOptions(
        steps=arguments.step,
        ranks=arguments.rank,
        mapping=tuple(arguments.mapping),
        pairs=load_notes(arguments.run, arguments.golden).pairs if arguments.golden else {},
        use_cache=not arguments.no_cache,
    )
    return drive(overflow_of_runs(arguments.run, arguments.golden, options), quiet=arguments.quiet)


def status_of(report: OverflowReport) -> Status:
    """Return 1 if something is born, or if nothing is but the dumps are silent about some calls."""
    if report.origins:
        return Status.DIFFERENT
    if not any(track.decided for track in report.tracks) and not report.origins:
        return Status.TROUBLE
    undecided = any(track.undecided for track in report.tracks)
    return Status.DIFFERENT if undecided else Status.SAME


def as_lines(report: OverflowReport, first: int | None = None) -> list[str]:
    """Return the answer for a terminal: the first birth with its proof and spread, then the others."""
    lines: list[str] = []
    shown = report.origins[: first or _SHOWN]
    if report.first is None:
        lines.append(_nothing(report))
    for number, birth in enumerate(shown):
        if number == 1:
            lines += ["", text("cli.overflow.others")]
        lines += list(_birth(birth) if number == 0 else _short(birth))
        if number == 0 and report.spreads and report.spreads[0].origin == 0:
            lines += list(_spread(report.spreads[0]))
    if len(report.origins) > len(shown):
        lines.append(f"  {text('cli.overflow.more', count=len(report.origins) - len(shown))}")
    if report.expected:
        expected = report.expected[0].operator
        lines += ["", text("cli.overflow.expected", count=len(report.expected), operator=expected)]
    if report.origins and report.mode.value != "unknown":
        lines.append(text(f"overflow.mode.{report.mode.value}.help"))
    return lines + [render(message) for message in report.remarks]


def _nothing(report: OverflowReport) -> str:
    if status_of(report) is Status.TROUBLE:
        return text("cli.overflow.unknown")
    calls = sum(track.operators for track in report.tracks)
    return text("cli.overflow.clean", count=calls, cells=len(report.tracks))


def _birth(birth: Birth) -> Iterator[str]:
    yield render(birth.message)
    ranks = f", {text('cli.overflow.ranks', ranks=', '.join(map(str, birth.ranks)))}" if birth.ranks else ""
    level = text("cli.overflow.level", level=text(f"overflow.level.{birth.level.value}"))
    yield f"  {birth.cell.label()}{ranks}, {level}"
    if birth.module:
        yield f"  {text('cli.diagnose.module')}: {birth.module}"
    frame = calling_frame(birth.stack)
    if frame is not None:
        place = f"{frame.path}:{frame.line}"
        yield f"  {text('cli.overflow.called_from', place=place, function=frame.function)}"
        if frame.code:
            yield f"      {frame.code}"
    for name, value in birth.evidence.items():
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        shown = text(f"evidence.{value}") if name == "evidence" else shown
        yield f"  {text(f'evidence_fact.{name}')}: {shown}"
    for note in birth.notes:
        yield f"  {render(note)}"


def _short(birth: Birth) -> Iterator[str]:
    yield f"  {birth.cell.label()}: {render(birth.message)}"


def _spread(spread: Spread) -> Iterator[str]:
    yield text("cli.overflow.spread")
    for path in spread.paths[:_PATHS]:
        words = []
        for station in path:
            if station.skipped:
                words.append(text("cli.overflow.skipped", count=station.skipped))
            words.append(station.operator)
        way = path[0].way.value
        yield f"  {path[0].cell.label()} ({text(f'overflow.way.{way}')}): {' → '.join(words)}"
    if len(spread.paths) > _PATHS:
        yield f"  {text('cli.overflow.more', count=len(spread.paths) - _PATHS)}"
