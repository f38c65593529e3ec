"""Lists of checksums: md5sum and its relatives, BSD and openssl, certutil and Get-FileHash of Windows."""

from __future__ import annotations

import re

from core.errors import Problem
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.file_names import ALGORITHMS, FileRows, spelled
from core.records.evidence import Evidence, EvidenceKind

_HEX = r"[0-9a-fA-F]{32,128}"
_SUM = re.compile(rf"(?P<escaped>\\?)(?P<digest>{_HEX})(?: [ *](?=\s*+\S)|[ \t]++(?=\S))(?P<name>.+)")
_COMMIT = re.compile(r"[0-9a-f]{40}\s+(?:\(.*|HEAD|refs/.*)")
"""As git prints it; a SHA-1 is as long."""
_TAGGED = re.compile(
    rf"(?P<escaped>\\?)(?P<tag>[A-Za-z0-9\-/]{{2,12}}) ?\((?P<name>.+)\) ?= ?(?P<digest>{_HEX})\s*"
)
_SWAPPED = re.compile(rf"\"?(?P<name>[^\s\",][^\",\t]*?)\"?(?:\s*[,\t]\s*|\s+)\"?(?P<digest>{_HEX})\"?\s*")
_CERTUTIL = re.compile(
    r"(?P<tag>MD[245]|SHA\d{1,3}) "
    r"(?:hash of (?:file )?(?P<name>.+)|的 (?P<zh>.+?) ?哈希|哈希 ?[((]文件 (?P<zh2>.+)[))]) ?[::]\s*"
)
_BYTES = re.compile(r"(?:[0-9a-fA-F]{2} ){15,63}[0-9a-fA-F]{2}\s*")
_DONE = re.compile(r"CertUtil\s*[::].*")
_GET = re.compile(rf"(?P<tag>MD5|SHA\d+|MACTripleDES|RIPEMD160)\s+(?P<digest>{_HEX})\s+(?P<name>\S.*)")
_GET_CSV = re.compile(rf'"(?P<tag>MD5|SHA\d+)","(?P<digest>{_HEX})","(?P<name>[^"]+)"\s*')
_FIELD = re.compile(r"(?P<key>Algorithm|Hash|Path)\s*:\s*(?P<value>.*?)\s*")
_NOISE = re.compile(
    r'\s*|Algorithm\s+Hash\s+Path\s*|-{3,}(?:\s+-{2,})*\s*|"Algorithm","Hash","Path"\s*|#.*|\w*sum: .*'
)
_ESCAPES = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
_ESCAPE = re.compile(r"\\[\\nr]")
_LONGEST = 1000
"""Characters of a line in the other forms."""
_GIVEN_UP = 200
"""Lines without a single checksum after which the file is of another kind."""


def read_checksums(file: EvidenceFile) -> Evidence | None:
    """Return the checksums that *file* lists; ``None`` where most of its lines are something else.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    lines = _ChecksumLines()
    for number, line in file.lines():
        lines.take(line)
        if lines.rows.full:
            break
        if number >= _GIVEN_UP and not len(lines.rows):
            return None
    rows = lines.rows
    if not len(rows) or lines.others > len(rows):
        return None
    problems = [*rows.problems(file.path)]
    if rows.mixed:
        problems.append(Problem("checksums_mixed", file.path, {"count": rows.mixed}))
    table = rows.table(ordered=False, place=file.place())
    return Evidence(file.path, (EvidenceKind.CHECKSUMS,), files=table, problems=tuple(problems))


def unescaped(name: str) -> str:
    r"""Return a name as it was before md5sum escaped it: ``\\`` is a backslash, ``\n`` a line feed."""
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], name)


def escaped(name: str) -> str:
    """Return *name* as md5sum writes it; a line of a list that needs it begins with a backslash."""
    return name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


class _ChecksumLines:
    """Takes the lines of one file, one after the other."""

    def __init__(self) -> None:
        self.rows = FileRows()
        self.others = 0
        self._name, self._tag = "", ""
        """Of a certutil block whose checksum is still to come."""
        self._fields: dict[str, str] = {}

    def take(self, line: str) -> None:
        found = _SUM.fullmatch(line)
        if found is not None and len(found["digest"]) in ALGORITHMS and not _COMMIT.fullmatch(line):
            name = found["name"]
            self.rows.add(unescaped(name) if found["escaped"] else spelled(name), digest=found["digest"])
        elif len(line) > _LONGEST or not (self._windows(line) or self._tagged(line)):
            self.others += 1

    def _windows(self, line: str) -> bool:
        if self._name:
            digest = line.replace(" ", "").strip() if _BYTES.fullmatch(line) else line.strip()
            if re.fullmatch(_HEX, digest):
                self.rows.add(spelled(self._name), digest=digest, algorithm=self._tag)
                self._name = ""
                return True
        opened = _CERTUTIL.fullmatch(line)
        if opened is not None:
            self._name = opened["name"] or opened["zh"] or opened["zh2"]
            self._tag = opened["tag"].lower()
            return True
        field = _FIELD.fullmatch(line)
        if field is not None:
            self._fields[field["key"]] = field["value"]
            if len(self._fields) == 3:
                told, self._fields = self._fields, {}
                self.rows.add(spelled(told["Path"]), digest=told["Hash"], algorithm=told["Algorithm"].lower())
            return True
        return _DONE.fullmatch(line) is not None or _NOISE.fullmatch(line) is not None

    def _tagged(self, line: str) -> bool:
        found = _TAGGED.fullmatch(line)
        if found is not None:
            name = found["name"]
            tag = found["tag"].lower().replace("sha2-", "sha")
            known = tag if tag in ALGORITHMS.values() else ""
            name = unescaped(name) if found["escaped"] else spelled(name)
            self.rows.add(name, digest=found["digest"], algorithm=known)
            return True
        found = _GET.fullmatch(line) or _GET_CSV.fullmatch(line)
        if found is not None:
            name, tag = spelled(found["name"].rstrip()), found["tag"].lower()
            self.rows.add(name, digest=found["digest"], algorithm=tag)
            return True
        found = _SWAPPED.fullmatch(line)
        # Forty digits after a name are a commit as often as a SHA-1.
        if found is not None and len(found["digest"]) in ALGORITHMS and len(found["digest"]) != 40:
            self.rows.add(spelled(found["name"]), digest=found["digest"])
            return True
        return False
