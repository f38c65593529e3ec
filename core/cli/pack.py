"""``ulpscope pack``: a run with its tensors as one portable file."""

from __future__ import annotations

import argparse

from core.cli.console import drive, print_json, print_problems
from core.cli.status import Status
from core.compare.packing import pack
from core.messages import text
from core.report.files import check_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("run", metavar="RUN", help=text("cli.help.run"))
    parser.add_argument("-o", "--output", required=True, metavar="FILE.h5", help=text("cli.help.pack_output"))
    parser.add_argument("--operators", default="*", metavar="PATTERN", help=text("cli.help.pattern"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    check_output(arguments.output, (arguments.run,), (".h5", ".hdf5"))
    packed = drive(pack(arguments.run, arguments.output, arguments.operators), quiet=arguments.quiet)
    if arguments.json:
        print_json(
            {
                "file": arguments.output,
                "cells": packed.cells,
                "operators": packed.operators,
                "tensors": packed.tensors,
                "problems": [problem.sentence() for problem in packed.problems],
            }
        )
    else:
        print(
            text(
                "cli.packed",
                path=arguments.output,
                cells=packed.cells,
                operators=packed.operators,
                tensors=packed.tensors,
            )
        )
        print_problems(packed.problems, quiet=arguments.quiet)
    return Status.SAME
