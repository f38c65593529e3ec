"""Bring the file names in a dump together with the files that are there."""

from __future__ import annotations

import os

import numpy as np

from core.errors import Problem
from core.formats.data_folder import DataFolder, FileFacts, safe_name
from core.records.columns import ABSENT, Int32, Int64, Interner, constant

_LATE_NS = 3600 * 10**9
"""A run writes its tensors before the dump file that names them; copying shuffles times by less."""


def resolve_files(
    strings: Interner, problems: list[Problem], named: Int32, folder: DataFolder, dump: str
) -> tuple[Int32, Int64, Int64]:
    """Look up the files that slots name, and note what is wrong with them.

    Parameters
    ----------
    strings
        Holds the names; gets them as the file system spells them.
    problems
        Gets what is wrong.
    named
        For each slot, the id of its file's name.
    folder
        The folder of tensor files.
    dump
        Path of the dump file; empty when there is none.

    Returns
    -------
    file, file_size, file_mtime_ns
        Columns of the slot table.
    """
    texts = list(strings.ids)
    used = np.unique(named[named >= 0])
    found: list[FileFacts | None] = []
    missing: list[str] = []
    unsafe: list[str] = []
    seen: set[str] = set()
    for identity in used.tolist():
        name = safe_name(texts[identity])
        facts = folder.find(name) if name is not None else None
        found.append(facts)
        if name is None:
            unsafe.append(texts[identity])
        elif facts is None:
            missing.append(name)
        else:
            seen.add(facts.name)
    if unsafe:
        problems.append(Problem("unsafe_file_names", dump, {"count": len(unsafe), "name": unsafe[0]}))
    if missing:
        problems.append(
            Problem("missing_tensor_files", folder.path, {"count": len(missing), "name": missing[0]})
        )
    orphans = sorted(folder.files.keys() - seen)
    if orphans and dump:
        problems.append(
            Problem("orphan_tensor_files", folder.path, {"count": len(orphans), "name": orphans[0]})
        )
    late = _count_late([facts for facts in found if facts is not None], dump)
    if late:
        problems.append(Problem("newer_tensor_files", folder.path, {"count": late}))

    if not len(used):
        nothing = constant(ABSENT, np.int64, len(named))
        return named, nothing, nothing
    refused = set(unsafe)
    ids = [
        ABSENT if texts[identity] in refused else strings(facts.name) if facts else identity
        for identity, facts in zip(used.tolist(), found)
    ]
    # One more entry at the end answers for the slots without a file, whose id is -1.
    position = np.searchsorted(used, named).clip(max=len(used))
    position[named < 0] = len(used)
    return (
        np.array([*ids, ABSENT], np.int32)[position],
        np.array([*(facts.size if facts else ABSENT for facts in found), ABSENT], np.int64)[position],
        np.array([*(facts.mtime_ns if facts else ABSENT for facts in found), ABSENT], np.int64)[position],
    )


def _count_late(files: list[FileFacts], dump: str) -> int:
    try:
        limit = os.stat(dump).st_mtime_ns + _LATE_NS  # noqa: PTH116 - nanoseconds as in FileFacts
    except OSError:
        return 0
    return sum(facts.mtime_ns > limit for facts in files)
