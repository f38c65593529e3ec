"""Both sides' calls merged into one tree of modules, as arrays.

A node is a module (all its calls, forward and backward) or an API call (forward and backward of the
same occurrence). Nodes are numbered depth first, so everything under node *n* is ``n .. end[n]``: rolling
up and filtering by a subtree need no object a node. Imports no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from core.records.columns import ABSENT, Int32, Int64, UInt8
from core.records.result import CellResult
from gui.models.pair.categories import Category
from gui.models.pair.texts import Texts
from gui.models.tree.operator_types import OperatorTypes, types_of_calls
from gui.models.tree.placement import Placement, place_calls


class Side(IntEnum):
    """Which runs have a call of this node."""

    BOTH = 0
    TARGET = 1
    GOLDEN = 2


@dataclass(frozen=True)
class Hierarchy:
    """The tree; arrays by node, in depth-first order."""

    labels: Texts
    names: Texts
    """The full name, for tooltips and search."""
    parent: Int32
    end: Int32
    """One past the last node below."""
    category: UInt8
    """The worst below."""
    counts: Int32
    """nodes × categories: rows below."""
    side: UInt8
    node_of_row: Int32
    worst_row: Int32
    """First row of the worst category below, -1 where there is none."""
    side_of_call: UInt8
    """:class:`Side` of each pair of calls."""
    types: OperatorTypes
    is_module: np.ndarray
    """Whether a node is a module, or a list of them, and no API call."""

    def __len__(self) -> int:
        return len(self.labels)


def build_hierarchy(cell: CellResult, first_row: Int32, call_of_row: Int32, category: UInt8) -> Hierarchy:
    """Merge both sides of *cell*; *first_row* and *call_of_row* say which rows form a call."""
    on_target, on_golden = cell.rows.target_operator[first_row], cell.rows.golden_operator[first_row]
    sides = np.where(on_target < 0, Side.GOLDEN, np.where(on_golden < 0, Side.TARGET, Side.BOTH))
    if not len(cell.golden.operators):
        sides[:] = Side.BOTH
    placed = place_calls(cell.target, cell.golden, on_target, on_golden)
    types = types_of_calls(cell.target, cell.golden, on_target, on_golden)
    return _number(placed, sides.astype(np.uint8), types, call_of_row, category)


def _number(
    placed: Placement, sides: UInt8, types: OperatorTypes, call_of_row: Int32, category: UInt8
) -> Hierarchy:
    """Renumber the nodes depth first and roll rows up."""
    total = len(placed.parent)
    number, size = _depth_first(placed)
    new_of_old = np.append(number, ABSENT).astype(np.int32)
    old_of_new = np.empty(total, np.int64)
    old_of_new[number] = np.arange(total)
    order = old_of_new.tolist()
    ends = np.arange(total) + size[old_of_new]
    new_parent = new_of_old[placed.parent[old_of_new]]

    node_of_call = new_of_old[placed.call_node]
    node_of_row = node_of_call[call_of_row]
    kinds = len(Category)
    own = np.bincount(node_of_row.astype(np.int64) * kinds + category, minlength=total * kinds)
    sums = np.zeros((total + 1, kinds), np.int64)
    np.cumsum(own.reshape(total, kinds), axis=0, out=sums[1:])
    counts = (sums[ends] - sums[np.arange(total)]).astype(np.int32)
    worst = (kinds - 1 - np.argmax(counts[:, ::-1] > 0, axis=1)).astype(np.uint8)

    seen = np.zeros((total + 1, 3), np.int64)
    np.cumsum(
        np.bincount(node_of_call.astype(np.int64) * 3 + sides, minlength=total * 3).reshape(total, 3),
        axis=0,
        out=seen[1:],
    )
    by_side = seen[ends] - seen[np.arange(total)]
    side = np.where(
        by_side[:, Side.BOTH] + (by_side[:, Side.TARGET] > 0) * (by_side[:, Side.GOLDEN] > 0) > 0,
        Side.BOTH,
        np.where(by_side[:, Side.TARGET] > 0, Side.TARGET, Side.GOLDEN),
    ).astype(np.uint8)
    return Hierarchy(
        labels=Texts.of(list(map(placed.labels.__getitem__, order))),
        names=Texts.of(list(map(placed.names.__getitem__, order))),
        parent=new_parent,
        end=ends.astype(np.int32),
        category=worst,
        counts=counts,
        side=side,
        node_of_row=node_of_row.astype(np.int32),
        worst_row=_worst_rows(node_of_row, category, worst, ends),
        side_of_call=sides,
        types=types,
        is_module=old_of_new < placed.modules,
    )


def _depth_first(placed: Placement) -> tuple[Int64, Int64]:
    """Return for each node its number in depth-first order, and how many nodes its subtree has.

    Siblings follow each other in the order of the first call below them. Only modules have nodes below
    them, so everything but the modules is done in numpy.
    """
    total, modules, parent = len(placed.parent), placed.modules, placed.parent
    first_call = np.full(total + 1, len(placed.call_node), np.int64)  # the last one is the invisible root
    np.minimum.at(first_call, placed.call_node, np.arange(len(placed.call_node)))
    np.minimum.at(first_call, parent[modules:], first_call[modules:total])
    size = np.ones(total + 1, np.int64)
    size += np.bincount(parent[modules:] + 1, minlength=total + 2)[np.r_[1 : total + 1, 0]]
    firsts, sizes = first_call[: modules + 1].tolist(), size[: modules + 1].tolist()
    above = parent[:modules].tolist()
    for node in range(modules - 1, -1, -1):
        over = above[node]
        if over >= 0:
            firsts[over] = min(firsts[over], firsts[node])
            sizes[over] += sizes[node]
    first_call[:modules], size[:modules] = firsts[:modules], sizes[:modules]

    siblings = np.lexsort((first_call[:-1], parent))
    before = np.cumsum(size[siblings]) - size[siblings]
    group = np.searchsorted(parent[siblings], parent[siblings])
    offset = np.empty(total, np.int64)
    offset[siblings] = before - before[group]
    place = offset[:modules].tolist()
    for node, over in enumerate(above):  # modules stand behind those above them
        if over >= 0:
            place[node] += place[over] + 1
    number = np.append(np.array(place, np.int64), offset[modules:])
    below = np.flatnonzero(parent[modules:] >= 0) + modules
    number[below] += number[parent[below]] + 1
    return number, size[:total]


def _worst_rows(node_of_row: Int32, category: UInt8, worst: UInt8, ends: np.ndarray) -> Int32:
    """Return the first row, in execution order, of the worst category below each node."""
    found = np.full(len(worst), ABSENT, np.int32)
    for kind in Category:
        rows = np.flatnonzero(category == kind)
        nodes = np.flatnonzero(worst == kind)
        if not len(rows) or not len(nodes):
            continue
        first = np.full(len(worst), len(category), np.int64)
        np.minimum.at(first, node_of_row[rows], rows)
        # minimum over n .. end[n] for all n: one pass from the back over each node's parent is not needed,
        # reduceat over interleaved bounds gives it at once
        padded = np.append(first, len(category))
        bounds = np.column_stack([nodes, ends[nodes]]).ravel()
        found[nodes] = np.minimum.reduceat(padded, bounds)[::2]
    return found
