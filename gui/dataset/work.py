"""What runs in worker processes for the data set: listing folders, comparing lists, writing files.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.progress import Work

if TYPE_CHECKING:
    from core.errors import Problem
    from core.precheck.pair import Side
    from core.records.evidence import FileList
    from gui.models.dataset.rows import DatasetAnswer, SideFacts


class Written(NamedTuple):
    """A list of checksums that was made."""

    path: str
    files: int
    bytes: int
    kept: int
    """Files whose checksum was known from an earlier, unfinished list."""
    problems: tuple[Problem, ...]


def checksums(folder: str, output: str, algorithm: str) -> Work[Written]:
    """Write the checksums of all files in *folder* to the list *output*; what was begun goes on.

    Raises
    ------
    InputError
        ``dataset_list_not_written``, ``dataset_no_folder``.
    """
    from core.errors import InputError, Problem
    from core.precheck.dataset.folder_list import list_folder
    from core.precheck.dataset.kept_digests import forget, partial_of
    from core.precheck.dataset.list_file import write_list

    try:
        partial = partial_of(output)
        listing = yield from list_folder(folder, algorithm, partial=partial, resume=True, leave_out=(output,))
        written = yield from write_list(output, listing.files)
        if listing.whole:
            forget(partial)
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("dataset_list_not_written", output, {"detail": detail})) from None
    return Written(output, written, int(listing.files.sizes.sum()), listing.kept, listing.problems)


def compare(target: tuple[str, ...], golden: tuple[str, ...]) -> Work[DatasetAnswer]:
    """Compare the files that both sides bring, and how their nodes share them."""
    from core.precheck.dataset.brought import side_at
    from core.precheck.dataset.comparison import compare_lists
    from core.precheck.dataset.reading_order import order_of
    from core.precheck.dataset.shards import shard_faults
    from core.precheck.dataset.side_lists import joined, lists_of, shards_of
    from gui.models.dataset.rows import DatasetAnswer, counts_of, rows_of

    sides = (yield from side_at(target)), (yield from side_at(golden))
    mine, theirs = _one_list(*sides), _one_list(*reversed(sides))
    found = compare_lists(mine, theirs)
    # a list of checksums says nothing of the order of reading
    read, their_read = (joined([files for files in lists_of(side) if files.ordered]) for side in sides)
    in_order = compare_lists(read, their_read) if read is not None and their_read is not None else None
    orders = [order_of(files.names) if files is not None else "" for files in (read, their_read)]
    nodes = shards_of(sides[0]), shards_of(sides[1])
    faults = shard_faults(*nodes) if any(nodes) else None
    return DatasetAnswer(
        _facts(target, mine, len(nodes[0]), orders[0]),
        _facts(golden, theirs, len(nodes[1]), orders[1]),
        len(found.common),
        found.checked,
        counts_of(found, in_order, faults),
        tuple(rows_of(found, in_order, faults)),
        tuple(problem for side in sides for item in side.evidence for problem in item.problems),
    )


def _one_list(side: Side, other: Side) -> FileList:
    """Return what *side* tells as one list: with checksums of an algorithm that the *other* has, too."""
    import numpy as np

    from core.precheck.dataset.side_lists import joined, lists_by_algorithm, lists_of, shards_of
    from core.records.evidence import FileList, Place

    told, others = lists_by_algorithm(side), lists_by_algorithm(other)
    for algorithm in (*(name for name in told if name in others), *told):
        return told[algorithm]
    files = joined(lists_of(side))
    if files is not None:
        return files
    names = tuple(dict.fromkeys(name for shard in shards_of(side) for name in shard.files))
    sizes = np.full(len(names), -1, np.int64)
    return FileList(names, sizes, ("",) * len(names), "", False, Place(""))


def _facts(paths: tuple[str, ...], files: FileList, nodes: int, order: str) -> SideFacts:
    from gui.models.dataset.rows import SideFacts

    told = bool(len(files.sizes)) and int(files.sizes.min()) >= 0
    total = int(files.sizes.sum()) if told else -1
    return SideFacts(paths, len(files.names), total, files.algorithm, nodes, str(order))


def export(path: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Work[str]:
    """Write *rows* to *path* as csv; return the path."""
    from core.report.small_files import write_rows

    yield from ()
    return write_rows(path, columns, rows)
