"""``ulpscope dataset``: checksums of a folder, two lists beside each other, and what each node reads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.status import Status
from core.errors import Cancelled, Problem
from core.messages import text
from core.precheck.dataset.folder_list import list_folder
from core.precheck.dataset.hashing import ALGORITHMS
from core.precheck.dataset.kept_digests import forget, partial_of
from core.precheck.dataset.list_file import write_list
from core.store.places import check_place

if TYPE_CHECKING:
    from core.precheck.dataset.comparison import ListComparison

_NO_CHECKSUMS = "none"
_HARMLESS = ("dataset_link_out", "dataset_more_problems")
"""Links out of the folder are told and cost nothing; "more" are of kinds that are told already."""
_SHOWN = 12
"""Files of each kind of difference that the terminal shows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's tasks and their arguments."""
    tasks = parser.add_subparsers(
        dest="task", required=True, metavar="TASK", title=text("cli.help.dataset_tasks")
    )
    said = text("cli.help.dataset_checksums")
    checksums = tasks.add_parser("checksums", help=said, description=said)
    checksums.add_argument("folder", metavar="FOLDER", help=text("cli.help.dataset_folder"))
    checksums.add_argument(
        "-o", "--output", required=True, metavar="LIST", help=text("cli.help.dataset_output")
    )
    checksums.add_argument(
        "--algorithm",
        choices=(*ALGORITHMS, _NO_CHECKSUMS),
        default=ALGORITHMS[0],
        help=text("cli.help.dataset_algorithm"),
    )
    checksums.add_argument("--resume", action="store_true", help=text("cli.help.dataset_resume"))
    said = text("cli.help.dataset_compare")
    comparing = tasks.add_parser("compare", help=said, description=said)
    comparing.add_argument("target", metavar="TARGET_LIST", help=text("cli.help.dataset_target"))
    comparing.add_argument("golden", metavar="GOLDEN_LIST", help=text("cli.help.dataset_golden"))
    comparing.add_argument("--order", action="store_true", help=text("cli.help.dataset_order"))
    said = text("cli.help.dataset_shards")
    sharding = tasks.add_parser("shards", help=said, description=said)
    sharding.add_argument("lists", nargs="+", metavar="LIST", help=text("cli.help.dataset_lists"))
    sharding.add_argument(
        "--golden", nargs="+", default=(), metavar="LIST", help=text("cli.help.dataset_golden_lists")
    )
    sharding.add_argument("--all", metavar="LIST", help=text("cli.help.dataset_all"))
    for task in (checksums, comparing, sharding):
        task.add_argument("--json", action="store_true", help=text("cli.help.json"))
        # Also before the task, where the command itself takes it.
        task.add_argument(
            "--quiet", action="store_true", default=argparse.SUPPRESS, help=text("cli.help.quiet")
        )


def run(arguments: argparse.Namespace) -> int:
    """Run the task and return its exit status."""
    tasks = {"checksums": _checksums, "compare": _compare, "shards": _shards}
    return tasks[arguments.task](arguments)


def _checksums(arguments: argparse.Namespace) -> Status:
    output, algorithm = arguments.output, arguments.algorithm
    check_place(output, ())
    if algorithm == _NO_CHECKSUMS:
        algorithm = ""
    partial = partial_of(output)
    work = list_folder(
        arguments.folder, algorithm, partial=partial, resume=arguments.resume, leave_out=(output,)
    )
    try:
        listing = drive(work, quiet=arguments.quiet)
    except (Cancelled, KeyboardInterrupt):
        print_problems((Problem("dataset_interrupted", partial),), quiet=arguments.quiet)
        raise
    written = drive(write_list(output, listing.files), quiet=arguments.quiet)
    if listing.whole:
        forget(partial)
    facts = {
        "files": written,
        "bytes": int(listing.files.sizes.sum()),
        "algorithm": algorithm or _NO_CHECKSUMS,
        "kept": listing.kept,
        "list": output,
    }
    if arguments.json:
        print_json({**facts, "problems": [problem.sentence() for problem in listing.problems]})
    else:
        print(escaped(text("data_list.written", count=written, algorithm=facts["algorithm"], path=output)))
        if listing.kept:
            print(text("data_list.kept", count=listing.kept))
    print_problems(listing.problems, quiet=arguments.quiet)
    complete = all(problem.code in _HARMLESS for problem in listing.problems)
    return Status.SAME if written and complete else Status.TROUBLE


def _compare(arguments: argparse.Namespace) -> Status:
    from core.precheck.dataset.brought import list_at
    from core.precheck.dataset.comparison import compare_lists
    from core.report.dataset_report import comparison_as_json, comparison_as_lines

    target, golden = (
        drive(list_at(path), quiet=arguments.quiet) for path in (arguments.target, arguments.golden)
    )
    found = compare_lists(target, golden)
    if arguments.json:
        print_json(comparison_as_json(found))
    else:
        lines = comparison_as_lines(found, order=arguments.order, most=_SHOWN)
        print("\n".join(map(escaped, lines)))
    return status_of(found, order=arguments.order)


def status_of(found: ListComparison, *, order: bool) -> Status:
    """Return 0 where all that was compared agrees, 1 where anything differs or checksums do not compare.

    The *order* counts where it is asked for: 2 where all else agrees and a list does not tell it.
    """
    checksums = all(found.algorithms) and (not found.comparable_checksums or found.changed or found.unchecked)
    if not found.same_files or checksums or (order and found.ordered and found.partings):
        return Status.DIFFERENT
    return Status.TROUBLE if order and not found.ordered else Status.SAME


def _shards(arguments: argparse.Namespace) -> Status:
    from core.precheck.dataset.brought import list_at, nodes_at
    from core.precheck.dataset.shards import ShardFaults, duplicated, never_read, shard_faults
    from core.report.dataset_report import shards_as_json, shards_as_lines

    target = drive(nodes_at(arguments.lists), quiet=arguments.quiet)
    golden = drive(nodes_at(arguments.golden), quiet=arguments.quiet)
    whole = drive(list_at(arguments.all), quiet=arguments.quiet).names if arguments.all else ()
    if golden:
        found = shard_faults(target, golden, whole)
    else:
        found = ShardFaults(duplicated(target), (), never_read(target, whole), (), (), bool(whole))
    if arguments.json:
        print_json(shards_as_json(found))
    else:
        print("\n".join(map(escaped, shards_as_lines(found, _SHOWN))))
    return Status.SAME if found.clean else Status.DIFFERENT
