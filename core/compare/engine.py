"""The compare engine: two runs in, cell after cell of judged rows out.

Window and command line drive the same generator. One side is parsed here and the other in a process of its
own, tensors are measured in a process a core; what is small is done on the spot, because starting a process
costs a third of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import core
from core.compare.cells import CellPair, pair_cells
from core.compare.options import CompareOptions
from core.compare.rows import compare_dumps, explore_dump
from core.match.mapping import Mapping
from core.match.mapping_files import load_mapping
from core.progress import Work
from core.records.diagnosis import Diagnosis
from core.records.dump import Dump
from core.records.emulation import Emulation
from core.records.result import CellResult, ResultInfo
from core.records.run import CellSource
from core.store.cache import Cache
from core.store.results import result_writer
from core.store.runs import ingest, open_run
from core.workers.together import together

if TYPE_CHECKING:
    from core.metrics.inspection.kept.pair import Keep

_WORTH_A_PROCESS = 4 << 20
"""Bytes of dump text from which parsing both sides at once beats the start of a process."""


class Examiner(Protocol):
    """Looks at each cell as it is made; the diagnosis, which stands above this package, is one."""

    def examine(self, cell: CellResult) -> Work[CellResult]:
        """Return *cell*, perhaps with more in it."""

    def look_into(self, keep: Keep) -> Work[None]:
        """Give *keep* what is worth keeping of the pairs of tensors that matter most."""

    def conclude(self) -> Diagnosis:
        """Return what all cells together say."""

    @property
    def emulation(self) -> Emulation | None:
        """What a chip's arithmetic says of the calls, if one was asked."""


@dataclass(frozen=True)
class Comparison:
    """A finished comparison."""

    info: ResultInfo
    result_path: str
    """The result file; empty when none was asked for."""


def compare_runs(
    target: str,
    golden: str,
    options: CompareOptions,
    *,
    result_path: str = "",
    compressed: bool = False,
    take: Callable[[CellResult], None] | None = None,
    examiner: Examiner | None = None,
) -> Work[Comparison]:
    """Compare the run at *target* with the one at *golden*, or explore *target* when *golden* is empty.

    Parameters
    ----------
    result_path
        Where to write the result file; empty: nowhere.
    compressed
        The result is to be taken away from the dumps: make it small rather than quick to write, and keep
        in it what the examiner looks into.
    take
        Called with each finished cell, in execution order.
    examiner
        Sees each cell before it is written; what it concludes goes into the result file.

    Raises
    ------
    InputError
        If a side cannot be opened at all, or no cell is common to both.
    """
    run, reference = open_run(target), open_run(golden) if golden else None
    pairs, problems = pair_cells(run, reference, options.steps, options.ranks)
    mapping = Mapping(picked=options.pairs).joined(load_mapping(options.mapping))
    info = ResultInfo(
        target_path=str(Path(target).absolute()),
        golden_path=str(Path(golden).absolute()) if golden else "",
        version=core.__version__,
        created=datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
        thresholds=options.noise.as_mapping(),
        cells=tuple(pair.target.key for pair in pairs),
        problems=(*run.problems, *(reference.problems if reference else ()), *mapping.problems, *problems),
    )
    with ExitStack() as stack:
        writer = None
        if result_path:
            writer = stack.enter_context(result_writer(Path(result_path), compressed=compressed))
        for pair in pairs:
            cell = yield from _compare_pair(pair, options, mapping)
            if examiner is not None and pair.golden is not None:
                cell = yield from examiner.examine(cell)
            if writer is not None:
                writer.add_cell(cell)
            if take is not None:
                take(cell)
        if writer is not None:
            if examiner is not None and golden:
                if compressed:
                    yield from examiner.look_into(writer.keep)
                writer.finish(info, examiner.conclude(), examiner.emulation)
            else:
                writer.finish(info)
    return Comparison(info, result_path)


def _compare_pair(pair: CellPair, options: CompareOptions, mapping: Mapping) -> Work[CellResult]:
    cache = Cache.default() if options.use_cache else None
    if pair.golden is None:
        dump = yield from ingest(pair.target, cache)
        return explore_dump(pair.target.key, dump)
    target, golden = yield from _ingest_both(pair.target, pair.golden, cache)
    keys = pair.target.key, pair.golden.key
    return (yield from compare_dumps(keys, target, golden, options, mapping))


def _ingest_both(target: CellSource, golden: CellSource, cache: Cache | None) -> Work[tuple[Dump, Dump]]:
    if target.files == golden.files:
        dump = yield from ingest(target, cache)
        return dump, dump
    if min(_text_bytes(target), _text_bytes(golden)) < _WORTH_A_PROCESS:
        first = yield from ingest(target, cache)
        second = yield from ingest(golden, cache)
        return first, second
    first, second = yield from together(ingest(target, cache), [(ingest, (golden, cache))])
    return first, second


def _text_bytes(source: CellSource) -> int:
    """Return how much text has to be parsed for *source*."""
    return sum(
        Path(name).stat().st_size
        for role, name in source.files.items()
        if role != "data" and Path(name).is_file()
    )
