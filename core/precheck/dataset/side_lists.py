"""The lists of files that a side brought, as one list, and what each of its nodes reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import InputError
from core.precheck.dataset.folder_list import list_folder
from core.precheck.pair import Side
from core.progress import Work
from core.records.evidence import EvidenceKind, FileList, Shard


def lists_of(side: Side) -> list[FileList]:
    """Return the lists of *side* that name any file."""
    return [item.files for item in side.evidence if item.files is not None and item.files.names]


def lists_by_algorithm(side: Side) -> dict[str, FileList]:
    """Return the checksums of *side*, those of each algorithm as one list."""
    found: dict[str, list[FileList]] = {}
    for files in lists_of(side):
        if files.algorithm:
            found.setdefault(files.algorithm, []).append(files)
    return {name: whole for name, files in found.items() if (whole := joined(files)) is not None}


def joined(lists: Sequence[FileList]) -> FileList | None:
    """Return *lists* one after the other, ``None`` for none.

    A file of an earlier list does not count again. Checksums stay where all lists have one algorithm.
    """
    if len(lists) < 2:
        return lists[0] if lists else None
    algorithms = {found.algorithm for found in lists}
    keep = len(algorithms) == 1
    names: list[str] = []
    sizes: list[int] = []
    digests: list[str] = []
    seen: set[str] = set()
    for found in lists:
        rows = zip(found.names, found.sizes.tolist(), found.digests)
        fresh = [row for row in rows if row[0] not in seen]
        seen.update(found.names)
        names += [row[0] for row in fresh]
        sizes += [row[1] for row in fresh]
        digests += [row[2] if keep else "" for row in fresh]
    first = lists[0]
    algorithm = first.algorithm if keep else ""
    ordered = all(found.ordered for found in lists)
    return FileList(tuple(names), np.array(sizes, np.int64), tuple(digests), algorithm, ordered, first.place)


def files_in_folders(side: Side) -> Work[FileList | None]:
    """Return the files in the folders of data of *side*, ``None`` where it has none or they are empty."""
    found = []
    for item in side.of_kind(EvidenceKind.DATA):
        try:
            listing = yield from list_folder(item.path, "")
        except InputError:  # it went away since it was found to be a folder; its reader names what is wrong
            continue
        found += [listing.files] if listing.files.names else []
    return joined(found)


def shards_of(side: Side) -> list[Shard]:
    """Return what each node reads; a node that several files tell of reads what they say together."""
    nodes: dict[str, list[str]] = {}
    for item in side.evidence:
        for shard in item.shards:
            nodes.setdefault(shard.node, []).extend(shard.files)
    return [Shard(node, tuple(names)) for node, names in nodes.items()]
