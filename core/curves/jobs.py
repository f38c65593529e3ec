"""Work of the curves, for worker processes and the command line: read a log, judge two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from core.curves import engine
from core.curves.dump_loss import loss_of_dump, loss_of_result
from core.curves.engine import CurveOptions
from core.curves.runs import run_of
from core.curves.shelf import Shelved, shelve, unshelve
from core.errors import InputError, Problem
from core.formats.logs.patterns import LinePattern, try_pattern
from core.formats.logs.reading import is_training_log
from core.formats.logs.table import read_table
from core.messages import Message
from core.progress import Progress, Work
from core.records.curves import CurvesReport, LoggedRun
from core.records.log_table import LogTable
from core.workers.together import in_processes


@dataclass(frozen=True)
class ReadRun:
    """A run that was read, and what is needed to read on."""

    table: LogTable | None
    """``None`` where the run is a dump, which does not grow."""
    run: LoggedRun


def read_run(path: str, pattern: LinePattern | None = None, before: LogTable | None = None) -> Work[ReadRun]:
    """Read the training log at *path*, or the losses of the dump there.

    Parameters
    ----------
    pattern
        What lines look like, where the user says so.
    before
        What was read of the log earlier: a log that grew is read on from there.

    Raises
    ------
    InputError
        If nothing can be read; see :func:`core.formats.logs.table.read_table` and
        :func:`core.curves.dump_loss.loss_of_dump`.
    """
    place = Path(path)
    if place.exists() and not (place.is_file() or place.is_dir()):
        raise InputError(Problem("curves_not_a_file", path))
    if pattern is None and place.is_dir() and not is_training_log(path):
        return ReadRun(None, (yield from loss_of_dump(path)))
    try:
        table = yield from read_table(path, pattern, before)
    except InputError:
        if place.suffix.lower() not in _DUMPS or pattern is not None:
            raise
        return ReadRun(None, (yield from loss_of_dump(path)))
    return ReadRun(table, run_of(table))


def read_result(path: str, golden: bool) -> Work[ReadRun]:
    """Read the loss of the target, or of the golden, that the result file *path* holds: it needs no dump.

    Raises
    ------
    InputError
        See :func:`core.curves.dump_loss.loss_of_result`.
    """
    yield Progress(0, 0, Message("progress.curves"))
    return ReadRun(None, loss_of_result(path, golden))


_DUMPS = (".json", ".h5", ".hdf5", ".pkl")
"""Endings of files that may be a dump."""
_WORKERS = 2
"""Processes that read logs at the same time; the application is made for two cores."""
_LARGE = 16 << 20
"""Bytes of all logs from which processes of their own are worth their start."""


def read_runs(paths: Sequence[str], pattern: LinePattern | None = None) -> Work[list[LoggedRun]]:
    """Read several logs, large ones, or those read by a pattern, in processes of their own.

    The runs come in the order of *paths*. A log without a line of the form *pattern* is read as any log.

    Raises
    ------
    InputError
        As :func:`read_run`, for the first that cannot be read.
    """
    sizes = [_size(path) for path in paths]
    if pattern is None and (len(paths) < 2 or sum(sizes) < _LARGE):
        return (yield from _read_in_turn(paths))
    shares: list[list[int]] = [[] for _ in range(_WORKERS)]
    for number in sorted(range(len(paths)), key=lambda number: -sizes[number]):
        min(shares, key=lambda share: sum(sizes[taken] for taken in share)).append(number)
    with TemporaryDirectory(prefix="ulpscope-", ignore_cleanup_errors=True) as folder:
        calls = [
            (_shelve_in_turn, ([paths[number] for number in share], pattern, folder))
            for share in shares
            if share
        ]
        tokens = yield from in_processes(calls)
        runs = [unshelve(token) for part in tokens for token in part]  # mapped: the files may go
    order = [number for share in shares for number in share]
    by_number = dict(zip(order, runs))
    return [by_number[number] for number in range(len(paths))]


def _shelve_in_turn(paths: Sequence[str], pattern: LinePattern | None, folder: str) -> Work[list[Shelved]]:
    tokens = []
    for path in paths:
        run = yield from _read_somehow(path, pattern)
        tokens.append(shelve(run, folder))
    return tokens


def _read_in_turn(paths: Sequence[str]) -> Work[list[LoggedRun]]:
    runs = []
    for path in paths:
        runs.append((yield from _read_somehow(path, None)))
    return runs


def _read_somehow(path: str, pattern: LinePattern | None) -> Work[LoggedRun]:
    """Read by *pattern*; where no line has its form, as any log."""
    if pattern is not None:
        try:
            run = (yield from read_run(path, pattern)).run
        except InputError as error:
            if error.problem.code != "log_without_steps":
                raise
        else:
            if run.curves:
                return run
    return (yield from read_run(path)).run


def tried(pattern: LinePattern, path: str) -> Work[None]:
    """Try *pattern* on the first lines of the log at *path*.

    Raises
    ------
    InputError
        As :func:`core.formats.logs.patterns.try_pattern`.
    """
    yield from ()
    if Path(path).is_file():
        try_pattern(pattern, path)


def _size(path: str) -> int:
    place = Path(path)
    try:
        files = place.iterdir() if place.is_dir() else (place,)
        return sum(file.stat().st_size for file in files)
    except OSError:
        return 0  # reading it will say why


def judge(
    target: LoggedRun,
    golden: LoggedRun,
    repeats: Sequence[LoggedRun] = (),
    options: CurveOptions | None = None,
) -> Work[CurvesReport]:
    """Judge *target* against *golden*; see :func:`core.curves.engine.judge_curves`."""
    yield Progress(0, 0, Message("progress.curves"))
    return engine.judge_curves(target, golden, repeats, options)


def judge_alone(run: LoggedRun, options: CurveOptions | None = None) -> Work[CurvesReport]:
    """Say what one log can tell by itself."""
    yield Progress(0, 0, Message("progress.curves"))
    return engine.judge_alone(run, options)
