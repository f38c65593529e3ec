"""What runs in worker processes for the pre-check page: the core's jobs, out of the way of all else.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.errors import InputError, Problem
from core.progress import Work
from core.records.evidence import Given
from core.records.precheck import Entry, PrecheckReport, PrecheckTable

_POLITE = 10
"""How far this work stands back behind what the user waits for."""

Key = tuple[str, str]
"""What a table is kept for: the runs that are open, else the first evidence of each side."""


class Asked(NamedTuple):
    """What is to be examined."""

    target: tuple[Given, ...]
    golden: tuple[Given, ...]
    entries: Mapping[str, Entry]
    result_path: str
    """The comparison that is open; empty for none."""
    kept_for: Key | None
    """What was kept for this comes along; ``None``: it did so already."""


class Answer(NamedTuple):
    """What was found, and all that it was found of."""

    target: tuple[Given, ...]
    golden: tuple[Given, ...]
    entries: Mapping[str, Entry]
    report: PrecheckReport
    problem: Problem | None = None
    """Why what was kept cannot be read."""


def examine(asked: Asked) -> Work[Answer]:
    """Examine what is asked, with what was kept, at a low priority."""
    from core.precheck.jobs import PrecheckRequest, run_precheck
    from core.store.prechecks import load_table

    if hasattr(os, "nice"):
        os.nice(_POLITE)
    kept, problem = PrecheckTable(), None
    if asked.kept_for is not None:
        try:
            kept = load_table(*asked.kept_for)
        except InputError as error:
            problem = error.problem
    target, golden = joined(kept.target, asked.target), joined(kept.golden, asked.golden)
    entries = {**kept.entries, **asked.entries}
    request = PrecheckRequest(target, golden, entries, asked.result_path, nearby=bool(asked.result_path))
    return Answer(target, golden, entries, (yield from run_precheck(request)), problem)


def joined(first: Sequence[Given], second: Sequence[Given]) -> tuple[Given, ...]:
    """Return all of both, each path once, as what it was said to be last."""
    return tuple({given.path: given for given in (*first, *second)}.values())


def read_table(path: str) -> Work[PrecheckTable]:
    """Read the table that was saved as *path*, of each row no more than a row ever keeps."""
    from core.precheck.engine import MOST_ITEMS
    from core.store.prechecks import read_table_file

    yield from ()
    table = read_table_file(path)
    if table.report is None:
        return table
    checks = tuple(
        replace(
            check,
            items=check.items[:MOST_ITEMS],
            left_off=check.left_off + max(len(check.items) - MOST_ITEMS, 0),
        )
        for check in table.report.checks
    )
    return replace(table, report=replace(table.report, checks=checks))


def write_table(path: str, table: PrecheckTable) -> Work[str]:
    """Write *table* to *path*; returns the path."""
    from core.store.prechecks import write_table_file

    yield from ()
    write_table_file(path, table)
    return path


def write_report(path: str, table: PrecheckTable, language: str, signer: str) -> Work[str]:
    """Write the report of *table* to *path* in *language*, signed by *signer* if given; returns the path."""
    from core.report.precheck_report import write_precheck
    from core.store.prechecks import sign

    yield from ()
    assert table.report is not None
    return write_precheck(path, table.report, sign(table, signer) if signer else None, language)
