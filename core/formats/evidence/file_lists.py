"""Lists of files: a path a line, ``find -ls``, ``ls -l``, sizes before or behind, JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.file_names import ALGORITHMS, FileRows, spelled
from core.records.evidence import Evidence, EvidenceKind

_MODE = r"[\-bcdlps][rwxsStT\-]{9}[.+@]?"
_TIME = (
    r"(?:(?:[A-Z][a-z]{2}|\d{1,2}月)\s+\d{1,2}\s+[\d:]{4,5}"
    r"|\d{4}-\d\d-\d\d[ T][\d:.]{5,18}(?:\s[+\-]\d{4})?)"
)
_LS = re.compile(
    rf"(?P<mode>{_MODE})\s+\d+\s+\S+\s+\S+\s+(?P<size>\d[\d.,]*[KMGTP]?)\s+{_TIME}\s(?P<name>.+)"
)
_FIND_LS = re.compile(
    rf"\s*\d+\s+\d+\s+(?P<mode>{_MODE})\s+\d+\s+\S+\s+\S+\s+(?P<size>\d+)\s+{_TIME}\s(?P<name>.+)"
)
_DIR = re.compile(
    r"\d{2,4}[/.\-]\d\d[/.\-]\d{2,4}\s+\d\d:\d\d(?:\s[AP]M)?\s+(?P<size>[\d,.]+|<[A-Z]+>)\s(?P<name>.+)"
)
_DIR_FOLDER = re.compile(r" (?:Directory of (?P<en>\S.*)|(?P<zh>\S.*?) ?的目录)")
_DIR_NOISE = re.compile(
    r" (?:Volume |驱动器|卷).*"
    r"|\s+(?:\d[\d,.]* (?:(?:File|Dir)\(s\)|个(?:文件|目录)).*|Total Files Listed:|所列文件总数:)"
)
_LS_NOISE = re.compile(r"(?:total|总用量|总计)\s+\S+")
_LS_FOLDER = re.compile(r"(?P<folder>\.{0,2}/?[^:\s][^:]*):")
_SIZE_FIRST = re.compile(r"(?P<size>\d{1,18})\s+(?P<name>\S.*)")
_PATH = re.compile(r"(?:[A-Za-z]:[\\/])?(?=[^\n]*[A-Za-z0-9])[^\s:*?\"<>|={}$;,'`][^:*?\"<>|={}$;'`\n]*")
_ENDED = re.compile(r".*[^\s./\\]\.[A-Za-z_][A-Za-z0-9_]{0,15}")
_NAME_KEYS = ("path", "name", "file", "filename", "file_name", "filepath", "file_path")
_SIZE_KEYS = ("size", "bytes", "length", "file_size")
_LIST_KEYS = ("files", "file_list", "data_files", "filenames", "file_names", "paths", "data_paths")
_LONGEST = 4096
"""Characters of a path."""
_GIVEN_UP = 200
_MOST_OTHERS = 0.1
"""Share of lines that are no paths from which on the file is of another kind."""


def read_file_list(file: EvidenceFile, *, surely: bool = False) -> Evidence | None:
    """Return the files that the text *file* lists; ``None`` where it does not look like a list of files.

    Parameters
    ----------
    file
        The text.
    surely
        That it is a list of files is known: each line then is a name.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    lines = _ListLines(surely)
    for number, line in file.lines():
        lines.take(line)
        if lines.rows.full:
            break
        if not surely and number >= _GIVEN_UP and not lines.sure:
            return None
    count = len(lines.rows)
    if not count or (not surely and not lines.sure):
        return None
    # What `ls` prints is sorted by name: it tells no order of reading.
    return _evidence(file, lines.rows, ordered=not lines.sorted)


def file_list_of(value: Any, file: EvidenceFile) -> Evidence | None:
    """Return the files that the JSON *value* lists; ``None`` where it lists none.

    ``["a", "b"]``, ``{"files": [..]}``, entries with a path, a size and a checksum, or checksums by name.
    """
    if isinstance(value, Mapping):
        for key in _LIST_KEYS:
            if isinstance(value.get(key), list):
                return file_list_of(value[key], file)
        return _digests_by_name(value, file)
    if not isinstance(value, list) or not value:
        return None
    rows = FileRows()
    for item in value:
        if isinstance(item, str):
            rows.add(spelled(item))
        elif not isinstance(item, Mapping) or not _add_entry(rows, item):
            return None
    return _evidence(file, rows, ordered=True)


def _digests_by_name(value: Mapping[Any, Any], file: EvidenceFile) -> Evidence | None:
    names = [name for name in value if isinstance(name, str) and (_ENDED.fullmatch(name) or "/" in name)]
    if not names or len(names) < len(value) or not all(map(_is_digest, value.values())):
        return None
    rows = FileRows()
    for name, digest in value.items():
        rows.add(spelled(name), digest=digest)
    return _evidence(file, rows, ordered=False)


def _is_digest(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) in ALGORITHMS
        and re.fullmatch(r"[0-9a-fA-F]+", value) is not None
    )


def _add_entry(rows: FileRows, item: Mapping[Any, Any]) -> bool:
    name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), None)
    if name is None:
        return False
    size = next((item[key] for key in _SIZE_KEYS if isinstance(item.get(key), int)), -1)
    digests = [(key, item[key]) for key in item if _is_digest(item[key])]
    algorithm, digest = digests[0] if digests else ("", "")
    rows.add(spelled(name), size, digest, algorithm if algorithm in ALGORITHMS.values() else "")
    return True


def _evidence(file: EvidenceFile, rows: FileRows, *, ordered: bool) -> Evidence:
    table = rows.table(ordered=ordered, place=file.place())
    kinds = (EvidenceKind.CHECKSUMS, EvidenceKind.FILES) if table.algorithm and ordered else None
    kind = EvidenceKind.CHECKSUMS if table.algorithm else EvidenceKind.FILES
    return Evidence(file.path, kinds or (kind,), files=table, problems=rows.problems(file.path))


def names_in(text: str) -> Iterable[str]:
    """Return the names in a list as Python prints it, or between blanks or commas."""
    text = text.strip()
    if text[:1] in ("[", "("):
        return [spelled(_unescaped(first or second)) for first, second in _QUOTED.findall(text)]
    return [spelled(name) for name in re.split(r"[\s,;]+", text) if name]


_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*+)'|\"((?:[^\"\\]|\\.)*+)\"")


def _size_first(text: str) -> tuple[str, int]:
    """Return name and size of a line that begins with the size; -1 for one that does not."""
    found = _SIZE_FIRST.fullmatch(text)
    return (found["name"], int(found["size"])) if found is not None else ("", -1)


def _size_last(text: str) -> tuple[str, int]:
    """Return name and size of a line that ends with the size; -1 for one that does not."""
    cut = max(text.rfind(sign) for sign in " \t,")
    size = text[cut + 1 :]
    if cut < 0 or not (size.isascii() and size.isdigit()) or len(size) > 18:
        return "", -1
    return text[:cut].rstrip(" \t,"), int(size)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


class _ListLines:
    """Takes the lines of one file, one after the other."""

    def __init__(self, surely: bool) -> None:
        self.rows = FileRows()
        self.others = 0
        self.sorted = False
        self._modes = False
        self._told = 0
        """Rows with what files have: an ending or a folder."""
        self._surely = surely
        self._folder = ""

    @property
    def sure(self) -> bool:
        """Whether the lines so far look like a list of files: few others, and names of files or modes."""
        count = len(self.rows)
        named = self.sorted or self._modes or self._told >= count * (1 - _MOST_OTHERS)
        return self.others <= count * _MOST_OTHERS and named

    def take(self, line: str) -> None:
        text = line.rstrip()
        if not text or text.startswith("#"):
            return
        if len(text) > _LONGEST:
            self.others += 1
            return
        if self._mode(text) or self._windows(text):
            return
        if _LS_NOISE.fullmatch(text):
            self.sorted = True
            return
        for name, size in (_size_first(text.lstrip()), _size_last(text.lstrip())):
            if size >= 0 and self._is_path(name):
                self._add(name, size)
                return
        folder = _LS_FOLDER.fullmatch(text)
        if folder is not None and not self._surely:
            self._folder, self.sorted = folder["folder"], True
        elif self._surely or self._is_path(text):
            self._add(text.strip(), -1)
        else:
            self.others += 1

    def _mode(self, text: str) -> bool:
        """Take a line of ``find -ls`` or ``ls -l``; of a folder or a link nothing is kept."""
        found = _FIND_LS.fullmatch(text)
        listed = found or _LS.fullmatch(text)
        if listed is None:
            return False
        self._modes = True
        self.sorted |= found is None
        if listed["mode"][0] == "-":
            name = listed["name"].replace("\\ ", " ") if found else listed["name"]
            size = listed["size"]
            self._add(name, int(size) if size.isdigit() else -1)
        return True

    def _windows(self, text: str) -> bool:
        """Take a line of ``dir``; of a folder nothing is kept."""
        listed, folder = _DIR.fullmatch(text), _DIR_FOLDER.fullmatch(text)
        if folder is not None:
            self._folder = spelled(folder["en"] or folder["zh"])
        elif listed is not None and listed["size"][0] != "<":
            self._add(listed["name"], int(re.sub(r"\D", "", listed["size"]) or "-1"))
        elif listed is None and not _DIR_NOISE.fullmatch(text):
            return False
        self.sorted = True
        return True

    def _is_path(self, text: str) -> bool:
        if len(text) > _LONGEST or _PATH.fullmatch(text) is None:
            return False
        # Blanks in names are rare, sentences with a full stop in their midst are not.
        folders = "/" in text or "\\" in text
        return len(text.split()) == 1 or (folders and _ENDED.fullmatch(text) is not None)

    def _add(self, name: str, size: int) -> None:
        self._told += "/" in name or "\\" in name or _ENDED.fullmatch(name) is not None
        folder = f"{self._folder.rstrip('/')}/" if self._folder and "/" not in name else ""
        self.rows.add(spelled(folder + name), size)
