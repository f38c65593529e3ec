"""What runs in worker processes for the training view: the core's jobs.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.errors import InputError
from core.progress import Work
from core.records.evidence import EvidenceKind, Given
from core.records.training import TrainingOverflow

if TYPE_CHECKING:
    from core.overflow.training.limits import OverflowLimits


class FoundLog(NamedTuple):
    """A training log that lies near what is open."""

    path: str
    size: int
    """Bytes."""


def find_logs(paths: tuple[str, ...]) -> Work[list[FoundLog]]:
    """Look for training logs in and beside the dumps *paths*."""
    from core.formats.logs.nearby import logs_near

    found = yield from logs_near(paths)
    return [FoundLog(path, Path(path).stat().st_size) for path in found if Path(path).is_file()]


class Sorted(NamedTuple):
    """What of several files and folders is what; the rest is neither."""

    logs: tuple[str, ...] = ()
    monitors: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Files of lines that say nothing; they may be logs of a form of their own."""
    evidence: tuple[str, ...] = ()
    """What a pre-check goes by, logs and dumps aside: scripts, configurations, lists."""


def sort_out(paths: list[str]) -> Work[Sorted]:
    """Tell which of *paths* are training logs, and which what a monitor wrote, by some of their content."""
    from core.formats.logs.reading import is_training_log
    from core.formats.monitors.reading import is_monitor

    yield from ()
    logs = tuple(path for path in paths if is_training_log(path))
    monitors = tuple(path for path in paths if path not in logs and is_monitor(path))
    rest = [path for path in paths if path not in (*logs, *monitors)]
    evidence = []
    for path in rest:
        if (yield from _is_evidence(path)):
            evidence.append(path)
    texts = [path for path in rest if path not in evidence and is_text(path)]
    return Sorted(logs, monitors, tuple(texts), tuple(evidence))


_TELLING = frozenset(
    (
        EvidenceKind.SCRIPT, EvidenceKind.CONFIG, EvidenceKind.PACKAGES, EvidenceKind.ENVIRONMENT,
        EvidenceKind.DEVICES, EvidenceKind.CHECKSUMS, EvidenceKind.SHARDS, EvidenceKind.WEIGHTS,
    )
)  # fmt: skip
"""What makes a folder one of evidence, and not of whatever else: logs, lists, tables."""


def _is_evidence(path: str) -> Work[bool]:
    """Return whether *path* is evidence for a pre-check, and nothing that is opened as a run.

    A folder is, if it is one of source or weights, or if what is no log in it tells of a run: beside logs a
    script, or two files, for one configuration lies beside most logs.
    """
    from core.formats.evidence.folders import look_into
    from core.formats.evidence.read import read_evidence

    if Path(path).is_dir():
        folder = look_into(path, None)
        if folder.whole is not None:
            return EvidenceKind.SOURCE in folder.whole.kinds
        if folder.checkpoints or folder.source:
            return True
        logs = telling = 0
        for file in folder.files:
            kinds = {kind for piece in (yield from read_evidence(Given(file))) for kind in piece.kinds}
            if EvidenceKind.LOG in kinds:
                logs += 1
            elif kinds & _TELLING:
                telling += 2 if EvidenceKind.SCRIPT in kinds else 1
                if telling > 1:
                    return True
        return bool(telling and not logs)
    if not Path(path).is_file():
        return False
    try:
        found = yield from read_evidence(Given(path))
    except (InputError, OSError):
        return False
    opened = (EvidenceKind.DUMP, EvidenceKind.LOG)
    return any(kind not in opened for piece in found for kind in piece.kinds)


_LOOKED_AT = 4096
"""Bytes of a file by which text is told."""


def is_text(path: str) -> bool:
    """Whether the file at *path* holds lines of text, and is no ``.json``."""
    from core.formats.logs.sniffing import is_binary

    if path.lower().endswith(".json"):
        return False
    try:
        with Path(path).open("rb") as stream:
            return not is_binary(stream.read(_LOOKED_AT))
    except OSError:
        return False


def history_of_log(path: str, limits: OverflowLimits) -> Work[TrainingOverflow]:
    """Read and judge the training log at *path*."""
    from core.overflow import jobs

    return (yield from jobs.history_of_log(path, limits))
