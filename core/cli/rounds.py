"""``ulpscope rounds``: what a change of the target has mended, and what it has broken."""

from __future__ import annotations

import argparse
import tempfile
from itertools import chain
from pathlib import Path

from core.cli.console import drive, print_json, print_problems, table
from core.cli.numbers import whole_numbers
from core.cli.pair import sentences
from core.cli.status import Status, status_of
from core.compare.options import CompareOptions
from core.compare.rounds import compare_rounds
from core.diagnosis.engine import diagnose_runs
from core.messages import render, text
from core.metrics.noise import load_noise, shipped_noise
from core.progress import Work
from core.records.rounds import Rounds, RoundStatus
from core.report.rounds_report import doubtful, moved_origins, rounds_rows, rounds_sentence, rows_of_status
from core.store.notes import load_notes
from core.store.results import load_cells, load_info

_SHOWN = (RoundStatus.NEW, RoundStatus.WORSE, RoundStatus.FIXED, RoundStatus.UNCHANGED, RoundStatus.BETTER)
"""What is listed, in this order."""
_LISTED, _NAMED = 10, 3
"""Calls of each status that are listed, and of each kind of origin that are named."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("before", metavar="BEFORE", help=text("cli.help.rounds_before"))
    parser.add_argument("after", metavar="AFTER", help=text("cli.help.rounds_after"))
    parser.add_argument(
        "golden", nargs="?", default="", metavar="GOLDEN", help=text("cli.help.rounds_golden")
    )
    parser.add_argument("--step", type=whole_numbers, default=(), metavar="N", help=text("cli.help.step"))
    parser.add_argument("--rank", type=whole_numbers, default=(), metavar="N", help=text("cli.help.rank"))
    parser.add_argument("--thresholds", metavar="FILE", help=text("cli.help.use_thresholds"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: that of the later round."""
    rounds, status = drive(_compared(arguments), quiet=arguments.quiet)
    problems = list(rounds.problems)
    if arguments.json:
        print_json(
            {
                "sentence": render(rounds_sentence(rounds)),
                "counts": {one.name.lower(): count for one, count in rounds.counts().items()},
                "origins": {
                    name: [
                        {"operator": operator, "phase": cell.key.phase, "step": cell.key.step,
                         "rank": cell.key.rank}
                        for cell in rounds.cells
                        for operator in moved_origins(cell, gone)
                    ]
                    for name, gone in (("gone", True), ("new", False))
                },
                "rows": chain.from_iterable(map(rounds_rows, rounds.cells)),
                "problems": sentences(problems),
            }
        )  # fmt: skip
    else:
        print(as_text(rounds, 0 if arguments.quiet else _LISTED))
        print_problems(problems, quiet=arguments.quiet)
    left_out = any(problem.code == "rounds_one_sided_cells" for problem in problems)
    return Status.DIFFERENT if left_out and status is Status.SAME else status


def as_text(rounds: Rounds, limit: int) -> str:
    """Return the answer for a terminal: the sentence, where origins went, the first calls of each status."""
    lines = [render(rounds_sentence(rounds))]
    if count := doubtful(rounds):
        lines.append(text("rounds.doubtful", count=count))
    for code, gone in (("rounds.origins_gone", True), ("rounds.origins_new", False)):
        names = list(dict.fromkeys(chain.from_iterable(moved_origins(cell, gone) for cell in rounds.cells)))
        if names:
            named = ", ".join(f"`{name}`" for name in names[:_NAMED])
            lines.append(text(code, count=len(names), names=named + (" …" if len(names) > _NAMED else "")))
    rows = list(_rows(rounds, limit)) if limit else []
    if rows:
        heads = (
            text("rounds.column.status"), text("column.operator"), text("rounds.column.before"),
            text("rounds.column.after"),
        )  # fmt: skip
        lines += ["", table([heads, *rows], right=(2, 3))]
        counts = rounds.counts()
        more = [(status, counts[status] - limit) for status in _SHOWN if counts[status] > limit]
        lines += [
            text("rounds.more", count=count, status=text(f"round.{status.name.lower()}"))
            for status, count in more
        ]
    return "\n".join(lines)


def _rows(rounds: Rounds, limit: int) -> list[tuple[str, ...]]:
    made: list[tuple[str, ...]] = []
    several = len(rounds.cells) > 1
    for status in _SHOWN:
        left = limit
        for cell in rounds.cells:
            calls = cell.calls
            for call in rows_of_status(cell, status, left):
                name = cell.names[int(calls.name[call])]
                left -= 1
                made.append(
                    (
                        text(f"round.{status.name.lower()}"),
                        f"{cell.key.label()} {name}" if several else name,
                        _times(float(calls.ratio_before[call])),
                        _times(float(calls.ratio_after[call])),
                    )
                )
    return made


def _times(ratio: float) -> str:
    """Return error over allowed; a difference without a size is a dash."""
    return "—" if ratio != ratio or ratio == float("inf") else f"{ratio:.3g}"


def _compared(arguments: argparse.Namespace) -> Work[tuple[Rounds, Status]]:
    if not arguments.golden:
        return (yield from _results(arguments.before, arguments.after))
    noise = load_noise(arguments.thresholds) if arguments.thresholds else shipped_noise()
    options = CompareOptions(
        steps=arguments.step, ranks=arguments.rank, noise=noise, use_cache=not arguments.no_cache
    )
    with tempfile.TemporaryDirectory(prefix="ulpscope-") as folder:
        made = []
        for name, target in (("before", arguments.before), ("after", arguments.after)):
            made.append(str(Path(folder, f"{name}.h5")))
            yield from diagnose_runs(target, arguments.golden, options, result_path=made[-1])
        return (yield from _results(*made))


def _results(before: str, after: str) -> Work[tuple[Rounds, Status]]:
    rounds = yield from compare_rounds(before, after)
    info = load_info(after)
    return rounds, status_of(load_cells(after), load_notes(info.target_path, info.golden_path).ignored)
