"""What a user decided to leave out of account, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.records.names import OperatorKind, parse_operator_name, without_namespace

_PREFIXES = ("Module.", "Cell.")


class IgnoreKind(StrEnum):
    """What a rule takes out."""

    CALL = "call"
    """One call, by its name on the target, or on the golden where only that has it."""
    TYPE = "type"
    """All calls of one type, see :func:`operator_type`."""
    MODULE = "module"
    """All calls in a module, by the module's name in the tree: ``Module.h.3.Block``."""


@dataclass(frozen=True)
class IgnoreRule:
    """One decision; it holds in every step and rank, and for later comparisons of the pair."""

    kind: IgnoreKind
    value: str
    reason: str

    @property
    def identity(self) -> tuple[IgnoreKind, str]:
        """What the rule takes out, whatever the reason."""
        return self.kind, self.value

    def takes_call(self, name: str, module: str = "") -> bool:
        """Return whether the rule takes out the call *name*, which lies in the module call *module*."""
        if self.kind is IgnoreKind.CALL:
            return name == self.value
        if self.kind is IgnoreKind.TYPE:
            return operator_type(name) == self.value
        path = _module_path(self.value)
        within = (name, module) if parse_operator_name(name).kind is OperatorKind.MODULE else (module,)
        return any(f"{_bare(one)}.".startswith(f"{path}.") for one in within if one)


def operator_type(name: str) -> str:
    """Return the type of the call *name*: ``gelu`` for ``Functional.gelu.1.forward``, a module's class."""
    stem = parse_operator_name(name).stem
    return stem.rpartition(".")[2] if "." in stem else without_namespace(stem)


def rule_of_call(rules: Iterable[IgnoreRule], name: str, module: str = "") -> IgnoreRule | None:
    """Return the first of *rules* that takes out the call *name*; ``None`` if none does."""
    return next((rule for rule in rules if rule.takes_call(name, module)), None)


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _module_path(name: str) -> str:
    """Return ``h.3`` for ``Module.h.3.Block``; the name of a list ends with a dot and is a path already."""
    return _bare(name).rpartition(".")[0]
