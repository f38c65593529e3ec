"""``ulpscope precheck``: are the two runs the same experiment at all?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.precheck_text import as_text
from core.cli.status import Status
from core.errors import InputError, Problem
from core.messages import text
from core.precheck.belonging import holds_for, runs_of
from core.precheck.checklist import CHECKLIST, kind_of
from core.precheck.entering import with_entries
from core.precheck.jobs import PrecheckRequest, run_precheck
from core.precheck.limits import load_limits, shipped_limits
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Entry, Group, Outcome, PrecheckReport, PrecheckTable
from core.report.files import check_output_file
from core.report.precheck.document import as_document
from core.report.precheck.sheet import Sheet, problems_of
from core.report.precheck_report import SUFFIXES, write_precheck
from core.store.prechecks import (
    Verification,
    read_table_file,
    sign,
    verify,
    with_report,
    write_table_file,
)
from core.store.runs import is_result

_AS_FOUND = "found"
"""The result that takes an entry back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    for side in ("target", "golden"):
        parser.add_argument(
            f"--{side}",
            nargs="+",
            action="extend",
            default=[],
            metavar="[KIND=]PATH",
            help=text(f"cli.help.precheck.{side}", kinds=", ".join(EvidenceKind)),
        )
    parser.add_argument("--result", metavar="FILE.h5", help=text("cli.help.precheck.result"))
    parser.add_argument("--no-nearby", action="store_true", help=text("cli.help.precheck.alone"))
    parser.add_argument("--limits", metavar="FILE", help=text("cli.help.precheck.limits"))
    parser.add_argument("-o", "--output", metavar="OUT", help=text("cli.help.precheck.output"))
    parser.add_argument("--table", metavar="FILE.json", help=text("cli.help.precheck.table"))
    parser.add_argument(
        "--mark", action="append", default=[], metavar="CHECK=RESULT", help=text("cli.help.precheck.mark")
    )
    parser.add_argument("--remark", default="", metavar="TEXT", help=text("cli.help.precheck.remark"))
    parser.add_argument("--evidence", default="", metavar="FILE", help=text("cli.help.precheck.evidence"))
    parser.add_argument("--name", default="", metavar="NAME", help=text("cli.help.precheck.name"))
    parser.add_argument("--sign", metavar="NAME", help=text("cli.help.precheck.sign"))
    parser.add_argument("--verify", metavar="FILE.json", help=text("cli.help.precheck.verify"))
    parser.add_argument("--all", action="store_true", help=text("cli.help.precheck.all"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.verify is not None:
        return _verify(arguments.verify, as_json=arguments.json)
    _take_result(arguments)
    before = _table_before(arguments.table)
    table = _table(before, arguments)
    inputs = tuple(given.path for given in (*table.target, *table.golden))
    if arguments.output is not None:
        check_output_file(arguments.output, (*inputs, *filter(None, [arguments.table])), SUFFIXES)
    if arguments.table is not None:
        check_output_file(arguments.table, inputs, (".json",))
    marks = _marks(arguments)
    request = PrecheckRequest(
        table.target,
        table.golden,
        result_path=arguments.result or "",
        nearby=not arguments.no_nearby,
        limits=load_limits(arguments.limits) if arguments.limits else shipped_limits(),
    )
    report = drive(run_precheck(request), quiet=arguments.quiet)
    table = replace(table, entries={**_still_hold(before, table, report, arguments), **marks})
    report = with_entries(report, table.entries)
    table = _signed(table, report, arguments)
    sheet = Sheet(report, table.signature)
    if arguments.json:
        print_json(as_document(sheet))
    else:
        print("\n".join(as_text(sheet, every=arguments.all)))
        print_problems(problems_of(report), quiet=arguments.quiet)
    if arguments.table is not None:
        write_table_file(arguments.table, table)
    if arguments.output is not None:
        write_precheck(arguments.output, report, table.signature)
    if not arguments.json:
        for path in filter(None, (arguments.table, arguments.output)):
            print(text("cli.written", path=escaped(path)))
    return status_of(report)


def status_of(report: PrecheckReport) -> Status:
    """Return 0 where nothing fails and something passes, 1 for a fail, 2 where nothing could be evaluated."""
    counts = report.counts
    if counts[Outcome.FAIL]:
        return Status.DIFFERENT
    return Status.SAME if counts[Outcome.PASS] else Status.TROUBLE


def given_from(word: str) -> Given:
    """Return what *word*, ``PATH`` or ``KIND=PATH``, gives as evidence; a path that exists is one.

    Raises
    ------
    InputError
        If there is no such kind before a path that exists.
    """
    kind, sign_, path = word.partition("=")
    if not sign_ or Path(word).exists():
        return Given(word)
    if kind in set(EvidenceKind):
        return Given(path, EvidenceKind(kind))
    if kind.replace("_", "").isalnum() and Path(path).exists():
        raise InputError(
            Problem("precheck_kind_unknown", word, {"kind": kind, "known": ", ".join(EvidenceKind)})
        )
    return Given(word)


def _take_result(arguments: argparse.Namespace) -> None:
    """Take a result file that was given as evidence of a side for what it is: both dumps, compared."""
    for words in (arguments.target, arguments.golden):
        for word in [word for word in words if is_result(word)]:
            words.remove(word)
            arguments.result = arguments.result or word


def _table_before(place: str | None) -> PrecheckTable:
    """Return what stands in the table that is kept on with."""
    return read_table_file(place) if place is not None and Path(place).exists() else PrecheckTable()


def _table(before: PrecheckTable, arguments: argparse.Namespace) -> PrecheckTable:
    """Return what is to be examined: what was *before*, with what the command line says instead.

    Raises
    ------
    InputError
        If there is nothing.
    """
    target, golden = (tuple(map(given_from, words)) for words in (arguments.target, arguments.golden))
    if arguments.table is not None:  # it is to be found again from any folder
        target, golden = (tuple(map(_absolute, given)) for given in (target, golden))
    table = replace(before, target=target or before.target, golden=golden or before.golden)
    if not (table.target or table.golden or arguments.result):
        raise InputError(Problem("precheck_nothing_given", "--target"))
    return table


def _absolute(given: Given) -> Given:
    return given._replace(path=str(Path(given.path).absolute()))


def _still_hold(
    before: PrecheckTable, table: PrecheckTable, report: PrecheckReport, arguments: argparse.Namespace
) -> Mapping[str, Entry]:
    """Return the entries of *before* if they are of the runs examined now; says where they are not."""
    if holds_for(runs_of(before), runs_of(replace(table, report=report))):
        return before.entries
    if before.entries and not arguments.quiet:
        told = text("cli.precheck.entries_left", count=len(before.entries))
        print(f"ulpscope: {escaped(told)}", file=sys.stderr)
    return {}


def _marks(arguments: argparse.Namespace) -> dict[str, Entry]:
    """Return the entries of the command line."""
    changed = {}
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    for mark in arguments.mark:
        check, _, result = mark.partition("=")
        if kind_of(check) is None:
            known = ", ".join(_checks_like(check))
            raise InputError(Problem("precheck_mark_unknown", "--mark", {"mark": mark, "known": known}))
        if result not in (*Outcome, _AS_FOUND):
            known = ", ".join((*Outcome, _AS_FOUND))
            raise InputError(Problem("precheck_mark_result", "--mark", {"mark": mark, "known": known}))
        changed[check] = Entry(
            None if result == _AS_FOUND else Outcome(result),
            arguments.remark,
            arguments.evidence,
            arguments.name,
            now,
        )
    return changed


def _checks_like(word: str) -> list[str]:
    """Return what may be meant by *word*: checks spelt like it, else those of its group, else the groups."""
    every = [kind.id for kind in CHECKLIST]
    of_group = [id for id in every if id.partition(".")[0] == word.partition(".")[0]]
    return get_close_matches(word, every) or of_group or [f"{group}.…" for group in Group]


def _signed(table: PrecheckTable, report: PrecheckReport, arguments: argparse.Namespace) -> PrecheckTable:
    """Return *table* with the new answer, signed if that was asked for; says where a signature is lost."""
    before = table.signature
    table = with_report(table, report)
    if arguments.sign:
        return replace(table, signature=sign(table, arguments.sign))
    if before is not None and table.signature is None and not arguments.quiet:
        print(f"ulpscope: {escaped(text('cli.precheck.signature_gone', name=before.name))}", file=sys.stderr)
    return table


def _verify(path: str, *, as_json: bool) -> Status:
    """Say whether the table at *path* is as it was signed."""
    table = read_table_file(path)
    verification = verify(table)
    signed: Sequence[tuple[str, str]] = tuple(vars(table.signature).items()) if table.signature else ()
    if as_json:
        print_json({"verification": str(verification), **dict(signed)})
    else:
        print(escaped(text(f"cli.precheck.verify.{verification}", path=path, **dict(signed))))
    return _VERIFIED[verification]


_VERIFIED = {
    Verification.UNCHANGED: Status.SAME,
    Verification.CHANGED: Status.DIFFERENT,
    Verification.UNSIGNED: Status.TROUBLE,
}
