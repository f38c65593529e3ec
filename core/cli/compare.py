"""``ulpscope compare``: two runs, every row judged, written where ``-o`` says."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from core.cli.console import drive, print_json, print_problems
from core.cli.numbers import whole_numbers
from core.cli.status import status_of
from core.cli.summary import summary
from core.compare.engine import Comparison, compare_runs
from core.compare.options import CompareOptions
from core.errors import InputError, Problem
from core.messages import text
from core.metrics.noise import load_noise, shipped_noise
from core.progress import Work
from core.records.result import CellResult
from core.report.csv_report import write_csv
from core.report.files import is_folder_output, official_file_name, official_folder, refuse_special_file
from core.report.json_report import counts_of, json_rows
from core.report.xlsx_report import write_xlsx


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", nargs="?", metavar="TARGET", help=text("cli.help.target"))
    parser.add_argument("golden", nargs="?", metavar="GOLDEN", help=text("cli.help.golden"))
    parser.add_argument("-tp", "--target_path", metavar="TARGET", help=text("cli.help.target"))
    parser.add_argument("-gp", "--golden_path", metavar="GOLDEN", help=text("cli.help.golden"))
    parser.add_argument("-o", "--output", "--output_path", metavar="OUT", help=text("cli.help.output"))
    parser.add_argument("--step", type=whole_numbers, default=(), metavar="N", help=text("cli.help.step"))
    parser.add_argument("--rank", type=whole_numbers, default=(), metavar="N", help=text("cli.help.rank"))
    parser.add_argument("--thresholds", metavar="FILE", help=text("cli.help.thresholds"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    target = arguments.target_path or arguments.target
    golden = arguments.golden_path or (arguments.target if arguments.target_path else arguments.golden)
    if not target or not golden:
        raise InputError(Problem("two_paths_needed", target or golden or "compare"))
    noise = load_noise(arguments.thresholds) if arguments.thresholds else shipped_noise()
    options = CompareOptions(arguments.step, arguments.rank, noise, use_cache=not arguments.no_cache)
    comparison, cells, files = drive(
        _compare_and_write(target, golden, options, arguments.output), quiet=arguments.quiet
    )
    problems = [*comparison.info.problems]
    for cell in cells:
        problems += [*cell.target.problems, *cell.golden.problems, *cell.problems]
    if arguments.json:
        print_json(as_json(cells, problems))
    else:
        print(summary(cells, limit=0 if arguments.quiet else 10))
        for path in files:
            print(text("cli.written", path=path))
        print_problems(problems, quiet=arguments.quiet)
    return status_of(cells)


def _compare_and_write(
    target: str, golden: str, options: CompareOptions, output: str | None
) -> Work[tuple[Comparison, list[CellResult], list[str]]]:
    cells: list[CellResult] = []
    result = ""
    if output:
        refuse_special_file(output)
        if Path(output).suffix.lower() == ".h5" and not is_folder_output(output):
            result = output
    comparison = yield from compare_runs(
        target, golden, options, result_path=result, compressed=True, take=cells.append
    )
    files = [result] if result else (yield from _write_reports(cells, output)) if output else []
    return comparison, cells, files


def _write_reports(cells: list[CellResult], output: str) -> Work[list[str]]:
    if not is_folder_output(output):
        suffix = Path(output).suffix.lower()
        if suffix == ".json":
            Path(output).parent.mkdir(parents=True, exist_ok=True)
            with Path(output).open("w", encoding="utf-8") as stream:
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
        "rows": [row for cell in cells for row in json_rows(cell)],
        "problems": list(dict.fromkeys(problem.sentence() for problem in problems)),
    }
