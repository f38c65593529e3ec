"""Whether what people entered over some evidence holds over other evidence: only for the same runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from core.records.evidence import EvidenceKind, Given
from core.records.precheck import EvidenceSummary, PrecheckTable

Paths = frozenset[str]


class Runs(NamedTuple):
    """What names the two runs: real paths, the target's first."""

    given: tuple[Paths, Paths]
    dumps: tuple[Paths, Paths]
    """Empty where there is none, or where it is not known."""


def runs_of(table: PrecheckTable) -> Runs:
    """Return what the evidence of *table* and of its answer says of the runs."""
    report = table.report
    evidence = (report.target_evidence, report.golden_evidence) if report is not None else ((), ())
    return Runs(
        (_given(table.target), _given(table.golden)),
        (_dumps(evidence[0]), _dumps(evidence[1])),
    )


def holds_for(before: Runs, now: Runs) -> bool:
    """Return whether what was entered for *before* holds for *now*.

    All evidence of then must be there still. More may have come, and dumps count where both times tell of
    some: a comparison need not be named again.
    """
    return all(
        before.given[side] <= now.given[side]
        and (not now.dumps[side] or before.dumps[side] <= now.dumps[side])
        for side in (0, 1)
    )


def is_of_pair(table: PrecheckTable, pair: tuple[str, str], here: PrecheckTable) -> bool:
    """Return whether *table* was made of the comparison of *pair*, of which *here* is known.

    Its dumps tell, where it has any, else that all its evidence of both sides is that of *here*.
    """
    told = runs_of(table)
    if all(told.dumps):
        return all(_real([path]) <= dumps for path, dumps in zip(pair, told.dumps))
    known = runs_of(here).given
    return all(given and given <= mine for given, mine in zip(told.given, known))


def _real(paths: Iterable[str]) -> Paths:
    return frozenset(map(os.path.realpath, paths))


def _given(given: Iterable[Given]) -> Paths:
    return _real(each.path for each in given)


def _dumps(evidence: Iterable[EvidenceSummary]) -> Paths:
    return _real(summary.path for summary in evidence if EvidenceKind.DUMP in summary.kinds)
