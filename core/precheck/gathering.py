"""From the paths that people bring to the evidence of a side: each read, logs as curves, files hashed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.curves.jobs import read_run
from core.errors import InputError, Problem
from core.formats.evidence.read import read_evidence
from core.messages import Message
from core.precheck.pair import LOGS, MOST_HASHED, Side
from core.progress import Progress, Work
from core.records.evidence import Evidence, EvidenceKind, Given
from core.records.precheck import EvidenceSummary

_PIECE = 1 << 20


@dataclass(frozen=True)
class Gathered:
    """What a side brought: the evidence, and a line for each file or folder of it."""

    side: Side = Side()
    summaries: tuple[EvidenceSummary, ...] = ()

    def __add__(self, other: Gathered) -> Gathered:
        return Gathered(
            Side((*self.side.evidence, *other.side.evidence)), (*self.summaries, *other.summaries)
        )

    def paths(self, kind: EvidenceKind) -> list[str]:
        """Return where the evidence of *kind* lies."""
        return list(dict.fromkeys(item.path for item in self.side.of_kind(kind)))


def gather(given: Iterable[Given], *, found: bool = False) -> Work[Gathered]:
    """Read all that was given for a side; what cannot be read costs itself and leaves a problem.

    Parameters
    ----------
    given
        Files and folders. What is given itself counts as that, and not once more in a folder that holds it;
        one file is one piece of evidence under whatever paths it is given. All places are absolute.
    found
        Nobody gave them: they lie beside a dump.
    """
    everything = Gathered()
    wanted: dict[tuple[str, EvidenceKind | None], Given] = {}
    for one in given:
        wanted.setdefault((os.path.realpath(one.path), one.kind), one)
    places = {real for real, _ in wanted}
    read: set[str] = set()
    for one in wanted.values():
        yield Progress(0, 0, Message("progress.evidence", {"path": one.path}))
        path = str(Path(one.path).absolute()) if one.path else ""
        evidence = []
        for item in (yield from _read(Given(path, one.kind))):
            if item.path == path or os.path.realpath(item.path) not in places | read:
                evidence.append((yield from _with_log(item)))
        read |= {os.path.realpath(item.path) for item in evidence}
        summaries = yield from _summaries(evidence, one, found)
        everything += Gathered(Side(tuple(evidence)), tuple(summaries))
    return everything


def _read(given: Given) -> Work[tuple[Evidence, ...]]:
    try:
        return (yield from read_evidence(given))
    except InputError as error:
        return (Evidence(given.path, (), problems=(error.problem,)),)
    except OSError as error:
        return (Evidence(given.path, (), problems=(_lost(given.path, error),)),)


def _lost(path: str, error: OSError) -> Problem:
    return Problem("evidence_lost", path, {"detail": error.strerror or type(error).__name__})


def _with_log(item: Evidence) -> Work[Evidence]:
    """Return *item* with its curves, if it is a log."""
    if item.log is not None or not any(kind in item.kinds for kind in LOGS):
        return item
    try:
        read = yield from read_run(item.path)
    except InputError as error:
        return replace(item, problems=(*item.problems, error.problem))
    except OSError as error:
        return replace(item, problems=(*item.problems, _lost(item.path, error)))
    return replace(item, log=read.run)


def _summaries(evidence: Iterable[Evidence], given: Given, found: bool) -> Work[list[EvidenceSummary]]:
    """Return a line for each path: the members of an archive are one."""
    by_path: dict[str, list[Evidence]] = {}
    for item in evidence:
        by_path.setdefault(item.path, []).append(item)
    summaries = []
    for path, items in by_path.items():
        kinds = tuple(dict.fromkeys(kind.value for item in items for kind in item.kinds))
        problems = tuple(problem for item in items for problem in item.problems)
        size = _size(path)
        digest = (yield from _digest(path)) if 0 <= size <= MOST_HASHED else ""
        summaries.append(EvidenceSummary(path, kinds, given.path, found, problems, digest, size))
    return summaries


def _size(path: str) -> int:
    """Return the bytes of the file at *path*; -1 for what is no file, or not there."""
    place = Path(path)
    try:
        return place.stat().st_size if place.is_file() else -1
    except OSError:
        return -1


def _digest(path: str) -> Work[str]:
    """Return the SHA-256 of the file; empty where it cannot be read any more."""
    digest = hashlib.sha256()
    try:
        for piece in _pieces(path):
            digest.update(piece)
            yield Progress(0, 0, Message("progress.evidence", {"path": path}))
    except OSError:
        return ""
    return digest.hexdigest()


def _pieces(path: str) -> Iterator[bytes]:
    with Path(path).open("rb") as stream:
        while piece := stream.read(_PIECE):
            yield piece
