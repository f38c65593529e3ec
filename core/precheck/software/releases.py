"""Whether two versions are the same release."""

from __future__ import annotations

import re
from enum import StrEnum

from packaging.version import InvalidVersion, Version

_COMMIT = re.compile(r"g?(?:it)?[._-]?(?P<commit>(?=[0-9a-f]*\d)[0-9a-f]{7,40})(?:\b.*)?")
"""A commit as ``+gitabc1234``, ``+g1a2b3c4`` or by itself; it has a digit, as ``defaced`` has not."""


_REFERENCE = re.compile(r"@[^\s@]+")
"""A tag or branch that is checked out."""


class Likeness(StrEnum):
    """How two versions stand to each other."""

    SAME = "same"
    LOCAL = "local"
    """The same release, built otherwise: ``2.1.0+cu121`` and ``2.1.0+cpu``."""
    COMMIT = "commit"
    """Built from different commits."""
    DIFFERENT = "different"
    UNKNOWN = "unknown"
    """Of one of them is only told where it was taken from, or nothing."""


def likeness(one: str, other: str) -> Likeness:
    """Return how two versions, as they are printed, stand to each other.

    They are compared as PEP 440 has it: ``2.1`` is ``2.1.0``, ``1.0-rc1`` is ``1.0rc1``, ``2.1.0.post3`` is
    another one than ``2.1.0``; what stands behind ``+`` counts only where it names a commit. Versions that
    PEP 440 does not know are compared as texts without regard to case. Two tags that are checked out
    (``@core_v0.8.0``) are compared as texts too, but a branch (``@main``) or an address (``@ file:///a/b``)
    may hold anything, and a tag nothing that could be compared with a version.
    """
    one, other = _bare(one), _bare(other)
    if not (tells_release(one) and tells_release(other)):
        return _of_references(one, other)
    if one == other:
        return Likeness.SAME
    commits = _commit(one), _commit(other)
    if all(commits):
        return _same_commit(*commits)
    first, second = _parsed(one), _parsed(other)
    if first is None or second is None:
        return Likeness.DIFFERENT
    if Version(first.public) != Version(second.public):
        return Likeness.DIFFERENT
    local = _commit(first.local or ""), _commit(second.local or "")
    if all(local):
        return _same_commit(*local)
    return Likeness.SAME if first.local == second.local else Likeness.LOCAL


def tells_release(version: str) -> bool:
    """Return whether *version* is a version, and not only where the software was taken from."""
    return _bare(version)[:1] not in ("", "@")


def _of_references(one: str, other: str) -> Likeness:
    tags = [_REFERENCE.fullmatch(version) is not None for version in (one, other)]
    if not all(tags):
        return Likeness.UNKNOWN
    if one != other:
        return Likeness.DIFFERENT
    return Likeness.SAME if any(map(str.isdigit, one)) else Likeness.UNKNOWN


def release_of(version: str) -> tuple[int, ...]:
    """Return major, minor and so on of *version*; empty where it is none that PEP 440 knows."""
    parsed = _parsed(_bare(version))
    return parsed.release if parsed is not None else ()


def local_of(version: str) -> str:
    """Return what stands behind ``+`` in *version*: ``cu121``."""
    return _bare(version).partition("+")[2]


def _bare(version: str) -> str:
    return version.strip().casefold().removeprefix("v")


def _commit(version: str) -> str:
    found = _COMMIT.fullmatch(version)
    return found["commit"] if found is not None and not version.isdigit() else ""


def _same_commit(one: str, other: str) -> Likeness:
    """Compare commits of which one may be shortened."""
    same = one.startswith(other) or other.startswith(one)
    return Likeness.SAME if same else Likeness.COMMIT


def _parsed(version: str) -> Version | None:
    try:
        return Version(version)
    except InvalidVersion:
        return None
