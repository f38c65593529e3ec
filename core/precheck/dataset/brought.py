"""The files and nodes that paths tell of: folders of data, lists, printed shards."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath

from core.errors import InputError, Problem
from core.formats.evidence.read import read_evidence
from core.precheck.dataset.folder_list import list_folder
from core.precheck.dataset.side_lists import joined, lists_of, shards_of
from core.precheck.pair import Side
from core.progress import Work
from core.records.evidence import Evidence, EvidenceKind, FileList, Given, Shard


def list_at(path: str) -> Work[FileList]:
    """Return the files that the list *path* names, or that lie in the folder *path*.

    Raises
    ------
    InputError
        ``dataset_no_list``: nothing in it is a file.
    """
    if Path(path).is_dir():
        files: FileList | None = (yield from list_folder(path, "")).files
    else:
        files = joined(lists_of(Side((yield from evidence_at(path)))))
    if files is None or not files.names:
        raise InputError(Problem("dataset_no_list", path))
    return files


def evidence_at(path: str) -> Work[tuple[Evidence, ...]]:
    """Return what *path* tells; a text that is nothing else is read as a list of files."""
    found = yield from read_evidence(Given(path))
    if any(item.files is not None or item.shards for item in found):
        return found
    return (yield from read_evidence(Given(path, EvidenceKind.FILES)))


def nodes_at(paths: Iterable[str]) -> Work[list[Shard]]:
    """Return what each node reads: as the lists *paths* say; each list that says no nodes is one node.

    Raises
    ------
    InputError
        ``dataset_no_list``: nothing in a list is a file.
    """
    evidence: list[Evidence] = []
    for path in paths:
        found = yield from evidence_at(path)
        told = [item for item in found if item.shards]
        evidence += told or [Evidence(path, (), shards=(_one_node(path, found),))]
    return shards_of(Side(tuple(evidence)))


def _one_node(path: str, evidence: tuple[Evidence, ...]) -> Shard:
    files = joined(lists_of(Side(evidence)))
    if files is None:
        raise InputError(Problem("dataset_no_list", path))
    return Shard(PurePath(path).stem, files.names)


def side_at(paths: Iterable[str]) -> Work[Side]:
    """Return all that *paths* of one side tell of files; of folders only names and sizes are looked at.

    Raises
    ------
    InputError
        ``dataset_no_list``: a path tells of no file.
    """
    evidence: list[Evidence] = []
    for path in paths:
        if Path(path).is_dir():
            listing = yield from list_folder(path, "")
            evidence.append(
                Evidence(path, (EvidenceKind.DATA,), files=listing.files, problems=listing.problems)
            )
            continue
        found = yield from evidence_at(path)
        if not any((item.files is not None and item.files.names) or item.shards for item in found):
            raise InputError(Problem("dataset_no_list", path))
        evidence += found
    return Side(tuple(evidence))
