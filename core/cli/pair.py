"""The arguments of all commands that take a target and a golden."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.cli.numbers import whole_numbers
from core.compare.engine import Comparison
from core.compare.options import CompareOptions
from core.errors import InputError, Problem
from core.messages import text
from core.metrics.noise import load_noise, shipped_noise
from core.records.result import CellResult
from core.store.notes import load_notes


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare target, golden (also as msprobe users type them), and which cells and limits."""
    parser.add_argument("target", nargs="?", metavar="TARGET", help=text("cli.help.target"))
    parser.add_argument("golden", nargs="?", metavar="GOLDEN", help=text("cli.help.golden"))
    parser.add_argument("-tp", "--target_path", metavar="TARGET", help=text("cli.help.target"))
    parser.add_argument("-gp", "--golden_path", metavar="GOLDEN", help=text("cli.help.golden"))
    parser.add_argument("--step", type=whole_numbers, default=(), metavar="N", help=text("cli.help.step"))
    parser.add_argument("--rank", type=whole_numbers, default=(), metavar="N", help=text("cli.help.rank"))
    parser.add_argument("--mapping", nargs="+", default=(), metavar="FILE", help=text("cli.help.mapping"))
    parser.add_argument("--thresholds", metavar="FILE", help=text("cli.help.use_thresholds"))
    parser.add_argument("--reference", default="", metavar="RUN", help=text("cli.help.reference"))
    parser.add_argument("--golden-repeat", default="", metavar="RUN", help=text("cli.help.golden_repeat"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))


def pair_options(arguments: argparse.Namespace) -> tuple[str, str, CompareOptions]:
    """Return target, golden and options of parsed *arguments*.

    Raises
    ------
    InputError
        If a path is missing, a mapping file cannot be read, or the thresholds cannot be used.
    """
    words = [word for word in (arguments.target, arguments.golden) if word]
    target = arguments.target_path or (words.pop(0) if words else "")
    golden = arguments.golden_path or (words.pop(0) if words else "")
    if words:
        raise InputError(Problem("too_many_paths", words[0]))
    if not target:
        raise InputError(Problem("no_paths", "TARGET"))
    if not golden:
        raise InputError(Problem("two_paths_needed", target))
    for name in arguments.mapping:
        _check_readable(name)
    kept = load_notes(target, golden).pairs
    if kept and not arguments.quiet:
        print(f"ulpscope: {text('cli.kept_pairs', count=len(kept))}", file=sys.stderr)
    noise = load_noise(arguments.thresholds) if arguments.thresholds else shipped_noise()
    options = CompareOptions(
        steps=arguments.step,
        ranks=arguments.rank,
        mapping=tuple(arguments.mapping),
        pairs=kept,
        noise=noise,
        use_cache=not arguments.no_cache,
    )
    return target, golden, options


def _check_readable(mapping: str) -> None:
    try:
        Path(mapping).open("rb").close()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem("mapping_unreadable", mapping, {"reason": reason})) from None


def problems_of(comparison: Comparison, cells: list[CellResult]) -> list[Problem]:
    """Return all that went wrong: with the runs, with their dumps, with comparing them."""
    problems = [*comparison.info.problems]
    for cell in cells:
        problems += [*cell.target.problems, *cell.golden.problems, *cell.problems]
    return problems


def sentences(problems: list[Problem]) -> list[str]:
    """Return *problems* for JSON, each once."""
    return list(dict.fromkeys(problem.sentence() for problem in problems))
