"""``ulpscope thresholds``: the noise table in force, as text to read, change and pass to ``--thresholds``."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.console import print_json
from core.cli.status import Status
from core.messages import text
from core.metrics.noise import load_noise, shipped_noise, shipped_text
from core.report.files import check_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("thresholds", nargs="?", metavar="FILE", help=text("cli.help.thresholds_file"))
    parser.add_argument("-o", "--output", metavar="FILE.toml", help=text("cli.help.thresholds_output"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    table = load_noise(arguments.thresholds) if arguments.thresholds else shipped_noise()
    said = table.to_toml() if arguments.thresholds else shipped_text()
    if arguments.output is not None:
        check_output(arguments.output, tuple(filter(None, [arguments.thresholds])), (".toml",))
        Path(arguments.output).write_text(said, encoding="utf-8")
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    elif not arguments.json:
        print(said.rstrip("\n"))
    if arguments.json:
        print_json(table.as_mapping())
    return Status.SAME
