"""``ulpscope thresholds``: the tables in force, as text to read, change and pass to the other commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from core.cli.console import print_json
from core.cli.status import Status
from core.curves import limits as curves
from core.messages import text
from core.metrics import noise
from core.overflow.training import limits as overflow
from core.precheck import limits as precheck
from core.report.files import check_output


class _Table(Protocol):
    def to_toml(self) -> str: ...
    def as_mapping(self) -> Mapping[str, Any]: ...


class _Kind(NamedTuple):
    load: Callable[[str], _Table]
    shipped: Callable[[], _Table]
    text: Callable[[], str]


_TABLES = {
    "noise": _Kind(noise.load_noise, noise.shipped_noise, noise.shipped_text),
    "overflow": _Kind(overflow.load_limits, overflow.shipped_limits, overflow.shipped_limits_text),
    "curves": _Kind(curves.load_limits, curves.shipped_limits, curves.shipped_limits_text),
    "precheck": _Kind(precheck.load_limits, precheck.shipped_limits, precheck.shipped_limits_text),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("thresholds", nargs="?", metavar="FILE", help=text("cli.help.thresholds_file"))
    parser.add_argument("--table", choices=tuple(_TABLES), default="noise", help=text("cli.help.table"))
    parser.add_argument("-o", "--output", metavar="FILE.toml", help=text("cli.help.thresholds_output"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    kind = _TABLES[arguments.table]
    table = kind.load(arguments.thresholds) if arguments.thresholds else kind.shipped()
    said = table.to_toml() if arguments.thresholds else kind.text()
    if arguments.output is not None:
        check_output(arguments.output, tuple(filter(None, [arguments.thresholds])), (".toml",))
        Path(arguments.output).write_text(said, encoding="utf-8")
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    elif not arguments.json:
        print(said.rstrip("\n"))
    if arguments.json:
        print_json(dict(table.as_mapping()))
    return Status.SAME
