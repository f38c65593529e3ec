"""Members of a zip of evidence, read in memory: nothing is ever unpacked to disk, nothing is trusted.

What an archive can do to its reader is refused member by member: names that lead out of it, links, archives
within, more bytes than any evidence has, encryption. The other members still count.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator

from core.errors import Problem
from core.formats.evidence.evidence_file import EvidenceFile

MOST_MEMBERS = 20_000
MOST_BYTES = 64 << 20
"""Unpacked bytes of one member."""
MOST_RATIO = 200
"""Unpacked bytes for each packed one; text packs up to some 50 times."""
_SMALL = 1 << 20
"""Bytes up to which the ratio does not matter: a file of blanks packs well and harms nobody."""
_NO_DIRECTORY = (zipfile.BadZipFile, ValueError, NotImplementedError)
"""What :mod:`zipfile` raises for a broken directory, or one of a kind that it does not know."""
_DRIVE = re.compile(r"[A-Za-z]:")
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")


def names_in(path: str) -> list[str] | None:
    """Return the names of the members of the zip at *path*, ``None`` if it has no directory that can be read.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except _NO_DIRECTORY:
        return None


def members_of(path: str) -> Iterator[EvidenceFile | Problem]:
    """Yield each file in the zip at *path*, or what was wrong with it.

    Of several members of one name the last counts, as it does for whoever unpacks them.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        archive = zipfile.ZipFile(path)
    except _NO_DIRECTORY:
        yield Problem("zip_no_directory", path)
        return
    with archive:
        infos = {info.filename: info for info in archive.infolist() if not info.filename.endswith("/")}
        for number, (name, info) in enumerate(infos.items()):
            if number >= MOST_MEMBERS:
                yield Problem("archive_too_many", path, {"count": len(infos), "limit": MOST_MEMBERS})
                return
            code = _refusal(info)
            yield Problem(code, path, {"member": _shown(info)}) if code else _read(archive, info, name, path)


def _refusal(info: zipfile.ZipInfo) -> str:
    """Return the code of the problem that keeps *info* from being read; empty without one."""
    name = info.orig_filename
    parts = name.split("/")
    if (
        not name.strip()
        or name.startswith("/")
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or _DRIVE.match(name)
    ):
        return "archive_unsafe_name"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "archive_link"
    if info.flag_bits & 1:
        return "archive_encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "archive_method"
    if info.file_size > MOST_BYTES or _swells(info.file_size, info.compress_size):
        return "archive_bomb"
    return ""


def _swells(size: int, packed: int) -> bool:
    return size > _SMALL and size > MOST_RATIO * max(packed, 1)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, path: str) -> EvidenceFile | Problem:
    try:
        with archive.open(info) as stream:
            content = stream.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        return Problem("zip_broken", path, {"member": _shown(info)})
    # What the directory says of the size is the archive's word only.
    if len(content) > MOST_BYTES or _swells(len(content), info.compress_size):
        return Problem("archive_bomb", path, {"member": _shown(info)})
    if content.startswith(_ARCHIVES):
        return Problem("archive_nested", path, {"member": _shown(info)})
    return EvidenceFile(path, name, content)


def _shown(info: zipfile.ZipInfo) -> str:
    return info.orig_filename[:200]
