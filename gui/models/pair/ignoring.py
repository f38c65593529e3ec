"""Facts in which what the user ignores is drawn as ignored, and counts nowhere. Imports no Qt.

Everything is arithmetic on columns, so that a decision shows at once also in a cell of a million rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.records.columns import ABSENT, Int32, UInt8
from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.result import CellResult
from gui.models.pair.categories import Category, categories
from gui.models.pair.facts import Facts, build_facts
from gui.models.tree.hierarchy import Hierarchy


def with_ignored(facts: Facts, rules: Sequence[IgnoreRule]) -> Facts:
    """Return *facts*, in which nothing is ignored yet, with the rows ignored that *rules* take."""
    if not rules or not len(facts):
        return facts
    ignored = _rule_of_row(facts, rules)
    gone = ignored >= 0
    if not gone.any():
        return facts
    category = np.where(gone, np.uint8(Category.IGNORED), facts.category)
    worst = np.maximum.reduceat(category, facts.calls.first_row)
    return replace(
        facts,
        category=category,
        calls=replace(facts.calls, category=worst),
        hierarchy=_rolled_up(facts.hierarchy, np.flatnonzero(gone), facts.category, category),
        ignored=ignored,
        reasons=tuple(rule.reason for rule in rules),
    )


def shown_categories(cell: CellResult, rules: Sequence[IgnoreRule]) -> UInt8:
    """Return the category of each row of *cell*, of which nothing else is known yet."""
    return with_ignored(build_facts(cell), rules).category if rules else categories(cell.rows)


def _rule_of_row(facts: Facts, rules: Sequence[IgnoreRule]) -> Int32:
    """Return the number of the rule that takes each row out, the first that does; -1 where none does."""
    found = np.full(len(facts), ABSENT, np.int32)
    for number, rule in reversed(list(enumerate(rules))):
        found[rows_taken(facts, rule)] = number
    return found


def rows_taken(facts: Facts, rule: IgnoreRule) -> np.ndarray:
    """Return which rows *rule* takes out."""
    tree = facts.hierarchy
    if rule.kind is IgnoreKind.TYPE:
        wanted = tree.types.texts.find(rule.value)
        of_calls: np.ndarray = tree.types.shown == wanted
        return of_calls[facts.call_of_row]
    if rule.kind is IgnoreKind.CALL:
        return facts.operator == facts.operators.texts.find(rule.value)
    node = tree.names.find(rule.value)
    if node < 0:
        return np.zeros(len(facts), bool)
    inside: np.ndarray = (tree.node_of_row >= node) & (tree.node_of_row < tree.end[node])
    return inside


def _rolled_up(tree: Hierarchy, gone: np.ndarray, before: UInt8, now: UInt8) -> Hierarchy:
    """Return *tree* with the rows *gone* counted as ignored and not as what they were *before*."""
    counts = tree.counts.copy()
    nodes, kinds = tree.node_of_row[gone], before[gone]
    begins, ends = np.arange(len(tree)), tree.end
    for kind in np.flatnonzero(np.bincount(kinds, minlength=len(Category))).tolist():
        sums = np.zeros(len(tree) + 1, np.int32)
        np.cumsum(np.bincount(nodes[kinds == kind], minlength=len(tree)), out=sums[1:])
        lost = sums[ends] - sums[begins]
        counts[:, kind] -= lost
        counts[:, Category.IGNORED] += lost
    worst = np.zeros(len(tree), np.uint8)
    for kind in range(len(Category)):
        worst[counts[:, kind] > 0] = kind
    # a node may keep its category and yet lose the row that stood for it
    lost_row = (now == Category.IGNORED)[tree.worst_row] & (tree.worst_row >= 0)
    stale = (worst != tree.category) | lost_row
    rows = tree.worst_row.copy()
    for kind in range(len(Category)):
        wanted = np.flatnonzero(stale & (worst == kind))
        if len(wanted):
            rows[wanted] = _first_rows(tree, wanted, np.flatnonzero(now == kind))
    return replace(tree, counts=counts, category=worst, worst_row=rows)


def _first_rows(tree: Hierarchy, nodes: np.ndarray, rows: np.ndarray) -> Int32:
    """Return the first of *rows* below each of *nodes*, -1 where there is none."""
    none = len(tree.node_of_row)
    first = np.full(len(tree) + 1, none, np.int64)
    first[tree.node_of_row[rows[::-1]]] = rows[::-1]  # the last that is written, the first row, stays
    bounds = np.column_stack([nodes, tree.end[nodes]]).ravel()
    found = np.minimum.reduceat(first, bounds)[::2]
    return np.where(found < none, found, ABSENT).astype(np.int32)
