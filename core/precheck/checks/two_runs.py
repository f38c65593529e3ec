"""Whether the evidence is of two runs, and not of one that was opened twice."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.curves.sameness import LEAST_LOSSES, is_one_run
from core.messages import Message, Parameter
from core.precheck.checks.logs import main_log
from core.precheck.checks.missing import without_logs
from core.precheck.dumps.facts import DumpFacts
from core.precheck.finding import Finding, not_done
from core.precheck.pair import LOGS, MOST_HASHED, Pair, Side
from core.progress import Progress, Work
from core.records.curves import LoggedRun
from core.records.evidence import Evidence, EvidenceKind, Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series

_LEAST_RESULTS = 10
"""Results of operators without which equal numbers may be chance."""
_SHARED = frozenset((EvidenceKind.WEIGHTS, EvidenceKind.DATA, EvidenceKind.SOURCE, EvidenceKind.DUMP))
"""Kinds whose files are large and should be equal on both sides, or are compared by what they hold."""


def two_runs(pair: Pair) -> Work[Finding]:
    """Check that nothing of both sides is the same file or holds the same numbers to the last digit.

    One path given for both sides fails whatever it holds, as each row that reads it compares it with itself.
    So does a copy of a log, or of a dump; a copy of another file may well be right, and is listed.
    """
    told = _by_dumps(pair.dumps) if pair.dumps is not None else None
    doubled = list(_given_twice(pair))
    if doubled:
        facts: dict[str, Parameter] = {"count": len(doubled), "path": doubled[0].target}
        return Finding(Outcome.FAIL, Message("precheck.flow.two_runs.one_file", facts), doubled)
    if told is not None and told.result is Outcome.FAIL:
        return told
    copies = yield from _copies(pair)
    copied = next((item for item in copies if item.standing is Standing.DIFFERS), None)
    logs = next(_doubled_logs(pair), None)
    if copied is None and logs is not None:
        copied = Item("log", logs[0].path, logs[1].path, Standing.DIFFERS, *_at(logs[0].path, logs[1].path))
        copies.append(copied)
    if copied is not None:
        words = {"target": copied.target, "golden": copied.golden}
        word = "logs" if logs is not None else "copied"
        return Finding(Outcome.FAIL, Message(f"precheck.flow.two_runs.{word}", words), copies)
    return replace(_without_copies(pair, told), items=copies)


def _without_copies(pair: Pair, told: Finding | None) -> Finding:
    """Return what dumps and logs tell that are no copies of each other."""
    if told is not None and told.result is Outcome.PASS:
        return told
    logs = [main_log(side) for side in (pair.target, pair.golden)]
    telling = [log for log in logs if log is not None and _tells(log)]
    if len(telling) == len(logs):
        message = Message("precheck.flow.two_runs.pass.logs")
        return Finding(Outcome.PASS, message, (), (), (telling[0].path,), (telling[1].path,))
    return told or without_logs(target=logs[0] is not None, golden=logs[1] is not None)


def _by_dumps(facts: DumpFacts) -> Finding:
    """Return what the results of operators and the calls tell."""
    same, calls = facts.sameness, facts.sequence
    count: dict[str, Parameter] = {"count": same.compared}
    apart = same.compared - same.equal
    result = Outcome.FAIL
    if same.same_files:
        message = Message("precheck.flow.two_runs.same_files")
    elif apart:
        result, message = Outcome.PASS, Message("precheck.flow.two_runs.pass", {"count": apart})
    elif same.compared < _LEAST_RESULTS:
        return not_done(Message("precheck.flow.two_runs.few", count))
    elif calls.target_only or calls.golden_only:
        return not_done(Message("precheck.flow.two_runs.calls", count))
    else:
        word = "identical" if same.identical == same.compared else "equal"
        message = Message(f"precheck.flow.two_runs.{word}", count)
    return Finding(result, message, (), (), (facts.target_path,), (facts.golden_path,))


def _given_twice(pair: Pair) -> Iterator[Item]:
    """Yield each file or folder that is evidence of both sides."""
    golden = _real_paths(pair.golden)
    for real, path in _real_paths(pair.target).items():
        if real in golden:
            yield Item("file", path, golden[real], Standing.DIFFERS, *_at(path, golden[real]))


def _real_paths(side: Side) -> dict[str, str]:
    return {os.path.realpath(item.path): item.path for item in side.evidence if item.kinds}


def _copies(pair: Pair) -> Work[list[Item]]:
    """Return the files of both sides with the same bytes."""
    sizes = _sizes(pair.target), _sizes(pair.golden)
    common = set(sizes[0].values()) & set(sizes[1].values())
    found: list[dict[str, str]] = []
    for side in sizes:
        digests: dict[str, str] = {}
        for path, size in side.items():
            if size in common:
                yield Progress(0, 0, Message("progress.evidence", {"path": path}))
                digests.setdefault(_digest(path), path)
        found.append(digests)
    pairs = [(path, found[1][digest]) for digest, path in found[0].items() if digest and digest in found[1]]
    logs = [{item.path for item in side.evidence if _is_log(item)} for side in (pair.target, pair.golden)]
    return [_copy(*paths, log=paths[0] in logs[0] and paths[1] in logs[1]) for paths in pairs]


def _copy(target: str, golden: str, *, log: bool) -> Item:
    name, standing = ("log", Standing.DIFFERS) if log else ("file", Standing.REMARK)
    remark = Message("precheck.flow.two_runs.copy")
    return Item(name, target, golden, standing, *_at(target, golden), remark)


def _sizes(side: Side) -> dict[str, int]:
    """Return the bytes of the files of *side* that are worth reading for this."""
    sizes = {}
    for item in side.evidence:
        with suppress(OSError):
            if item.kinds and _SHARED.isdisjoint(item.kinds) and Path(item.path).is_file():
                sizes[item.path] = Path(item.path).stat().st_size
    return {path: size for path, size in sizes.items() if 0 < size <= MOST_HASHED}


def _digest(path: str) -> str:
    """Return the SHA-256 of the file; empty where it cannot be read any more."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def _is_log(item: Evidence) -> bool:
    return not set(LOGS).isdisjoint(item.kinds)


def _doubled_logs(pair: Pair) -> Iterator[tuple[LoggedRun, LoggedRun]]:
    """Yield logs of both sides that hold the same numbers in all that they log."""
    for ours in _logs(pair.target):
        for theirs in _logs(pair.golden):
            if _tells(ours) and is_one_run(ours, theirs):
                yield ours, theirs


def _logs(side: Side) -> Iterator[LoggedRun]:
    for kind in LOGS:
        yield from side.logs(kind)


def _tells(run: LoggedRun) -> bool:
    loss = run.curves.get(Series.LOSS)
    return loss is not None and len(np.unique(loss.values)) >= LEAST_LOSSES


def _at(target: str, golden: str) -> tuple[Place, Place]:
    return Place(target), Place(golden)
