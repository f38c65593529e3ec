"""Find in source which message codes it uses, by reading its syntax tree.

A code is used where it is passed to ``Message``, ``text`` or ``Problem``, or to a function whose first
parameter is named ``code`` and that passes it on to one of these. F-strings become patterns; other
expressions are not followed, but every string constant is listed, so that codes in tables are seen too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

BASE = {"Message": "message", "text": "message", "Problem": "problem"}


@dataclass(frozen=True)
class Use:
    """One place that names a code. ``given`` are the parameters it passes, ``None`` when not known."""

    place: str
    kind: str
    code: str
    given: frozenset[str] | None


@dataclass
class Source:
    """What a set of files says about codes."""

    uses: list[Use] = field(default_factory=list)
    patterns: dict[str, str] = field(default_factory=dict)
    """Regular expression of a code put together from parts -> a place that does so."""
    constants: dict[str, str] = field(default_factory=dict)
    """Every string constant that is not a docstring -> a place where it stands."""


def scan(files: Iterable[Path], root: Path) -> Source:
    """Return all uses in *files*; places are named relative to *root*."""
    trees = {str(file.relative_to(root)): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    takers = _takers(trees.values())
    found = Source()
    for name, tree in trees.items():
        docstrings = set(_docstrings(tree))
        for node in ast.walk(tree):
            place = f"{name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                found.constants.setdefault(node.value, place)
            elif isinstance(node, ast.Call) and (kind := takers.get(_name(node.func), "")):
                _read_call(node, kind, place, found)
    return found


def _takers(trees: Iterable[ast.Module]) -> dict[str, str]:
    """Return the functions and classes whose first parameter is a code, and of which kind."""
    takers = dict(BASE)
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    candidates = [node for node in functions if "code" in _parameters(node)[:1]]
    grown = True
    while grown:
        grown = False
        for function in candidates:
            if function.name in takers:
                continue
            for node in ast.walk(function):
                passed = isinstance(node, ast.Call) and bool(node.args) and _name(node.args[0]) == "code"
                if passed and (kind := takers.get(_name(node.func), "")):  # type: ignore[attr-defined]
                    takers[function.name] = kind
                    grown = True
                    break
    return takers


def _parameters(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _read_call(call: ast.Call, kind: str, place: str, found: Source) -> None:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    for expression in (call.args[:1] or named)[:1]:
        for part in _branches(expression):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                found.uses.append(Use(place, kind, part.value, _given(call, kind)))
            elif isinstance(part, ast.JoinedStr):
                found.patterns.setdefault(_pattern(part), place)


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node


def _pattern(node: ast.JoinedStr) -> str:
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[^.]+" for part in node.values
    ]
    return "".join(parts)


def _given(call: ast.Call, kind: str) -> frozenset[str] | None:
    names = {"path"} if kind == "problem" else set()
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if keyword.arg == "parameters":
            continue
        names.add(keyword.arg)
    tables = [keyword.value for keyword in call.keywords if keyword.arg == "parameters"]
    if _name(call.func) in ("Message", "Problem"):
        tables += call.args[2 if kind == "problem" else 1 :]
    for table in tables:
        if not isinstance(table, ast.Dict) or not all(isinstance(key, ast.Constant) for key in table.keys):
            return None
        names |= {str(key.value) for key in table.keys if isinstance(key, ast.Constant)}
    return frozenset(names)


def _docstrings(tree: ast.Module) -> Iterator[int]:
    """Yield the identity of each string that is a statement of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
