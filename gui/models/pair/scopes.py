"""What can be ignored around a row: its call, all of its type, the modules it lies in. Imports no Qt."""

from __future__ import annotations

from core.messages import text
from core.records.ignoring import IgnoreKind, IgnoreRule
from gui.models.pair.facts import Facts


def call_name(facts: Facts, row: int) -> str:
    """Return the name by which notes know the call of *row*: the target's, or else the golden's."""
    return facts.operators[int(facts.operator[row])] if 0 <= row < len(facts) else ""


def type_name(facts: Facts, row: int) -> str:
    """Return the type of the call of *row*: ``gelu``, or a module's class."""
    types = facts.hierarchy.types
    return types.texts[int(types.shown[facts.call_of_row[row]])]


def modules_around(facts: Facts, row: int) -> list[str]:
    """Return the names in the tree of the modules that *row* lies in, the innermost first."""
    tree = facts.hierarchy
    node, found = int(tree.node_of_row[row]), []
    if int(tree.end[node]) == node + 1:  # a call, or a module with nothing below: that is the call itself
        node = int(tree.parent[node])
    while node >= 0:
        found.append(tree.names[node])
        node = int(tree.parent[node])
    return found


def rule_of_row(facts: Facts, rules: tuple[IgnoreRule, ...], row: int) -> IgnoreRule | None:
    """Return the one of *rules* by which *row* is ignored; ``None`` where it is not."""
    at = -1 if facts.ignored is None or not 0 <= row < len(facts) else int(facts.ignored[row])
    return rules[at] if 0 <= at < len(rules) else None


def scope_words(kind: IgnoreKind) -> str:
    """Return what such a rule takes out, in words that its value follows."""
    return text(f"gui.ignore.what.{kind.value}")
