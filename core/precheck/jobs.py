"""The whole pre-check as one piece of work, for worker processes and the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.errors import InputError, Problem
from core.formats.evidence.read import evidence_beside
from core.precheck.dumps.facts import DumpFacts
from core.precheck.dumps.reading import facts_of_result, facts_of_runs
from core.precheck.engine import examine
from core.precheck.gathering import Gathered, gather
from core.precheck.limits import PrecheckLimits, shipped_limits
from core.precheck.pair import Pair, Side
from core.progress import Work
from core.records.evidence import Evidence, EvidenceKind, Given
from core.records.precheck import Entry, EvidenceSummary, PrecheckReport
from core.store.results import load_info


@dataclass(frozen=True)
class PrecheckRequest:
    """What is to be examined."""

    target: tuple[Given, ...] = ()
    golden: tuple[Given, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    """What people entered, by the check's id."""
    result_path: str = ""
    """A result file of the two dumps: what they tell is taken from there, and not compared again."""
    nearby: bool = False
    """Whether evidence is looked for in the folders of the dumps, and in those above them."""
    limits: PrecheckLimits = field(default_factory=shipped_limits)


def run_precheck(request: PrecheckRequest) -> Work[PrecheckReport]:
    """Read all evidence and examine every row of the checklist.

    Nothing is raised for what is wrong with the input: it stands in the report, and the rows that needed it
    are not done.
    """
    target = yield from gather(request.target)
    golden = yield from gather(request.golden)
    problems: list[Problem] = []
    result = request.result_path
    if result:
        try:
            info = load_info(result)
        except InputError as error:
            problems.append(error.problem)
            result = ""
        else:
            target += _dump_of_result(info.target_path, result, target)
            golden += _dump_of_result(info.golden_path, result, golden)
            if not (_is_first_dump(info.target_path, target) and _is_first_dump(info.golden_path, golden)):
                result = ""  # other dumps were given than those compared
    if request.nearby:
        beside = yield from _beside(target, golden)
        target += yield from gather(beside[0], found=True)
        golden += yield from gather(beside[1], found=True)
    facts = yield from _facts(target, golden, result, problems)
    pair = Pair(target.side, golden.side, facts, request.limits)
    checks = yield from examine(pair, request.entries)
    return PrecheckReport(checks, target.summaries, golden.summaries, tuple(problems))


def _dump_of_result(path: str, result: str, gathered: Gathered) -> Gathered:
    """Return the dump that *result* was made of as evidence, unless dumps were given."""
    if not path or gathered.paths(EvidenceKind.DUMP):
        return Gathered()
    kind = EvidenceKind.DUMP
    return Gathered(Side((Evidence(path, (kind,)),)), (EvidenceSummary(path, (kind.value,), result, True),))


def _is_first_dump(path: str, gathered: Gathered) -> bool:
    dumps = gathered.paths(EvidenceKind.DUMP)
    return bool(dumps) and _real(dumps[0]) == _real(path)


def _beside(target: Gathered, golden: Gathered) -> Work[tuple[list[Given], list[Given]]]:
    """Return what lies beside the dumps of each side; what lies beside both is nobody's."""
    found: list[dict[str, str]] = []
    for gathered in (target, golden):
        paths: list[str] = []
        for dump in gathered.paths(EvidenceKind.DUMP):
            paths += yield from evidence_beside(dump)
        found.append({_real(path): path for path in paths})
    known = {_real(path) for gathered in (target, golden) for path in _named(gathered)}
    known |= found[0].keys() & found[1].keys()
    left = [[Given(path) for real, path in side.items() if real not in known] for side in found]
    return left[0], left[1]


def _named(gathered: Gathered) -> Iterator[str]:
    for summary in gathered.summaries:
        yield summary.path
        yield summary.given


def _facts(
    target: Gathered, golden: Gathered, result: str, problems: list[Problem]
) -> Work[DumpFacts | None]:
    """Return what the two dumps tell, ``None`` where there are no two; what is wrong goes to *problems*."""
    dumps = target.paths(EvidenceKind.DUMP), golden.paths(EvidenceKind.DUMP)
    for first, *further in filter(None, dumps):
        problems += [Problem("precheck_second_dump", path, {"first": first}) for path in further]
    try:
        if result:
            facts = yield from facts_of_result(result)
        elif dumps[0] and dumps[1]:
            facts = yield from facts_of_runs(dumps[0][0], dumps[1][0])
        else:
            return None
    except InputError as error:
        problems.append(error.problem)
        return None
    problems += facts.problems
    return facts


def _real(path: str) -> str:
    return os.path.realpath(path)
