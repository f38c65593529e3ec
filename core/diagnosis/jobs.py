"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.messages import Message
from core.progress import Progress, Work
from core.records.result import CellResult, ResultInfo
from core.records.run import CellKey
from core.store.cache import default_directory
from core.store.notes import load_notes
from core.store.results import load_cell, load_info

_KEPT_RESULTS = 20
"""Result files of the window's own that stay in the cache for a quick return."""


@dataclass(frozen=True)
class OpenedPair:
    """An open result: where it lies, what it says of itself, and the cell to show first."""

    result_path: str
    info: ResultInfo
    cell: CellResult
    seconds: float
    """How long it took to get here."""


def open_pair(target: str, golden: str, options: CompareOptions) -> Work[OpenedPair]:
    """Compare and diagnose two runs, or explore *target* when *golden* is empty."""
    started = time.monotonic()
    path = _result_place(target, golden)
    notes = load_notes(target, golden)
    options = replace(options, pairs={**notes.pairs, **options.pairs})
    yield from diagnose_runs(target, golden, options, result_path=str(path))
    return _opened(path, started)


def open_result(path: str) -> Work[OpenedPair]:
    """Open a result file."""
    started = time.monotonic()
    yield Progress(0, 1, Message("progress.read", {"path": Path(path).name}))
    return _opened(Path(path), started)


def read_cell_of_result(path: str, key: CellKey) -> Work[CellResult]:
    """Return another cell of the result at *path*."""
    yield Progress(0, 1, Message("progress.read", {"path": key.label()}))
    return load_cell(path, key)


def _opened(path: Path, started: float) -> OpenedPair:
    info = load_info(path)
    return OpenedPair(str(path), info, load_cell(path, info.cells[0]), time.monotonic() - started)


def _result_place(target: str, golden: str) -> Path:
    """Return where the window keeps the result of this pair, and remove the oldest of the others."""
    folder = default_directory() / "results"
    folder.mkdir(parents=True, exist_ok=True)
    results = sorted(folder.glob("*.h5"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in results[_KEPT_RESULTS - 1 :]:
        with contextlib.suppress(OSError):
            path.unlink()
    identity = f"{Path(target).absolute()}\n{Path(golden).absolute() if golden else ''}\n{os.getpid()}"
    return (
        folder / f"{hashlib.blake2b(identity.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.h5"
    )
