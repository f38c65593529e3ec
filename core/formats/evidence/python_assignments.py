"""Assignments of Python's syntax tree as a tree of values; nothing is run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from core.formats.evidence.documents.nodes import Leaf, Node, Row, Table
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Value

_DEEPEST = 40
_BIGGEST = 1 << 64
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


class _NotPlain(Exception):
    """An expression that only running it could tell."""


class Assignments:
    """Puts assignments into a tree; names of it are known to what comes after."""

    def __init__(self, text: str, imported: set[str]) -> None:
        self._text, self._imported = text, imported
        self.root = Table()
        self._opaque: set[str] = set()
        """Texts of expressions that are not known."""

    def knows(self, value: Value) -> bool:
        """Tell whether *value* is one, and not the text of an expression that was not followed."""
        parts = value if isinstance(value, tuple) else (value,)
        return not any(isinstance(part, str) and part in self._opaque for part in parts)

    def take(self, item: ast.stmt) -> None:
        """Read one statement of the file.

        Raises
        ------
        Unreadable
            If it is nested too deeply.
        """
        self._take(item, self.root)

    def _take(self, item: ast.stmt, table: Table) -> None:
        if isinstance(item, ast.ClassDef):
            below = Table(line=item.lineno)
            for inner in item.body:
                if isinstance(inner, ast.Assign | ast.AnnAssign):
                    self._take(inner, below)
            if below.members:
                table.put(item.name, below, item.lineno)
            return
        if isinstance(item, ast.Assign):
            targets, value = item.targets, item.value
        elif isinstance(item, ast.AnnAssign) and item.value is not None:
            targets, value = [item.target], item.value
        else:
            return
        for target in targets:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(value, ast.Tuple)
                and len(target.elts) == len(value.elts)
            ):
                for name, part in zip(target.elts, value.elts):
                    self._put(table, name, part, item.lineno)
            else:
                self._put(table, target, value, item.lineno)

    def _put(self, table: Table, target: ast.expr, value: ast.expr, line: int) -> None:
        names = _path(target)
        if not names or names[0].startswith("__"):
            return
        for name in names[:-1]:
            below = table.members.get(name)
            if not isinstance(below, Table):
                below = Table(line=line)
                table.put(name, below, line)
            table = below
        table.put(names[-1], self._node(value, 0), line)

    def _node(self, value: ast.expr, depth: int) -> Node:
        if depth > _DEEPEST:
            raise Unreadable("settings_deep", line=value.lineno)
        line = value.lineno
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            return Row(
                [self._node(item, depth + 1) for item in value.elts if not isinstance(item, ast.Starred)],
                line,
            )
        if isinstance(value, ast.Dict):
            table = Table(line=line)
            for key, item in zip(value.keys, value.values):
                if key is None:
                    self._spread(table, item, depth)
                elif isinstance(key, ast.Constant):
                    table.put(str(key.value), self._node(item, depth + 1), key.lineno)
            return table
        if isinstance(value, ast.Call) and (field := _default(value)) is not None:
            return self._node(field, depth + 1)
        if isinstance(value, ast.Call) and _makes_table(value):
            table = Table(line=line)
            for keyword in value.keywords:
                if keyword.arg is None:
                    self._spread(table, keyword.value, depth)
                else:
                    table.put(keyword.arg, self._node(keyword.value, depth + 1), keyword.lineno)
            return table
        if isinstance(value, ast.Name) and isinstance(node := self.root.members.get(value.id), Node):
            return node
        try:
            return Leaf(self._value(value, depth), line)
        except _NotPlain:
            source = " ".join((ast.get_source_segment(self._text, value) or "").split())[:200]
            self._opaque.add(source)
            return Leaf(source, line)

    def _spread(self, table: Table, value: ast.expr, depth: int) -> None:
        node = self._node(value, depth + 1)
        if isinstance(node, Table):
            for name, item in node.members.items():
                table.put(name, item, node.lines.get(name, node.line))

    def _value(self, value: ast.expr, depth: int) -> str | int | float | bool | None:
        if depth > _DEEPEST:
            raise _NotPlain
        if isinstance(value, ast.Constant) and (
            value.value is None or isinstance(value.value, str | int | float | bool)
        ):
            return value.value
        if isinstance(value, ast.Name):
            node = self.root.members.get(value.id)
            if isinstance(node, Leaf) and not (isinstance(node.value, str) and node.value in self._opaque):
                return node.value
            if value.id in self._imported:  # a class, which is told by its name
                return value.id
            raise _NotPlain
        if isinstance(value, ast.Attribute):
            return _dotted(value)
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub | ast.UAdd):
            number = self._value(value.operand, depth + 1)
            if isinstance(number, str) or number is None:
                raise _NotPlain
            return -number if isinstance(value.op, ast.USub) else number
        if isinstance(value, ast.BinOp):
            return _computed(
                value.op, self._value(value.left, depth + 1), self._value(value.right, depth + 1)
            )
        raise _NotPlain


def _computed(op: ast.operator, left: object, right: object) -> str | int | float:
    if (
        isinstance(left, str)
        and isinstance(right, str)
        and isinstance(op, ast.Add)
        and len(left + right) < 4000
    ):
        return left + right
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise _NotPlain
    if any(isinstance(number, int) and abs(number) > _BIGGEST for number in (left, right)):
        raise _NotPlain
    try:
        if isinstance(op, ast.Pow):
            if abs(right) > 64 or (abs(left) > 1024 and abs(right) > 6) or (left < 0 and right != int(right)):
                raise _NotPlain
            return float(left**right) if isinstance(left**right, float) else int(left**right)
        if type(op) not in _OPERATIONS:
            raise _NotPlain
        return _OPERATIONS[type(op)](left, right)
    except (ArithmeticError, ValueError):
        raise _NotPlain from None


def _path(target: ast.expr) -> list[str]:
    """Return the names of ``a.b["c"]``, none where it is another target."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute) and (above := _path(target.value)):
        return [*above, target.attr]
    if (
        isinstance(target, ast.Subscript)
        and isinstance(target.slice, ast.Constant)
        and (above := _path(target.value))
    ):
        return [*above, str(target.slice.value)]
    return []


def _dotted(value: ast.Attribute) -> str:
    """Return ``torch.bfloat16`` and the like as its name."""
    names = [value.attr]
    below = value.value
    while isinstance(below, ast.Attribute) and len(names) < _DEEPEST:
        names.append(below.attr)
        below = below.value
    if not isinstance(below, ast.Name):
        raise _NotPlain
    return ".".join([below.id, *reversed(names)])


def _default(call: ast.Call) -> ast.expr | None:
    """Return the default that ``field(default=...)`` gives."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name.lower() != "field":
        return None
    return next((keyword.value for keyword in call.keywords if keyword.arg == "default"), None)


def _makes_table(call: ast.Call) -> bool:
    """Tell whether the call only gathers its keywords: ``dict(...)``, ``TrainingArguments(...)``."""
    if not isinstance(call.func, ast.Name) or call.args or not call.keywords:
        return False
    return call.func.id == "dict" or call.func.id[:1].isupper()
