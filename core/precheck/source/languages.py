"""In which language a file is written, as far as its comments and white space go."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath


class Language(Enum):
    """What marks comments, and whether white space says something."""

    PYTHON = "python"
    SHELL = "shell"
    YAML = "yaml"
    MARKED = "marked"
    """``#`` or ``;`` at the beginning of a line: INI, TOML, lists of requirements."""
    C = "c"
    PLAIN = "plain"


_SUFFIXES = {
    Language.PYTHON: (".py", ".pyi", ".pyx", ".ipynb"),
    Language.SHELL: (".sh", ".bash"),
    Language.YAML: (".yaml", ".yml"),
    Language.MARKED: (".toml", ".cfg", ".ini", ".conf", ".txt", ".cmake"),
    Language.C: (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".cu", ".cuh"),
}


def language_of(path: str, first_line: str = "") -> Language:
    """Return the language of a file, by its ending or the interpreter that its first line names."""
    suffix = PurePath(path.replace("\\", "/")).suffix.lower()
    for language, suffixes in _SUFFIXES.items():
        if suffix in suffixes:
            return language
    if first_line.startswith("#!"):
        return Language.PYTHON if "python" in first_line else Language.SHELL
    return Language.PLAIN
