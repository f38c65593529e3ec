"""Environment variables as ``env``, ``export -p``, ``set`` of bash and of Windows and Python print them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.secrets import mask_value
from core.records.evidence import Variable

_DECLARED = re.compile(r"declare -[aAilnrtux\-]*x[aAilnrtux]*\s+(?P<name>[A-Za-z_]\w*)(?:=(?P<value>.*))?")
_PLAIN = re.compile(r"(?P<name>[A-Za-z_][\w()%.]*)=(?P<value>.*)")
_FUNCTION = re.compile(r"BASH_FUNC_.*|.*%%|_")
_ESCAPED = re.compile(r"\\([\"\\$`!])")
_MOST_OF_SURE = 5
"""Lines that are no variable, for each that is, even where names are sure: functions that ``set`` prints."""
_KEY_BEGIN, _KEY_END = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"), "-----END"
_SURE = frozenset(
    (
        "PATH",
        "HOME",
        "PWD",
        "SHLVL",
        "LANG",
        "USER",
        "SHELL",
        "TERM",
        "LD_LIBRARY_PATH",
        "COMSPEC",
        "TEMP",
        "OS",
    )
)
"""Names that an environment has and a file of settings has not."""
_FEWEST_UPPER = 0.6
"""Share of names in capitals from which on lines ``A=b`` are variables, not settings."""
_MOST_OTHERS = 0.2
"""Share of lines that are none from which on it is no list of variables: a script, say."""


class EnvironmentLines:
    """Takes the lines of one file, one after the other."""

    def __init__(self, file: EvidenceFile) -> None:
        self._file = file
        self._variables: dict[str, Variable] = {}
        self._declared = False
        self._others = 0
        self._in_key = False
        """In the lines of a private key, of which nothing is kept."""

    def take(self, number: int, line: str) -> bool:
        """Return whether line *number* says what a variable holds."""
        text = line.strip()
        if not text or text.startswith("#"):
            return False
        if self._in_key:
            self._in_key = _KEY_END not in text
            return True
        self._in_key = _KEY_BEGIN.search(text) is not None and _KEY_END not in text
        declared = _DECLARED.fullmatch(text)
        found = declared or _PLAIN.fullmatch(text)
        if found is None:
            self._others += 0 if self._declared else 1
            return False
        self._declared |= declared is not None
        name = found["name"]
        if not _FUNCTION.fullmatch(name):
            value = _unquoted(found["value"] or "", declared is not None)
            self._variables[name] = Variable(name, mask_value(name, value), self._file.place(number))
        return True

    def found(self) -> tuple[Variable, ...]:
        """Return the variables, in the order of the file; none where the file is of another kind."""
        names = self._variables.keys()
        if not names:
            return ()
        upper = sum(name.upper() == name for name in names)
        sure = self._declared or not {name.upper() for name in names}.isdisjoint(_SURE)
        others = self._others > _MOST_OTHERS * len(names)
        if self._others > _MOST_OF_SURE * len(names):
            return ()
        if not sure and (others or upper < _FEWEST_UPPER * len(names)):
            return ()
        return tuple(self._variables.values())


def variables_of(mapping: Mapping[str, object], file: EvidenceFile) -> tuple[Variable, ...]:
    """Return the variables of an ``os.environ`` that was saved as *mapping*."""
    return tuple(
        Variable(name, mask_value(name, str(value)), file.place())
        for name, value in mapping.items()
        if not _FUNCTION.fullmatch(name)
    )


def looks_like_environment(mapping: Mapping[object, object]) -> bool:
    """Whether *mapping* is a saved ``os.environ``: texts only, and names that every environment has."""
    return (
        len(mapping) >= 2
        and all(isinstance(name, str) and isinstance(value, str) for name, value in mapping.items())
        and not {str(name).upper() for name in mapping}.isdisjoint(_SURE)
    )


def _unquoted(value: str, escaped: bool) -> str:
    """Return *value* without the quotes that a shell puts around it."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        inner = value[1:-1]
        return _ESCAPED.sub(r"\1", inner) if escaped and value[0] == '"' else inner
    return value
