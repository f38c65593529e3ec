"""``ulpscope compare``: two runs, every row judged, written where ``-o`` says."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from itertools import chain
from pathlib import Path

from core.cli.console import drive, print_json, print_problems
from core.cli.pair import add_pair_arguments, pair_options, problems_of, sentences
from core.cli.profiles import add_profile_arguments, profile_of
from core.cli.status import Status, status_of
from core.cli.summary import summary
from core.compare.engine import Comparison
from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.errors import InputError, Problem
from core.match.ignored import ignored_rows
from core.messages import text
from core.progress import Work
from core.records.result import CellResult
from core.report.csv_report import write_csv
from core.report.files import (
    check_output,
    is_folder_output,
    official_file_name,
    official_folder,
)
from core.report.json_report import counts_of, json_rows
from core.report.xlsx_report import write_xlsx
from core.store.notes import load_notes
from core.store.places import finished_file

_LEFT_OUT = ("one_sided_cells", "lacking_cells")
"""Problems that say that steps or ranks were not compared."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_pair_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument("-o", "--output", "--output_path", metavar="OUT", help=text("cli.help.output"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    target, golden, options = pair_options(arguments)
    comparison, cells, files = drive(
        _compare_and_write(target, golden, options, arguments), quiet=arguments.quiet
    )
    problems = problems_of(comparison, cells)
    if arguments.json:
        print_json(as_json(cells, problems))
    else:
        print(summary(cells, limit=0 if arguments.quiet else 10))
        for path in files:
            print(text("cli.written", path=path))
        print_problems(problems, quiet=arguments.quiet)
    left_out = any(problem.code in _LEFT_OUT for problem in comparison.info.problems)
    ignored = load_notes(target, golden).ignored
    if ignored and not arguments.quiet:
        rows = sum(int(ignored_rows(cell, ignored).sum()) for cell in cells)
        print(f"ulpscope: {text('cli.ignored', count=rows)}", file=sys.stderr)
    status = status_of(cells, ignored)
    return Status.DIFFERENT if left_out and status is Status.SAME else status


def _compare_and_write(
    target: str, golden: str, options: CompareOptions, arguments: argparse.Namespace
) -> Work[tuple[Comparison, list[CellResult], list[str]]]:
    cells: list[CellResult] = []
    output: str | None = arguments.output
    result = ""
    if output is not None:
        check_output(output, (target, golden))
        if Path(output).suffix.lower() == ".h5" and not is_folder_output(output):
            result = output
    if arguments.profile and not result:
        raise InputError(Problem("profile_without_result", "--profile"))
    # A result file goes where the tensors do not: the diagnosis has to be complete before.
    comparison, _ = yield from diagnose_runs(
        target,
        golden,
        options,
        result_path=result,
        compressed=True,
        take=cells.append,
        replay=bool(result),
        reference=arguments.reference,
        golden_repeat=arguments.golden_repeat,
        profile=profile_of(arguments),
    )
    files = [result] if result else (yield from _write_reports(cells, output)) if output else []
    return comparison, cells, files


def _write_reports(cells: list[CellResult], output: str) -> Work[list[str]]:
    if not is_folder_output(output):
        suffix = Path(output).suffix.lower()
        if suffix == ".json":
            with finished_file(Path(output)) as place, place.open("w", encoding="utf-8") as stream:
                print_json(as_json(cells, []), stream)
            return [output]
        return (yield from (write_xlsx if suffix == ".xlsx" else write_csv)(output, cells))
    made = datetime.now()
    several_steps = len({(cell.key.phase, cell.key.step) for cell in cells}) > 1
    several_ranks = len({cell.key.rank for cell in cells}) > 1
    files: list[str] = []
    for cell in cells:
        folder = Path(output) / official_folder(cell.key, several_steps=several_steps)
        name = official_file_name(cell.key, made, several_ranks=several_ranks)
        files += yield from write_csv(folder / name, [cell])
    return files


def as_json(cells: list[CellResult], problems: list[Problem]) -> dict[str, object]:
    """Return the result as ``compare --json`` prints it."""
    return {
        "counts": counts_of(cells),
        "rows": chain.from_iterable(json_rows(cell) for cell in cells),
        "problems": sentences(problems),
    }
