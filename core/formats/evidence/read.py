"""The door to evidence: a path that somebody brings, and what it tells.

Content decides what a file is, a kind that comes with the path goes before it. Nothing that is read is run,
imported or unpickled; pipes and devices are never opened.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace

from core.errors import InputError, Problem
from core.formats.evidence.archive import members_of, names_in
from core.formats.evidence.chosen_kind import as_kind
from core.formats.evidence.config_check import read_member
from core.formats.evidence.evidence_file import SNIFFED, EvidenceFile
from core.formats.evidence.folders import Folder, look_into
from core.formats.evidence.json_value import MOST_JSON
from core.formats.evidence.nearby import evidence_beside
from core.formats.evidence.text_kinds import read_text
from core.formats.evidence.weights.checkpoint import read_checkpoint, read_weight_file
from core.formats.evidence.weights.mindspore import is_mindspore
from core.formats.logs.sniffing import is_binary, is_training_log
from core.formats.registry import find_run
from core.formats.search import DUMP_FILES
from core.formats.tensors.safetensors import looks_like
from core.messages import Message
from core.progress import Progress, Work
from core.records.evidence import Evidence, EvidenceKind, Given

__all__ = ["evidence_beside", "read_evidence"]

_BREAKS = re.compile(rb"[\r\n]")
_HDF5 = b"\x89HDF\r\n\x1a\n"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TENSORS = (b"\x80", b"\x93NUMPY")
_PLAIN = (EvidenceKind.DUMP, EvidenceKind.SOURCE, EvidenceKind.DATA)
"""Kinds that are a place; others read what lies there."""


def read_evidence(given: Given) -> Work[tuple[Evidence, ...]]:
    """Return what *given* tells: one evidence a file, of folders and archives one a file in them.

    What cannot be read is evidence of no kind, with a problem that says why. Never raises for what is wrong
    with the input.
    """
    yield Progress(0, 0, Message("progress.evidence", {"path": given.path}))
    try:
        status = os.stat(given.path)  # noqa: PTH116 - a path as the user gave it
    except (OSError, ValueError) as error:
        return (_lost(given.path, error),)
    if stat.S_ISDIR(status.st_mode):
        return (yield from _folder(given))
    if not stat.S_ISREG(status.st_mode):
        return (_nothing(Problem("evidence_not_a_file", given.path)),)
    return (yield from _file(given, status))


def _file(given: Given, status: os.stat_result) -> Work[tuple[Evidence, ...]]:
    try:
        found = yield from _content(given)
        now = os.stat(given.path)  # noqa: PTH116
    except (OSError, ValueError) as error:
        return (_lost(given.path, error),)
    if (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns) and found:
        changed = Problem("changed_while_reading", given.path)
        return (replace(found[0], problems=(*found[0].problems, changed)), *found[1:])
    return found


def _content(given: Given) -> Work[tuple[Evidence, ...]]:
    path, kind = given.path, given.kind
    if kind in _PLAIN:
        return (_place(path, kind),)
    file = EvidenceFile(path)
    head = file.head
    if not head.strip():
        return (_nothing(Problem("evidence_empty", path)),)
    if head.startswith(_ZIP) and not _is_tensor_archive(path):
        return _wanted((yield from _archive(path)), given)
    if kind in (None, EvidenceKind.WEIGHTS) and _is_weights(head, path):
        return ((yield from read_weight_file(path)),)
    if len(head) == SNIFFED and not _BREAKS.search(head) and _is_endless(file):
        return (_nothing(Problem("evidence_too_large", path, {"limit": MOST_JSON >> 20})),)
    if kind is not None:
        return (as_kind(file, kind),)
    if head.startswith(_HDF5) or _is_dump(file):
        return (Evidence(path, (EvidenceKind.DUMP,)),)
    if is_binary(head):
        found = Evidence(path, (EvidenceKind.LOG,)) if is_training_log(path) else None
    else:
        found = read_text(file)
    return (found or _nothing(Problem("evidence_unknown", path)),)


def _is_endless(file: EvidenceFile) -> bool:
    """Return whether the first line of *file* is longer than any document; each reader would read it all."""
    read = 0
    with file.opened() as stream:
        while piece := stream.read(1 << 20):
            read += len(piece)
            if _BREAKS.search(piece):
                return False
            if read > MOST_JSON:
                return True
    return False


def _is_weights(head: bytes, path: str) -> bool:
    if head.startswith((*_TENSORS, *_ZIP)) or looks_like(head):
        return True
    return head[:1] == b"\n" and is_mindspore(path)


def _is_tensor_archive(path: str) -> bool:
    """Return whether the zip at *path* is one of torch or numpy."""
    names = names_in(path)
    if names is None:
        return path.endswith((".pt", ".pth", ".bin", ".npz", ".ckpt"))
    return any(name.endswith("/data.pkl") and name.count("/") == 1 for name in names) or (
        bool(names) and all(name.endswith(".npy") for name in names)
    )


def _is_dump(file: EvidenceFile) -> bool:
    if file.name not in DUMP_FILES and not (file.suffix == ".pkl" and file.head[:1] != b"\x80"):
        return False
    try:
        find_run(file.path)
    except InputError:
        return False
    return True


def _place(path: str, kind: EvidenceKind) -> Evidence:
    """Return *path* as the place that it is said to be."""
    if kind is EvidenceKind.DUMP:
        try:
            with open(path, "rb") as stream:  # noqa: PTH123
                packed = stream.read(len(_HDF5)) == _HDF5
        except IsADirectoryError:
            packed = False
        if not packed:
            try:
                find_run(path)
            except InputError as error:
                return _nothing(error.problem)
    return Evidence(path, (kind,))


def _archive(path: str) -> Work[tuple[Evidence, ...]]:
    """Return what the members of a zip tell; a refused one costs itself."""
    found: list[Evidence] = []
    problems: list[Problem] = []
    for number, member in enumerate(members_of(path)):
        yield Progress(number, 0, Message("progress.evidence", {"path": path}))
        if isinstance(member, Problem):
            problems.append(member)
            continue
        try:
            read = read_member(member) or (None if is_binary(member.head) else read_text(member))
        except ValueError:
            problems.append(Problem("archive_member_broken", path, {"member": member.member[:200]}))
            continue
        if read is not None:
            found.append(read)
    if not found and not problems:
        problems.append(Problem("evidence_unknown", path))
    if problems:
        found.append(Evidence(path, (), problems=tuple(problems)))
    return tuple(found)


def _folder(given: Given) -> Work[tuple[Evidence, ...]]:
    path, kind = given.path, given.kind
    if kind in _PLAIN:
        return (_place(path, kind),)
    if kind in (EvidenceKind.LOG, EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG):
        known = is_training_log(path)
        return (Evidence(path, (kind,)) if known else _not_kind(path, kind),)
    folder = look_into(path, kind)
    if folder.whole is not None:
        return (folder.whole,)
    found: list[Evidence] = []
    for checkpoint in folder.checkpoints:
        found.append((yield from read_checkpoint(*checkpoint)))
    if folder.source and kind is None:
        found.append(Evidence(path, (EvidenceKind.SOURCE,)))
    for number, file in enumerate(folder.files):
        yield Progress(number, len(folder.files), Message("progress.evidence", {"path": file}))
        read = yield from read_evidence(Given(file))
        found += [item for item in read if item.kinds and item.kinds != (EvidenceKind.SOURCE,)]
    return _wanted(tuple(found), given) or _of_nothing(folder, given)


def _of_nothing(folder: Folder, given: Given) -> tuple[Evidence, ...]:
    """Return what a folder is in which nobody knows a file."""
    if given.kind is not None:
        return (_not_kind(given.path, given.kind),)
    if folder.data:
        return (Evidence(given.path, (EvidenceKind.DATA,)),)
    return (_nothing(Problem("evidence_folder_empty", given.path)),)


def _wanted(found: tuple[Evidence, ...], given: Given) -> tuple[Evidence, ...]:
    """Return those of *found* that are of the kind that was asked for."""
    kind = given.kind
    if kind is None:
        return found
    return tuple(replace(item, kinds=(kind,)) for item in found if kind in item.kinds)


def _not_kind(path: str, kind: EvidenceKind) -> Evidence:
    return _nothing(Problem("evidence_not_kind", path, {"kind": kind.value}))


def _nothing(problem: Problem) -> Evidence:
    return Evidence(problem.path, (), problems=(problem,))


def _lost(path: str, error: Exception) -> Evidence:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return _nothing(Problem("not_there", path))
    if isinstance(error, PermissionError):
        return _nothing(Problem("no_permission", path))
    reason = getattr(error, "strerror", None) or type(error).__name__
    return _nothing(Problem("not_readable", path, {"reason": reason}))
