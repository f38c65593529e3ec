"""``ulpscope demo``: the bundled pair, in the window or as text."""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files

from core.cli.console import drive, print_problems
from core.cli.diagnose import as_text
from core.cli.display import has_display
from core.cli.status import Status
from core.cli.summary import summary
from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.messages import text
from core.records.result import CellResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--text", action="store_true", help=text("cli.help.demo_text"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 0, for the demo does differ, and is meant to."""
    with as_file(files("resources") / "demo") as folder:
        target, golden = str(folder / "target"), str(folder / "golden")
        if not arguments.text and has_display():
            from core.cli.window import open_window

            return open_window([target, golden])
        cells: list[CellResult] = []
        work = diagnose_runs(target, golden, CompareOptions(use_cache=False), take=cells.append)
        comparison, diagnosis = drive(work, quiet=arguments.quiet)
        print(text("cli.demo", target=target, golden=golden))
        print(summary(cells, limit=0))
        print()
        print(as_text(diagnosis, cells))
        print_problems(comparison.info.problems, quiet=arguments.quiet)
    return Status.SAME
