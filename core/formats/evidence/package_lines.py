"""Lists of installed packages: pip list, pip freeze, requirements, conda, torch's report."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Version

_PIP_HEAD = re.compile(r"Package\s+Version(?:\s+\S.*)?")
_CONDA_HEAD = re.compile(r"#\s+Name\s+Version\s+Build.*|# packages in environment at .*")
_NAME = r"[A-Za-z0-9_][\w.\-]{0,100}"
_ROW = re.compile(rf"(?P<name>{_NAME})\s+(?P<version>\d[^\s]*|[^\s]*\d[^\s]*)(?:\s+\S.*)?")
_PIN = re.compile(
    rf"(?P<name>{_NAME})\s*(?:\[[\w,\s.\-]*\])?\s*={{2,3}}\s*(?P<version>[^\s;#,\\]+)\s*(?:[;#\\].*)?"
)
_URL = re.compile(rf"(?P<name>{_NAME})\s*(?:\[[\w,\s.\-]*\])?\s+@\s+(?P<url>\S+)")
_EDITABLE = re.compile(r"-e\s+(?P<url>\S+)")
_EGG = re.compile(r"[#&]egg=([\w.\-]+)")
_COMMIT = re.compile(r"[0-9a-fA-F]{7,40}")
_WHEEL = re.compile(r"/(?P<name>[\w.]+)-(?P<version>\d[\w.+!]*)-[^/]*\.whl")
_UNPACKED = re.compile(
    r"/[A-Za-z][\w.\-]*?-v?(?P<version>\d+(?:\.(?!tar\b|zip\b)\w+)+(?:\+[\w.]+)?)(?:\.tar\.\w+|\.zip|/)?\Z"
)
"""A folder or an archive that is called by the version, as ``/opt/apex-0.1``."""
_UNCONTROLLED = re.compile(rf"# Editable .*\((?P<name>{_NAME})={{2,3}}(?P<version>[^\s)]+)\)")
_CONDA_PIN = re.compile(rf"-\s+(?:[\w\-]+::)?(?P<name>{_NAME})={{1,2}}(?P<version>\d[^=\s]*)(?:=\S*)?")
_CONDA_EXPORT = re.compile(rf"(?P<name>(?![A-Z0-9_]+=){_NAME})=(?P<version>\d[^=\s]*)=(?:\S+)")
_PACKED = re.compile(rf"(?P<name>{_NAME})=(?P<version>\d[\w.+!\-]*)")
"""As the official config check packs what pip knows."""
_COLLECTED = re.compile(
    rf"\[(?:pip\d*|conda)\]\s+(?P<name>{_NAME})(?:=={{0,1}}|\s+)(?P<version>\d\S*)(?:\s+.*)?"
)
_DASHES = re.compile(r"-{3,}(?:\s+-{2,})*")


_LONGEST = 1000
"""Characters of a line that names a package, with the address that it comes from."""


class PackageLines:
    """Takes the lines of one file, one after the other.

    A row of two columns counts below a heading only; a pin says by itself what it is.
    """

    def __init__(self, file: EvidenceFile) -> None:
        self._file = file
        self._rows = False
        self._editable = False
        """The line before named what the next one only gives the folder of."""
        self._packed: list[Version] = []
        self._others = 0
        self._versions: list[Version] = []

    def take(self, number: int, line: str) -> bool:
        """Return whether line *number* belongs to a list of packages."""
        text = line.strip()
        if not text or len(text) > _LONGEST:
            return False
        if _PIP_HEAD.fullmatch(text) or _CONDA_HEAD.fullmatch(text):
            self._rows = True
            return True
        if self._rows:
            if _DASHES.fullmatch(text) or text[0] == "#":
                return True
            row = _ROW.fullmatch(text)
            if row is not None:
                return self._add(row["name"], row["version"], number)
            self._rows = False
        return self._single(text, number)

    def _single(self, text: str, number: int) -> bool:
        for pattern in (_PIN, _UNCONTROLLED, _CONDA_PIN, _CONDA_EXPORT, _COLLECTED):
            found = pattern.fullmatch(text)
            if found is not None:
                self._editable = pattern is _UNCONTROLLED
                return self._add(found["name"], found["version"], number)
        named, editable = _URL.fullmatch(text), _EDITABLE.fullmatch(text)
        known, self._editable = self._editable, False
        if editable is not None and known:
            return True
        if named is not None:
            return self._add(named["name"], _version_of(named["url"]), number)
        if editable is not None:
            url = editable["url"]
            egg = _EGG.search(url)
            folder = url.split("#")[0].split("@")[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
            return self._add(egg[1] if egg else folder, _version_of(url), number)
        packed = _PACKED.fullmatch(text)
        if packed is not None:
            self._packed.append(Version(packed["name"], packed["version"], self._file.place(number)))
        else:
            self._others += 1
        return False

    def _add(self, name: str, version: str, number: int) -> bool:
        self._versions.append(Version(name, version, self._file.place(number)))
        return True

    @property
    def any(self) -> bool:
        """Whether there was any package so far."""
        return bool(self._versions)

    def found(self) -> tuple[Version, ...]:
        """Return the packages, in the order of the file."""
        return tuple(self._versions)

    @property
    def packed(self) -> tuple[Version, ...]:
        """Packages written ``name=version``, if the file holds little else: variables are written so too."""
        few = self._others * 10 > len(self._packed) or self._versions
        return () if few else tuple(self._packed)


def _version_of(url: str) -> str:
    """Return the version that a package's address names, or what else it says of it.

    That is the version of a wheel, of an archive or of a folder; the commit that is checked out;
    ``@core_v0.8.0`` for a tag or a branch; else the address itself, behind ``@ ``, without who may read it.
    """
    try:
        place = urlsplit(url)
    except ValueError:
        return ""
    path, reference = place.path, ""
    if "+" in place.scheme and "@" in path:
        path, _, reference = path.rpartition("@")
    if _COMMIT.fullmatch(reference):
        return reference.lower()
    if reference:
        return f"@{reference}"
    for pattern in (_WHEEL, _UNPACKED):
        named = pattern.search(unquote(path))
        if named is not None:
            return named["version"]
    host = f"{place.scheme}://{place.netloc.rpartition('@')[2]}" if place.scheme else ""
    return f"@ {host}{unquote(path)}"
