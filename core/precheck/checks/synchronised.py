"""Whether the ranks of each run keep together: equal weights after an update, one gradient norm."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from core.curves.deviation import relative_deviation, rounding_of
from core.messages import Message, Parameter
from core.precheck.dumps.facts import RankWeights, Replicas
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.records.curves import LoggedRun
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series

_PARTS = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "context_parallel")
_PRINTED = 1e-5
"""Relative difference of gradient norms that printing may make where no decimals show."""


def synchronised(pair: Pair) -> Finding:
    """Check that replicas have equal weights after the first update, and that ranks log one gradient norm.

    Ranks that began with other weights may hold parts of the model; they count only where the settings say
    that nothing is parted.
    """
    facts = pair.dumps
    items: list[Item] = []
    if facts is not None:
        items += _by_weights(pair.target, facts.target_replicas, facts.target_path, golden=False)
        items += _by_weights(pair.golden, facts.golden_replicas, facts.golden_path, golden=True)
    items += _by_norms(pair.target, golden=False)
    items += _by_norms(pair.golden, golden=True)
    judged = [item for item in items if item.standing is not Standing.UNKNOWN]
    if not judged:
        word = "parts" if items else "nothing"
        return Finding(Outcome.NOT_DONE, Message(f"precheck.flow.synchronised.{word}"), items)
    wrong = next((item for item in judged if item.standing is Standing.DIFFERS), None)
    if wrong is not None:
        side = "target" if wrong.target else "golden"
        told: dict[str, Parameter] = {"ranks": wrong.name, "detail": wrong.target or wrong.golden}
        return Finding(Outcome.FAIL, Message(f"precheck.flow.synchronised.fail.{side}", told), items)
    sides = [any(item.target for item in judged), any(item.golden for item in judged)]
    if not all(sides):
        lacking = "golden" if sides[0] else "target"
        return Finding(Outcome.NOT_DONE, Message(f"precheck.flow.synchronised.one_sided.{lacking}"), items)
    return Finding(Outcome.PASS, Message("precheck.flow.synchronised.pass", {"count": len(judged)}), items)


def _by_weights(side: Side, replicas: Replicas | None, path: str, *, golden: bool) -> list[Item]:
    """Return an item for each pair of ranks that hold the same weights by name and shape."""
    if replicas is None:
        return []
    first = {item.rank: item for item in replicas.first}
    parted = [side.configuration.whole(name) for name in _PARTS]
    whole = parted[0] == 1 and parted[1] == 1 and all(number in (None, 1) for number in parted)
    whole = whole and not any(map(side.configuration.is_open, _PARTS))
    items = []
    for ours, theirs in combinations(replicas.ranks, 2):
        if not ours.names or ours.names != theirs.names or not np.array_equal(ours.looks, theirs.looks):
            continue
        apart = np.flatnonzero(ours.values != theirs.values)
        began = _began_alike(first.get(ours.rank), first.get(theirs.rank))
        if not len(apart):
            standing, shown = Standing.EQUAL, f"{len(ours.names)} = {len(ours.names)}"
        else:
            standing = Standing.DIFFERS if whole or began else Standing.UNKNOWN
            shown = ours.names[int(apart[0])]
        name = f"step{replicas.step} rank{ours.rank}/rank{theirs.rank}"
        items.append(_item(name, shown, standing, path, golden=golden))
    return items


def _began_alike(ours: RankWeights | None, theirs: RankWeights | None) -> bool:
    if ours is None or theirs is None:
        return False
    return ours.names == theirs.names and np.array_equal(ours.values, theirs.values)


def _by_norms(side: Side, *, golden: bool) -> list[Item]:
    """Return an item for each further log whose ranks are others than the first one's."""
    logs = [log for log in side.logs() if log.ranks and Series.GRAD_NORM in log.curves]
    items = []
    for log in logs[1:]:
        if log.ranks == logs[0].ranks:
            continue
        name = f"rank{logs[0].ranks[0]}/rank{log.ranks[0]}"
        step = _first_apart(logs[0], log)
        if step is None:
            continue
        standing = Standing.EQUAL if step < 0 else Standing.DIFFERS
        shown = Series.GRAD_NORM.value if step < 0 else f"{Series.GRAD_NORM.value} step{step}"
        items.append(_item(name, shown, standing, log.path, golden=golden))
    return items


def _first_apart(first: LoggedRun, second: LoggedRun) -> int | None:
    """Return the first step with other gradient norms, -1 for none; ``None`` without common steps."""
    ours, theirs = first.curves[Series.GRAD_NORM], second.curves[Series.GRAD_NORM]
    steps, left, right = np.intersect1d(ours.steps, theirs.steps, assume_unique=True, return_indices=True)
    if not len(steps):
        return None
    values = ours.values[left], theirs.values[right]
    apart = np.abs(relative_deviation(*values)) > _PRINTED
    apart &= np.abs(values[0] - values[1]) > rounding_of(values[0]) + rounding_of(values[1])
    return int(steps[np.argmax(apart)]) if apart.any() else -1


def _item(name: str, shown: str, standing: Standing, path: str, *, golden: bool) -> Item:
    if golden:
        return Item(name, "", shown, standing, golden_place=Place(path))
    return Item(name, shown, "", standing, target_place=Place(path))
