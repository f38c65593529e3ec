"""The three arrangements of the tree against a plain reading of the rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from builders.results import gpt_result, single_run
from pytestqt.modeltest import ModelTester

from core.records.ignoring import operator_type
from core.records.result import CellResult
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts, build_facts
from gui.models.tree.arrangements import Arrangement, Order, arrange
from gui.models.tree.node_numbers import NodeNumbers, Shown
from gui.models.tree.operator_tree import NODE_ROLE, Branch, OperatorTree
from gui.models.tree.unfolding import Unfolding

ORDERS = pytest.mark.parametrize("order", list(Order))


def model_of(cell: CellResult, facts: Facts, order: Order) -> OperatorTree:
    model = OperatorTree()
    model.order = order
    model.set_facts(cell, facts)
    return model


def rows_below(arrangement: Arrangement) -> dict[int, list[int]]:
    """Return the rows below each node, by walking up from each row."""
    found = defaultdict(list)
    for row, node in enumerate(arrangement.node_of_row.tolist()):
        for each in [node, *arrangement.ancestors(node)]:
            found[each].append(row)
    return found


@ORDERS
def test_nodes_are_numbered_depth_first(facts: Facts, order: Order) -> None:
    tree = arrange(facts, order)
    parent, end = tree.parent.tolist(), tree.end.tolist()
    assert all(over < node for node, over in enumerate(parent))
    for node, over in enumerate(parent):
        assert tree.depth[node] == (0 if over < 0 else tree.depth[over] + 1)
        inside = [below for below in range(len(tree)) if node in tree.ancestors(below)] if node < 60 else None
        assert inside is None or inside == list(range(node + 1, end[node]))
    assert tree.has_below.tolist() == [node in set(parent) for node in range(len(tree))]


@ORDERS
def test_everything_is_rolled_up(cell: CellResult, facts: Facts, order: Order) -> None:
    tree, category = arrange(facts, order), facts.category.tolist()
    values, outputs = NodeNumbers(tree, cell.rows), facts.is_output.tolist()
    below = rows_below(tree)
    assert sorted(row for node in np.flatnonzero(tree.parent < 0) for row in below[node]) == list(
        range(len(facts))
    )
    errors, cosines = cell.rows.error.tolist(), cell.rows.cosine.tolist()
    for node in range(len(tree)):
        rows = below[node]
        worst = max(category[row] for row in rows)
        assert tree.category[node] == worst
        assert tree.worst_row(node) == next(row for row in rows if category[row] == worst)
        counted = Counter(category[row] for row in rows)
        assert tree.counts(node) == [counted[kind] for kind in Category]
        assert values.differing[node] == sum(counted[kind] for kind in Category if kind.differs)
        for shown, column, pick in ((Shown.ERROR, errors, max), (Shown.COSINE, cosines, min)):
            known = [column[row] for row in rows if outputs[row] and not math.isnan(column[row])]
            wanted = pick(known) if known else math.nan
            for found in (values.worst(shown)[node], values.worst_of(shown, node)):
                assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_types_hold_their_calls_in_order(cell: CellResult, facts: Facts) -> None:
    tree = arrange(facts, Order.TYPE)
    names = [facts.operators[int(facts.operator[row])] for row in facts.calls.first_row]
    wanted = defaultdict(list)
    for name in names:
        wanted[operator_type(name)].append(name)
    found = {}
    for node in np.flatnonzero(tree.parent < 0).tolist():
        found[tree.label(node)] = [tree.name(call) for call in range(node + 1, int(tree.end[node]))]
        assert tree.remark(node).split()[0] == str(len(found[tree.label(node)]))
    assert found == wanted
    counts = [len(calls) for calls in found.values()]
    assert counts == sorted(counts, reverse=True)


def test_execution_is_in_the_order_of_the_rows(facts: Facts) -> None:
    tree = arrange(facts, Order.EXECUTION)
    assert len(tree) == len(facts.calls)
    assert tree.node_of_row.tolist() == facts.call_of_row.tolist()
    assert tree.name(30) == facts.operators[int(facts.operator[facts.calls.first_row[30]])]


@ORDERS
def test_one_sided_calls_are_marked_everywhere(cell: CellResult, facts: Facts, order: Order) -> None:
    model = model_of(cell, facts, order)
    for name, words in (
        ("NPU.npu_fusion_attention.0.forward", "target only"),
        ("Torch.contiguous.0.forward", "golden only"),
    ):
        row = int(np.flatnonzero(facts.operator == facts.operators.texts.index(name))[0])
        look = model.look(model.node_of_row(row))
        assert look.one_sided
        assert look.detail == words
    assert not model.look(model.node_of_row(0)).one_sided
    if order is Order.TYPE:
        alone = model.arrangement
        assert alone is not None
        node = alone.ancestors(model.node_of_row(row))[0]
        assert model.look(node).detail == "golden only"


@ORDERS
def test_the_model_keeps_the_rules_of_qt(
    qtmodeltester: ModelTester, cell: CellResult, facts: Facts, order: Order
) -> None:
    model = model_of(cell, facts, order)
    qtmodeltester.check(model)
    for act in (
        Unfolding.fold_all, Unfolding.deeper, lambda unfolding: unfolding.set_open(0, True),
        Unfolding.shallower, lambda unfolding: unfolding.unfold_below(0),
        lambda unfolding: unfolding.reveal(len(unfolding.arrangement) - 1),
    ):  # fmt: skip
        model.change(act)
        assert model.unfolding is not None
        assert [model.node_of(model.index(at, 0)) for at in range(model.rowCount())] == (
            model.unfolding.visible.tolist()
        )
    qtmodeltester.check(OperatorTree())


def test_modules_nest_as_in_the_model(cell: CellResult, facts: Facts) -> None:
    model = model_of(cell, facts, Order.MODULE)
    names, tree = facts.hierarchy.names, model.arrangement
    assert tree is not None
    node = names.index("NPU.npu_fusion_attention.0")
    assert [tree.label(above) for above in tree.ancestors(node)] == [
        "attn Attention", "14 Block", "transformer.h", "model GPT",
    ]  # fmt: skip
    nodes = {
        int(facts.hierarchy.node_of_row[np.flatnonzero(facts.operator == at)[0]])
        for at in map(
            facts.operators.texts.index, ("Functional.gelu.14.forward", "Functional.gelu.14.backward")
        )
    }
    assert len(nodes) == 1


def test_what_is_on_show_follows_what_is_unfolded(facts: Facts) -> None:
    tree = arrange(facts, Order.MODULE)
    unfolding = Unfolding(tree)
    assert unfolding.visible.tolist() == np.flatnonzero(tree.parent < 0).tolist()
    random = np.random.default_rng(5)
    for _ in range(200):
        node = int(random.integers(len(tree)))
        unfolding.set_open(node, bool(random.integers(2)))
        wanted = [
            each for each in range(len(tree)) if all(unfolding.open[over] for over in tree.ancestors(each))
        ]
        if _ % 20 == 0:
            assert unfolding.visible.tolist() == wanted
    unfolding.reveal(len(tree) - 1)
    assert unfolding.place(len(tree) - 1) == len(unfolding.visible) - 1


def test_levels_go_down_and_up(facts: Facts) -> None:
    tree = arrange(facts, Order.MODULE)
    unfolding = Unfolding(tree)
    for level in range(1, int(tree.depth.max()) + 1):
        assert unfolding.deeper() == 0
        assert unfolding.visible.tolist() == np.flatnonzero(tree.depth <= level).tolist()
    assert unfolding.deeper() == 0
    for level in range(int(tree.depth.max()) - 1, -1, -1):
        unfolding.shallower()
        assert unfolding.visible.tolist() == np.flatnonzero(tree.depth <= level).tolist()
    assert unfolding.unfold_below(0) == 0
    assert unfolding.open[0]


def test_unfolding_stops_before_it_is_too_much(monkeypatch: pytest.MonkeyPatch, facts: Facts) -> None:
    monkeypatch.setattr("gui.models.tree.unfolding.MOST_ROWS", 100)
    unfolding = Unfolding(arrange(facts, Order.MODULE))
    while not (asked := unfolding.deeper()):
        shown = len(unfolding.visible)
    assert asked > 100 >= shown == len(unfolding.visible)
    assert unfolding.unfold_below(0) > 100
    assert len(unfolding.visible) <= 100


@ORDERS
def test_other_cells_keep_what_is_unfolded_by_name(cell: CellResult, facts: Facts, order: Order) -> None:
    other = gpt_result(layers=40, faulty_layer=3)
    model = model_of(cell, facts, order)
    tree = model.arrangement
    assert tree is not None
    model.change(Unfolding.fold_all)
    wanted = set()
    for label in ("transformer.h", "model GPT", "7 Block", "gelu"):
        for node in np.flatnonzero(tree.has_below).tolist():
            if tree.label(node) == label:
                wanted.add(tree.name(node))
                model.change(lambda unfolding, node=node: unfolding.set_open(node, True))
    for again in (other, cell):
        model.set_facts(again, build_facts(again))
        unfolding = model.unfolding
        assert unfolding is not None
        opened = np.flatnonzero(unfolding.open).tolist()
        assert {unfolding.arrangement.name(node) for node in opened} == wanted


@ORDERS
def test_only_problems_leaves_what_differs_or_is_one_sided(
    cell: CellResult, facts: Facts, order: Order
) -> None:
    model = model_of(cell, facts, order)
    model.set_only_problems(True)
    model.change(lambda unfolding: unfolding.unfold_below(0))
    tree = model.arrangement
    assert tree is not None
    bad = {
        row
        for row in range(len(facts))
        if facts.category[row] >= Category.GOLDEN_INVALID
        or min(cell.rows.target_operator[row], cell.rows.golden_operator[row]) < 0
    }
    kept = {node for node, rows in rows_below(tree).items() if bad & set(rows)}
    shown = {model.node_of(model.index(at, 0)) for at in range(model.rowCount())}
    assert shown <= kept
    assert {node for node in kept if tree.parent[node] < 0} <= shown
    model.set_only_problems(False)
    assert model.rowCount() > len(shown) or order is not Order.EXECUTION


def test_a_run_alone_has_no_verdicts(cell: CellResult) -> None:
    alone = single_run(cell)
    model = OperatorTree()
    model.set_facts(alone, build_facts(alone), exploring=True)
    model.set_only_problems(True)
    look = model.index(0, 0).data(NODE_ROLE)
    assert look.category is None
    assert look.number == ""
    assert look.branch is Branch.OPEN
