"""Configurations written in Python, read by their syntax alone: nothing of them is run or imported."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from core.errors import Problem
from core.formats.evidence.documents.dialects import dialect_of
from core.formats.evidence.documents.nodes import Table, flat
from core.formats.evidence.evidence_file import EvidenceFile, TooLarge
from core.formats.evidence.naming import MOST_SETTINGS, each_once, setting
from core.formats.evidence.python_assignments import Assignments
from core.formats.evidence.unreadable import Unreadable
from core.messages import Parameter
from core.records.evidence import Evidence, EvidenceKind, Setting

_MOST_CHARACTERS = 1 << 18
"""A configuration is short; the syntax tree of a program takes a hundred times its text."""


def read_python_config(file: EvidenceFile) -> Evidence | None:
    """Return the settings that *file* assigns, ``None`` if it is a program or no Python.

    Literals, dictionaries and ``dict(...)``, simple arithmetic, names that were assigned before, and the
    defaults of data classes count. What a call gives is left as its text and is not known. A file is a
    configuration if more than half of its statements assign such values.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    if file.suffix != ".py":
        return None
    try:
        text = file.text()
    except TooLarge:
        return None
    if len(text) > _MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes, which are the file's business
            tree = ast.parse(text)
    except SyntaxError as error:
        code = "settings_python_two" if "call to 'print'" in str(error.msg) else "settings_broken"
        parameters: dict[str, Parameter] = {
            "form": "Python",
            "line": error.lineno or 0,
            "reason": str(error.msg),
        }
        return Evidence(file.path, (), problems=(Problem(code, file.path, parameters),))
    except (RecursionError, MemoryError):
        return Evidence(file.path, (), problems=(Unreadable("settings_deep", line=0).problem(file.path),))
    except ValueError as error:  # NUL bytes, digits without end
        parameters = {"form": "Python", "line": 0, "reason": str(error)}
        return Evidence(file.path, (), problems=(Problem("settings_broken", file.path, parameters),))
    if not _is_config(tree):
        return None
    try:
        settings = tuple(_settings(file, tree, text))
    except Unreadable as wrong:
        return Evidence(file.path, (), problems=(wrong.problem(file.path),))
    except (RecursionError, MemoryError):
        return Evidence(file.path, (), problems=(Unreadable("settings_deep", line=0).problem(file.path),))
    if not settings:
        return None
    return Evidence(file.path, (EvidenceKind.CONFIG,), settings=each_once(settings))


def _is_config(tree: ast.Module) -> bool:
    statements = [
        item
        for item in tree.body
        if not isinstance(item, ast.Import | ast.ImportFrom)
        and not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
    ]
    plain = sum(1 for item in statements if _assigns(item) or _is_data_class(item))
    return plain * 2 > len(statements)


def _assigns(item: ast.stmt) -> bool:
    if isinstance(item, ast.With):  # mmengine's `with read_base():`
        return True
    value = item.value if isinstance(item, ast.Assign | ast.AnnAssign | ast.AugAssign) else None
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and (
            value.func.id == "dict" or value.func.id[:1].isupper() or value.func.id.endswith("Config")
        )
    return value is not None


def _is_data_class(item: ast.stmt) -> bool:
    return isinstance(item, ast.ClassDef) and (
        any("dataclass" in ast.dump(decorator) for decorator in item.decorator_list)
        or item.name.endswith(("Config", "Configs", "Args", "Arguments"))
    )


def _settings(file: EvidenceFile, tree: ast.Module, text: str) -> Iterator[Setting]:
    assignments = Assignments(text, set(_imported(tree)))
    root = assignments.root
    for item in tree.body:
        assignments.take(item)
    dialect = dialect_of(
        [
            *root.members,
            *(name for node in root.members.values() if isinstance(node, Table) for name in node.members),
        ]
    )
    for number, (name, value, line, whole) in enumerate(flat(root)):
        if number >= MOST_SETTINGS:
            break
        yield setting(name, value, file.place(line), dialect, whole and assignments.knows(value))


def _imported(tree: ast.Module) -> Iterator[str]:
    for item in tree.body:
        if isinstance(item, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in item.names)
